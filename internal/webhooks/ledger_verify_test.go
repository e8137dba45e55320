package webhooks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/store"
)

// settle lets a last process deliver what is left.
func (l *ledger) settle() {
	l.t.Helper()
	s, err := store.Open(l.t.Context(), l.url)
	if err != nil {
		l.t.Fatal(err)
	}
	defer s.Close()
	service, err := ledgerService(l.t.Context(), s, *ledgerRounds)
	if err != nil {
		l.t.Fatal(err)
	}
	service.Start(context.WithoutCancel(l.t.Context()))
	defer service.Stop(l.t.Context())
	if err := service.Tick(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	until(l.t, "everything is delivered", func() bool {
		var left int
		_, err := store.One(l.t.Context(), s, []any{&left}, `SELECT
			(SELECT count(*) FROM webhook_message WHERE state = 'PENDING') + (SELECT count(*) FROM outbox_event WHERE position IS NULL)
			+ (SELECT f.position - w.position FROM outbox_feed f JOIN webhook_fanout w ON w.tenant_id = f.tenant_id)`)
		if err != nil {
			l.t.Fatal(err)
		}
		return left == 0
	})
	l.numbers(s)
}

// numbers checks that those of each subscription have no gap, and that nothing
// was given up.
func (l *ledger) numbers(s *store.Store) {
	l.t.Helper()
	for _, e := range l.subs {
		var count, first, last, givenUp int
		_, err := store.One(l.t.Context(), s, []any{&count, &first, &last, &givenUp}, `SELECT count(*), min(sequence), max(sequence),
			count(CASE WHEN state = 'GIVEN_UP' THEN 1 END) FROM webhook_message WHERE subscription_id = $1`, e.sub.ID)
		if err != nil {
			l.t.Fatal(err)
		}
		if first != 1 || last != count || givenUp != 0 {
			l.t.Errorf("%v: %d messages numbered %d to %d, %d given up", e.types, count, first, last, givenUp)
		}
		if len(e.numbers) != count {
			l.t.Errorf("%v: the receiver got %d of %d numbers", e.types, len(e.numbers), count)
		}
	}
}

// verify compares what was acknowledged with what arrived.
func (l *ledger) verify() {
	l.t.Helper()
	s, err := store.Open(l.t.Context(), l.url)
	if err != nil {
		l.t.Fatal(err)
	}
	defer s.Close()
	types := map[string]string{}
	if _, err := store.Collect(l.t.Context(), s, func(row store.Scanner) (struct{}, error) {
		var id, name string
		err := row.Scan(&id, &name)
		types[id] = name[strings.LastIndexByte(name, '.')+1:]
		return struct{}{}, err
	}, "SELECT id, type FROM outbox_event"); err != nil {
		l.t.Fatal(err)
	}
	for _, e := range l.subs {
		missing := 0
		for id := range l.acknowledged {
			if _, ok := e.ok[id]; !ok && e.wants(types[id]) {
				missing++
			}
		}
		if missing > 0 {
			l.t.Errorf("%v: %d of %d acknowledged events did not arrive", e.types, missing, len(l.acknowledged))
		}
		for id, agent := range e.agents {
			if types[id] == "" || strings.HasPrefix(agent, "UNDONE") {
				l.t.Errorf("%v: the event %s of a change that was undone arrived", e.types, id)
			}
		}
		if e.sub.IsOrdered {
			e.checkOrder(l.t)
		}
		l.t.Logf("%v: %d requests, %d events", e.types, len(e.received()), len(e.ok))
	}
	if len(l.acknowledged) < 50 {
		l.t.Errorf("only %d events were acknowledged", len(l.acknowledged))
	}
}

func (e *endpoint) wants(name string) bool {
	for _, t := range e.types {
		if t == name || strings.HasSuffix(t, "*") {
			return true
		}
	}
	return false
}

// checkOrder: of each agent, events were first answered with 2xx in the order of
// their numbers.
func (e *endpoint) checkOrder(t *testing.T) {
	t.Helper()
	last := map[string]int{}
	for n := 1; n <= len(e.numbers); n++ {
		id := e.numbers[n]
		if at := e.ok[id]; at < last[e.agents[id]] {
			t.Errorf("event %d of %s arrived before an earlier one", n, e.agents[id])
		} else {
			last[e.agents[id]] = at
		}
	}
}
