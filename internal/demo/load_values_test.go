package demo_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// The service reads what was loaded as if it had written it itself: it decrypts
// the identifiers and finds agents by blind index and search keys.
func TestServiceReadsLoadedAgents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, made := w.create(t, "a"), generate(200)
		must(t, w.load(t.Context(), a, made, ignore))
		ctx, service := tenant.With(t.Context(), a), agency.New(s, w.clock, w.vault)
		for _, i := range []int{0, 57, 199} {
			g := &made.Agents[i]
			find(t, ctx, service, agency.AgentFilter{AgentCodes: []string{g.Code}}, g)
			row := agentRow(t, ctx, s, g.Code)
			if row.FirstName.OrZero() != g.FirstName || row.LastName.OrZero() != g.LastName || row.Email.OrZero() != g.Email || row.NPN.OrZero() != g.NPN || row.BirthDate.OrZero() != g.BirthDate {
				t.Errorf("%s: %+v; want %+v", g.Code, row, g)
			}
			if day := date.In(row.StartDate.OrZero(), a.Zone); day != g.StartDate {
				t.Errorf("%s started on %s; want %s", g.Code, day, g.StartDate)
			}
			secret, err := w.vault.Unseal(ctx, a.ID, &row.identifier)
			must(t, err)
			if secret == nil || secret.Reveal() != g.GovernmentIdentifier {
				t.Errorf("%s: the government identifier is another", g.Code)
			}
			identifier := strings.NewReplacer("-", "", " ", "").Replace(g.GovernmentIdentifier)
			find(t, ctx, service, agency.AgentFilter{GovernmentIdentifier: &identifier}, g)
			email, first, last := strings.ToUpper(g.Email), strings.ToUpper(g.FirstName), g.LastName
			find(t, ctx, service, agency.AgentFilter{Email: &email}, g)
			find(t, ctx, service, agency.AgentFilter{FirstName: &first, LastName: &last, NPN: &g.NPN}, g)
		}
	})
}

// find looks for the only agent that matches.
func find(t *testing.T, ctx context.Context, service *agency.Service, f agency.AgentFilter, want *demo.Agent) {
	t.Helper()
	list, err := service.AgentList(ctx, f, nil, history.AsOf{Day: today})
	must(t, err)
	if codes := texts(t, ctx, list, "a.code"); !slices.Equal(codes, []string{want.Code}) {
		t.Fatalf("%s: %v match", want.Code, codes)
	}
}

// texts reads a column of the first page of a list.
func texts(t *testing.T, ctx context.Context, rows listing.Rows, column string) []string {
	t.Helper()
	found, err := listing.List[string]{Rows: rows, Columns: column, Scan: store.ScanOne[string], Place: func(string, string) any { return "" }}.Page(ctx, page.Args{})
	must(t, err)
	return found.Items
}

// storedAgent is an agent as it is stored.
type storedAgent struct {
	id int64
	agency.Details
	identifier vault.Sealed
}

func agentRow(t *testing.T, ctx context.Context, s *store.Store, code string) *storedAgent {
	t.Helper()
	a := new(storedAgent)
	found, err := store.One(ctx, s, append(agency.AgentDetails.Dest(&a.Details), &a.id, a.identifier.From("agency_agent", "government_identifier", &a.id)),
		"SELECT "+strings.Join(agency.AgentDetails.Columns(), ", ")+", id, government_identifier FROM agency_agent WHERE tenant_id = $1 AND code = $2", tenant.From(ctx).ID, code)
	must(t, err)
	if !found {
		t.Fatalf("%s is missing", code)
	}
	return a
}

func TestLoadedHistoriesAreThoseGenerated(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, made := w.create(t, "a"), generate(200)
		must(t, w.load(t.Context(), a, made, ignore))
		ctx := tenant.With(t.Context(), a)
		codes := codesByID(t, s, a)
		for agentID, code := range codes {
			g := &made.Agents[slices.IndexFunc(made.Agents, func(g demo.Agent) bool { return g.Code == code })]
			equalPeriods(t, g, g.PayStatusPeriods, stored[string](t, ctx, s, "agency_pay_status_period", "status", "agent_id", agentID))
			equalPeriods(t, g, g.LevelPeriods, stored[int](t, ctx, s, "agency_level_period", "level", "agent_id", agentID))
			var uplines []demo.Period[string]
			for _, p := range stored[int64](t, ctx, s, "agency_upline_period", "coalesce(upline_agent_id, 0)", "agent_id", agentID) {
				uplines = append(uplines, demo.Period[string]{Value: codes[p.Value], From: p.From, Through: p.Through})
			}
			equalPeriods(t, g, codesOf(made, g.UplinePeriods), uplines)
			held, err := store.Collect(ctx, s, store.ScanOne[int64], "SELECT id FROM agency_certification WHERE tenant_id = $1 AND agent_id = $2 ORDER BY id", a.ID, agentID)
			must(t, err)
			for i, id := range held {
				equalPeriods(t, g, g.Certifications[i].Periods, stored[string](t, ctx, s, "agency_certification_period", "status", "certification_id", id))
			}
		}
	})
}

// codesByID reads the codes of an agency's agents.
func codesByID(t *testing.T, s *store.Store, of *tenant.Tenant) map[int64]string {
	t.Helper()
	codes := map[int64]string{}
	q := new(store.SQL).Write("SELECT id, code FROM agency_agent WHERE tenant_id = ?", of.ID)
	must(t, store.Each(tenant.With(t.Context(), of), s, q, func(row store.Scanner) error {
		var (
			id   int64
			code string
		)
		err := row.Scan(&id, &code)
		codes[id] = code
		return err
	}))
	return codes
}

// codesOf names uplines by agent code, empty for none.
func codesOf(a *demo.Agency, periods []demo.Period[int]) []demo.Period[string] {
	named := make([]demo.Period[string], len(periods))
	for i, p := range periods {
		named[i] = demo.Period[string]{From: p.From, Through: p.Through}
		if p.Value != demo.NoUpline {
			named[i].Value = a.Agents[p.Value].Code
		}
	}
	return named
}

// stored reads a history, in the order in which it was written.
func stored[T any](t *testing.T, ctx context.Context, s *store.Store, table, value, owner string, id int64) []demo.Period[T] {
	t.Helper()
	periods, err := store.Collect(ctx, s, func(row store.Scanner) (p demo.Period[T], err error) {
		err = row.Scan(&p.Value, &p.From, &p.Through)
		return p, err
	}, "SELECT "+value+", effective_from, effective_through FROM "+table+" WHERE tenant_id = $1 AND "+owner+" = $2 ORDER BY id", tenant.From(ctx).ID, id)
	must(t, err)
	return periods
}

func equalPeriods[T comparable](t *testing.T, g *demo.Agent, want, rows []demo.Period[T]) {
	t.Helper()
	if len(rows) != len(want) {
		t.Errorf("%s: %d periods; want %d", g.Code, len(rows), len(want))
		return
	}
	for i, p := range rows {
		if p.Value != want[i].Value || p.From != want[i].From || date.OrMax(p.Through) != date.OrMax(want[i].Through) {
			t.Errorf("%s: period %d is %v; want %v", g.Code, i, p, want[i])
		}
	}
}

// What is known of an agent was entered at once, in the year in which it started, after
// that and before now.
func TestStampsArePlausible(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a := w.create(t, "a")
		must(t, w.load(t.Context(), a, generate(200), ignore))
		for _, periods := range []string{
			"agency_pay_status_period p JOIN agency_agent a ON a.id = p.agent_id",
			"agency_upline_period p JOIN agency_agent a ON a.id = p.agent_id",
			"agency_level_period p JOIN agency_agent a ON a.id = p.agent_id",
			"agency_certification_period p JOIN agency_certification c ON c.id = p.certification_id JOIN agency_agent a ON a.id = c.agent_id",
			"agency_w9_period p JOIN agency_agent a ON a.id = p.agent_id",
			"(SELECT agent_id, created_at AS recorded_at FROM agency_w9) p JOIN agency_agent a ON a.id = p.agent_id",
			"(SELECT agent_id, last_modified AS recorded_at FROM agency_direct_deposit) p JOIN agency_agent a ON a.id = p.agent_id",
			"(SELECT agent_id, last_modified AS recorded_at FROM agency_alias) p JOIN agency_agent a ON a.id = p.agent_id",
			"(SELECT agent_id, assigned_at AS recorded_at FROM agency_tag_assignment) p JOIN agency_agent a ON a.id = p.agent_id",
		} {
			var all, wrong, times int
			_, err := store.One(tenant.With(t.Context(), a), s, []any{&all, &wrong, &times}, `SELECT count(*), count(CASE WHEN p.recorded_at < a.start_date OR p.recorded_at > $1
				OR p.recorded_at <> a.last_modified OR p.recorded_at <> a.created_at OR substr(CAST(p.recorded_at AS text), 1, 4) <> substr(CAST(a.start_date AS text), 1, 4)
				OR a.created_by <> 'demo' THEN 1 END), count(DISTINCT p.recorded_at) FROM `+periods, w.clock.Now())
			must(t, err)
			if all == 0 || wrong != 0 || times < 5 {
				t.Errorf("%s: %d of %d periods, entered at %d times", periods, wrong, all, times)
			}
		}
	})
}

// A load tells nobody: the demo's feed and audit trail begin with what people do.
func TestLoadTellsNobody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a := w.create(t, "a")
		ctx := tenant.With(t.Context(), a)
		told := func() (n int) {
			_, err := store.One(ctx, s, []any{&n}, "SELECT (SELECT count(*) FROM outbox_event WHERE tenant_id = $1) + (SELECT CAST(coalesce(sum(entries), 0) AS bigint) FROM audit_written WHERE tenant_id = $1)", a.ID)
			must(t, err)
			return n
		}
		before := told()
		must(t, w.load(t.Context(), a, generate(20), ignore))
		if after := told(); after != before {
			t.Errorf("%d events and entries before, %d after", before, after)
		}
	})
}

// Ids and agent codes go on after those loaded.
func TestRegisterAfterLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a := w.create(t, "a")
		must(t, w.load(t.Context(), a, generate(200), ignore))
		ctx := tenant.With(t.Context(), a)
		code, err := agency.New(s, w.clock, w.vault).Register(ctx, agency.Registration{
			Details: agency.Details{FirstName: patch.Set("Ana"), LastName: patch.Set("Diaz")}, Status: "Active", Initiator: "test",
			Teams: []agency.TeamAssignment{{Team: directory.DefaultTeam}},
		}, false)
		must(t, err)
		if code != "A100001" {
			t.Errorf("code %s", code)
		}
		codes := codesByID(t, s, a)
		if newest := codes[slices.Max(slices.Collect(maps.Keys(codes)))]; newest != code {
			t.Errorf("the agent with the greatest id is %s", newest)
		}
	})
}
