package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/mcp"
	"github.com/uplinehq/upline/rest"
)

const (
	soon = time.Minute
	call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"graphql","arguments":{"query":"{ __typename }"}}}`
)

// serve serves a door whose queries are run by a function. It returns how a request is
// sent there, and what panicked.
func serve(t *testing.T, query func(context.Context) rest.Answer) (send func(context.Context) (*http.Response, error), panicked chan any) {
	t.Helper()
	panicked = make(chan any, 1)
	server := httptest.NewServer(mcp.New(mcp.Config{
		FreeQuery: func(ctx context.Context, _, _ string, _ map[string]any) rest.Answer { return query(ctx) },
		Panicked:  func(_ context.Context, value any) { panicked <- value },
	}))
	t.Cleanup(server.Close)
	return func(ctx context.Context) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(call))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		return http.DefaultClient.Do(r)
	}, panicked
}

// What runs for a client ends when the client leaves, though the SDK runs it in a
// context of its own.
func TestWorkEndsWithItsClient(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	send, _ := serve(t, func(ctx context.Context) rest.Answer {
		close(begun)
		<-ctx.Done()
		close(ended)
		return rest.Answer{}
	})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		answer, err := send(ctx)
		if err == nil {
			err = answer.Body.Close()
		}
		left <- err
	}()
	<-begun
	leave()
	if err := <-left; err == nil {
		t.Error("the client got an answer")
	}
	select {
	case <-ended:
	case <-time.After(soon):
		t.Error("the query runs on")
	}
}

// A panic of a tool ends neither the process nor the door, and says nothing.
func TestPanicsAreNoted(t *testing.T) {
	send, panicked := serve(t, func(context.Context) rest.Answer { panic("secret") })
	for range 2 {
		answer, err := send(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var body strings.Builder
		if err := answer.Write(&body); err != nil {
			t.Fatal(err)
		}
		if value := <-panicked; value != "secret" || strings.Contains(body.String(), "secret") || !strings.Contains(body.String(), "the server could not answer") {
			t.Errorf("after the panic %v the answer is %s", value, &body)
		}
	}
}
