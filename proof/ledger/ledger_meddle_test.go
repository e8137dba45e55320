package ledger_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// meddling is what is done to subscriptions while they deliver.
var meddling = []string{"send again", "replay", "rotate", "pause", "go on"}

// opposite undoes what can be done only once.
var opposite = map[string]string{"pause": "go on", "go on": "pause"}

// paused is the endpoint that is paused now and then: the last server replays what
// it did not get.
const paused = 0

// meddle does something to a subscription a few times a second, until the server is
// gone.
func (l *ledger) meddle(base string) {
	for {
		// One after the other, through all rounds: few of them leave none out.
		what := meddling[int(l.tried.Add(1))%len(meddling)]
		done, gone := l.do(base, what, 300*time.Millisecond) // not ever more of what came before
		if gone {
			return
		}
		if done {
			l.mu.Lock()
			l.meddled[what]++
			l.mu.Unlock()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// meddleWithTheRest does what was not done yet, of a server that nobody kills: in a few
// rounds on a slow machine a server may be gone before it is asked.
func (l *ledger) meddleWithTheRest(base string) {
	l.t.Helper()
	for _, what := range meddling {
		for end := time.Now().Add(time.Minute); l.meddled[what] == 0; time.Sleep(50 * time.Millisecond) {
			l.do(base, opposite[what], 0)                       // or what a server did before it was killed is no change
			switch done, gone := l.do(base, what, time.Hour); { // nothing comes any more
			case done:
				l.meddled[what]++
			case gone, time.Now().After(end):
				l.t.Fatalf("nobody could do this: %s", what)
			}
		}
	}
}

// do does one of them to a subscription, a replay to the events of some time back; done
// says that it was, gone that there was no answer.
func (l *ledger) do(base, what string, back time.Duration) (done, gone bool) {
	e := l.endpoints[1+rand.IntN(3)]
	switch what {
	case "send again":
		return l.sendAgain(base, e)
	case "replay":
		now := time.Now().Add(l.ahead())
		_, done, gone = l.replay(base, e, now.Add(-back), now.Add(time.Minute))
	case "rotate":
		_, done, gone = l.ask(base, `mutation($id: ID!, $end: Boolean!) { result: webhookSubscriptionRotateSecret(input: {id: $id, endPrevious: $end}) { applied userErrors { code } } }`,
			object{"id": e.id, "end": rand.IntN(2) == 0})
	case "pause", "go on":
		_, done, gone = l.ask(base, activated, object{"id": l.endpoints[paused].id, "active": what == "go on"})
	}
	return done, gone
}

const (
	replayed  = `mutation($input: WebhookReplayInput!) { result: webhookReplay(input: $input) { applied userErrors { code } } }`
	activated = `mutation($id: ID!, $active: Boolean!) { result: webhookSubscriptionUpdate(input: {id: $id, isActive: $active}) { applied userErrors { code } } }`
)

func (l *ledger) sendAgain(base string, e *endpoint) (done, gone bool) {
	data, _, gone := l.ask(base, `query($id: ID!) { result: webhookSubscription(id: $id) { deliveries(first: 20) { nodes { id sequence } } } }`, object{"id": e.id})
	nodes, _ := apptest.At(data, "data.result.deliveries.nodes").([]any)
	if gone || len(nodes) == 0 {
		return false, gone
	}
	chosen := nodes[rand.IntN(len(nodes))]
	data, done, gone = l.ask(base, `mutation($id: ID!) { result: webhookDeliveryRetry(input: {id: $id}) { applied userErrors { code } } }`,
		object{"id": apptest.At(chosen, "id")})
	if number, ok := apptest.At(chosen, "sequence").(float64); ok && mayBeDone(data) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.sentAgain[e.id] == nil {
			l.sentAgain[e.id] = map[int]int{}
		}
		l.sentAgain[e.id][int(number)]++
	}
	return done, gone
}

// mayBeDone reports whether what was asked for may have happened: it was not refused.
func mayBeDone(answer any) bool { return apptest.At(answer, "data.result.userErrors.0") == nil }

// ask sends a document and reads its answer.
func (l *ledger) ask(base, document string, variables object) (data any, applied, gone bool) {
	_, answer, err := remote(l.t.Context(), base, http.MethodPost, "/graphql/acme", http.Header{"Authorization": {"Bearer " + l.token}}, object{"query": document, "variables": variables})
	if err != nil {
		return nil, false, true
	}
	if json.Unmarshal(answer, &data) != nil {
		return nil, false, false
	}
	return data, apptest.At(data, "data.result.applied") == true, false
}

// replay has the events of a range of time delivered again.
func (l *ledger) replay(base string, e *endpoint, from, through time.Time) (data any, applied, gone bool) {
	data, applied, gone = l.ask(base, replayed, object{"input": object{"id": e.id, "from": from.Format(time.RFC3339Nano), "through": through.Format(time.RFC3339Nano)}})
	if mayBeDone(data) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.replays[e.id] = append(l.replays[e.id], span{from, through})
	}
	return data, applied, gone
}

// resume switches the paused endpoint on, and replays everything to it.
func (l *ledger) resume(base string) {
	l.t.Helper()
	l.ask(base, activated, object{"id": l.endpoints[paused].id, "active": true})
	l.replayAll(base, time.Now().Add(-time.Hour), time.Now().Add(l.ahead()+time.Minute))
}

// replayAll replays a range of time, in parts when it holds too much.
func (l *ledger) replayAll(base string, from, through time.Time) {
	l.t.Helper()
	data, _, gone := l.replay(base, l.endpoints[paused], from, through)
	switch code := apptest.At(data, "data.result.userErrors.0.code"); {
	case code == "OUT_OF_RANGE":
		middle := from.Add(through.Sub(from) / 2)
		l.replayAll(base, from, middle)
		l.replayAll(base, middle.Add(time.Nanosecond), through)
	case gone || data == nil || code != nil:
		l.t.Fatal("not replayed: " + fmt.Sprint(data))
	}
}
