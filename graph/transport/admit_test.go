package transport_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/problem"
)

// Every operation is admitted before it is parsed, and says once that it ended.
func TestAdmit(t *testing.T) {
	var admitted, ended int
	var refusal *problem.Error
	h, _, _ := newHandler(transport.Config{Admit: func(ctx context.Context) (context.Context, func(), *problem.Error) {
		if refusal != nil {
			return nil, nil, refusal
		}
		admitted++
		return ctx, sync.OnceFunc(func() { ended++ }), nil
	}})
	for i, body := range []string{`{"query":"{ echo }"}`, `{"query":"{"}`, `{"query":"subscription { tick }"}`} {
		request(h, "POST", "/", mediaJSON, mediaJSON, body)
		if admitted != i+1 || ended != i+1 {
			t.Errorf("%s: %d admitted, %d ended", body, admitted, ended)
		}
	}
	request(h, "POST", "/", "text/event-stream", mediaJSON, `{"query":"subscription { tick }"}`)
	if admitted != 4 || ended != 4 {
		t.Errorf("a stream: %d admitted, %d ended", admitted, ended)
	}
	request(h, "POST", "/", mediaJSON, mediaJSON, `[]`)
	if admitted != 4 {
		t.Error("what is no request was admitted")
	}
	for code, status := range map[string]int{"RATE_LIMITED": http.StatusTooManyRequests, "UNAVAILABLE": http.StatusServiceUnavailable} {
		refusal = problem.Refused(status, "later")
		refusal.RetryAfter = 3
		w := request(h, "POST", "/", mediaGraphQL, mediaJSON, `{"query":"{ echo }"}`)
		if w.Code != status || w.Header().Get("Retry-After") != "3" {
			t.Errorf("%s: %d %v", code, w.Code, w.Header())
		}
		if b := decode(t, w); len(b.Errors) != 1 || b.Errors[0].Extensions["code"] != code || b.Data != nil {
			t.Errorf("%s: %+v", code, b)
		}
	}
}

// A subscription lets go of its place as it begins: it lasts as long as it likes.
func TestSubscriptionsKeepNoPlace(t *testing.T) {
	ended := make(chan struct{}, 1)
	url, _ := listen(t, transport.Config{Admit: func(ctx context.Context) (context.Context, func(), *problem.Error) {
		return ctx, sync.OnceFunc(func() { ended <- struct{}{} }), nil
	}})
	greeted(t, url).send(subscription("1", "silence"))
	<-ended
}
