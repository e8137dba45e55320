package hierarchy_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) {
	runChild()
	dbtest.Main(m)
}

// failer is what a test and a rapid check have in common here.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// day0 is the first day of the tests.
var day0 = date.Of(2026, time.March, 1)

// world is a tenant with a team, and what its periods should be.
type world struct {
	store   *store.Store
	ctx     context.Context
	clock   *clock.Fixed
	service *hierarchy.Service
	tenant  int64
	team    int64
	agents  []int64
	periods map[int64][]history.Period[int64] // by agent; value 0: no upline
}

var tenants atomic.Int64

func newWorld(t failer, s *store.Store, agents int) *world {
	t.Helper()
	w := &world{store: s, clock: clock.At(day0.Time().Add(12 * time.Hour)), periods: map[int64][]history.Period[int64]{}}
	w.service = hierarchy.New(s, w.clock)
	name := fmt.Sprintf("t%d", tenants.Add(1))
	must(t, s.InTx(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		_, err := store.One(ctx, tx, []any{&w.tenant}, `INSERT INTO tenant (identifier, name, time_zone, default_page_size, max_page_size, created_at)
			VALUES ($1, $1, 'UTC', 50, 100, '2026-01-01') RETURNING id`, name)
		if err != nil {
			return err
		}
		w.ctx = tenant.With(context.Background(), &tenant.Tenant{ID: w.tenant, Identifier: name, Zone: time.UTC, DefaultPageSize: 50, MaxPageSize: 100})
		_, err = store.One(w.ctx, tx, []any{&w.team}, "INSERT INTO agency_team (tenant_id, name) VALUES ($1, 'default') RETURNING id", w.tenant)
		return err
	}))
	w.hire(t, agents)
	return w
}

func (w *world) today() date.Date { return clock.Today(w.clock, time.UTC) }

func (w *world) on(day date.Date) hierarchy.View {
	return w.service.View(w.team, history.AsOf{Day: day}, w.today())
}

func (w *world) inTx(t failer, f func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	must(t, w.store.InTx(w.ctx, f))
}

func code(id int64) string { return fmt.Sprintf("A%d", id) }

// hire adds agents without a place in the team; their codes are code(id).
func (w *world) hire(t failer, agents int) {
	t.Helper()
	var ids []int64
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		ids = nil
		for i := range agents {
			var id int64
			if _, err := store.One(ctx, tx, []any{&id}, `INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key,
					is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, $2, 'Ana', 'Diaz', 'ana', 'diaz', '', '', false, $3, $3, 't', $3, 't') RETURNING id`, w.tenant, fmt.Sprintf("new%d", i), w.clock.Now()); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		_, err := tx.Exec(ctx, "UPDATE agency_agent SET code = 'A' || id WHERE tenant_id = $1", w.tenant)
		return err
	})
	w.agents = append(w.agents, ids...)
}

// write replaces the stored history of an agent.
func (w *world) write(ctx context.Context, tx *store.Tx, agent int64, periods []history.Period[int64]) error {
	if _, err := tx.Exec(ctx, "UPDATE agency_upline_period SET superseded_at = $1 WHERE tenant_id = $2 AND team_id = $3 AND agent_id = $4 AND superseded_at IS NULL",
		w.clock.Now(), w.tenant, w.team, agent); err != nil {
		return err
	}
	for _, p := range periods {
		var upline *int64
		if p.Value != 0 {
			upline = &p.Value
		}
		if _, err := tx.Exec(ctx, `INSERT INTO agency_upline_period (tenant_id, team_id, agent_id, upline_agent_id, effective_from, effective_through, recorded_at, recorded_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, 't')`, w.tenant, w.team, agent, upline, p.From, p.Through, w.clock.Now()); err != nil {
			return err
		}
	}
	return nil
}

// applied returns the history of an agent with a period applied.
func (w *world) applied(t failer, agent, upline int64, from date.Date, through *date.Date) []history.Period[int64] {
	t.Helper()
	plan, err := history.Apply(w.periods[agent], history.Period[int64]{From: from, Through: through, Value: upline}, w.today())
	must(t, err)
	return plan.After
}

// populate adds many agents with uplines from long ago on. upline returns the
// index of an agent's upline, -1 for a root. The model learns of them.
func (w *world) populate(t failer, agents int, upline func(i int) int) {
	t.Helper()
	columns := []string{"tenant_id", "id", "code", "first_name", "last_name", "first_name_key", "last_name_key", "common_name_key", "email_key",
		"is_dedicated", "start_date", "created_at", "created_by", "last_modified", "last_modified_by"}
	for i := range agents {
		w.agents = append(w.agents, int64(1000+i))
	}
	at := w.clock.Now()
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		if err := tx.CopyFrom(ctx, "agency_agent", columns, func(yield func([]any) bool) {
			for _, id := range w.agents {
				if !yield([]any{w.tenant, id, code(id), "Ana", "Diaz", "ana", "diaz", "", "", false, at, at, "t", at, "t"}) {
					return
				}
			}
		}); err != nil {
			return err
		}
		return w.copyPeriods(ctx, tx, upline)
	})
	w.changeAll(t)
}

// copyPeriods gives all agents their uplines.
func (w *world) copyPeriods(ctx context.Context, tx *store.Tx, upline func(int) int) error {
	from := day0.AddDays(-1000)
	columns := []string{"tenant_id", "team_id", "agent_id", "upline_agent_id", "effective_from", "recorded_at", "recorded_by"}
	return tx.CopyFrom(ctx, "agency_upline_period", columns, func(yield func([]any) bool) {
		for i, id := range w.agents {
			p := history.Period[int64]{From: from}
			var above any
			if u := upline(i); u >= 0 {
				p.Value, above = w.agents[u], w.agents[u]
			}
			w.periods[id] = []history.Period[int64]{p}
			if !yield([]any{w.tenant, w.team, id, above, from, w.clock.Now(), "t"}) {
				return
			}
		}
	})
}

func (w *world) changeAll(t failer) {
	t.Helper()
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		return hierarchy.ChangedAll(ctx, tx, w.team, w.clock.Now())
	})
}

func (w *world) exec(t failer, statement string, args ...any) {
	t.Helper()
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
}

// place gives an agent an upline, as the agency area does: lock, check, write,
// tell. A refused period changes nothing.
func (w *world) place(t failer, agent, upline int64, from date.Date, through *date.Date) error {
	t.Helper()
	after := w.applied(t, agent, upline, from, through)
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := hierarchy.Lock(ctx, tx, w.team); err != nil {
			return err
		}
		if upline != 0 {
			if err := hierarchy.CheckCycle(ctx, tx, w.team, agent, upline, from, through); err != nil {
				return err
			}
		}
		if err := w.write(ctx, tx, agent, after); err != nil {
			return err
		}
		return w.tell(ctx, tx, agent)
	})
	if err == nil {
		w.periods[agent] = after
	}
	return err
}

// tell tells of agents whose uplines changed, as the agency area does.
func (w *world) tell(ctx context.Context, tx *store.Tx, agents ...int64) error {
	flattened, err := hierarchy.Changed(ctx, tx, w.team, agents, w.today(), w.clock.Now())
	if err != nil {
		return err
	}
	return events.WriteAll(ctx, tx, w.clock.Now(), flattened)
}

// plant gives agents uplines from long ago on: uplines[i] is the index of the
// upline of agent i, -1 for a root.
func (w *world) plant(t failer, uplines ...int) {
	t.Helper()
	for i, u := range uplines {
		var upline int64
		if u >= 0 {
			upline = w.agents[u]
		}
		must(t, w.place(t, w.agents[i], upline, day0.AddDays(-100), nil))
	}
}

// corrupt writes an upline that the check would refuse.
func (w *world) corrupt(t failer, agent, upline int64) {
	t.Helper()
	w.periods[agent] = w.applied(t, agent, upline, day0.AddDays(-100), nil)
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		if err := w.write(ctx, tx, agent, w.periods[agent]); err != nil {
			return err
		}
		return w.tell(ctx, tx, agent)
	})
}

// clear takes away the periods of an agent from a day on.
func (w *world) clear(t failer, agent int64, from date.Date) {
	t.Helper()
	var left []history.Period[int64]
	for _, p := range w.applied(t, agent, 0, from, nil) {
		if p.From < from {
			left = append(left, p)
		}
	}
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		if err := w.write(ctx, tx, agent, left); err != nil {
			return err
		}
		return w.tell(ctx, tx, agent)
	})
	w.periods[agent] = left
}

// reading runs f in a transaction, for checks that read in one.
func reading[T any](t failer, w *world, f func(tx *store.Tx) (T, error)) (found T, err error) {
	t.Helper()
	err = w.store.InTx(w.ctx, func(_ context.Context, tx *store.Tx) (err error) {
		found, err = f(tx)
		return err
	})
	return found, err
}

// inBackground leaves every change to a rebuild until the test ends.
func inBackground(t *testing.T) {
	before := *hierarchy.MovedAtOnce
	*hierarchy.MovedAtOnce = 0
	t.Cleanup(func() { *hierarchy.MovedAtOnce = before })
}

func (w *world) rebuild(t failer) *hierarchy.Build {
	t.Helper()
	b, err := w.service.Rebuild(w.ctx, w.team)
	must(t, err)
	return b
}

func (w *world) build(t failer) *hierarchy.Build {
	t.Helper()
	b, err := w.service.Build(w.ctx, w.store, w.team)
	must(t, err)
	return b
}

// events counts the events HierarchyBuildCompleted of the tenant.
func (w *world) events(t failer) (n int) {
	t.Helper()
	_, err := store.One(w.ctx, w.store, []any{&n}, "SELECT count(*) FROM outbox_event WHERE tenant_id = $1 AND type = 'Platform.AgencyManagement.Events.HierarchyBuildCompleted'", w.tenant)
	must(t, err)
	return n
}
