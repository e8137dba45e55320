package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/internal/problem"
)

// socket is a connection that speaks graphql-transport-ws.
type socket struct {
	handler *handler
	conn    *websocket.Conn
	request *http.Request
	// ctx ends with the connection.
	ctx context.Context
	// authorized is nil before connection_init, then ctx with the caller.
	authorized context.Context
	running    sync.WaitGroup

	mu     sync.Mutex
	active map[string]*subscribed
	// underway counts the operations that have not ended, including those that the client
	// has given up.
	underway int
}

// subscribed is an operation that the client has not ended.
type subscribed struct{ cancel context.CancelFunc }

// message is what both sides send.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// serve reads messages until the connection ends.
func (s *socket) serve() {
	late := time.AfterFunc(greetWithin, func() { _ = s.conn.Close(closeInitTimeout, "Connection initialisation timeout") })
	defer late.Stop()
	for {
		_, data, err := s.conn.Read(s.ctx)
		if err != nil {
			return
		}
		if end := s.receive(data); end != nil {
			_ = s.conn.Close(end.code, end.reason)
			return
		}
		if s.authorized != nil {
			late.Stop()
		}
	}
}

// receive does what a message says; a message that breaks the protocol ends
// the connection.
func (s *socket) receive(data []byte) *closing {
	var m message
	if !utf8.Valid(data) || decode(data, &m) != nil {
		return &closing{closeInvalid, "Invalid message"}
	}
	switch m.Type {
	case "connection_init":
		return s.greet(m.Payload)
	case "ping":
		_ = s.send(message{Type: "pong"})
	case "pong":
	case "subscribe":
		return s.subscribe(m)
	case "complete":
		s.mu.Lock()
		defer s.mu.Unlock()
		if o := s.active[m.ID]; o != nil {
			o.cancel()
			delete(s.active, m.ID) // the id is free again
		}
	default:
		return &closing{closeInvalid, "Invalid message type"}
	}
	return nil
}

// greet authorizes the connection, by the token of the request or, where the
// client could not send one, of the payload.
func (s *socket) greet(payload json.RawMessage) *closing {
	if s.authorized != nil {
		return &closing{closeInitTwice, "Too many initialisation requests"}
	}
	var given struct{ Authorization string } // authorization is accepted too
	if len(payload) > 0 && json.Unmarshal(payload, &given) != nil {
		return &closing{closeInvalid, "Invalid payload"}
	}
	ctx, refused := s.authorize(given.Authorization)
	if refused != nil {
		return closingFor(refused)
	}
	if s.handler.Remaining != nil {
		s.handler.whenExpired(s.ctx, ctx, s.expire)
	}
	s.authorized = ctx
	_ = s.send(message{Type: "connection_ack"})
	return nil
}

// expire ends the connection with its token.
func (s *socket) expire() {
	_ = s.conn.Close(closeUnauthorized, "The token is accepted no longer")
}

func (s *socket) subscribe(m message) *closing {
	switch {
	case s.authorized == nil:
		return &closing{closeUnauthorized, "Unauthorized"}
	case m.ID == "":
		return &closing{closeInvalid, "Invalid message"}
	}
	params := &graphql.RawParams{}
	if decodeParams(m.Payload, params) != nil {
		return &closing{closeInvalid, "Invalid payload"}
	}
	params.Headers = s.request.Header
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active[m.ID] != nil {
		return &closing{closeSubscriberTwice, "The subscriber already exists"}
	}
	if s.underway >= maxOperations {
		a := requestError(rateLimited, "this connection has too many operations under way")
		s.running.Go(func() { s.fail(m.ID, s.handler.completed(s.authorized, a)) })
		return nil
	}
	ctx, cancel := context.WithCancel(s.authorized)
	o := &subscribed{cancel}
	s.active[m.ID] = o
	s.underway++
	s.running.Go(func() { s.run(ctx, o, m.ID, params) })
	return nil
}

// run runs an operation to its end, and tells the client unless the client ended it.
func (s *socket) run(ctx context.Context, o *subscribed, id string, params *graphql.RawParams) {
	failed := s.operate(ctx, id, params)
	cancelled := ctx.Err() != nil
	s.mu.Lock()
	o.cancel()
	s.underway--
	if s.active[id] == o {
		delete(s.active, id)
	}
	s.mu.Unlock()
	switch {
	case cancelled:
	case failed != nil:
		s.fail(id, failed)
	default:
		_ = s.send(message{ID: id, Type: "complete"})
	}
}

// operate sends the responses of an operation and returns the errors that it ended with.
func (s *socket) operate(ctx context.Context, id string, params *graphql.RawParams) (failed *answer) {
	ctx = graphql.StartOperationTrace(ctx)
	ctx, done, refused := s.handler.admit(ctx)
	if refused != nil {
		return s.handler.completed(ctx, refused)
	}
	defer done()
	if refused, ended := s.handler.checkAgain(s.authorized); refused != nil {
		if ended {
			s.expire()
		}
		return s.handler.completed(ctx, refused)
	}
	op, refused := s.handler.create(ctx, params)
	if refused != nil {
		return s.handler.completed(ctx, refused)
	}
	if op.Operation.Operation == ast.Subscription {
		done()
	}
	defer func() {
		if p := recover(); p != nil { // this goroutine has no server around it
			_ = op.Recover(ctx, p)
			failed = s.handler.completed(ctx, requestError(internalServerError, problem.Fault().Message))
		}
	}()
	begun := func() error { return nil } // the protocol has no message for it
	return s.handler.stream(ctx, op, begun, func(a *answer) error {
		if ctx.Err() != nil {
			return ctx.Err() // the id may be that of another operation by now
		}
		body, err := a.body()
		if err != nil {
			return err
		}
		return s.send(message{ID: id, Type: "next", Payload: body})
	})
}

func (s *socket) fail(id string, a *answer) {
	list := a.errors
	if list == nil {
		list = gqlerror.List{}
	}
	payload, err := json.Marshal(list)
	if err == nil {
		_ = s.send(message{ID: id, Type: "error", Payload: payload})
	}
}

// send writes a message. A client that does not accept it in time loses its connection,
// so nothing waits for ever.
func (s *socket) send(m message) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // payloads go out as they are
	if err := e.Encode(m); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, writeWithin)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
