package agency_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// agentWorld is an agency with the starter reference data and no agents, and
// another one beside it. It is noon of June 15, 2026, UTC.
type agentWorld struct {
	*agency.Service
	t          testing.TB
	app        *apptest.World
	store      *store.Store
	clock      *clock.Fixed
	ctx, other context.Context
	team       int64
}

var agentToday = date.Of(2026, time.June, 15)

// onEach runs a test of agents on every database.
func onEach(t *testing.T, f func(t *testing.T, w *agentWorld)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, newAgentWorld(t, s)) })
}

func newAgentWorld(t testing.TB, s *store.Store) *agentWorld {
	t.Helper()
	a := apptest.New(t, s, apptest.Options{})
	w := &agentWorld{Service: a.Agency, t: t, app: a, store: s, clock: a.Clock,
		ctx: a.Context(t, apptest.Acme), other: a.Context(t, apptest.Umbra)}
	var err error
	if w.team, err = w.Team(w.ctx, record.DefaultTeam); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *agentWorld) must(_ any, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// newcomer is a registration with all that is required, and a code.
func newcomer(code string) agency.Registration {
	in := agency.Registration{Details: agency.Details{FirstName: patch.Set("Ana"), LastName: patch.Set("Diaz")}, Status: "Active",
		Teams: []agency.TeamAssignment{{Team: "default"}}, Initiator: "hr-import"}
	if code != "" {
		in.AgentCode = &code
	}
	return in
}

// under is newcomer below an upline.
func under(upline, code string) agency.Registration {
	in := newcomer(code)
	in.Teams[0].DirectUpline = &upline
	return in
}

// since sets the day an agent started, at noon.
func since(in agency.Registration, d date.Date) agency.Registration {
	in.StartDate = patch.Set(d.Time().Add(12 * time.Hour))
	return in
}

func (w *agentWorld) register(in agency.Registration) string {
	w.t.Helper()
	code, err := w.Register(w.ctx, in, false)
	w.must(code, err)
	return code
}

func (w *agentWorld) agent(code string) *agentRow {
	w.t.Helper()
	found, err := agentByCode(w.ctx, w.store, code)
	w.must(found, err)
	return found
}

// later moves the clock by a minute and returns the new time.
func (w *agentWorld) later() time.Time {
	w.clock.Move(time.Minute)
	return w.clock.Now()
}

func (w *agentWorld) applyUpline(code string, upline *string, from date.Date, through *date.Date) (record.Change, error) {
	return w.ApplyUpline(w.ctx, "default", agency.UplinePeriodInput{AgentCode: code, UplineAgentCode: upline,
		EffectiveFrom: from, EffectiveThrough: through, Initiator: "reorg"}, false)
}

func (w *agentWorld) applyLevel(code string, level int, from date.Date, through *date.Date) (record.Change, error) {
	return w.ApplyLevel(w.ctx, "default", record.PeriodInput[int]{AgentCode: code, Value: level,
		EffectiveFrom: from, EffectiveThrough: through, Initiator: "reorg"}, false)
}

func (w *agentWorld) applyStatus(code, status string, from date.Date, through *date.Date) (record.Change, error) {
	return w.ApplyPayStatus(w.ctx, record.PeriodInput[string]{AgentCode: code, Value: status,
		EffectiveFrom: from, EffectiveThrough: through, Initiator: "payroll"}, false)
}

// uplineHistory returns the live upline periods of an agent, a line each.
func (w *agentWorld) uplineHistory(code string) []string {
	w.t.Helper()
	list, err := w.PeriodList(w.ctx, history.Uplines, w.team, record.PeriodFilter{AgentCode: &code}, nil)
	w.must(nil, err)
	return lines(w, periodsOf(list, uplineOfPeriod), (*periodRow).text)
}

func (w *agentWorld) levelHistory(code string) []string {
	w.t.Helper()
	list, err := w.PeriodList(w.ctx, history.Levels, w.team, record.PeriodFilter{AgentCode: &code}, nil)
	w.must(nil, err)
	return lines(w, periodsOf(list, levelOfPeriod), (*periodRow).text)
}

func (w *agentWorld) statusHistory(code string) []string {
	w.t.Helper()
	list, err := w.PeriodList(w.ctx, history.PayStatuses, 0, record.PeriodFilter{AgentCode: &code}, nil)
	w.must(nil, err)
	return lines(w, periodsOf(list, statusOfPeriod), (*periodRow).text)
}

func lines[T any](w *agentWorld, l listing.List[T], text func(T) string) []string {
	w.t.Helper()
	p, err := l.Page(w.ctx, page.Args{})
	w.must(p, err)
	all := make([]string, len(p.Items))
	for i, item := range p.Items {
		all[i] = text(item)
	}
	return all
}

func text(s *string) string { return *s }

func span(value string, from date.Date, through *date.Date) string {
	if through == nil {
		return fmt.Sprintf("%s %s..", value, from)
	}
	return fmt.Sprintf("%s %s..%s", value, from, *through)
}

// tables hold all that a write of the area can change, jobs included.
var tables = []string{"agency_agent", "agency_address", "agency_phone", "agency_pay_status_period", "agency_upline_period",
	"agency_level_period", "agency_w9", "agency_w9_period", "agency_direct_deposit", "agency_certification", "agency_certification_period",
	"agency_alias", "agency_agent_key", "agency_tag", "agency_tag_assignment", "tenant_agent_code", "hierarchy_build", "hierarchy_change", "outbox_event", "river_job"}

// dump returns every row of these tables as text.
func (w *agentWorld) dump() []string {
	w.t.Helper()
	var all []string
	for _, table := range tables {
		row := table + "::text"
		if !w.store.Postgres() {
			columns, err := store.Collect(w.ctx, w.store, store.ScanOne[string], "SELECT 'quote('||name||')' FROM pragma_table_info('"+table+"')")
			w.must(columns, err)
			row = strings.Join(columns, "||','||")
		}
		rows, err := store.Collect(w.ctx, w.store, store.ScanOne[string], "SELECT "+row+" FROM "+table)
		w.must(rows, err)
		for _, r := range rows {
			all = append(all, table+" "+r)
		}
	}
	slices.Sort(all)
	return all
}

// unchanged runs f, which has to leave every row as it is.
func (w *agentWorld) unchanged(f func()) {
	w.t.Helper()
	before := w.dump()
	w.later()
	f()
	after := w.dump()
	for _, row := range after {
		if !slices.Contains(before, row) {
			w.t.Errorf("written: %s", row)
		}
	}
	for _, row := range before {
		if !slices.Contains(after, row) {
			w.t.Errorf("gone: %s", row)
		}
	}
}

func (w *agentWorld) count(query string, args ...any) (n int) {
	w.t.Helper()
	w.must(nil, w.app.Audit.Link(w.ctx))
	found, err := store.One(w.ctx, w.store, []any{&n}, query, args...)
	w.must(found, err)
	return n
}

func (w *agentWorld) tenantID() int64 { return tenant.From(w.ctx).ID }

// categories returns the category of each problem.
func categories(err error) (all []problem.Category) {
	for _, p := range problem.From(err) {
		all = append(all, p.Category)
	}
	return all
}

// setZone gives the tenant of the context another time zone.
func (w *agentWorld) setZone(name string) error {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return err
	}
	moved := *tenant.From(w.ctx)
	moved.Zone = zone
	w.ctx = tenant.With(w.ctx, &moved)
	return nil
}

// copyIdentifier copies the encrypted identifier of A1 over that of A2.
func copyIdentifier(tenantID int64) func(context.Context, *store.Tx) error {
	return func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE agency_agent SET government_identifier =
			(SELECT b.government_identifier FROM agency_agent b WHERE b.tenant_id = $1 AND b.code = 'A1')
			WHERE tenant_id = $1 AND code = 'A2'`, tenantID)
		return err
	}
}
