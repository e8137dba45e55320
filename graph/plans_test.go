package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/internal/vault"
)

// A plan and the generated executor answer every query with the same bytes: random
// selections over the demo agency, with fields that have a plan and fields that have
// none.
func TestPlansAnswerAsTheExecutorDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		random := rand.New(rand.NewPCG(1, 2))
		for range 500 {
			q := query{random}
			text := q.text()
			for strings.Count(text, " ") > 700 { // a large selection exceeds the limits
				text = q.text()
			}
			got, ok := answer(t, server, ctx, text)
			if !ok {
				continue
			}
			roots := server.plans.types.roots
			server.plans.types.roots = nil
			want, _ := answer(t, server, ctx, text)
			server.plans.types.roots = roots
			if got != want {
				t.Fatalf("%s\nplanned:  %s\nexecutor: %s", text, got, want)
			}
		}
		planned := 0
		for _, f := range server.plans.Keys() {
			if p, _ := server.plans.Peek(f); p != nil && f.Alias == f.Name {
				planned++
			}
		}
		if planned < 100 {
			t.Errorf("only %d selections had a plan", planned)
		}
	})
}

// answer is what a query gets; ok is false for one that exceeds a limit.
func answer(t *testing.T, s *Server, ctx context.Context, query string) (data string, ok bool) {
	t.Helper()
	r := s.Execute(ctx, query, "", map[string]any{"first": json.Number("3"), "yes": true})
	if len(r.Errors) > 0 && r.Errors[0].Extensions["limit"] != nil {
		return "", false
	}
	if len(r.Errors) > 0 {
		t.Fatalf("%s: %v", query, r.Errors)
	}
	return string(r.Data), true
}

func demoServer(t *testing.T, s *store.Store) (*Server, context.Context) {
	t.Helper()
	server, _, ctx := demoServerAndVault(t, s)
	return server, ctx
}

func demoServerAndVault(t *testing.T, s *store.Store) (*Server, *vault.Vault, context.Context) {
	t.Helper()
	ctx := t.Context()
	c := clock.At(time.Date(2026, 5, 4, 15, 0, 0, 0, time.UTC))
	v, err := vault.New(make([]byte, 32), tenants.NewKeysets(s))
	must(t, err)
	who, err := tenants.Create(ctx, s, v, c, tenants.NewTenant{Identifier: "a", Name: "A", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	must(t, err)
	must(t, demo.Load(ctx, s, v, c, who, demo.Generate(demo.Options{Agents: 60, Seed: 3, Today: date.Of(2026, 5, 4), CodePrefix: "A"}), func(int, int) {}))
	area := agency.New(s, c, v)
	payees(t, area, tenant.With(ctx, who))
	tags(t, area, tenant.With(ctx, who))
	server := New(Config{
		Resolver: &Resolver{Store: s, Clock: c, Agency: area, Hierarchy: hierarchy.New(s, c), Audit: audit.New(s, c, v), Vault: v},
		Log:      slog.New(slog.DiscardHandler), TraceID: func(context.Context) string { return "" },
	})
	ctx = tenant.WithCaller(tenant.With(ctx, who), tenant.Caller{Subject: "t", Scopes: []string{"read:agents"}})
	return server, v, ctx
}

// tags gives some agents one tag, two, or none, beside those of the demo agency.
func tags(t *testing.T, area *agency.Service, ctx context.Context) {
	t.Helper()
	for name, color := range map[string]patch.Field[string]{"Top \"10\"": patch.Set("#2a9d8f"), "Silver": {}} {
		_, err := area.CreateTag(ctx, agency.TagInput{Name: patch.Set(name), Color: color, Initiator: "test"})
		must(t, err)
	}
	for i := range 40 {
		operations := []agency.TagOperation{{Assign: i%2 == 0, Tag: "Silver"}, {Assign: i%3 == 0, Tag: "Top \"10\""}}
		_, err := area.UpdateTags(ctx, fmt.Sprintf("A%d", 1000+i), agency.TagsUpdate{Operations: operations, Initiator: "test"})
		must(t, err)
	}
}

// payees gives the first agents a W9, one with hardly anything in it or none, and
// a bank account or none; others keep what the demo agency has of them.
func payees(t *testing.T, area *agency.Service, ctx context.Context) {
	t.Helper()
	name, class := patch.Set("Ana \"Quick\" Díaz"), patch.Set("LLC_C")
	empty := patch.Null[string]()
	w9s := []patch.Field[agency.W9Update]{patch.Null[agency.W9Update](),
		patch.Set(agency.W9Update{Name: name, TaxClassification: class, BusinessName: empty, Address: patch.Null[agency.W9AddressUpdate](),
			AccountNumber: empty, TaxpayerIdentifier: empty, Signature: empty, SignatureDate: patch.Null[date.Date]()}),
		patch.Set(agency.W9Update{Name: name, TaxClassification: class, BusinessName: patch.Set("Díaz & Co"), ExemptPayee: patch.Set("5"),
			Address: patch.Set(agency.W9AddressUpdate{City: patch.Set("Austin")}), AccountNumber: patch.Set("AC-00\\12"),
			TaxpayerIdentifier: patch.Set("900-12-3456"), Signature: patch.Set("Ana Díaz"), SignatureDate: patch.Set(date.Of(2026, 1, 2))})}
	deposits := []patch.Field[agency.DirectDepositInput]{
		patch.Set(agency.DirectDepositInput{Country: "US", AccountHolderName: "Ana", AccountType: "CHECKING", RoutingNumber: new("011000015"), AccountNumber: new("0012345678")}),
		patch.Set(agency.DirectDepositInput{Country: "CA", AccountHolderName: "Ana", BankName: new("North"), AccountType: "SAVINGS",
			InstitutionNumber: new("003"), TransitNumber: new("12345"), AccountNumber: new("12345")}), patch.Null[agency.DirectDepositInput](), {}}
	for i := range 40 {
		_, err := area.UpdatePayee(ctx, fmt.Sprintf("A%d", 1000+i), agency.PayeeUpdate{W9: w9s[i%3], DirectDeposit: deposits[i%4], Initiator: "test"}, false)
		must(t, err)
	}
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
		return head + `agent(agentCode: "A10` + string(rune('0'+q.IntN(6))) + string(rune('0'+q.IntN(10))) + `", onDate: "20` + string(rune('1'+q.IntN(2))) + `5-06-01"` + q.known() + ") " + q.agent(3) + "}"
	}
	if q.IntN(4) == 0 {
		return head + "certifications(first: $first" + q.one("", ", filter: {type: \"LIFE\"}", ", orderBy: [{field: AGENT_CODE}, {field: STATUS, direction: DESC}]") + q.known() + ") " + q.certifications(2) + " }"
	}
	connection := q.some([]string{"totalCount", "pageInfo { hasNextPage hasPreviousPage startCursor endCursor __typename }",
		"nodes " + q.agent(3), "edges { cursor node " + q.agent(2) + " }"})
	return head + "agents(first: " + q.one("$first", "7", "0") + ", filter: {isActive: " + q.one("true", "false") + "}" + q.known() + ") { " + connection + " } }"
}

// known is at times an instant to read the knowledge of.
func (q query) known() string {
	return q.one("", `, asKnownAt: "2025-01-01T00:00:00Z"`, `, asKnownAt: "2015-08-01T02:00:00.5+02:00"`, `, asKnownAt: "2030-01-01T00:00:00Z"`)
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
	fields := []string{"id", "agentCode", "asOf", "asKnownAt", "firstName", "m: middleName", "lastName", "commonName", "displayName", "email", "birthDate",
		"gender", "npn", "customerId", "isDedicated", "startDate", "createdAt createdBy", "lastModified lastModifiedBy", "isActive",
		"payStatus { " + q.one("name", "name isActive", "__typename id description") + " }", "membership " + q.one("{ directUplineCode uplineSince __typename }", "{ level { value name id } levelSince directUpline { agentCode } }"), "payee " + q.payee(), "governmentIdentifier" + q.reveal(), "homeAddress { line1 line2 city jurisdiction { code } postalCode country }",
		"tags { " + q.some([]string{"id name", "... on Tag { description }", "color", "createdAt createdBy", "lastModified lastModifiedBy", "__typename"}) + " }",
		"businessAddress { city jurisdiction { code } }", "cellPhone { countryCode areaCode phoneNumber }", "homePhone { phoneNumber }", "fax { areaCode }", "__typename", "... on Agent { x: agentCode }", "... on Node { y: id }"}
	if depth > 0 {
		fields = append(fields, "upline "+q.agent(depth-1), "downline("+q.one("level: 1, first: 2", "first: $first", "minLevel: 2, first: 2", "last: 1")+") "+q.downline(depth-1), "certifications(first: "+q.one("2", "$first", "2, offset: 1", "1, filter: {status: [ACTIVE, EXPIRED]}, orderBy: {field: TYPE, direction: DESC}")+") "+q.certifications(depth-1), "certifications "+q.certifications(depth-1))
	}
	if q.IntN(4) == 0 { // what does not compile
		fields = append(fields, "membership { level { team } }", "firstName @include(if: $yes)", "businessPhone { phoneNumber @include(if: $yes) }",
			"tags { assignedCount }", "aliases { totalCount }")
	}
	return "{ " + q.distinct(fields) + " }"
}

func (q query) downline(depth int) string {
	edge := []string{"cursor", "level", "node " + q.agent(depth), "__typename"}
	if q.IntN(6) == 0 { // what does not compile
		edge = append(edge, "path")
	}
	return "{ " + q.some([]string{"totalCount", "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }", "nodes " + q.agent(depth), "edges { " + q.some(edge) + " }", "__typename"}) + " }"
}

// reveal is an argument of sensitive fields, or none.
func (q query) reveal() string {
	return q.one("", "(reveal: true)", "(reveal: false)", "(reveal: $yes)")
}

func (q query) payee() string {
	w9 := q.some([]string{"name", "businessName", "taxClassification exemptPayee", "address { streetAddress city state zipCode __typename }", "a: address { city }",
		"accountNumber" + q.reveal(), "taxpayerIdentifier" + q.reveal(), "t: taxpayerIdentifier", "signature" + q.reveal(), "signatureDate", "__typename"})
	deposit := q.some([]string{"country accountType", "accountHolderName", "bankName", "routingNumber" + q.reveal(), "institutionNumber" + q.reveal(),
		"transitNumber" + q.reveal(), "accountNumber" + q.reveal(), "a: accountNumber", "lastModified lastModifiedBy", "__typename"})
	return "{ " + q.some([]string{"status { name }", "w9 { " + w9 + " }", "directDeposit { " + deposit + " }", "isPayable", "agent { agentCode isActive }", "__typename"}) + " }"
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

func (q query) certifications(depth int) string {
	node := []string{"id", "databaseId", "asOf asKnownAt", "type { " + q.one("code", "name code category", "id __typename") + " }",
		"providerCompany { " + q.one("code", "name") + " }", "jurisdiction { c: code }", "identifier", "isResidentCertification isVerified", "status", "effectiveFrom",
		"effectiveThrough", "daysRemaining", "note", "createdAt createdBy", "lastModified lastModifiedBy", "__typename"}
	if depth > 0 {
		node = append(node, "agent "+q.agent(depth-1))
	}
	return "{ " + q.some([]string{"pageInfo { hasNextPage endCursor }", "totalCount", "nodes { " + q.some(node) + " }", "edges { cursor node { id } }"}) + " }"
}

// A plan does not run directives: no field that has one which guards it may stand in the
// table of types below a root field. @sensitive guards nothing by itself: the resolver's
// answer, masked or not, is the plan's (Resolver.sensitive).
func TestPlansLeaveGuardedFieldsAlone(t *testing.T) {
	all := newTypes(&Resolver{})
	declared := map[string][]string{"Agent": keys(all.agent.Fields), "Certification": keys(all.certification.Fields), "W9": keys(all.w9(nil).Fields),
		"DirectDeposit": keys(all.directDeposit(nil).Fields), "Tag": keys(tagType.Fields), "AgentLevel": keys(agentLevels.Fields)}
	for _, k := range []*reference{payStatuses, jurisdictions, providerCompanies, certificationTypes} {
		declared[k.names[0]] = keys(k.fields)
	}
	for typeName, fields := range declared {
		for _, name := range fields {
			f := Schema().Types[typeName].Fields.ForName(name)
			if f == nil {
				t.Errorf("%s.%s is not in the schema", typeName, name)
				continue
			}
			if f.Directives.ForName("hasScope") != nil {
				t.Errorf("%s.%s has @hasScope", typeName, name)
			}
		}
	}
}

func keys[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

// A question takes so many statements, and the database is waited for so many times,
// whatever it finds; on SQLite each statement is a trip.
func TestTrips(t *testing.T) {
	const certifications = "certifications(first: 10) { nodes { type { code } jurisdiction { code } status } }"
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		for _, c := range []struct {
			name, query       string
			statements, trips int64
		}{
			{"one agent with contact and pay status", `{ agent(agentCode: "A1030") { agentCode displayName email cellPhone { phoneNumber } homeAddress { city jurisdiction { code name } } payStatus { name } isActive startDate } }`, 1, 1},
			{"an agent as a payee", `{ agent(agentCode: "A1001") { payee { isPayable w9 { name taxpayerIdentifier } directDeposit { accountNumber } } } }`, 1, 1},
			{"agent, upline, upline with certifications", "{ agent(agentCode: \"A1030\") { ...a upline { ...a upline { ...a } } } } fragment a on Agent { agentCode " + certifications + " }", 2, 2},
			{"membership", `{ agent(agentCode: "A1030") { membership { level { value name } directUpline { agentCode } } upline { agentCode } } }`, 1, 1},
			{"page with upline and certifications", "{ agents(first: 50) { totalCount nodes { agentCode upline { firstName } payStatus { name } " + certifications + " } } }", 2, 2},
			{"page with two lists of each", "{ agents(first: 50) { nodes { tags { name } " + certifications + " } } }", 3, 2},
			{"downline of the downline", "{ agents(first: 50, onDate: \"2026-05-01\") { nodes { downline(level: 1, first: 2) { nodes { agentCode downline(level: 1, first: 2) { nodes { agentCode " + certifications + " } } } } } } }", 4, 4},
			{"flattened downline", `{ agent(agentCode: "A1000") { downline(first: 40) { totalCount edges { level node { agentCode upline { agentCode } } } } } }`, 2, 2},
			{"certifications with their agents", "{ certifications(first: 50) { nodes { type { name } agent { agentCode upline { agentCode } } } } }", 1, 1},
		} {
			if _, ok := answer(t, server, ctx, c.query); !ok { // what is remembered across requests is read
				t.Fatalf("%s: refused", c.name)
			}
			counted, n := store.Counted(ctx)
			answer(t, server, counted, c.query)
			if !s.Postgres() {
				c.trips = c.statements
			}
			if n.Statements.Load() != c.statements || n.Trips.Load() != c.trips {
				t.Errorf("%s: %d statements in %d round trips, want %d in %d", c.name, n.Statements.Load(), n.Trips.Load(), c.statements, c.trips)
			}
		}
	})
}
