package transport

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/uplinehq/upline/internal/problem"
)

// subprotocol is the one GraphQL subprotocol that is spoken. The older
// graphql-ws is not: it has no way to refuse a connection.
const subprotocol = "graphql-transport-ws"

const (
	// maxOperations bounds the operations under way on one connection.
	maxOperations = 100
	// greetWithin is how soon connection_init has to arrive.
	greetWithin = 10 * time.Second
	// writeWithin is how long a client may take to accept a message.
	writeWithin = 10 * time.Second
)

// The close codes of graphql-transport-ws.
const (
	closeInvalid         websocket.StatusCode = 4400
	closeUnauthorized    websocket.StatusCode = 4401
	closeForbidden       websocket.StatusCode = 4403
	closeSubprotocol     websocket.StatusCode = 4406
	closeInitTimeout     websocket.StatusCode = 4408
	closeSubscriberTwice websocket.StatusCode = 4409
	closeInitTwice       websocket.StatusCode = 4429
)

// TokenFollows reports whether a request opens a WebSocket without a token in its header.
// Browsers cannot set that header; then the token is in the payload of connection_init,
// and nothing runs before it.
func TokenFollows(r *http.Request) bool {
	return IsWebSocket(r) && r.Header.Get("Authorization") == ""
}

// IsStream reports whether a request may become a stream that lasts: a WebSocket,
// or server-sent events.
func IsStream(r *http.Request) bool {
	return IsWebSocket(r) || acceptsEvents(r.Header.Values("Accept"))
}

// IsWebSocket reports whether a request opens a WebSocket.
func IsWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// sameOrigin reports whether a page may connect: a page of this host, or of an origin
// that Admits admits. Programs other than browsers send no origin.
func (h *handler) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && (strings.EqualFold(u.Host, r.Host) || h.Admits != nil && h.Admits(origin))
}

// serveWebSocket serves a connection until it ends.
func (h *handler) serveWebSocket(w http.ResponseWriter, r *http.Request) {
	if !h.sameOrigin(r) {
		a := refuse(http.StatusForbidden, "pages of this origin may not connect")
		h.complete(r.Context(), a)
		a.write(w, mediaJSON)
		return
	}
	// The origin was checked above: Accept's own refusal repeats it.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, InsecureSkipVerify: true})
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	if conn.Subprotocol() != subprotocol {
		_ = conn.Close(closeSubprotocol, "Subprotocol not acceptable")
		return
	}
	conn.SetReadLimit(h.MaxBody)
	ctx, cancel := context.WithCancel(r.Context())
	s := &socket{handler: h, conn: conn, request: r, ctx: ctx, active: map[string]*subscribed{}}
	go s.keepAlive(ctx)
	s.serve()
	cancel()
	s.running.Wait()
}

// authorize returns the context in which the operations of a connection run.
func (s *socket) authorize(token string) (context.Context, *problem.Error) {
	if s.handler.Authorize == nil || !TokenFollows(s.request) {
		return s.ctx, nil
	}
	r := s.request.Clone(s.ctx)
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	return s.handler.Authorize(r)
}

// closing is how the server ends a connection.
type closing struct {
	code   websocket.StatusCode
	reason string
}

func closingFor(r *problem.Error) *closing {
	switch r.Status {
	case http.StatusUnauthorized:
		return &closing{closeUnauthorized, "Unauthorized: " + r.Message}
	case http.StatusForbidden:
		return &closing{closeForbidden, "Forbidden: " + r.Message}
	case http.StatusBadRequest:
		return &closing{closeInvalid, r.Message}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return &closing{websocket.StatusTryAgainLater, r.Message}
	}
	return &closing{websocket.StatusInternalError, "The server could not answer"}
}

// keepAlive finds out when the client is gone.
func (s *socket) keepAlive(ctx context.Context) {
	ticker := time.NewTicker(s.handler.KeepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			waiting, cancel := context.WithTimeout(ctx, s.handler.KeepAlive)
			err := s.conn.Ping(waiting)
			cancel()
			if err != nil {
				_ = s.conn.CloseNow()
				return
			}
		}
	}
}
