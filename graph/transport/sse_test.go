package transport_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/executor"

	"github.com/uplinehq/upline/graph/transport"
)

const mediaEvents = "text/event-stream"

// An operation as a stream of events: next for each response, then complete.
func TestEvents(t *testing.T) {
	h, _, _ := newHandler(transport.Config{TraceID: func(context.Context) string { return "trace-1" }})
	for _, test := range []struct {
		name, body, want string
	}{
		{"subscription", `{"query":"subscription { tick }"}`,
			"event: next\ndata: {\"data\":{\"tick\":\"<1>\"}}\n\nevent: next\ndata: {\"data\":{\"tick\":\"<2>\"}}\n\nevent: next\ndata: {\"data\":{\"tick\":\"<3>\"}}\n\n"},
		{"query", `{"query":"{ echo }"}`, "event: next\ndata: {\"data\":{\"echo\":\"done\"  }}\n\n"},
		{"an end with an error", `{"query":"subscription { breaks }"}`,
			"event: next\ndata: {\"data\":{\"breaks\":\"<1>\"}}\n\nevent: next\ndata: {\"errors\":[{\"message\":\"too slow\",\"extensions\":{\"code\":\"RATE_LIMITED\",\"traceId\":\"trace-1\"}}]}\n\n"},
		{"refused by a field", `{"query":"subscription { refused }"}`,
			"event: next\ndata: {\"errors\":[{\"message\":\"refused\",\"extensions\":{\"code\":\"FORBIDDEN\",\"traceId\":\"trace-1\"}}]}\n\n"},
	} {
		w := request(h, "POST", "/", mediaEvents, mediaJSON, test.body)
		if want := ":\n\n" + test.want + "event: complete\ndata:\n\n"; w.Code != 200 || w.Header().Get("Content-Type") != mediaEvents+"; charset=utf-8" || w.Body.String() != want {
			t.Errorf("%s: %d %v %s\nwant %s", test.name, w.Code, w.Header(), w.Body, want)
		}
	}
}

// What is refused before it runs is no stream, and has its status.
func TestEventsRefusals(t *testing.T) {
	h, _, _ := newHandler(transport.Config{})
	for body, status := range map[string]int{`{"query":"subscription { unknown }"}`: 400, `{"query":"{"}`: 400, `{"query":""}`: 400} {
		w := request(h, "POST", "/", mediaEvents, mediaJSON, body)
		if w.Code != status || w.Header().Get("Content-Type") != mediaGraphQL+"; charset=utf-8" {
			t.Errorf("%s: %d %s", body, w.Code, w.Header().Get("Content-Type"))
		}
	}
}

// A client that takes either form gets a stream only where it needs one.
func TestEventsAreForSubscriptions(t *testing.T) {
	h, _, _ := newHandler(transport.Config{})
	for _, test := range []struct{ accept, query, want string }{
		{"application/json, text/event-stream", "{ echo }", mediaJSON},
		{"application/graphql-response+json, application/json, text/event-stream, multipart/mixed", "{ echo }", mediaGraphQL},
		{"application/graphql-response+json, application/json, text/event-stream, multipart/mixed", "subscription { tick }", mediaEvents},
		{"*/*", "subscription { tick }", mediaJSON},
		{"application/json, text/event-stream;q=0", "subscription { tick }", mediaJSON},
	} {
		w := request(h, "POST", "/", test.accept, mediaJSON, `{"query":"`+test.query+`"}`)
		if got := w.Header().Get("Content-Type"); got != test.want+"; charset=utf-8" {
			t.Errorf("%s, %s: %s, want %s", test.accept, test.query, got, test.want)
		}
	}
}

// A stream shows that it is alive, outlives the time that a request may take to
// come in and an answer to go out, and ends with the token.
func TestEventsEndWithTheToken(t *testing.T) {
	s := newSchema()
	url := listenBriefly(t, s, transport.Config{KeepAlive: 20 * time.Millisecond, Remaining: func(context.Context) time.Duration { return 700 * time.Millisecond }}, 200*time.Millisecond)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"query":"subscription { silence }"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", mediaEvents)
	r.Header.Set("Content-Type", mediaJSON)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	alive, rest := 0, ""
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		switch lines.Text() {
		case ":":
			alive++
		case "":
		default:
			rest += lines.Text() + "|"
		}
	}
	if alive < 5 || rest != `event: next|data: {"errors":[{"message":"the token is accepted no longer","extensions":{"code":"UNAUTHENTICATED"}}]}|event: complete|data:|` {
		t.Errorf("%d signs of life, then %s", alive, rest)
	}
}

// listenBriefly serves with a limit on how long a request may take to come in,
// and its answer to go out.
func listenBriefly(t *testing.T, s *schema, config transport.Config, within time.Duration) string {
	t.Helper()
	server := httptest.NewUnstartedServer(transport.Handler(executor.New(s), config))
	server.Config.ReadTimeout, server.Config.WriteTimeout = within, within
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// The end of the client ends the subscription.
func TestEventsEndWithTheClient(t *testing.T) {
	url, s := listen(t, transport.Config{KeepAlive: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"query":"subscription { silence }"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", mediaEvents)
	r.Header.Set("Content-Type", mediaJSON)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	waitFor(t, "the subscription", func() bool { return s.listening.Load() == 1 })
	cancel()
	waitFor(t, "the end of the subscription", func() bool { return s.listening.Load() == 0 })
}

// What a client receives first says that its subscription is under way: nothing
// that happens from then on is missed.
func TestEventsBeginWithTheSubscription(t *testing.T) {
	url, s := listen(t, transport.Config{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"query":"subscription { late }"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", mediaEvents)
	r.Header.Set("Content-Type", mediaJSON)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if first, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil || first != ":\n" || s.listening.Load() != 1 {
		t.Errorf("received %q (%v) while %d subscriptions are under way", first, err, s.listening.Load())
	}
}
