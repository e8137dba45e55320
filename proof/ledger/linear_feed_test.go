package ledger_test

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"math"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/uplinehq/upline/app/apptest"
)

// feedReader reads on from its cursor. It passes over the events of what servers do by
// themselves, which have no trace and may come at any time.
type feedReader struct {
	cursor any
	// count and sum are of all events of requests that it saw.
	count int
	sum   hash.Hash
	// seen are the events of the round. turns are the times at which it began to read up to
	// the end.
	seen  []event
	turns []int64
}

// event is an event with its place in the round, the turn in which it was seen, and the
// certification that it is about.
type event struct {
	trace, name, id string
	at, turn        int
}

func newFeed() *feedReader { return &feedReader{sum: sha256.New()} }

// forget forgets the events up to here.
func (f *feedReader) forget() { f.seen, f.turns = nil, nil }

// read reads up to the end.
func (f *feedReader) read(l *linear, server int) {
	f.turns = append(f.turns, l.now())
	for more := true; more; {
		got := l.insist(server, request{method: "POST", path: "/graphql/acme", body: object{"variables": object{"after": f.cursor},
			"query": `query($after: String) { events(after: $after, first: 100) { nodes { id type traceId body } pageInfo { endCursor hasNextPage } } }`}})
		page, ok := apptest.At(got.data, "data.events").(object)
		if !ok {
			l.t.Errorf("the feed: %d %s", got.status, got.text)
			return
		}
		nodes, _ := page["nodes"].([]any)
		for _, node := range nodes {
			trace, has := apptest.At(node, "traceId").(string)
			if !has {
				continue
			}
			f.count++
			_, _ = fmt.Fprintln(f.sum, apptest.At(node, "id"))
			f.seen = append(f.seen, event{trace, textOr(apptest.At(node, "type"), ""),
				textOr(apptest.At(node, "body.data.certificationId"), ""), len(f.seen), len(f.turns) - 1})
		}
		if end := apptest.At(page, "pageInfo.endCursor"); end != nil {
			f.cursor = end
		}
		more = apptest.At(page, "pageInfo.hasNextPage") == true
	}
}

// ofRound returns the first event of each request of the round that names a certification,
// or else the first. No event was missed, or came twice, to either reader.
func (f *feedReader) ofRound(l *linear) map[string]event {
	l.t.Helper()
	plain := func(e event) string { return e.trace + e.name }
	one, other := l.feeds[0].seen, l.feeds[1].seen
	if !slices.EqualFunc(one, other, func(a, b event) bool { return plain(a) == plain(b) }) {
		l.t.Fatalf("round %d: one reader of the feed saw %d events, the other %d, or others", l.rounds, len(one), len(other))
	}
	first, came := map[string]event{}, map[string]bool{}
	for _, e := range f.seen {
		if came[plain(e)] {
			l.t.Errorf("round %d: two events %s of one request", l.rounds, e.name)
		}
		came[plain(e)] = true
		if known, ok := first[e.trace]; !ok || known.id == "" && e.id != "" {
			first[e.trace] = e
		}
	}
	return first
}

// seenBy is a time at which a reader had seen an event of the round.
func (l *linear) seenBy(e event) int64 {
	by := l.now()
	for _, f := range l.feeds {
		if next := f.seen[e.at].turn + 1; next < len(f.turns) {
			by = min(by, f.turns[next])
		}
	}
	return by
}

// inOrderOfFeed takes what changed a strand in the order of its events: each answer must be
// the one to give then. An event was there for whoever began to read after the answer, and
// none is before that of a request that was answered when its own was sent.
func (s *strand) inOrderOfFeed(l *linear, operations []porcupine.Operation, events map[string]event) {
	l.t.Helper()
	changes := slices.DeleteFunc(slices.Clone(operations), func(o porcupine.Operation) bool {
		_, has := events[o.Output.(told).trace]
		return !has
	})
	at := func(o porcupine.Operation) int { return events[o.Output.(told).trace].at }
	slices.SortFunc(changes, func(a, b porcupine.Operation) int { return at(a) - at(b) })
	now, latest := state{content: s.first}, int64(math.MinInt64)
	for _, o := range changes {
		var ok bool
		if ok, now = now.step(o.Input.(wish), o.Output.(told)); !ok {
			l.t.Errorf("%v: in the order of the feed, %v comes after [%s] and was told %v", s, o.Input, now.content, o.Output)
		}
		if latest = max(latest, o.Call); o.Return < latest {
			l.t.Errorf("%v: %v was told before another was wish whose event is before its own", s, o.Input)
		}
		for _, f := range l.feeds {
			if turn := f.seen[at(o)].turn; turn > 0 && f.turns[turn-1] > o.Return && !o.Output.(told).isUnknown {
				l.t.Errorf("%v: %v was told, and its event was not there for who read the feed then", s, o.Input)
			}
		}
	}
	if last := operations[len(operations)-1].Output.(told); last.content != now.content {
		l.t.Errorf("%v holds [%s]; by the order of the feed it should be [%s]", s, last.content, now.content)
	}
}

// verifyFeed reads the feed anew from its start: it is what was seen while it grew.
func (l *linear) verifyFeed() {
	l.t.Helper()
	anew := newFeed()
	anew.read(l, 0)
	for _, f := range l.feeds {
		if f.count != anew.count || string(f.sum.Sum(nil)) != string(anew.sum.Sum(nil)) {
			l.t.Errorf("a reader saw %d events of the feed, which has %d, or others", f.count, anew.count)
		}
	}
}
