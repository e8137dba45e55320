package ledger_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var histories = flag.Int("histories", 0, "how many operations TestHistories checks at least on each database and topology: 3,000 and 500 if none are given")

// What clients at once see and are told of an agent's uplines, levels, tags, certification
// and registration, through both doors of two servers, could have happened one after the
// other: there is an order in which the rules alone, applied to a list, give every answer,
// and in which nothing is before what was answered when it was sent. A request with an
// Idempotency-Key takes effect once, and the feed shows what changed, once, in that order.
// Answers get lost: statements fail, clients hang up, and commits are not heard of. The
// same holds while servers, PostgreSQL, a pooler or a replica are killed, and while the
// network fails.
func TestHistories(t *testing.T) {
	t.Parallel() // it waits
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		newLinear(t, site{url: url, direct: url}).run(max(*histories, 3000))
	})
	few := max(*histories, 500)
	t.Run("killed servers", func(t *testing.T) {
		t.Parallel()
		dbtest.EachURL(t, func(t *testing.T, url string) {
			t.Parallel()
			newLinear(t, site{url: url, direct: url, beside: 2}).killed().run(few)
		})
	})
	t.Run("killed database", func(t *testing.T) {
		t.Parallel()
		cluster := dbtest.NewCluster(t)
		newLinear(t, site{url: cluster.URL(), direct: cluster.URL(), parts: []part{cluster}}).run(few)
	})
	eachTopology(t, append([]topology{failingNetwork}, topologies...), func(t *testing.T, at site) { newLinear(t, at).run(few) })
}

const (
	linearClients = 8
	// askedByClient is how much a client asks in a round; what is checked together stays
	// short.
	askedByClient = 30
)

// linear are clients of two servers or more of one database.
type linear struct {
	t *testing.T
	site
	world   *apptest.World
	servers []http.Handler
	// stores are those of servers in this process.
	stores  []*store.Store
	token   string
	started time.Time
	// clock is that of servers in other processes.
	clock  ahead
	rounds int
	feeds  []*feedReader
	// faults are those that the servers logged, on lines.
	faults faultLog

	// strands are those of the round.
	strands                             []*strand
	operations, unknown, busy, replayed int
	longest                             int

	// asked counts requests. disturbed counts how often a part was killed and started; away
	// is locked meanwhile.
	asked     atomic.Int64
	disturbed int
	away      sync.RWMutex
}

func newLinear(t *testing.T, at site) *linear {
	t.Helper()
	l := &linear{t: t, site: at, started: clock.System{}.Now(), feeds: []*feedReader{newFeed(), newFeed()}}
	l.world = apptest.New(t, l.open(store.Options{}), apptest.Options{})
	l.clock = ahead(l.world.Clock.Now().Sub(l.started))
	return l
}

// open opens the database as a server does.
func (l *linear) open(o store.Options) *store.Store {
	l.t.Helper()
	s, err := store.OpenWith(l.t.Context(), l.url, o)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(s.Close)
	return s
}

// run has clients ask for things until so many were asked for.
func (l *linear) run(operations int) {
	l.t.Helper()
	l.prepare()
	for l.operations < operations {
		l.round()
	}
	l.verifyFeed()
	apptest.Sound(l.t, l.open(store.Options{}), l.world.Clock)
	l.t.Logf("%d operations, %d with an unknown outcome, %d refused as in progress, %d replayed, %d events; longest list of operations %d; parts killed %d times, %d queries answered by a replica",
		l.operations, l.unknown, l.busy, l.replayed, l.feeds[0].count, l.longest, l.disturbed, l.answeredByReplica())
	switch {
	case l.operations >= 3000 && (l.unknown < 20 || l.replayed < 20):
		l.t.Error("too little was lost or sent again to tell anything")
	case len(l.parts) > 0 && l.disturbed == 0, l.read != "" && l.answeredByReplica() == 0:
		l.t.Error("no part was killed, or the replica answered nothing")
	}
}

// prepare starts servers in this process, unless there are others, and adds what all rounds
// need.
func (l *linear) prepare() {
	l.t.Helper()
	for len(l.servers) < l.count() {
		s := l.open(store.Options{ReadDatabase: l.read})
		c := l.world.Config
		c.Store, c.Log = s, slog.New(slog.NewTextHandler(&l.faults, &slog.HandlerOptions{Level: slog.LevelError}))
		a, err := app.New(l.t.Context(), c)
		if err != nil {
			l.t.Fatal(err)
		}
		l.servers, l.stores = append(l.servers, a.Handler()), append(l.stores, s)
	}
	l.token = l.world.As(apptest.Acme, allScopes...).Token(l.t)
	for i := range linearUplines {
		l.must(http.MethodPost, "/agents", apptest.Registration(linearUpline(i), ""))
	}
	for _, tag := range linearTags {
		l.must(http.MethodPost, "/tags", object{"name": tag, "initiator": "linear"})
	}
}

// count is how many servers there are.
func (l *linear) count() int { return max(2, 1+l.beside) }

// must sends a request of REST that has to succeed, at once or later.
func (l *linear) must(method, path string, body any) {
	l.t.Helper()
	a := l.insist(0, request{method: method, path: "/agency-management/acme" + path, body: body, key: rand.Text()})
	if a.status/100 != 2 && !a.isBusy() {
		l.t.Fatalf("%s %s: %d %s", method, path, a.status, a.text)
	}
}

// now is the time of the run, which grows with every call of one goroutine.
func (l *linear) now() int64 { return int64(clock.System{}.Now().Sub(l.started)) }

// answer is what a server answered, with its body decoded.
type answer struct {
	status     int
	isReplayed bool
	text       string
	data       any
}

func (l *linear) send(ctx context.Context, server int, r request) (a answer) {
	var body io.Reader
	if r.body != nil {
		body = strings.NewReader(asJSON(l.t, r.body))
	}
	sent := httptest.NewRequestWithContext(ctx, r.method, r.path, body)
	maps.Copy(sent.Header, http.Header{"Authorization": {"Bearer " + l.token}, "Content-Type": {"application/json"}})
	if r.trace != "" {
		sent.Header.Set("Traceparent", "00-"+r.trace+"-00f067aa0ba902b7-01")
	}
	if r.key != "" {
		sent.Header.Set("Idempotency-Key", r.key)
	}
	rec := httptest.NewRecorder()
	l.servers[server].ServeHTTP(rec, sent)
	return answer{rec.Code, rec.Header().Get("Idempotency-Replayed") != "", rec.Body.String(), numbersKept(rec.Body.Bytes())}
}

// round has clients ask about a few new agents, at once, and checks all that they were
// told.
func (l *linear) round() {
	l.t.Helper()
	l.rounds++
	l.strands = nil
	l.faults.forget()
	if len(l.stores) == 0 {
		l.renewToken()
	}
	for i := range 1 + l.rounds%3 {
		agent := fmt.Sprintf("H%d-%d", l.rounds, i)
		l.must(http.MethodPost, "/agents", apptest.Registration(agent, ""))
		for _, k := range kinds {
			l.strands = append(l.strands, &strand{kind: k, agent: agent})
		}
	}
	for _, f := range l.feeds { // what happened up to here is not the round's
		f.read(l, 0)
		f.forget()
	}
	for _, s := range l.strands {
		s.first = l.readAlone(s)
	}
	var clients, followers sync.WaitGroup
	asked, over := make(chan struct{}), make(chan struct{})
	for c := range linearClients {
		clients.Go(func() { l.client(c, mathrand.New(mathrand.NewPCG(uint64(l.rounds), uint64(c)))) })
	}
	for i, f := range l.feeds {
		followers.Go(func() {
			for !isClosed(over) {
				f.read(l, i)
				time.Sleep(20 * time.Millisecond)
			}
			f.read(l, i)
		})
	}
	go func() {
		clients.Wait()
		close(asked)
	}()
	l.disturb(asked)
	close(over)
	followers.Wait()
	for _, s := range l.strands {
		l.readAlone(s)
	}
	l.check()
}

// readAlone reads a strand while nobody writes, and returns what it holds.
func (l *linear) readAlone(s *strand) string {
	l.t.Helper()
	for end := l.now() + int64(time.Minute); l.now() < end; {
		if got := l.ask(s, wish{verb: reads}, 0, l.t.Context(), false); !got.isUnknown {
			return got.content
		}
	}
	got := l.send(l.t.Context(), 0, sendable(s, wish{verb: reads}))
	l.t.Fatalf("%s of %s cannot be read: %d %s", s.name, s.agent, got.status, got.text)
	return ""
}

// client asks for this and that.
func (l *linear) client(number int, dice *mathrand.Rand) {
	for range askedByClient {
		s := l.strands[dice.IntN(len(l.strands))]
		ctx, end := trouble(l.t.Context(), dice)
		got := l.ask(s, s.draw(dice), number, ctx, ctx != l.t.Context())
		end()
		if got.isUnknown {
			l.awaitParts()
		}
	}
}

// ask asks for something of a strand, and notes what was told, and when.
func (l *linear) ask(s *strand, a wish, client int, ctx context.Context, isTroubled bool) told {
	r := sendable(s, a)
	l.asked.Add(1)
	called := l.now()
	got := l.send(ctx, client%len(l.servers), r)
	returned := l.now()
	t, err := understood(a, r, got, ctx.Err() != nil)
	if err == nil && t.isUnknown && !isTroubled && !l.mayFail() {
		err = fmt.Errorf("nothing was in its way: %s", l.faults.of(r.trace))
	}
	if err != nil {
		l.t.Errorf("%s %s %v: %d %s: %v", r.method, r.path, r.body, got.status, got.text, err)
	}
	t.trace = r.trace
	s.note(client, a, t, called, returned)
	return t
}

// sendable is the request for a wish, with a trace of its own.
func sendable(s *strand, a wish) request {
	r := s.request(a)
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	r.trace, r.key = hex.EncodeToString(random), a.key
	if r.graphQL != "" {
		r.method, r.path, r.body = http.MethodPost, "/graphql/acme", object{"query": r.graphQL, "variables": r.body}
	}
	return r
}
