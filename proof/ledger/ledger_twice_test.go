package ledger_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// notedWithin is how long a server may take to write down what an endpoint answered: a
// server that dies later than that is no reason to send an event again.
const notedWithin = 10 * time.Second

// span is a range of time.
type span struct{ from, through time.Time }

func (s span) holds(t time.Time) bool { return !t.Before(s.from) && !t.After(s.through) }

// reasons are what may bring the event of a number again.
type reasons struct {
	// answered holds, by the id of each attempt that was written down, whether an answer came.
	answered map[string]bool
	// died are the times when servers did, by their number.
	died map[uint64]time.Time
	// outages are the times when the database was away.
	outages []span
}

// why returns the reason that docs/webhooks.md gives for a request after one that was
// accepted, besides that somebody asked for it; "" if there is none.
func (r *reasons) why(accepted, again *receipt) string {
	answered, isWritten := r.answered[accepted.delivery]
	switch {
	case isWritten && !answered:
		return "no answer came"
	case isWritten:
		return ""
	}
	noted := accepted.at.Add(notedWithin)
	sender, err := madeBy(accepted.delivery)
	// On a busy machine a request is read after its server died.
	if died, dead := r.died[sender]; err == nil && dead && !died.After(noted) && !again.at.Before(died) {
		return "its server died"
	}
	for _, o := range r.outages {
		if !o.from.After(noted) && !o.through.Before(accepted.at) && !again.at.Before(o.from) {
			return "the database was away"
		}
	}
	return ""
}

// of returns the reason of each request of a number that came after an accepted one; ""
// where there is none. So many of them were asked for.
func (r *reasons) of(all []*receipt, asked int) (found []string) {
	for i, again := range all[min(1, len(all)):] {
		before := all[i]
		why := ""
		if before.delivery != again.delivery { // an attempt is one request
			if !before.accepted {
				continue
			}
			why = r.why(before, again)
			if why == "" && asked > 0 {
				asked--
				why = "somebody asked"
			}
		}
		found = append(found, why)
	}
	return found
}

// verifyOnce checks that nothing that an endpoint accepted came again without a reason,
// neither with its number nor with another.
func (l *ledger) verifyOnce(e *endpoint, s *store.Store) {
	l.t.Helper()
	r := &reasons{answered: map[string]bool{}, died: map[uint64]time.Time{}, outages: l.outages}
	for n, c := range l.servers {
		<-c.gone
		r.died[uint64(n)] = c.died
	}
	var tenantID, id int64
	_, err := store.One(l.t.Context(), s, []any{&tenantID}, "SELECT id FROM tenant WHERE identifier = 'acme'")
	if err == nil {
		_, err = store.One(l.t.Context(), dbtest.Owner(l.t, s), []any{&id}, "SELECT id FROM webhook_subscription WHERE tenant_id = $1 AND uid = $2", tenantID, e.id)
	}
	if err == nil {
		_, err = store.Collect(l.t.Context(), dbtest.Owner(l.t, s), func(row store.Scanner) (none struct{}, err error) {
			var (
				delivery string
				status   *int
			)
			err = row.Scan(&delivery, &status)
			r.answered[delivery] = status != nil
			return none, err
		}, "SELECT id, http_status_code FROM webhook_delivery WHERE tenant_id = $1 AND subscription_id = $2", tenantID, id)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for n, all := range e.receipts {
		slices.SortStableFunc(all, func(a, b *receipt) int { return a.at.Compare(b.at) })
		why := r.of(all, l.sentAgain[e.id][n])
		if slices.Contains(why, "") {
			l.t.Errorf("%v: event %d came again without a reason: %v, because of %q", e.types, n, r.moments(all), why)
		}
		for _, reason := range why {
			l.again[reason]++
		}
	}
	l.verifyNumbers(e, s, tenantID, id)
}

// moments are when requests came, of which server, and what became of them.
func (r *reasons) moments(all []*receipt) (said []string) {
	const clock = "05.000"
	for _, one := range all {
		sender, _ := madeBy(one.delivery)
		_, isWritten := r.answered[one.delivery]
		said = append(said, fmt.Sprintf("%s by server %d, which died at %s, accepted: %t, written down: %t", one.at.Format(clock), sender, r.died[sender].Format(clock), one.accepted, isWritten))
	}
	return said
}

// verifyNumbers checks that no event has more numbers than one, and one for each replay
// that it was in.
func (l *ledger) verifyNumbers(e *endpoint, s *store.Store, tenantID, id int64) {
	l.t.Helper()
	numbers, at := map[string]int{}, map[string]time.Time{}
	_, err := store.Collect(l.t.Context(), dbtest.Owner(l.t, s), func(row store.Scanner) (none struct{}, err error) {
		var (
			event    string
			occurred time.Time
		)
		err = row.Scan(&event, &occurred)
		numbers[event]++
		at[event] = occurred
		return none, err
	}, `SELECT e.id, e.occurred_at FROM webhook_message m JOIN outbox_event e ON e.tenant_id = m.tenant_id AND e.id = m.event_id
		WHERE m.tenant_id = $1 AND m.subscription_id = $2`, tenantID, id)
	if err != nil {
		l.t.Fatal(err)
	}
	for event, n := range numbers {
		may := 1
		for _, replay := range l.replays[e.id] {
			if replay.holds(at[event]) {
				may++
			}
		}
		if n > may {
			l.t.Errorf("%v: the event %s has %d numbers, and may have %d", e.types, event, n, may)
		}
		l.again["a replay"] += n - 1
	}
}

// Each reason explains what it can and no more.
func TestWhatComesAgainHasAReason(t *testing.T) {
	t.Parallel()
	at := func(seconds float64) time.Time {
		return time.Unix(1_800_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
	}
	const byTwo, byThree = "019d0000-0000-7000-8000-000000000002", "019d0000-0000-7000-8000-000000000003"
	pair := func(second float64) []*receipt {
		return []*receipt{{delivery: byTwo, at: at(1), accepted: true}, {delivery: byThree, at: at(second), accepted: true}}
	}
	for name, c := range map[string]struct {
		all   []*receipt
		r     reasons
		asked int
		want  int
	}{
		"once":                                    {pair(2)[:1], reasons{}, 0, 0},
		"for nothing":                             {pair(2), reasons{}, 0, 1},
		"written down":                            {pair(2), reasons{answered: map[string]bool{byTwo: true}, died: map[uint64]time.Time{2: at(1.5)}, outages: []span{{at(1), at(2)}}}, 0, 1},
		"no answer came":                          {pair(2), reasons{answered: map[string]bool{byTwo: false}}, 0, 0},
		"its server died":                         {pair(2), reasons{died: map[uint64]time.Time{2: at(1.5)}}, 0, 0},
		"another server died":                     {pair(2), reasons{died: map[uint64]time.Time{3: at(1.5)}}, 0, 1},
		"its server died before it was read":      {pair(2), reasons{died: map[uint64]time.Time{2: at(0.9)}}, 0, 0},
		"its server died later":                   {pair(2), reasons{died: map[uint64]time.Time{2: at(2.5)}}, 0, 1},
		"its server died long after":              {pair(60), reasons{died: map[uint64]time.Time{2: at(50)}}, 0, 1},
		"the database was away":                   {pair(6), reasons{outages: []span{{at(0.5), at(1.5)}}}, 0, 0},
		"the database was away before":            {pair(6), reasons{outages: []span{{at(0), at(0.9)}}}, 0, 1},
		"the database was away after it":          {pair(6), reasons{outages: []span{{at(7), at(8)}}}, 0, 1},
		"somebody asked":                          {pair(2), reasons{answered: map[string]bool{byTwo: true}}, 1, 0},
		"somebody asked once, and it came thrice": {append(pair(2), &receipt{delivery: "x", at: at(3)}), reasons{answered: map[string]bool{byTwo: true, byThree: true}}, 1, 1},
		"refused before":                          {[]*receipt{{delivery: byTwo, at: at(1)}, {delivery: byThree, at: at(2)}}, reasons{}, 0, 0},
		"one attempt, two requests":               {[]*receipt{{delivery: byTwo, at: at(1)}, {delivery: byTwo, at: at(2)}}, reasons{}, 1, 1},
	} {
		without := 0
		for _, why := range c.r.of(c.all, c.asked) {
			if why == "" {
				without++
			}
		}
		if without != c.want {
			t.Errorf("%s: %d have no reason, not %d", name, without, c.want)
		}
	}
}
