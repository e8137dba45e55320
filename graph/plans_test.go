package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

var index = regexp.MustCompile(`\[\d+\]`)

var updateAnswers = flag.Bool("update-answers", false, "write documents, and what they are answered, to testdata")

// answersFile has what random documents were answered by the executor that read the agency
// before graph/read did, one in a line; without those as known at an instant, which names and
// contact had no part in then.
const answersFile = "testdata/answers.jsonl.gz"

// recorded is a document with what it is answered.
type recorded struct {
	Document string `json:"document"`
	Yes      bool   `json:"yes"`
	Answer   string `json:"answer"`
}

// Random selections over the demo agency, with directives, fragments and fields asked for
// twice, are answered as they are recorded: data and errors, on both databases.
func TestAnswersAreAsRecorded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		if *updateAnswers && !s.Postgres() {
			writeAnswers(t, server, ctx)
		}
		all := readAnswers(t)
		for _, r := range all {
			if got, _ := answer(t, server, ctx, r.Document, r.Yes); got != r.Answer {
				t.Errorf("%s\ngot  %s\nwant %s", r.Document, got, r.Answer)
			}
		}
		if len(all) < 300 {
			t.Errorf("%d documents, too few to tell", len(all))
		}
	})
}

func readAnswers(t *testing.T) (all []recorded) {
	t.Helper()
	f, err := os.Open(answersFile)
	must(t, err)
	defer f.Close()
	text, err := gzip.NewReader(f)
	must(t, err)
	for lines := json.NewDecoder(text); ; {
		var r recorded
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

func writeAnswers(t *testing.T, server *Server, ctx context.Context) {
	t.Helper()
	f, err := os.Create(answersFile)
	must(t, err)
	defer f.Close()
	text := gzip.NewWriter(f)
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		q := &query{Rand: random, schema: server.schema, roots: readQueries(server.schema)}
		r := recorded{Document: q.text(), Yes: q.IntN(2) == 0}
		for strings.Count(r.Document, " ") > 700 { // a large selection exceeds the limits
			r.Document = q.text()
		}
		var ok bool
		if r.Answer, ok = answer(t, server, ctx, r.Document, r.Yes); ok {
			must(t, json.NewEncoder(text).Encode(r))
		}
	}
	must(t, text.Close())
}

// All fields of an object tell what is refused, though one of them is enough for it to be
// null.
func TestAllRefusalsAreTold(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		got, _ := answer(t, server, ctx, `{ agent(agentCode: "A1000") { certifications(first: 1000) { totalCount } upline(team: "none") { agentCode } w9Periods(first: -1) { totalCount } } }`, true)
		data, errs, _ := strings.Cut(got, "\n")
		if told := strings.Split(errs, "\n"); data != `{"agent":null}` || len(told) != 3 {
			t.Errorf("%s\n%s", data, errs)
		}
	})
}

// What another area refuses of an agent is told at the place of each agent, and is null
// there.
func TestRefusalsOfOtherAreas(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		r := server.Execute(ctx, `{ agents(first: 2) { nodes { agentCode of: application { id } } } one: agent(agentCode: "A1000") { agentCode users { username } } }`, "", nil)
		if string(r.Data) != `{"agents":{"nodes":[{"agentCode":"A1000","of":null},{"agentCode":"A1001","of":null}]},"one":null}` {
			t.Errorf("%s", r.Data)
		}
		var paths []string
		for _, err := range r.Errors {
			paths = append(paths, err.Path.String())
			if !strings.Contains(err.Message, "scope") {
				t.Error(err)
			}
		}
		slices.Sort(paths)
		if want := []string{"agents.nodes[0].of", "agents.nodes[1].of", "one.users"}; !slices.Equal(paths, want) {
			t.Errorf("%q, want %q", paths, want)
		}
	})
}

// A field of a fragment that is spread twice may ask for more in one place than in the
// other, of the same agents: each place gets what it asks for.
func TestFragmentInTwoPlaces(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		const query = `{ a: hierarchyDiff(fromDate: "1990-01-01", toDate: "2026-05-04") { ...added added { payStatus { name } } }
			b: hierarchyDiff(fromDate: "1990-01-01", toDate: "2026-05-04") { ...added added { email } } }
			fragment added on HierarchyDiff { added { agentCode } }`
		both, ok := answer(t, server, ctx, query, true)
		if !ok || strings.Count(both, `{"agentCode":"A1000","payStatus":`) != 1 || strings.Count(both, `{"agentCode":"A1000","email":`) != 1 {
			t.Error(both)
		}
	})
}

// readQueries are the names of the fields of Query that graph/read answers.
func readQueries(s *ast.Schema) (names []string) {
	for _, f := range s.Query.Fields {
		if isRead(s, f.Type.Name()) {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

// isRead reports whether graph/read reads the objects of a type.
func isRead(s *ast.Schema, typeName string) bool {
	return s.Types[typeName].Kind == ast.Object && bytes.Contains(generatorSettings(), []byte("\n  "+typeName+": *read\n")) || typeName == "Agent"
}

var generatorSettings = sync.OnceValue(func() []byte {
	settings, err := os.ReadFile("../gqlgen.yml")
	if err != nil {
		panic(err)
	}
	return settings
})

// answer is what a query gets; ok is false for one that exceeds a limit.
func answer(t *testing.T, s *Server, ctx context.Context, query string, yes bool) (data string, ok bool) {
	t.Helper()
	r := s.Execute(ctx, query, "", map[string]any{"first": json.Number("3"), "yes": yes, "no": !yes})
	if len(r.Errors) > 0 && r.Errors[0].Extensions["limit"] != nil {
		return "", false
	}
	for _, err := range r.Errors { // of a random document some arguments are refused
		if err.Extensions["code"] == refusal.Internal || r.Data == nil {
			t.Fatalf("%s: %v", query, r.Errors)
		}
	}
	var errs []string
	for _, err := range r.Errors {
		// Where an element has no value the list has none, so the other elements need not be tried.
		errs = append(errs, fmt.Sprintf("%s: %s %v", index.ReplaceAllString(err.Path.String(), "[]"), err.Message, err.Extensions))
	}
	slices.Sort(errs)
	return string(r.Data) + "\n" + strings.Join(slices.Compact(errs), "\n"), true
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
	v, err := vault.New(make([]byte, 32), directory.NewKeysets(s))
	must(t, err)
	who, err := directory.Create(ctx, s, v, c, directory.NewTenant{Identifier: "a", Name: "A", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	must(t, err)
	must(t, demo.Load(ctx, s, v, c, who, demo.Options{Agents: 60, Seed: 3, Today: date.Of(2026, 5, 4), CodePrefix: "A"}, func(int, int) {}))
	area := agency.New(s, c, v)
	payees(t, area, tenant.With(ctx, who))
	tags(t, area, tenant.With(ctx, who))
	server := New(Config{
		Resolver: &resolve.Resolver{Store: s, Clock: c, Agency: area, Hierarchy: hierarchy.New(s, c), Audit: audit.New(s, c, v), Vault: v},
		Log:      slog.New(slog.DiscardHandler), TraceID: func(context.Context) string { return "" },
	})
	ctx = tenant.WithCaller(tenant.With(ctx, who), tenant.Caller{Subject: "t", Scopes: []string{"read:agents"}})
	return server, v, ctx
}

// tags gives some agents one tag, two, or none, beside those of the demo agency.
func tags(t *testing.T, area *agency.Service, ctx context.Context) {
	t.Helper()
	for _, tag := range []reference.TagInput{{Name: patch.Set("Silver")}, {Name: patch.Set("Top \"10\""), Color: patch.Set("#2a9d8f")}} { // in an order, since answers are recorded with ids
		tag.Initiator = "test"
		_, err := area.CreateTag(ctx, tag)
		must(t, err)
	}
	for i := range 40 {
		operations := []label.TagOperation{{Assign: i%2 == 0, Tag: "Silver"}, {Assign: i%3 == 0, Tag: "Top \"10\""}}
		_, err := area.UpdateTags(ctx, fmt.Sprintf("A%d", 1000+i), label.TagsUpdate{Operations: operations, Initiator: "test"})
		must(t, err)
	}
}

// payees gives the first agents a W9, one with hardly anything in it or none, and
// a bank account or none; others keep what the demo agency has of them.
func payees(t *testing.T, area *agency.Service, ctx context.Context) {
	t.Helper()
	name, class := patch.Set("Ana \"Quick\" Díaz"), patch.Set("LLC_C")
	empty := patch.Null[string]()
	w9s := []patch.Field[payee.W9Details]{patch.Null[payee.W9Details](),
		patch.Set(payee.W9Details{Name: name, TaxClassification: class, BusinessName: empty, Address: *payee.W9AddressFields.Cleared(),
			AccountNumber: empty, TaxpayerIdentifier: empty, Signature: empty, SignatureDate: patch.Null[date.Date]()}),
		patch.Set(payee.W9Details{Name: name, TaxClassification: class, BusinessName: patch.Set("Díaz & Co"), ExemptPayee: patch.Set("5"),
			Address: payee.W9Address{City: patch.Set("Austin")}, AccountNumber: patch.Set("AC-00\\12"),
			TaxpayerIdentifier: patch.Set("900-12-3456"), Signature: patch.Set("Ana Díaz"), SignatureDate: patch.Set(date.Of(2026, 1, 2))})}
	deposits := []patch.Field[payee.BankDetails]{
		patch.Set(payee.BankDetails{Country: patch.Set("US"), AccountHolderName: patch.Set("Ana"), AccountType: patch.Set("CHECKING"), RoutingNumber: patch.Set("011000015"), AccountNumber: patch.Set("0012345678")}),
		patch.Set(payee.BankDetails{Country: patch.Set("CA"), AccountHolderName: patch.Set("Ana"), BankName: patch.Set("North"), AccountType: patch.Set("SAVINGS"),
			InstitutionNumber: patch.Set("003"), TransitNumber: patch.Set("12345"), AccountNumber: patch.Set("12345")}), patch.Null[payee.BankDetails](), {}}
	for i := range 40 {
		_, err := area.UpdatePayee(ctx, fmt.Sprintf("A%d", 1000+i), payee.Update{W9: w9s[i%3], DirectDeposit: deposits[i%4], Initiator: "test"}, false)
		must(t, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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
			{"downline of the downline", "{ agents(first: 50, onDate: \"2026-05-01\") { nodes { downline(depth: 1, first: 2) { nodes { agentCode downline(depth: 1, first: 2) { nodes { agentCode " + certifications + " } } } } } } }", 4, 4},
			{"flattened downline", `{ agent(agentCode: "A1000") { downline(first: 40) { totalCount edges { depth node { agentCode upline { agentCode } } } } } }`, 2, 1},
			{"an agent with aliases and histories", `{ agent(agentCode: "A1030") { aliases(first: 5) { nodes { identifier providerCompany { name } } } payStatusPeriods(first: 5) { nodes { status { name } isCurrent } } uplinePeriods(first: 5) { nodes { upline { agentCode } } } } }`, 4, 1},
			{"certifications with their periods", `{ certifications(first: 50) { nodes { periods(first: 3) { nodes { status certification { agent { agentCode } } } } } } }`, 2, 2},
			{"upline chains with pay status", `{ agents(first: 50) { nodes { uplineChain { depth agent { agentCode payStatus { name } } } } } }`, 2, 2},
			{"paths of a downline", `{ agent(agentCode: "A1000", onDate: "2026-05-01") { downline(first: 40) { edges { path } } } }`, 4, 3},
			{"tree", `{ agent(agentCode: "A1000", onDate: "2026-05-01") { downlineTree(maxDepth: 3) { nodes { agentCode parentAgentCode agent { displayName payStatus { name } } } } } }`, 3, 3},
			{"team with roots", `{ team(name: "default") { levels { value name } roots(first: 10) { nodes { agentCode } } } }`, 3, 1},
			{"a page with a field left out", `{ agents(first: 50) { nodes { agentCode upline @skip(if: true) { firstName } ... @include(if: true) { payStatus { name } } } } }`, 1, 1},
			{"certifications with their agents", "{ certifications(first: 50) { nodes { type { name } agent { agentCode upline { agentCode } } } } }", 1, 1},
		} {
			if _, ok := answer(t, server, ctx, c.query, true); !ok { // what is remembered across requests is read
				t.Fatalf("%s: refused", c.name)
			}
			counted, n := store.Counted(ctx)
			answer(t, server, counted, c.query, true)
			if !s.Postgres() {
				c.trips = c.statements
			}
			if n.Statements.Load() != c.statements || n.Trips.Load() != c.trips {
				t.Errorf("%s: %d statements in %d round trips, want %d in %d", c.name, n.Statements.Load(), n.Trips.Load(), c.statements, c.trips)
			}
		}
	})
}

// A page with a filter is planned by PostgreSQL for the values of the filter; without one,
// the plan of the statement is kept.
func TestPagesArePlannedByValue(t *testing.T) {
	s, err := store.Open(t.Context(), dbtest.PostgresURL(t)+"&pool_max_conns=1")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server, ctx := demoServer(t, s)
	for filter, want := range map[string]bool{"": false, `, filter: { lastName: "Smi" }`: true} {
		query := `{ agents(first: 7` + filter + `) { nodes { agentCode lastName } } }`
		answer(t, server, ctx, query, true)
		var planned bool
		if _, err := store.One(ctx, s, []any{&planned}, `SELECT custom_plans > 0 FROM pg_prepared_statements
			WHERE statement LIKE 'SELECT x.total%FROM agency_agent a%LIMIT 8%' AND (statement LIKE '%last_name_key%') = $1`, filter != ""); err != nil {
			t.Fatal(err)
		}
		if planned != want {
			t.Errorf("%s: planned for its values: %v", query, planned)
		}
	}
}
