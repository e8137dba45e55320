package graph

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/tenant"
)

// slowServer serves operations that may take so long, whose fields take until
// they are interrupted, except those of fast.
func slowServer(t *testing.T, within time.Duration, fast map[string]any) string {
	t.Helper()
	return slowServerWithLog(t, slog.DiscardHandler, within, fast)
}

func slowServerWithLog(t *testing.T, log slog.Handler, within time.Duration, fast map[string]any) string {
	t.Helper()
	s := New(Config{Resolver: &resolve.Resolver{}, Log: slog.New(log), TraceID: func(context.Context) string { return "trace-1" }})
	s.within = within
	s.exec.AroundFields(func(ctx context.Context, _ graphql.Resolver) (any, error) {
		if value, ok := fast[graphql.GetFieldContext(ctx).Field.Name]; ok {
			return value, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Minute):
			return nil, nil
		}
	})
	h := s.Handler(transport.Config{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(tenant.With(r.Context(), &tenant.Tenant{ID: 1, DefaultPageSize: 50, MaxPageSize: 100})))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func post(t *testing.T, url, accept, query string) (status int, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"query":"`+query+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// enough is what a busy machine needs for fields that take no time, and less than a test
// may wait.
const enough = 3 * time.Second

const timedOut = `{"errors":[{"message":"The request took too long.","extensions":{"code":"TIMEOUT","traceId":"trace-1"}}]`

// An operation has a bounded time on every transport: TIMEOUT, with status 504
// where there is one.
func TestOperationsHaveATimeLimit(t *testing.T) {
	url := slowServer(t, 100*time.Millisecond, nil)
	for _, query := range []string{`{ agent(agentCode: \"A\") { id } }`, `{ agents { nodes { id } } }`,
		`mutation { agentDelete(input: {agentCode: \"A\", initiator: \"hr\"}) { applied } }`} {
		if status, body := post(t, url, "application/json", query); status != http.StatusGatewayTimeout || !strings.HasPrefix(body, timedOut) || strings.Contains(body, `"data"`) {
			t.Errorf("%s: %d %s", query, status, body)
		}
		if status, body := post(t, url, "text/event-stream", query); status != http.StatusOK || !strings.Contains(body, "data: "+timedOut) {
			t.Errorf("%s as a stream: %d %s", query, status, body)
		}
		if got := overSocket(t, url, query); !strings.Contains(got, `{"id":"1","type":"error","payload":[{"message":"The request took too long.","extensions":{"code":"TIMEOUT"`) {
			t.Errorf("%s over a WebSocket: %s", query, got)
		}
	}
}

// The log has one line of an operation that ran out of time, however many fields it asks
// for; an alert counts lines.
func TestTimeLimitIsOneLine(t *testing.T) {
	var query, log bytes.Buffer
	for i := range 20 {
		fmt.Fprintf(&query, `a%d: agent(agentCode: \"A\") { id } `, i)
	}
	url := slowServerWithLog(t, slog.NewTextHandler(&log, nil), 100*time.Millisecond, nil)
	if status, body := post(t, url, "application/json", "{ "+query.String()+"}"); status != http.StatusGatewayTimeout {
		t.Fatalf("%d %s", status, body)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), `level=ERROR msg="graphql: out of time" traceId=trace-1 fields=20 paths=`) {
		t.Errorf("%d lines: %s", lines, log.String())
	}
}

// What a mutation did before its time was over is told.
func TestMutationTellsWhatItDid(t *testing.T) {
	t.Parallel() // it waits
	url := slowServer(t, enough, map[string]any{"agentDelete": &model.DeletePayload{Outcome: model.Outcome{Applied: true}}, "applied": true})
	status, body := post(t, url, "application/json", `mutation { agentDelete(input: {agentCode: \"A\", initiator: \"hr\"}) { applied deletedId } }`)
	if status != http.StatusOK || !strings.Contains(body, `"data":{"agentDelete":{"applied":true,"deletedId":null}}`) || !strings.Contains(body, "TIMEOUT") {
		t.Errorf("%d %s", status, body)
	}
}

// A subscription may wait for its events for ever; what is read of each has the
// time of an operation.
func TestEventsHaveATimeLimit(t *testing.T) {
	t.Parallel() // it waits
	changes := make(chan *model.AgentChange)
	url := slowServer(t, enough, map[string]any{"agentChanged": (<-chan *model.AgentChange)(changes), "agentCode": "A1"})
	go func() {
		for range 2 {
			time.Sleep(enough + 100*time.Millisecond) // longer than an operation may take
			changes <- &model.AgentChange{AgentCode: "A1"}
		}
		close(changes)
	}()
	_, body := post(t, url, "text/event-stream", "subscription { agentChanged { agentCode } }")
	if n := strings.Count(body, `{"data":{"agentChanged":{"agentCode":"A1"}}`); n != 2 || strings.Contains(body, "errors") {
		t.Errorf("%d events arrived after a long time, want 2: %s", n, body)
	}
	changes = make(chan *model.AgentChange, 1)
	changes <- &model.AgentChange{AgentCode: "A1"}
	url = slowServer(t, enough, map[string]any{"agentChanged": (<-chan *model.AgentChange)(changes), "agentCode": "A1"})
	if _, body := post(t, url, "text/event-stream", "subscription { agentChanged { agentCode agent { id } } }"); !strings.Contains(body, "data: "+timedOut) {
		t.Errorf("an event that takes too long: %s", body)
	}
}

// overSocket returns what a connection answers to an operation.
func overSocket(t *testing.T, url, query string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	for _, m := range []string{`{"type":"connection_init"}`, `{"id":"1","type":"subscribe","payload":{"query":"` + query + `"}}`} {
		if err := conn.Write(ctx, websocket.MessageText, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("connection_ack")) {
			return string(data)
		}
	}
}
