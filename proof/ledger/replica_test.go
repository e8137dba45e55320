package ledger_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// replicated is a server that writes, and another of the same database whose queries a
// streaming replica answers.
type replicated struct {
	t       *testing.T
	w       *apptest.World
	store   *store.Store // of the other server
	replica *dbtest.Replica
	// writer is a client of the first server, reader of the other one.
	writer, reader, foreign *apptest.Caller
	served                  *apptest.World
}

func newReplicated(t *testing.T) *replicated {
	cluster := dbtest.NewCluster(t)
	open := func(o store.Options) *store.Store {
		s, err := store.OpenWith(t.Context(), cluster.URL(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	s := open(store.Options{})
	r := &replicated{t: t, w: apptest.New(t, s, apptest.Options{})}
	r.replica = cluster.Replica(t)
	r.store = open(store.Options{ReadDatabase: r.replica.URL(cluster.URL())})
	c := r.w.Config
	c.Store = r.store
	other, err := app.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r.served = r.w.Served(other)
	r.writer, r.reader, r.foreign = r.w.As(apptest.Acme, allScopes...), r.served.As(apptest.Acme, allScopes...), r.served.As(apptest.Umbra, allScopes...)
	for _, c := range []*apptest.Caller{r.writer, r.w.As(apptest.Umbra, allScopes...)} {
		if status, _, body := c.REST(t, "POST", "/agents", apptest.Registration("R1", "")); status != 201 {
			t.Fatalf("%d %s", status, body)
		}
	}
	return r
}

// rename changes the agent by the one server.
func (r *replicated) rename(name string) {
	r.t.Helper()
	if status, _, body := r.writer.REST(r.t, "PATCH", "/agents/R1", object{"lastName": name, "initiator": "test"}); status != 200 {
		r.t.Fatalf("%d %s", status, body)
	}
}

// shows asks the other server through both doors.
func (r *replicated) shows(name string) {
	r.t.Helper()
	if status, _, body := r.reader.REST(r.t, "GET", "/agents/R1", nil); status != 200 || !strings.Contains(string(body), name) {
		r.t.Errorf("REST: %d %s, want %s", status, body, name)
	}
	data := r.reader.Query(r.t, `{ agents(first: 5) { totalCount nodes { lastName } } }`, nil)
	if got := apptest.At(data, "agents.nodes.0.lastName"); got != name {
		r.t.Errorf("GraphQL: %v, want %s", got, name)
	}
}

// counted returns how many queries the replica and the primary answered meanwhile.
func (r *replicated) counted(f func()) (replica, primary int64) {
	before := r.store.Replica()
	f()
	after := r.store.Replica()
	return after.Answered - before.Answered, after.Behind - before.Behind
}

// until waits for what the watcher finds out.
func (r *replicated) until(what string, is func(store.Replica) bool) {
	r.t.Helper()
	for range 1200 {
		if is(r.store.Replica()) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Fatalf("never: %s", what)
}

// What one server acknowledged, another one shows at once, though its queries are
// answered by a replica: while that is behind for a tenant, the primary answers for this
// tenant, and for no other. Nobody notices that the replica fails, or is back.
func TestReplica(t *testing.T) {
	t.Parallel() // it waits
	r := newReplicated(t)
	for n := range 50 { // the replica is a moment behind, or is not
		name := fmt.Sprintf("Quick%d", n)
		r.rename(name)
		r.shows(name)
	}
	r.until("the replica answers", func(store.Replica) bool {
		replica, _ := r.counted(func() { r.shows("Quick49") })
		return replica > 0
	})
	r.replica.Pause(t)
	r.rename("Still")
	if replica, primary := r.counted(func() { r.shows("Still") }); replica != 0 || primary != 2 {
		t.Errorf("a replica that stands still answered %d, the primary %d", replica, primary)
	}
	if replica, _ := r.counted(func() { r.foreign.REST(t, "GET", "/agents/R1", nil) }); replica != 1 {
		t.Error("a tenant that changed nothing is answered by the primary")
	}
	r.replica.Resume(t)
	r.until("the replica has caught up", func(store.Replica) bool {
		replica, _ := r.counted(func() { r.shows("Still") })
		return replica == 2
	})
	r.ownShare()
	r.failing()
	if text := r.served.Metrics(); !strings.Contains(text, `upline_replica_queries_total{by="replica"}`) || !strings.Contains(text, "upline_replica_lag_seconds") {
		t.Error("the metrics do not show the replica")
	}
}

// ownShare has the replica answer a statement that takes long: no connection of the
// primary is taken meanwhile.
func (r *replicated) ownShare() {
	r.t.Helper()
	ctx, _ := r.store.FromReplica(tenant.With(r.t.Context(), r.w.Tenants[apptest.Acme]))
	done := make(chan error, 1)
	replica, _ := r.counted(func() {
		go func() {
			_, err := store.Collect(ctx, r.store, store.ScanOne[string], "SELECT pg_sleep(0.5)::text")
			done <- err
		}()
		always := true
		for range 60 {
			time.Sleep(5 * time.Millisecond)
			taken, _ := r.store.Connections()
			always = always && taken > 0
		}
		if always {
			r.t.Error("what the replica answers takes a connection of the primary")
		}
	})
	if err := <-done; err != nil || replica != 1 {
		r.t.Errorf("the replica answered %d: %v", replica, err)
	}
}

// begin has the replica answer the first statement of a query. What it returns runs the
// next, and says whether the query is read again from the primary.
func (r *replicated) begin() (isReadAgain func() bool) {
	r.t.Helper()
	ctx, reading := r.store.FromReplica(tenant.With(r.t.Context(), r.w.Tenants[apptest.Acme]))
	next := func() bool {
		_, err := store.Collect(ctx, r.store, store.ScanOne[string], "SELECT pg_is_in_recovery()::text")
		return err != nil || reading.Failed()
	}
	if next() {
		r.t.Error("the replica does not answer")
	}
	return next
}

// failing kills the replica while queries run, and starts it again: at once, perhaps before
// anybody saw that it was away, and after that. No query fails, or goes on with a replica
// that may show less than it did.
func (r *replicated) failing() {
	r.t.Helper()
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					r.shows("Still")
				}
			}
		})
	}
	for _, atOnce := range []bool{true, false, true} {
		time.Sleep(100 * time.Millisecond)
		began := r.begin()
		r.replica.Kill()
		if !atOnce {
			r.until("the replica is away", func(now store.Replica) bool { return now.Away != nil })
			if replica, _ := r.counted(func() { r.shows("Still") }); replica != 0 {
				r.t.Error("a replica that is away is asked")
			}
		}
		r.replica.Start(r.t)
		r.until("the replica answers again", func(store.Replica) bool {
			replica, _ := r.counted(func() { r.shows("Still") })
			return replica > 0
		})
		if !began() {
			r.t.Error("a query went on with a replica that had started anew")
		}
	}
	close(done)
	all.Wait()
	r.until("the replica answers again", func(store.Replica) bool {
		replica, _ := r.counted(func() { r.shows("Still") })
		return replica == 2
	})
	if again := r.store.Replica().Again; again == 0 {
		r.t.Log("no query was under way when the replica was killed")
	}
}

// A read database that is none is refused, before anything is read from it.
func TestReadDatabaseThatIsNone(t *testing.T) {
	t.Parallel() // it waits
	url := dbtest.OwnerURL(dbtest.PostgresURL(t))
	other := dbtest.NewEmptyCluster(t)
	for name, c := range map[string]struct{ database, read, says string }{
		"another cluster": {url, other.URL(), "of another cluster"},
		"SQLite":          {dbtest.SQLiteURL(t), url, "on PostgreSQL"},
		"a file":          {url, "/tmp/upline.db", "on PostgreSQL"},
	} {
		s, err := store.OpenWith(t.Context(), c.database, store.Options{ReadDatabase: c.read})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// One that takes writes, such as a replica that was promoted, is left alone.
	s, err := store.OpenWith(t.Context(), url, store.Options{ReadDatabase: url})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r := s.Replica(); r.Away == nil || !strings.Contains(r.Away.Error(), "takes writes itself") {
		t.Errorf("a primary is taken for a replica: %v", r.Away)
	}
}
