package transport

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// mediaEvents is the media type of a stream of responses: GraphQL over
// server-sent events, one operation for each connection.
const mediaEvents = "text/event-stream"

// acceptsEvents reports whether a client names the type of streams. A wildcard
// does not: it comes from clients that never heard of them.
func acceptsEvents(accept []string) bool {
	if len(accept) == 1 && (accept[0] == mediaJSON || accept[0] == "*/*") {
		return false
	}
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err == nil && media == mediaEvents && acceptsUTF8(parameters) && quality(parameters) > 0 {
			return true
		}
	}
	return false
}

// eventStream writes server-sent events.
type eventStream struct {
	mu         sync.Mutex
	w          http.ResponseWriter
	controller *http.ResponseController
	err        error
}

// answerEvents answers with a stream: an event next for every response, then complete.
// The errors that ended the operation are the last response.
func (h *handler) answerEvents(ctx context.Context, w http.ResponseWriter, op *graphql.OperationContext) {
	ctx, cancel := h.whileAuthorized(ctx)
	defer cancel()
	s := &eventStream{w: w, controller: http.NewResponseController(w)}
	// The limits on how long a request may trickle in, and its answer out, would
	// end the stream; each write has one of its own.
	_ = s.controller.SetReadDeadline(time.Time{})
	_ = s.controller.SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", mediaEvents+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy in front must not collect
	defer s.close()
	begun := func() error {
		w.WriteHeader(http.StatusOK)
		go s.keepAlive(ctx, cancel, h.KeepAlive)
		return s.write(":\n\n")
	}
	if last := h.stream(ctx, op, begun, s.next); last != nil && s.next(last) != nil {
		return
	}
	_ = s.write("event: complete\ndata:\n\n")
}

func (s *eventStream) next(a *answer) error {
	body, err := a.body()
	if err != nil {
		return err
	}
	return s.write("event: next\ndata: ", string(body), "\n\n")
}

// errEnded is the error of writing to a stream whose request is answered.
var errEnded = errors.New("the stream has ended")

// close keeps keepAlive from writing after the handler returned.
func (s *eventStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = errEnded
}

// write gives up on a client that accepts nothing: its connection is then broken.
func (s *eventStream) write(parts ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	stalled := time.AfterFunc(writeWithin, func() { _ = s.controller.SetWriteDeadline(time.Unix(1, 0)) })
	defer stalled.Stop()
	for _, part := range parts {
		if s.err == nil {
			_, s.err = s.w.Write([]byte(part))
		}
	}
	if s.err == nil {
		s.err = s.controller.Flush()
	}
	return s.err
}

// keepAlive shows proxies that the connection is in use, and finds out when the
// client is gone.
func (s *eventStream) keepAlive(ctx context.Context, cancel context.CancelFunc, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if s.write(":\n\n") != nil {
				cancel()
				return
			}
		}
	}
}
