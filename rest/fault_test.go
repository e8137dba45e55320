package rest_test

import (
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/rest/resttest"
)

// everyFault fails each statement of each request, instead of one of them.
var everyFault = flag.Bool("faults", false, "fail every statement of every request of the transcripts")

// other opens the database that a transcript has to itself, by its name, and skips the test
// on the other one. With every fault it opens both.
func other(t *testing.T, open func(testing.TB) *store.Store) *store.Store {
	t.Helper()
	name := fnv.New32a()
	_, _ = name.Write([]byte(path.Base(t.Name())))
	if isPostgres := strings.Contains(t.Name(), "/postgres/"); !*everyFault && isPostgres != (name.Sum32()%2 == 0) {
		t.Skip("the other database has it")
	}
	return open(t)
}

// A request whose database fails at some statement changes nothing and is answered with
// 5xx; sent again, it is answered as its transcript says. This holds for every path,
// request and refusal that has a transcript.
func TestTranscriptsWithFaults(t *testing.T) {
	failed, byREST, databases := map[string]bool{}, map[string]bool{}, 0
	dbtest.EachKind(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		tried := 0
		for _, dir := range slices.Sorted(maps.Values(transcripts)) {
			resttest.Run(t, dir, func(t *testing.T) resttest.Server {
				w := newWorld(t, other(t, open))
				f := w.WithFaults(t, 0, *everyFault)
				byREST = w.Mutations(t).ByREST()
				t.Cleanup(func() {
					tried += f.Tried
					maps.Copy(failed, f.Failed)
				})
				return serverOf(t, w)
			})
		}
		if t.Logf("%d requests with a fault", tried); tried < 150 {
			t.Errorf("only %d requests had a fault", tried)
		}
		databases++
	})
	if databases < 2 { // each transcript has it on one
		return
	}
	for mutation, isByREST := range byREST {
		if isByREST && !failed[mutation] {
			t.Errorf("no request that makes %s had a fault", mutation)
		}
	}
}

// An answer that is lost after the commit, or by a statement after it, leaves the whole
// change: what the doctor checks holds, the trail has the change once, and the request can
// be sent again, which is no fault. This is tried at one commit of each transcript.
func TestLostAnswers(t *testing.T) {
	dbtest.EachKind(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		lost := 0
		random := rand.New(rand.NewPCG(33, 1))
		for _, dir := range slices.Sorted(maps.Values(transcripts)) {
			resttest.Run(t, dir, func(t *testing.T) resttest.Server {
				w := newWorld(t, other(t, open))
				server := serverOf(t, w)
				l := &losing{t: t, world: w, database: dbtest.Owner(t, w.Store), spared: random.IntN(4), after: random.IntN(3)}
				server.Began = func() { l.begun = true }
				server.Handler, server.Ended = l, func() bool { return l.lost }
				t.Cleanup(func() {
					if l.lost {
						lost++
					}
				})
				return server
			})
		}
		if t.Logf("%d answers lost", lost); lost < 15 {
			t.Errorf("only %d answers were lost", lost)
		}
	})
}

// losing serves requests until it loses the answer of one.
type losing struct {
	t        *testing.T
	world    *apptest.World
	database *store.Store
	begun    bool
	// spared is how many requests that commit are answered first.
	spared int
	// after is the statement after the commit that fails; 0 for the commit's own answer.
	after int
	lost  bool
}

// ServeHTTP implements http.Handler.
func (l *losing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var (
		mu        sync.Mutex
		committed bool
		since     int
	)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	send := func(w http.ResponseWriter, f store.Fault) {
		again := r.Clone(store.WithFault(r.Context(), f))
		again.Body = io.NopCloser(bytes.NewReader(body))
		l.world.ServeHTTP(w, again)
	}
	before, entries := apptest.Contents(l.t, l.database), l.entries()
	answer := httptest.NewRecorder()
	send(answer, func(moment string) error {
		mu.Lock()
		defer mu.Unlock()
		if moment == store.Committed && !committed && l.begun {
			committed = true
			l.spared--
		} else if committed {
			since++
		}
		if committed && l.spared < 0 && since == l.after && !l.lost {
			l.lost = true
			return apptest.ErrFault
		}
		return nil
	})
	if !l.lost {
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
		return
	}
	what := fmt.Sprintf("%s %s, whose answer was lost", r.Method, r.URL)
	after := apptest.Contents(l.t, l.database)
	if n := l.entries() - entries; n > 1 && answer.Code >= http.StatusInternalServerError {
		l.t.Errorf("%s, left %d entries", what, n)
	}
	again := httptest.NewRecorder()
	if send(again, func(string) error { return nil }); again.Code >= http.StatusInternalServerError {
		l.t.Errorf("%s, was sent again and answered %d %s", what, again.Code, again.Body)
	}
	// A request that changes nothing commits too; its answer may show what the trail then notes.
	if after == before && withoutTrail(apptest.Contents(l.t, l.database)) != withoutTrail(before) {
		l.t.Errorf("%s, changed nothing: %d %s", what, answer.Code, answer.Body)
	}
	for _, tenant := range []string{apptest.Acme, apptest.Umbra} {
		l.world.RebuildNow(l.t, tenant)
	}
	apptest.Sound(l.t, l.database, l.world.Clock)
}

// entries is how many changes the trails have.
func (l *losing) entries() (n int) {
	_, err := store.One(l.t.Context(), l.database, []any{&n}, "SELECT CAST(coalesce(sum(changes), 0) AS bigint) FROM audit_written WHERE tenant_id = $1", l.world.Tenants[apptest.Acme].ID)
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

// withoutTrail leaves the rows of the audit trail out.
func withoutTrail(contents string) string {
	var kept []string
	for row := range strings.SplitSeq(contents, "\n") {
		if !strings.HasPrefix(row, "audit_") {
			kept = append(kept, row)
		}
	}
	return strings.Join(kept, "\n")
}
