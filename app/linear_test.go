package app_test

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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var histories = flag.Int("histories", 3000, "how many operations TestHistories checks on each database, 3,000 if none are given")

// What clients at once see and are told of an agent's uplines, levels, tags and
// certification, through both doors of two servers, could have happened one after the
// other: there is an order in which the rules alone, applied to a list, give every answer,
// and in which nothing is before what was answered when it was sent. A request with an
// Idempotency-Key takes effect once, and the feed shows what changed, once, in that order.
// Answers get lost: statements fail, clients hang up, and commits are not heard of.
func TestHistories(t *testing.T) {
	t.Parallel() // it waits
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		l := newLinear(t, url)
		for l.operations < *histories {
			l.round()
		}
		l.verifyFeed()
		t.Logf("%d operations, %d with an unknown outcome, %d refused as in progress, %d replayed, %d events; longest list of operations %d",
			l.operations, l.unknown, l.busy, l.replayed, l.feeds[0].count, l.longest)
		if l.operations >= 3000 && (l.unknown < 20 || l.replayed < 20) {
			t.Error("too little was lost or sent again to tell anything")
		}
	})
}

const (
	linearClients = 8
	// askedByClient is how much a client asks in a round; what is checked together stays
	// short.
	askedByClient = 30
)

// linear are clients of two servers of one database.
type linear struct {
	t       *testing.T
	servers []http.Handler
	token   string
	started time.Time
	rounds  int
	feeds   []*feedReader
	// faults are those that the servers logged, on lines.
	faults faultLog

	// strands are those of the round.
	strands                             []*strand
	operations, unknown, busy, replayed int
	longest                             int
}

func newLinear(t *testing.T, url string) *linear {
	t.Helper()
	l := &linear{t: t, started: clock.System{}.Now()}
	open := func() *store.Store {
		s, err := store.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	w := apptest.New(t, open(), apptest.Options{})
	for _, s := range []*store.Store{w.Store, open()} {
		c := w.Config
		c.Store, c.Log = s, slog.New(slog.NewTextHandler(&l.faults, &slog.HandlerOptions{Level: slog.LevelError}))
		a, err := app.New(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		l.servers = append(l.servers, a.Handler())
		l.feeds = append(l.feeds, newFeed())
	}
	l.token = w.As(apptest.Acme, allScopes...).Token(t)
	for i := range linearUplines {
		l.must(http.MethodPost, "/agents", registration(linearUpline(i), ""))
	}
	for _, tag := range linearTags {
		l.must(http.MethodPost, "/tags", object{"name": tag, "initiator": "linear"})
	}
	return l
}

// must sends a request of REST that has to succeed.
func (l *linear) must(method, path string, body any) {
	l.t.Helper()
	if a := l.send(l.t.Context(), 0, request{method: method, path: "/agency-management/acme" + path, body: body}); a.status/100 != 2 {
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
	for i := range 1 + l.rounds%3 {
		agent := fmt.Sprintf("H%d-%d", l.rounds, i)
		l.must(http.MethodPost, "/agents", registration(agent, ""))
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
	for c := range linearClients {
		clients.Go(func() { l.client(c, mathrand.New(mathrand.NewPCG(uint64(l.rounds), uint64(c)))) })
	}
	over := make(chan struct{})
	for i, f := range l.feeds {
		followers.Go(func() {
			for !isClosed(over) {
				f.read(l, i)
				time.Sleep(20 * time.Millisecond)
			}
			f.read(l, i)
		})
	}
	clients.Wait()
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
	got := l.ask(s, wish{verb: reads}, 0, l.t.Context(), false)
	if got.isUnknown {
		l.t.Fatalf("%s of %s cannot be read", s.name, s.agent)
	}
	return got.content
}

// client asks for this and that.
func (l *linear) client(number int, dice *mathrand.Rand) {
	for range askedByClient {
		s := l.strands[dice.IntN(len(l.strands))]
		ctx, end := trouble(l.t.Context(), dice)
		l.ask(s, s.draw(dice), number, ctx, ctx != l.t.Context())
		end()
	}
}

// trouble returns a context in which, rarely, a statement fails, the client hangs up, or
// the answer to a commit is lost; mostly the one that was given.
func trouble(ctx context.Context, dice *mathrand.Rand) (context.Context, func()) {
	if dice.IntN(40) > 0 {
		return ctx, func() {}
	}
	how, at, seen := dice.IntN(3), 1+dice.IntN(12), 0
	ctx, hangUp := context.WithCancel(ctx)
	var mu sync.Mutex
	return store.WithFault(ctx, func(moment string) error {
		mu.Lock()
		defer mu.Unlock()
		seen++
		switch {
		case how == 0 && moment == store.Committed, how == 1 && seen == at:
			return apptest.ErrFault
		case how == 2 && seen == at:
			hangUp()
		}
		return nil
	}), hangUp
}

// ask asks for something of a strand, and notes what was told, and when.
func (l *linear) ask(s *strand, a wish, client int, ctx context.Context, isTroubled bool) told {
	r := s.request(a)
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	r.trace, r.key = hex.EncodeToString(random), a.key
	if r.graphQL != "" {
		r.method, r.path, r.body = http.MethodPost, "/graphql/acme", object{"query": r.graphQL, "variables": r.body}
	}
	called := l.now()
	got := l.send(ctx, client%len(l.servers), r)
	returned := l.now()
	t, err := understood(a, r, got, ctx.Err() != nil)
	if err == nil && t.isUnknown && !isTroubled {
		err = fmt.Errorf("nothing was in its way: %s", l.faults.of(r.trace))
	}
	if err != nil {
		l.t.Errorf("%s %s %v: %d %s: %v", r.method, r.path, r.body, got.status, got.text, err)
	}
	t.trace = r.trace
	s.note(client, a, t, called, returned)
	return t
}

// faultLog is a log in memory.
type faultLog struct {
	mu    sync.Mutex
	lines []string
}

// Write implements io.Writer.
func (f *faultLog) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, string(line))
	return len(line), nil
}

// forget forgets what was logged up to here.
func (f *faultLog) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = nil
}

// of returns what was logged of a request.
func (f *faultLog) of(trace string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(slices.DeleteFunc(slices.Clone(f.lines), func(line string) bool { return !strings.Contains(line, trace) }), "")
}
