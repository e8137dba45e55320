package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// A write through one server arrives at the subscribers of another, on both
// transports, in order, and never another tenant's.
func TestSubscriptionsAcrossReplicas(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		ours := r.As(apptest.Acme)
		r.register(t, "A1", "")
		const changed = `subscription { agentChanged { agentCode eventType operation changedFields effectiveFrom initiator agent { firstName } } }`
		f := r.follow(t, ours, changed, `subscription { hierarchyBuildCompleted { team isStale } }`)
		lines := r.stream(t, ours, changed)
		r.listening(t, 3)
		for range 2 {
			r.change(t, apptest.Umbra, events.AgentUpdated, "A1")
			r.change(t, apptest.Acme, events.AgentW9Changed, "A1") // comes with AgentUpdated
			r.change(t, apptest.Acme, events.AgentUpdated, "A1")
		}
		r.change(t, apptest.Acme, events.AgentDeleted, "GONE")
		const first = `{"data":{"agentChanged":{"agentCode":"A1","eventType":"Platform.AgencyManagement.Events.AgentUpdated","operation":"agentUpdate",` +
			`"changedFields":["npn"],"effectiveFrom":null,"initiator":"hr","agent":{"firstName":"Ana"}}}`
		const last = `"agentCode":"GONE","eventType":"Platform.AgencyManagement.Events.AgentDeleted","operation":"agentUpdate","changedFields":["npn"],"effectiveFrom":null,"initiator":"hr","agent":null`
		f.expect(first, first, last)
		for _, want := range []string{first, first, last} {
			if got := <-lines; !strings.Contains(got, want) {
				t.Fatalf("received %s, want %s", got, want)
			}
		}
		r.LeaveBehind(t, apptest.Acme)
		r.RebuildNow(t, apptest.Acme)
		f.expect(`"hierarchyBuildCompleted":{"team":"default","isStale":false}`)
	})
}

// What an agent looks like is read anew for every event.
func TestSubscriptionReadsAnew(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		r.register(t, "A1", "")
		f := r.follow(t, r.As(apptest.Acme), `subscription { agentChanged { agent { firstName } } }`)
		r.listening(t, 1)
		for _, name := range []string{"Bea", "Cleo"} {
			if status, _, body := r.As(apptest.Acme).REST(t, http.MethodPatch, "/agents/A1", map[string]any{"firstName": name, "initiator": "hr"}); status != http.StatusOK {
				t.Fatalf("PATCH: %d %s", status, body)
			}
			f.expect(`"firstName":"` + name + `"`)
		}
	})
}

// The arguments of agentChanged narrow it to an agent, and to a downline.
func TestAgentChangedIsNarrowed(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		r.register(t, "TOP", "")
		r.register(t, "MID", "TOP")
		r.register(t, "LOW", "MID")
		r.register(t, "ELSE", "TOP")
		f := r.follow(t, r.As(apptest.Acme), `subscription { agentChanged(agentCode: "LOW") { agentCode } }`,
			`subscription { agentChanged(rootAgentCode: "MID") { agentCode } }`, `subscription { agentChanged(rootAgentCode: "NOBODY") { agentCode } }`,
			`subscription { agentChanged(rootAgentCode: "MID", agentCode: "ELSE") { agentCode } }`)
		f.expect(`{"id":"2","type":"error","payload":[{"message":"There is no agent with this code"`)
		r.listening(t, 3)
		got := map[string]int{}
		for _, code := range []string{"TOP", "ELSE", "MID", "LOW", "MID"} {
			r.change(t, apptest.Acme, events.AgentUpdated, code)
		}
		for range 4 {
			m, err := f.next()
			if err != nil {
				t.Fatal(err)
			}
			got[m]++
		}
		low, mid := `{"id":"%d","type":"next","payload":{"data":{"agentChanged":{"agentCode":"LOW"}}`, `{"id":"1","type":"next","payload":{"data":{"agentChanged":{"agentCode":"MID"}}`
		for want, n := range map[string]int{fmt.Sprintf(low, 0): 1, fmt.Sprintf(low, 1): 1, mid: 2} {
			for m, times := range got {
				if strings.HasPrefix(m, want) {
					n -= times
				}
			}
			if n != 0 {
				t.Errorf("%s is missing %d times in %v", want, n, got)
			}
		}
	})
}

// A subscription needs a token of the tenant and its scope, and its selection
// is held to the limits of a query.
func TestSubscriptionAccess(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		ours := r.As(apptest.Acme)
		for _, test := range []struct {
			name, in, token string
			code            websocket.StatusCode
		}{
			{"no token", apptest.Acme, "", 4401},
			{"garbage", apptest.Acme, "garbage", 4401},
			{"another tenant's token", apptest.Umbra, ours.Token(t), 4403},
			{"an unknown tenant", "nowhere", ours.Token(t), 4403},
		} {
			_, err := r.connect(t, test.in, test.token).next()
			if websocket.CloseStatus(err) != test.code || strings.Contains(err.Error(), "garbage") {
				t.Errorf("%s: %v, want %d", test.name, err, test.code)
			}
		}
		// A token in the header is checked before the upgrade.
		for token, status := range map[string]int{"garbage": http.StatusUnauthorized, r.As(apptest.Umbra).Token(t): http.StatusForbidden} {
			_, response, err := websocket.Dial(t.Context(), r.url+"/graphql/"+apptest.Acme, &websocket.DialOptions{
				Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
			if err == nil || response.StatusCode != status {
				t.Errorf("a header that does not fit: %d, want %d", response.StatusCode, status)
			}
		}
		f := r.follow(t, r.As(apptest.Acme, "read:roles"), `subscription { agentChanged { agentCode } }`)
		f.expect(`"type":"error","payload":[{"message":"The token does not hold the scope read:agents"`)
		f = r.follow(t, ours, `subscription { agentChanged { agent { upline { upline { upline { upline { upline { upline { upline { upline { upline { agentCode } } } } } } } } } } } }`)
		f.expect(`GRAPHQL_VALIDATION_FAILED`)
		r.listening(t, 0)
	})
}

// A connection, and a stream, end when their token does.
func TestSubscriptionsEndWithTheToken(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		c := r.As(apptest.Acme)
		old := r.WithToken(apptest.Acme, c.Token(t))
		r.Clock.Move(keyring.TokenLifetime + keyring.Leeway - time.Second)
		f := r.follow(t, old, `subscription { agentChanged { agentCode } }`)
		lines := r.stream(t, old, `subscription { agentChanged { agentCode } }`)
		r.listening(t, 2)
		r.Clock.Move(time.Second)
		if m, err := f.next(); websocket.CloseStatus(err) != 4401 {
			t.Errorf("received %s, %v, want the end of the connection", m, err)
		}
		if got := <-lines; !strings.Contains(got, "UNAUTHENTICATED") {
			t.Errorf("received %s, want the end of the stream", got)
		}
		if got, ok := <-lines; ok {
			t.Errorf("received %s after the end", got)
		}
		r.listening(t, 0)
	})
}

// What an API key opened goes on while the key counts, and ends soon after it is
// revoked: it has no hour, as a token has.
func TestStreamsEndWithTheirKey(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		ctx := r.Context(t, apptest.Acme, allScopes...)
		if _, _, err := r.Identity.CreateClient(ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents"})}); err != nil {
			t.Fatal(err)
		}
		key, secret, err := r.Identity.CreateAPIKey(ctx, "acme.crm", identity.APIKeyInput{Name: "k", Scopes: []string{"read:agents"}})
		if err != nil {
			t.Fatal(err)
		}
		c := r.WithToken(apptest.Acme, secret.Reveal())
		r.follow(t, c) // the server remembers the key for ten seconds
		r.Clock.Move(10*time.Second - 50*time.Millisecond)
		f := r.follow(t, c, `subscription { agentChanged { agentCode } }`)
		lines := r.stream(t, c, `subscription { agentChanged { agentCode } }`)
		r.listening(t, 2)
		time.Sleep(100 * time.Millisecond) // what was known of the key when they began has run out
		r.change(t, apptest.Acme, events.AgentUpdated, "A1")
		f.expect(`"agentCode":"A1"`)
		if got := <-lines; !strings.Contains(got, `"agentCode":"A1"`) {
			t.Errorf("received %s", got)
		}
		if _, _, err := r.Identity.RevokeAPIKey(ctx, key.UID); err != nil {
			t.Fatal(err)
		}
		r.Clock.Move(time.Second)
		if m, err := f.next(); websocket.CloseStatus(err) != 4401 {
			t.Errorf("received %s, %v, want the end of the connection", m, err)
		}
		if got := <-lines; !strings.Contains(got, "UNAUTHENTICATED") {
			t.Errorf("received %s, want the end of the stream", got)
		}
		r.listening(t, 0)
	})
}

// Many subscribers of many connections each get every event, and a server that
// stops ends them with a word.
func TestManySubscribers(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		const connections, each, changes = 20, 5, 10
		documents := make([]string, each)
		for i := range documents {
			documents[i] = `subscription { agentChanged { agentCode eventId } }`
		}
		var all []follower
		for range connections {
			all = append(all, r.follow(t, r.As(apptest.Acme), documents...))
		}
		r.listening(t, connections*each)
		for n := range changes {
			r.change(t, apptest.Acme, events.AgentUpdated, fmt.Sprintf("A%d", n))
		}
		for _, f := range all {
			next := map[string]int{}
			for range changes * each {
				text, err := f.next()
				var m struct {
					ID      string
					Payload struct {
						Data struct{ AgentChanged struct{ AgentCode string } }
					}
				}
				if err != nil || json.Unmarshal([]byte(text), &m) != nil || m.Payload.Data.AgentChanged.AgentCode != fmt.Sprintf("A%d", next[m.ID]) {
					t.Fatalf("received %s after %d of this subscription (%v)", text, next[m.ID], err)
				}
				next[m.ID]++
			}
		}
		r.other.EndStreams()
		for _, f := range all {
			f.expect("UNAVAILABLE")
		}
	})
}

// A client that takes nothing loses its connection, or its subscription with an
// error; it holds up nobody else.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel() // it waits
	onTwo(t, func(t *testing.T, r *replicas) {
		t.Parallel()
		slow := r.follow(t, r.As(apptest.Acme), `subscription { agentChanged { changedFields } }`)
		slow.SetReadLimit(1 << 20)
		fast := r.follow(t, r.As(apptest.Acme), `subscription { agentChanged { agentCode } }`)
		r.listening(t, 2)
		long := []string{"npn", "x" + strings.Repeat("y", 40_000)} // more than a connection buffers
		const batch, batches = 50, 14
		for n := range batches {
			err := r.Store.InTx(r.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
				all := make([]events.Event, batch)
				for i := range all {
					all[i] = events.AgentEvent(tenant.From(ctx), events.AgentUpdated, events.AgentChange{AgentCode: fmt.Sprintf("A%d", n*batch+i), Operation: "agentUpdate", ChangedFields: long})
				}
				return events.WriteAll(ctx, tx, r.Clock.Now(), all)
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch {
				fast.expect(fmt.Sprintf(`"agentCode":"A%d"`, n*batch+i))
			}
		}
		time.Sleep(10 * time.Second) // so long a message waits to be taken
		r.listening(t, 1)
		for received := 0; ; received++ {
			m, err := slow.next()
			if err != nil {
				return
			}
			if strings.Contains(m, "RATE_LIMITED") {
				if received == 0 || received >= batch*batches {
					t.Errorf("the slow subscriber was ended after %d events", received)
				}
				return
			}
		}
	})
}

// A subscription begins behind a cursor, of the feed or of a change that was
// seen: nothing is missed between two of them, or between the feed and a
// subscription.
func TestAgentChangedAfterACursor(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		ours := r.As(apptest.Acme)
		r.change(t, apptest.Acme, events.AgentUpdated, "A1")
		data := ours.Query(t, `{ events(first: 1) { pageInfo { endCursor } } }`, nil)
		cursor, _ := apptest.At(data, "events.pageInfo.endCursor").(string)
		for _, code := range []string{"A2", "A3"} {
			r.change(t, apptest.Acme, events.AgentUpdated, code)
		}
		after := func(cursor string) follower {
			return r.follow(t, ours, fmt.Sprintf(`subscription { agentChanged(after: %q) { agentCode cursor } }`, cursor))
		}
		f := after(cursor)
		m, err := f.next()
		if err != nil || !strings.Contains(m, `"agentCode":"A2"`) {
			t.Fatalf("received %s %v, want A2", m, err)
		}
		f.expect(`"agentCode":"A3"`)
		var got struct {
			Payload struct {
				Data struct{ AgentChanged struct{ Cursor string } }
			}
		}
		if err := json.Unmarshal([]byte(m), &got); err != nil {
			t.Fatal(err)
		}
		again := after(got.Payload.Data.AgentChanged.Cursor)
		again.expect(`"agentCode":"A3"`)
		r.change(t, apptest.Acme, events.AgentUpdated, "A4")
		f.expect(`"agentCode":"A4"`)
		again.expect(`"agentCode":"A4"`)
		after("no cursor").expect(`"code":"BAD_USER_INPUT"`)
	})
}

// One change of more agents than wait for a subscriber ends no subscription of a
// client that takes what it is sent.
func TestSubscriptionOutlivesABulkChange(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		f := r.follow(t, r.As(apptest.Acme), `subscription { agentChanged { agentCode agent { firstName } } }`)
		r.listening(t, 1)
		const many = 500
		err := r.Store.InTx(r.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
			all := make([]events.Event, many)
			for i := range all {
				all[i] = events.AgentEvent(tenant.From(ctx), events.AgentUpdated, events.AgentChange{AgentCode: fmt.Sprintf("A%d", i), Operation: "reorgApply", ChangedFields: []string{"npn"}})
			}
			return events.WriteAll(ctx, tx, r.Clock.Now(), all)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range many {
			f.expect(fmt.Sprintf(`"agentCode":"A%d"`, i))
		}
	})
}
