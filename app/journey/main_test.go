package journey

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// object is a JSON object.
type object = map[string]any

// story is something that happens to an agency.
type story struct {
	name string
	tell func(s *scene)
}

// sweepEvery says after how many stories there is a sweep, which takes ten times as long
// as a story: what the stories before left is still there.
var sweepEvery = flag.Int("sweep-every", 5, "sweep after so many stories")

// TestStories tells the stories on one server of each database, one after the
// other, and sweeps after some of them and in the end, then as the limited users too.
func TestStories(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, apptest.Options{Development: true})
		told := 0
		for _, story := range stories {
			t.Run(story.name, func(t *testing.T) {
				w.Clock.Move(time.Minute)
				story.tell(newScene(t, w))
				if told++; told%*sweepEvery == 0 {
					sweep(t, w)
				}
			})
		}
		analyze(t, db)
		sweepAs(t, w, true)
	})
}

// everyFault fails each statement of each request, on both databases, with sweeps.
var everyFault = flag.Bool("faults", false, "fail every statement of every request of the stories")

// TestStoriesWithFaults tells the stories while the database fails: every request is sent
// first with a statement that fails, and that must leave nothing.
func TestStoriesWithFaults(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *store.Store) {
		if db.Postgres() && !*everyFault {
			t.Skip("go test ./app/journey -faults")
		}
		w := newWorld(t, db, apptest.Options{Development: true})
		f := w.WithFaults(t, 1, *everyFault)
		for _, story := range stories {
			t.Run(story.name, func(t *testing.T) {
				w.Clock.Move(time.Minute)
				story.tell(newScene(t, w))
			})
		}
		for _, tenant := range []string{apptest.Acme, apptest.Umbra} {
			w.RebuildNow(t, tenant)
		}
		apptest.Sound(t, db, w.Clock)
		if *everyFault {
			sweep(t, w)
		}
		for mutation, byREST := range w.Mutations(t).ByREST() {
			if !byREST && !f.Failed[mutation] {
				t.Errorf("no %s had a fault: no path of REST makes it, so a story has to", mutation)
			}
		}
		if t.Logf("%d requests with a fault", f.Tried); f.Tried < 300 {
			t.Errorf("only %d requests had a fault", f.Tried)
		}
	})
}

// analyze gives PostgreSQL the statistics that autovacuum makes within a minute. Without
// them it looks for agents by the wrong index, for every key of every audit entry that a
// limited user may see, and twenty audit logs take a second of a processor.
func analyze(t *testing.T, db *store.Store) {
	if !db.Postgres() {
		return
	}
	if err := db.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "ANALYZE")
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestDateLine tells some of them where today is another day than in UTC.
func TestDateLine(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *store.Store) {
		zone := "Pacific/Kiritimati"
		if db.Postgres() {
			zone = "Pacific/Pago_Pago"
		}
		w := newWorld(t, db, apptest.Options{TimeZone: zone, Now: time.Date(2026, time.June, 15, 10, 30, 0, 0, time.UTC)})
		s := newScene(t, w)
		s.changed(s.agent(everything()))
		fromRecruitToTakeover(s)
		bounds(s)
		sweep(t, w)
	})
}

// newWorld returns a server whose tenants mask sensitive values, and have a few agents
// and what the stories refer to.
func newWorld(t *testing.T, db *store.Store, o apptest.Options) *apptest.World {
	t.Helper()
	w := apptest.New(t, db, o)
	for _, tenant := range []string{apptest.Acme, apptest.Umbra} {
		if _, err := directory.Update(t.Context(), db, w.Clock, tenant, directory.Settings{MaskSensitive: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
		newScene(t, w).in(tenant).furnish()
	}
	return w
}

// allScopes are those of the callers of the stories.
var allScopes = bearer.TenantScopes()
