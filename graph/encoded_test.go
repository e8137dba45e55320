package graph

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/internal/vault"
)

// A compiled encoder and the generated executor answer every query with the
// same bytes: random selections over the demo agency, with fields that compile
// and fields that do not.
func TestEncodersAnswerAsTheExecutorDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		random := rand.New(rand.NewPCG(1, 2))
		encoded := 0
		for range 400 {
			q := query{random}
			text := q.text()
			got := answer(t, server, ctx, text)
			fast := server.encoding.agents.Len() + server.encoding.connections.Len()
			ahead := readAhead
			readAhead = nil
			want := answer(t, server, ctx, text)
			readAhead = ahead
			if got != want {
				t.Fatalf("%s\nencoded:  %s\nexecutor: %s", text, got, want)
			}
			encoded = max(encoded, fast)
		}
		if encoded < 100 {
			t.Errorf("only %d selections were seen by the encoders", encoded)
		}
		compiled := 0
		for _, e := range server.encoding.agents.Values() {
			if e != nil {
				compiled++
			}
		}
		if compiled < 30 {
			t.Errorf("only %d selections of agents compiled", compiled)
		}
	})
}

func answer(t *testing.T, s *Server, ctx context.Context, query string) string {
	t.Helper()
	r := s.Execute(ctx, query, "", map[string]any{"first": json.Number("3"), "yes": true})
	if len(r.Errors) > 0 {
		t.Fatalf("%s: %v", query, r.Errors)
	}
	return string(r.Data)
}

func demoServer(t *testing.T, s *store.Store) (*Server, context.Context) {
	t.Helper()
	ctx := t.Context()
	c := clock.At(time.Date(2026, 5, 4, 15, 0, 0, 0, time.UTC))
	v, err := vault.New(make([]byte, 32), tenants.NewKeysets(s))
	must(t, err)
	who, err := tenants.Create(ctx, s, v, c, tenants.NewTenant{Identifier: "a", Name: "A", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	must(t, err)
	must(t, demo.Load(ctx, s, v, c, who, demo.Generate(demo.Options{Agents: 60, Seed: 3, Today: date.Of(2026, 5, 4), CodePrefix: "A"}), func(int, int) {}))
	server := New(Config{
		Resolver: &Resolver{Store: s, Clock: c, Agency: agency.New(s, c, v), Hierarchy: hierarchy.New(s, c)},
		Log:      slog.New(slog.DiscardHandler), TraceID: func(context.Context) string { return "" },
	})
	ctx = tenant.WithCaller(tenant.With(ctx, who), tenant.Caller{Subject: "t", Scopes: []string{"read:agents"}})
	return server, ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// query makes random selections.
type query struct{ *rand.Rand }

func (q query) text() string {
	head := "query($first: Int, $yes: Boolean!) { u: viewer @include(if: $yes) { subject } f: __typename @skip(if: $yes) p: agents(first: $first) { totalCount } "
	if q.IntN(2) == 0 {
		return head + `agent(agentCode: "A10` + string(rune('0'+q.IntN(6))) + string(rune('0'+q.IntN(10))) + `", onDate: "20` + string(rune('1'+q.IntN(2))) + `5-06-01") ` + q.agent(3) + "}"
	}
	connection := q.some([]string{"totalCount", "pageInfo { hasNextPage hasPreviousPage startCursor endCursor __typename }",
		"nodes " + q.agent(3), "edges { cursor node " + q.agent(2) + " }"})
	return head + "agents(first: " + q.one("$first", "7", "0") + ", filter: {isActive: " + q.one("true", "false") + "}) { " + connection + " } }"
}

func (q query) one(of ...string) string { return of[q.IntN(len(of))] }

func (q query) some(of []string) string {
	var chosen []string
	for _, i := range q.Perm(len(of))[:1+q.IntN(len(of))] {
		chosen = append(chosen, of[i])
	}
	return strings.Join(chosen, " ")
}

func (q query) agent(depth int) string {
	fields := []string{"id", "agentCode", "asOf", "firstName", "m: middleName", "lastName", "commonName", "displayName", "email", "birthDate",
		"gender", "npn", "customerId", "isDedicated", "startDate", "createdAt createdBy", "lastModified lastModifiedBy", "isActive",
		"payStatus { name }", "__typename", "... on Agent { x: agentCode }", "... on Node { y: id }"}
	if depth > 0 {
		fields = append(fields, "upline "+q.agent(depth-1), "certifications(first: "+q.one("2", "$first")+") "+q.certifications(), "certifications "+q.certifications())
	}
	if q.IntN(4) == 0 { // what does not compile
		fields = append(fields, "payStatus { name isActive }", "membership { level { value } }", "firstName @include(if: $yes)", "cellPhone { phoneNumber }")
	}
	return "{ " + q.distinct(fields) + " }"
}

// distinct leaves out what cannot stand beside what was chosen: the same field
// with other arguments or sub-selections.
func (q query) distinct(fields []string) string {
	var chosen []string
	seen := map[string]bool{}
	for _, f := range strings.Split(q.some(mark(fields)), "\x00") {
		name := strings.FieldsFunc(strings.TrimSpace(f)+" ", func(r rune) bool { return r == ' ' || r == '(' })
		if len(name) == 0 || seen[name[0]] && name[0] != "..." {
			continue
		}
		seen[name[0]] = true
		chosen = append(chosen, strings.TrimSpace(f))
	}
	return strings.Join(chosen, " ")
}

func mark(fields []string) []string {
	marked := make([]string, len(fields))
	for i, f := range fields {
		marked[i] = f + "\x00"
	}
	return marked
}

func (q query) certifications() string {
	return "{ " + q.some([]string{"pageInfo { hasNextPage endCursor }", "nodes { " + q.some([]string{"id", "databaseId", "asOf", "type { code }",
		"providerCompany { code }", "jurisdiction { c: code }", "identifier", "isResidentCertification isVerified", "status", "effectiveFrom",
		"effectiveThrough", "daysRemaining", "note", "createdAt createdBy", "lastModified lastModifiedBy", "__typename"}) + " }"}) + " }"
}

// An encoder does not run directives: no field that has one which guards it may
// be declared in an encoder.
func TestEncodersLeaveGuardedFieldsAlone(t *testing.T) {
	e := newEncoders(nil)
	declared := map[string][]string{"Agent": keys(e.agent.Fields), "Certification": keys(e.certification.Fields), "PageInfo": keys(e.pageInfo.Fields)}
	for typeName, fields := range declared {
		for _, name := range fields {
			f := Schema().Types[typeName].Fields.ForName(name)
			if f == nil {
				t.Errorf("%s.%s is not in the schema", typeName, name)
				continue
			}
			for _, guard := range []string{"hasScope", "sensitive"} {
				if f.Directives.ForName(guard) != nil {
					t.Errorf("%s.%s has @%s", typeName, name, guard)
				}
			}
		}
	}
}

func keys[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }
