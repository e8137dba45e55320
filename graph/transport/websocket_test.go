package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/coder/websocket"

	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/problem"
)

const protocol = "graphql-transport-ws"

type message struct {
	ID, Type string
	Payload  json.RawMessage
}

// client is the other end of a WebSocket.
type client struct {
	*websocket.Conn
	t *testing.T
}

func listen(t *testing.T, config transport.Config) (url string, s *schema) {
	t.Helper()
	s = newSchema()
	exec := executor.New(s)
	exec.SetRecoverFunc(func(context.Context, any) error { return errors.New("panic") })
	server := httptest.NewServer(transport.Handler(exec, config))
	t.Cleanup(server.Close)
	return server.URL, s
}

func dial(t *testing.T, url string, header http.Header) client {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{protocol}, HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return client{conn, t}
}

func (c client) send(text string) {
	c.t.Helper()
	if err := c.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// expect reads messages and compares them, each written as "type id payload".
func (c client) expect(want ...string) {
	c.t.Helper()
	for _, w := range want {
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
		_, data, err := c.Read(ctx)
		cancel()
		var m message
		if err != nil || json.Unmarshal(data, &m) != nil {
			c.t.Fatalf("%v %s, want %s", err, data, w)
		}
		if got := strings.TrimSpace(m.Type + " " + m.ID + " " + string(m.Payload)); got != w {
			c.t.Fatalf("received %s, want %s", got, w)
		}
	}
}

// expectClose reads until the connection is closed, with a code.
func (c client) expectClose(name string, code websocket.StatusCode) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	for {
		if _, _, err := c.Read(ctx); err != nil {
			if got := websocket.CloseStatus(err); got != code {
				c.t.Errorf("%s: closed with %d, want %d (%v)", name, got, code, err)
			}
			return
		}
	}
}

const greeting = `{"type":"connection_init"}`

func greeted(t *testing.T, url string) client {
	t.Helper()
	c := dial(t, url, nil)
	c.send(greeting)
	c.expect("connection_ack")
	return c
}

func subscription(id, field string) string {
	return fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":{"query":"subscription { %s }"}}`, id, field)
}

// The ways of an operation over a WebSocket. Data goes out as it is.
func TestWebSocketOperations(t *testing.T) {
	url, _ := listen(t, transport.Config{TraceID: func(context.Context) string { return "trace-1" }})
	c := greeted(t, url)
	c.send(`{"type":"ping"}`)
	c.expect("pong")
	c.send(subscription("1", "tick"))
	c.expect(`next 1 {"data":{"tick":"<1>"}}`, `next 1 {"data":{"tick":"<2>"}}`, `next 1 {"data":{"tick":"<3>"}}`, "complete 1")
	c.send(subscription("1", "breaks"))
	c.expect(`next 1 {"data":{"breaks":"<1>"}}`, `error 1 [{"message":"too slow","extensions":{"code":"RATE_LIMITED","traceId":"trace-1"}}]`)
	c.send(subscription("1", "refused"))
	c.expect(`error 1 [{"message":"refused","extensions":{"code":"FORBIDDEN","traceId":"trace-1"}}]`)
	c.send(subscription("1", "panics"))
	c.expect(`error 1 [{"message":"The server could not answer. Name the trace id when you ask for help.","extensions":{"code":"INTERNAL_SERVER_ERROR","traceId":"trace-1"}}]`)
	c.send(`{"id":"2","type":"subscribe","payload":{"query":"{ echo }"}}`)
	c.expect(`next 2 {"data":{"echo":"done"}}`, "complete 2")
	c.send(`{"id":"3","type":"subscribe","payload":{"query":"query($n: Int) { echo(count: $n) }","variables":{"n":"secret"}}}`)
	c.expect(`error 3 [{"message":"cannot use string as Int","path":["variable","n"],"extensions":{"code":"BAD_USER_INPUT","traceId":"trace-1"}}]`)
}

// A subscription ends with complete, and all of them with the connection.
func TestWebSocketSubscriptionsEnd(t *testing.T) {
	url, s := listen(t, transport.Config{})
	c := greeted(t, url)
	c.send(subscription("1", "silence"))
	c.send(subscription("2", "silence"))
	waitFor(t, "two subscriptions", func() bool { return s.listening.Load() == 2 })
	c.send(`{"id":"1","type":"complete"}`)
	waitFor(t, "one subscription", func() bool { return s.listening.Load() == 1 })
	c.send(`{"id":"9","type":"complete"}`)
	c.CloseNow()
	waitFor(t, "no subscription", func() bool { return s.listening.Load() == 0 })
}

// An id is free again once its operation was completed by the client. The
// other operations of the connection go on.
func TestWebSocketIDsAreReused(t *testing.T) {
	url, s := listen(t, transport.Config{})
	c := greeted(t, url)
	c.send(subscription("other", "silence"))
	for range 50 {
		c.send(subscription("1", "silence"))
		c.send(`{"id":"1","type":"complete"}`)
	}
	c.send(subscription("1", "silence"))
	c.send(`{"type":"ping"}`)
	c.expect("pong")
	waitFor(t, "the two that are left", func() bool { return s.listening.Load() == 2 })
	c.send(subscription("1", "silence"))
	c.expectClose("an id in use", 4409)
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// What breaks the protocol ends the connection, with the codes of
// graphql-transport-ws.
func TestWebSocketProtocol(t *testing.T) {
	url, _ := listen(t, transport.Config{MaxBody: 2000})
	for _, test := range []struct {
		name     string
		messages []string
		code     websocket.StatusCode
	}{
		{"not JSON", []string{greeting, `{`}, 4400},
		{"two values", []string{greeting, `{"type":"ping"}{"type":"ping"}`}, 4400},
		{"not UTF-8", []string{greeting, "{\"type\":\"ping\",\"id\":\"\xff\"}"}, 4400},
		{"unknown type", []string{greeting, `{"type":"start"}`}, 4400},
		{"no id", []string{greeting, `{"type":"subscribe","payload":{"query":"{ echo }"}}`}, 4400},
		{"no payload", []string{greeting, `{"type":"subscribe","id":"1"}`}, 4400},
		{"payload of another type", []string{`{"type":"connection_init","payload":[1]}`}, 4400},
		{"subscribe first", []string{subscription("1", "tick")}, 4401},
		{"two greetings", []string{greeting, greeting}, 4429},
		{"an id twice", []string{greeting, subscription("1", "silence"), subscription("1", "silence")}, 4409},
		{"too large", []string{greeting, `{"type":"ping","id":"` + strings.Repeat("x", 2000) + `"}`}, websocket.StatusMessageTooBig},
	} {
		c := dial(t, url, nil)
		for _, m := range test.messages {
			c.send(m)
		}
		c.expectClose(test.name, test.code)
	}
	conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{"graphql-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	client{conn, t}.expectClose("another subprotocol", 4406)
}

// One connection has a bounded number of operations.
func TestWebSocketOperationsAreBounded(t *testing.T) {
	url, _ := listen(t, transport.Config{})
	c := greeted(t, url)
	for n := range 100 {
		c.send(subscription(fmt.Sprint(n), "silence"))
	}
	c.send(subscription("one more", "silence"))
	c.expect(`error one more [{"message":"this connection has too many operations under way","extensions":{"code":"RATE_LIMITED"}}]`)
	c.send(`{"id":"7","type":"complete"}`)
	c.send(`{"type":"ping"}`)
	c.expect("pong")
}

// Pages of other origins may not connect; the refusal does not repeat them.
func TestWebSocketOrigin(t *testing.T) {
	url, _ := listen(t, transport.Config{Admits: func(origin string) bool { return origin == "https://upline.example" }})
	for origin, status := range map[string]int{url: 101, "https://upline.example": 101, "http://upline.example": 403, "https://evil.example": 403, "null": 403} {
		conn, r, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{protocol}, HTTPHeader: http.Header{"Origin": {origin}}})
		if r.StatusCode != status {
			t.Errorf("%s: %d, want %d", origin, r.StatusCode, status)
		}
		if err == nil {
			conn.CloseNow()
			continue
		}
		body := make([]byte, 1000)
		n, _ := r.Body.Read(body)
		if strings.Contains(string(body[:n]), "example") {
			t.Errorf("the refusal repeats the origin: %s", body[:n])
		}
	}
}

type callerKey struct{}

// A token that comes with connection_init counts only where the header had
// none, and the connection ends with it.
func TestWebSocketAuthorization(t *testing.T) {
	url, s := listen(t, transport.Config{
		Authorize: func(r *http.Request) (context.Context, *problem.Error) {
			switch r.Header.Get("Authorization") {
			case "Bearer good":
				return context.WithValue(r.Context(), callerKey{}, "good"), nil
			case "Bearer foreign":
				return nil, problem.Refused(403, "not granted")
			case "Bearer broken":
				return nil, problem.Refused(500, "secret")
			}
			return nil, problem.Refused(401, "no token")
		},
		Remaining: func(ctx context.Context) time.Duration {
			if ctx.Value(callerKey{}) == nil {
				return time.Hour
			}
			return 300 * time.Millisecond
		},
	})
	for payload, code := range map[string]websocket.StatusCode{
		``: 4401, `,"payload":null`: 4401, `,"payload":{"Authorization":"Bearer bad"}`: 4401,
		`,"payload":{"authorization":"Bearer foreign"}`: 4403, `,"payload":{"Authorization":"Bearer broken"}`: websocket.StatusInternalError,
	} {
		c := dial(t, url, nil)
		c.send(`{"type":"connection_init"` + payload + `}`)
		c.expectClose(payload, code)
	}
	c := dial(t, url, nil)
	c.send(`{"type":"connection_init","payload":{"authorization":"Bearer good"}}`)
	c.expect("connection_ack")
	c.send(subscription("1", "silence"))
	waitFor(t, "the subscription", func() bool { return s.listening.Load() == 1 })
	c.expectClose("an expired token", 4401)
	waitFor(t, "the end of the subscription", func() bool { return s.listening.Load() == 0 })

	before := dial(t, url, http.Header{"Authorization": {"checked before"}})
	before.send(greeting)
	before.expect("connection_ack")
}

// Before each operation the token of a connection is looked at again. A fault
// refuses the operation alone; the connection goes on, and ends when the token
// counts no more.
func TestWebSocketOperationsAreChecked(t *testing.T) {
	var refuse, fault atomic.Bool
	url, s := listen(t, transport.Config{
		Remaining: func(context.Context) time.Duration { return 20 * time.Millisecond },
		Renew: func(context.Context) (time.Duration, error) {
			switch {
			case fault.Load():
				return 0, errors.New("the database is away")
			case refuse.Load():
				return 0, nil
			}
			return time.Hour, nil
		},
	})
	c := greeted(t, url)
	c.send(subscription("1", "silence"))
	waitFor(t, "the subscription", func() bool { return s.listening.Load() == 1 })
	fault.Store(true)
	c.send(`{"id":"2","type":"subscribe","payload":{"query":"{ echo }"}}`)
	c.expect(`error 2 [{"message":"the token could not be checked","extensions":{"code":"UNAVAILABLE","retryAfter":5}}]`)
	fault.Store(false)
	c.send(`{"id":"2","type":"subscribe","payload":{"query":"{ echo }"}}`)
	c.expect(`next 2 {"data":{"echo":"done"}}`, "complete 2")
	if s.listening.Load() != 1 {
		t.Error("the subscription ended")
	}
	refuse.Store(true)
	c.send(`{"id":"2","type":"subscribe","payload":{"query":"{ echo }"}}`)
	c.expectClose("a token that was taken back", 4401)
	waitFor(t, "the end of the subscription", func() bool { return s.listening.Load() == 0 })
}

// A fault does not end a stream: it asks again, and ends when it is refused.
func TestStreamsOutliveAFault(t *testing.T) {
	var asked atomic.Int32
	var refuse atomic.Bool
	url, _ := listen(t, transport.Config{
		Remaining: func(context.Context) time.Duration { return time.Millisecond },
		Renew: func(context.Context) (time.Duration, error) {
			if asked.Add(1); refuse.Load() {
				return 0, nil
			}
			return 0, errors.New("the database is away")
		},
	})
	c := greeted(t, url)
	waitFor(t, "a second question", func() bool { return asked.Load() >= 2 })
	c.send(`{"type":"ping"}`)
	c.expect("pong")
	refuse.Store(true)
	c.expectClose("a token that was taken back", 4401)
}

// A client that is gone without a word is found out.
func TestWebSocketKeepAlive(t *testing.T) {
	t.Parallel() // it waits: who is there may take so long to answer, also on a busy machine
	const every = 2 * time.Second
	url, s := listen(t, transport.Config{KeepAlive: every})
	there, gone := greeted(t, url), greeted(t, url)
	there.send(subscription("1", "silence"))
	gone.send(subscription("1", "silence"))
	waitFor(t, "the subscriptions", func() bool { return s.listening.Load() == 2 })
	reading, stop := context.WithCancel(t.Context())
	go there.Read(reading) // a client that reads answers pings
	waitFor(t, "the end of one", func() bool { return s.listening.Load() == 1 })
	time.Sleep(every + every/2) // another ping was answered
	if n := s.listening.Load(); n != 1 {
		t.Errorf("%d connections are left, want the one that answers", n)
	}
	stop()
}
