package ledger_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// trouble returns a context in which, rarely, a statement fails, the client hangs up, or
// the answer to a commit is lost; mostly the one that was given.
func trouble(ctx context.Context, dice *rand.Rand) (context.Context, func()) {
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

// mayFail reports whether requests may fail, as parts are killed that they need. Nobody
// notices that a replica is.
func (l *linear) mayFail() bool { return len(l.parts) > 0 && l.read == "" }

// disturb kills and starts parts, each time after some requests more, until it is over.
func (l *linear) disturb(over <-chan struct{}) {
	l.t.Helper()
	for n := l.asked.Load(); !isClosed(over); time.Sleep(time.Millisecond) {
		if len(l.parts) > 0 && l.asked.Load() > n+60 {
			l.restart(l.parts[l.disturbed%len(l.parts)])
			n = l.asked.Load() + rand.Int64N(60)
		}
	}
}

// restart kills a part, and starts it a moment later.
func (l *linear) restart(p part) {
	l.t.Helper()
	l.disturbed++
	l.away.Lock()
	defer l.away.Unlock()
	p.Kill()
	time.Sleep(time.Duration(rand.IntN(250)) * time.Millisecond)
	p.Start(l.t)
}

// awaitParts waits until no part is away: a client whose answer was lost asks no more until
// then.
func (l *linear) awaitParts() {
	l.away.RLock()
	defer l.away.RUnlock()
}

// insist sends a request until it is answered, for a minute at most.
func (l *linear) insist(server int, r request) answer {
	for end := l.now() + int64(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if a := l.send(l.t.Context(), server, r); !a.isLost() || !l.mayFail() || l.now() > end {
			return a
		}
	}
}

// answeredByReplica is how many queries a replica answered.
func (l *linear) answeredByReplica() (n int64) {
	for _, s := range l.stores {
		n += s.Replica().Answered
	}
	return n
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
