package ledger_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A server that is killed at any moment has every write that it acknowledged,
// and after a restart the flattened hierarchy becomes what the periods say: no
// job is lost.
func TestKilledServer(t *testing.T) {
	t.Parallel() // it waits
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		k := &killing{t: t, url: url, acknowledged: map[string]string{}, pending: map[string][]string{}}
		k.prepare()
		for round := range 5 {
			k.round(round)
		}
		k.verify()
	})
}

// killing is a server under test, with what it said it had written.
type killing struct {
	t     *testing.T
	url   string
	token string

	mu sync.Mutex
	// acknowledged holds the upline of each agent as last acknowledged, pending
	// those that were sent since and not answered. Each of them may hold, too: of
	// several rounds there may be one each, of which the last that was committed
	// holds.
	acknowledged map[string]string
	pending      map[string][]string
}

// sent notes an upline that is on its way.
func (k *killing) sent(code, upline string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pending[code] = append(k.pending[code], upline)
}

// answered notes that the last one is there.
func (k *killing) answered(code, upline string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.acknowledged[code] = upline
	delete(k.pending, code)
}

// may reports whether an agent can be below an upline after all that happened.
func (k *killing) may(code, upline string) bool {
	return upline == k.acknowledged[code] || slices.Contains(k.pending[code], upline)
}

// written is how many agents were acknowledged.
func (k *killing) written() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.acknowledged)
}

// A move that was committed, but killed before its answer, may hold also when the
// move after it was killed before its commit.
func TestUnansweredWritesMayHold(t *testing.T) {
	k := &killing{acknowledged: map[string]string{}, pending: map[string][]string{}}
	k.sent("A1000", "ROOT0")
	k.answered("A1000", "ROOT0")
	k.sent("A1000", "ROOT1") // the end of a round
	k.sent("A1000", "ROOT0") // and of the next
	k.sent("A1000", "ROOT2")
	for upline, want := range map[string]bool{"ROOT0": true, "ROOT1": true, "ROOT2": true, "ROOT3": false} {
		if k.may("A1000", upline) != want {
			t.Errorf("may be below %s: %v", upline, !want)
		}
	}
	k.answered("A1000", "ROOT2")
	if k.may("A1000", "ROOT1") || !k.may("A1000", "ROOT2") {
		t.Error("what was sent before an answer may still hold")
	}
}

// crowd is how many agents are below the one that is moved as a whole, so that
// a rebuild takes a while.
const crowd = 1000

// agentsInRound are written before the server is killed.
const agentsInRound = 6

func (k *killing) open() *store.Store {
	k.t.Helper()
	s, err := store.Open(k.t.Context(), k.url)
	if err != nil {
		k.t.Fatal(err)
	}
	return s
}

// prepare fills the database. It is closed again: a restart finds the files as
// the killed process left them.
func (k *killing) prepare() {
	k.t.Helper()
	s := k.open()
	defer s.Close()
	w := apptest.New(k.t, s, apptest.Options{Now: clock.System{}.Now()})
	w.LoadDemo(k.t, apptest.Acme, crowd)
	c := w.As(apptest.Acme)
	k.token = c.Token(k.t) // tokens outlive the process: the keys are stored
	for _, root := range []string{"ROOT0", "ROOT1"} {
		if status, _, body := c.REST(k.t, http.MethodPost, "/agents", apptest.Registration(root, "")); status != http.StatusCreated {
			k.t.Fatalf("%d %s", status, body)
		}
	}
}

// round starts a server, lets writers write and kills it: in odd rounds at any
// moment, in the others while a rebuild is under way.
func (k *killing) round(n int) {
	k.t.Helper()
	child := startChild(k.t, k.url)
	base := child.url
	if base == "" {
		k.t.Fatal("the child did not start")
	}
	before := k.written()
	var writers sync.WaitGroup
	for i := range 3 {
		writers.Go(func() { k.write(base, fmt.Sprintf("K%d-%d", n, i), rand.New(rand.NewPCG(uint64(n), uint64(i)))) })
	}
	writers.Go(func() { k.moveCrowd(base) })
	// A machine with much to do starts a child that has no time to write; a round
	// without writes tests nothing.
	for range 6000 {
		if k.written() >= before+agentsInRound {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n%2 == 1 {
		time.Sleep(time.Duration(200+rand.IntN(700)) * time.Millisecond)
	} else {
		time.Sleep(200 * time.Millisecond)
		k.t.Logf("round %d: a rebuild was under way: %v", n, k.awaitRebuild(base))
	}
	child.kill()
	writers.Wait()
}

// write registers agents and moves them, until the server is gone.
func (k *killing) write(base, prefix string, dice *rand.Rand) {
	for i := 0; ; i++ {
		code, upline := fmt.Sprintf("%s-%d", prefix, i), fmt.Sprintf("A%d", 1000+dice.IntN(crowd))
		if !k.send(base, http.MethodPost, "/agents", apptest.Registration(code, upline), code, upline) {
			return
		}
		for range 2 {
			upline = fmt.Sprintf("A%d", 1000+dice.IntN(crowd))
			if !k.send(base, http.MethodPatch, "/teams/default/members/"+code, move(upline), code, upline) {
				return
			}
		}
	}
}

// moveCrowd moves the agent above all others back and forth.
func (k *killing) moveCrowd(base string) {
	for i := 0; ; i++ {
		upline := fmt.Sprintf("ROOT%d", i%2)
		if !k.send(base, http.MethodPatch, "/teams/default/members/A1000", move(upline), "A1000", upline) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func move(upline string) map[string]any {
	return map[string]any{"membership": map[string]any{"directUpline": upline}, "initiator": "kill"}
}

// send writes and remembers what was acknowledged; false when the server is
// gone.
func (k *killing) send(base, method, path string, body any, code, upline string) bool {
	k.sent(code, upline)
	status, answer, err := k.request(base, method, "/agency-management/acme"+path, body)
	if err != nil {
		return false
	}
	if status/100 != 2 {
		k.t.Errorf("%s %s: %d %s", method, path, status, answer)
		return false
	}
	k.answered(code, upline)
	return true
}

func (k *killing) request(base, method, path string, body any) (status int, answer []byte, err error) {
	return remote(k.t.Context(), base, method, path, http.Header{"Authorization": {"Bearer " + k.token}}, body)
}

// awaitRebuild waits for a rebuild to be under way; false when none was seen.
func (k *killing) awaitRebuild(base string) bool {
	query := map[string]any{"query": `{ hierarchyBuild { status } }`}
	for range 200 {
		_, answer, err := k.request(base, http.MethodPost, "/graphql/acme", query)
		if err == nil && bytes.Contains(answer, []byte("RUNNING")) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}
