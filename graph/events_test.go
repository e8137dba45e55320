package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

const feed = `query($after: String, $first: Int, $types: [String!], $agentCode: String) {
	events(after: $after, first: $first, types: $types, agentCode: $agentCode) {
		nodes { id type occurredAt agentCode initiator traceId body } edges { cursor } pageInfo { hasNextPage endCursor } totalCount } }`

// emit writes events of a tenant.
func emit(t *testing.T, w *apptest.World, in string, all ...events.Event) {
	t.Helper()
	err := w.Store.InTx(w.Context(t, in), func(ctx context.Context, tx *store.Tx) error {
		return events.WriteAll(events.WithTraceID(ctx, "4bf9"), tx, w.Clock.Now(), all)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func about(w *apptest.World, agentCode string) events.Event {
	return events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated, events.AgentChange{AgentID: 1, AgentCode: agentCode, Operation: "agentUpdate",
		ChangedFields: []string{"npn"}, Initiator: "hr"})
}

// The feed is read on from a cursor; its bodies are, byte for byte, what is
// pushed.
func TestFeedOfEvents(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		emit(t, w, apptest.Acme, about(w, "A1"), about(w, "<A2>"))
		emit(t, w, apptest.Umbra, events.PingEvent("1", ""))
		c := w.As(apptest.Acme)
		data := c.Query(t, feed, object{"first": 1})
		equal(t, "agents", apptest.Each(data, "events.nodes", "agentCode"), list("A1"))
		equal(t, "another page follows", apptest.At(data, "events.pageInfo.hasNextPage"), true)
		equal(t, "total", apptest.At(data, "events.totalCount"), number("2"))
		equal(t, "cursor", apptest.At(data, "events.edges.0.cursor"), apptest.At(data, "events.pageInfo.endCursor"))
		node := apptest.At(data, "events.nodes.0").(object)
		for name, want := range map[string]any{"type": "Platform.AgencyManagement.Events.AgentUpdated", "occurredAt": "2026-06-15T12:00:00Z", "initiator": "hr", "traceId": "4bf9"} {
			equal(t, name, node[name], want)
			equal(t, "body: "+name, node["body"].(object)[name], want)
		}
		equal(t, "body: id", node["body"].(object)["id"], node["id"])
		data = c.Query(t, feed, object{"after": apptest.At(data, "events.pageInfo.endCursor")})
		equal(t, "agents", apptest.Each(data, "events.nodes", "agentCode"), list("<A2>"))
		cursor := apptest.At(data, "events.pageInfo.endCursor")
		if left := apptest.Each(c.Query(t, feed, object{"after": cursor}), "events.nodes", "id"); len(left) != 0 {
			t.Errorf("behind the last event are %v", left)
		}
		emit(t, w, apptest.Acme, about(w, "A3"))
		equal(t, "what is new", apptest.Each(c.Query(t, feed, object{"after": cursor}), "events.nodes", "agentCode"), list("A3"))

		answer := c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(`{"query":"{ events(agentCode: \"<A2>\") { nodes { body } } }"}`)).Body.Bytes()
		p, err := w.Events.Page(w.Context(t, apptest.Acme), events.Filter{AgentCode: new("<A2>")}, page.Args{})
		if err != nil {
			t.Fatal(err)
		}
		body, err := p.Items[0].Body(apptest.Acme)
		if err != nil || !bytes.Contains(answer, append([]byte(`"body":`), body...)) {
			t.Errorf("%v: the answer %s does not hold the body %s", err, answer, body)
		}
	})
}

// What is refused, and what a token without the scope of an area does not see.
func TestFeedOfEventsIsGuarded(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		emit(t, w, apptest.Acme, about(w, "A1"), events.PingEvent("1", "ops"), events.Event{Type: events.UserCreated, Data: json.RawMessage(`{"username":"ana"}`)})
		for _, test := range []struct {
			scopes []string
			want   int
		}{
			{[]string{"read:agents"}, 1},
			{[]string{"read:agents", "read:users"}, 2},
			{[]string{"read:agents", "read:users", "read:webhook-subscriptions"}, 3},
		} {
			data := w.As(apptest.Acme, test.scopes...).Query(t, feed, nil)
			if got := apptest.Each(data, "events.nodes", "type"); len(got) != test.want {
				t.Errorf("with %v: %v", test.scopes, got)
			}
			equal(t, "total", apptest.At(data, "events.totalCount"), number(string(rune('0'+test.want))))
		}
		other := apptest.At(w.As(apptest.Acme).Query(t, feed, nil), "events.pageInfo.endCursor")
		emit(t, w, apptest.Umbra, events.PingEvent("1", ""))
		for name, variables := range map[string]map[string]any{
			"a cursor of another tenant": {"after": other}, "no cursor": {"after": "x"}, "too large": {"first": 101}, "a type that is none": {"types": []string{"secret"}},
		} {
			_, errs := w.As(apptest.Umbra).GraphQL(t, feed, variables)
			if len(errs) != 1 || errs[0].Code() != "BAD_USER_INPUT" || strings.Contains(errs[0].Message, "secret") {
				t.Errorf("%s: %+v", name, errs)
			}
		}
	})
}
