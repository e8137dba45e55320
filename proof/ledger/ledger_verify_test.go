package ledger_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
)

// left counts what is neither delivered nor given up.
func (l *ledger) left(s *store.Store) (n int) {
	l.t.Helper()
	_, err := store.One(l.t.Context(), s, []any{&n}, `SELECT
		(SELECT count(*) FROM webhook_message WHERE state = 'PENDING') + (SELECT count(*) FROM outbox_event WHERE position IS NULL)
		+ (SELECT f.position - w.position FROM outbox_feed f JOIN webhook_fanout w ON w.tenant_id = f.tenant_id)`)
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

// verify compares what was acknowledged with what arrived.
func (l *ledger) verify() {
	l.t.Helper()
	s := l.open()
	defer s.Close()
	traces, err := store.Collect(l.t.Context(), s, store.ScanOne[string], "SELECT trace_id FROM outbox_event WHERE trace_id IS NOT NULL")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, trace := range traces {
		if l.undone[trace] {
			l.t.Errorf("the request %s changed nothing, and has an event", trace)
		}
	}
	committed := map[string]bool{"": true} // what the service does by itself has no trace
	for _, trace := range traces {
		committed[trace] = true
	}
	for trace, types := range l.acknowledged {
		if !committed[trace] {
			l.t.Errorf("a change was acknowledged and is not there: %v", types)
		}
	}
	for _, point := range points[1:] {
		if l.fired[point] == 0 && l.started > len(points) {
			l.t.Errorf("no server was killed %s", point)
		}
	}
	for _, e := range l.endpoints {
		for trace := range e.ok {
			if !committed[trace] {
				l.t.Errorf("%v: the event of a change that was rolled back arrived", e.types)
			}
		}
		missing := 0
		for trace, types := range l.acknowledged {
			for _, name := range types {
				if e.wants(name) && !slices.Contains(e.ok[trace], name) {
					missing++
				}
			}
		}
		if missing > 0 {
			l.t.Errorf("%v: %d events of %d acknowledged changes did not arrive", e.types, missing, len(l.acknowledged))
		}
		for trace := range l.undone {
			if len(e.ok[trace]) > 0 {
				l.t.Errorf("%v: the event of a request that changed nothing arrived", e.types)
			}
		}
		e.verify(l.t, s)
		l.verifyOnce(e, s)
	}
	apptest.Sound(l.t, s, clock.System{})
	if l.isThin() {
		l.t.Errorf("only %d changes were acknowledged, %d undone", len(l.acknowledged), len(l.undone))
	}
	l.t.Logf("%d killed in %d rounds, %d changes, %d undone, %d events; %v; at points: %v; %v; again: %v", l.killed, l.started, len(l.acknowledged), len(l.undone), len(traces), slices.Collect(maps.Keys(l.counts())), l.fired, l.meddled, l.again)
}

// counts are the requests of each endpoint, as text.
func (l *ledger) counts() map[string]bool {
	all := map[string]bool{}
	for _, e := range l.endpoints {
		all[fmt.Sprintf("%d requests, %d numbers at %v", e.requests, len(e.numbers), e.types)] = true
	}
	return all
}
