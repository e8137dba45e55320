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

// A compiled encoder and the generated executor answer every query with the
// same bytes: random selections over the demo agency, with fields that compile
// and fields that do not.
func TestEncodersAnswerAsTheExecutorDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		random := rand.New(rand.NewPCG(1, 2))
		encoded := 0
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
			fast := server.encoding.agents.Len() + server.encoding.connections.Len()
			ahead := readAhead
			readAhead = nil
			want, _ := answer(t, server, ctx, text)
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
		if n := server.encoding.downlines.Len(); n < 20 {
			t.Errorf("only %d selections of downlines were seen beside what does not compile", n)
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
		"payStatus { name }", "payee " + q.payee(), "governmentIdentifier" + q.reveal(), "homeAddress { line1 line2 city jurisdiction { code } postalCode country }",
		"tags { " + q.some([]string{"id name", "... on Tag { description }", "color", "createdAt createdBy", "lastModified lastModifiedBy", "__typename"}) + " }",
		"businessAddress { city jurisdiction { code } }", "cellPhone { countryCode areaCode phoneNumber }", "homePhone { phoneNumber }", "fax { areaCode }", "__typename", "... on Agent { x: agentCode }", "... on Node { y: id }"}
	if depth > 0 {
		fields = append(fields, "upline "+q.agent(depth-1), "downline("+q.one("level: 1, first: 2", "first: $first", "minLevel: 2, first: 2", "last: 1")+") "+q.downline(depth-1), "certifications(first: "+q.one("2", "$first")+") "+q.certifications(), "certifications "+q.certifications())
	}
	if q.IntN(4) == 0 { // what does not compile
		fields = append(fields, "payStatus { name isActive }", "membership { level { value } }", "firstName @include(if: $yes)", "businessPhone { phoneNumber @include(if: $yes) }",
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

func (q query) certifications() string {
	return "{ " + q.some([]string{"pageInfo { hasNextPage endCursor }", "nodes { " + q.some([]string{"id", "databaseId", "asOf asKnownAt", "type { code }",
		"providerCompany { code }", "jurisdiction { c: code }", "identifier", "isResidentCertification isVerified", "status", "effectiveFrom",
		"effectiveThrough", "daysRemaining", "note", "createdAt createdBy", "lastModified lastModifiedBy", "__typename"}) + " }"}) + " }"
}

// An encoder does not run directives: no field that has one which guards it may
// be declared in an encoder. @sensitive guards nothing by itself: the resolver's
// answer, masked or not, is the encoder's (Resolver.sensitive).
func TestEncodersLeaveGuardedFieldsAlone(t *testing.T) {
	e := newEncoders(nil)
	declared := map[string][]string{"Agent": keys(e.agent.Fields), "Certification": keys(e.certification.Fields), "PageInfo": keys(e.pageInfo.Fields),
		"DownlineConnection": keys(e.downlines.Fields), "DownlineEdge": keys(e.downlineEdge.Fields),
		"Payee": keys(e.payee.Fields), "W9": keys(e.w9Fields()), "DirectDeposit": keys(e.directDepositFields()), "Tag": keys(tagFields())}
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
