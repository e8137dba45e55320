package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/input"
)

const (
	replayedHeader    = "Idempotency-Replayed"
	maxIdempotencyKey = 255
)

// readKey reads the Idempotency-Key of a POST. Other methods can be repeated as they are,
// and previews change nothing, so they have no key.
func (e *tableRow) readKey(r *http.Request, c *input.Checker) string {
	keys := r.Header.Values(input.IdempotencyKey)
	if !e.keyed() || len(keys) == 0 {
		return ""
	}
	if len(keys) > 1 || !isKey(keys[0]) {
		c.Refuse(problem.InvalidFormat, "must be 1 to 255 visible ASCII characters", c.Header(input.IdempotencyKey))
	}
	return keys[0]
}

func isKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= maxIdempotencyKey
}

// runOnce runs a request with a key, unless it was run before. It goes on if the client
// leaves, who can come back for the answer.
func (e *endpoint) runOnce(r *http.Request, q request) (*reply, error) {
	ctx := context.WithoutCancel(r.Context())
	request := r.Method + " " + r.URL.RequestURI() + "\n" + string(e.kept(q.body))
	attempt, answer, err := e.Idempotency.Begin(ctx, q.key, request)
	if err != nil || answer != nil {
		return replay(ctx, answer, err)
	}
	a, err := e.run(r.WithContext(idempotency.With(ctx, attempt)), q)
	if attempt.Taken() {
		_, answer, err := e.Idempotency.Begin(ctx, q.key, request)
		if err == nil && answer == nil {
			err = idempotency.ErrInProgress
		}
		return replay(ctx, answer, err)
	}
	if err != nil {
		return nil, err
	}
	if err := e.Idempotency.Finish(ctx, attempt, a.stored(ctx)); err != nil {
		// The change is made; its answer can still be given this once.
		e.Logger.ErrorContext(ctx, "the answer to a request with an Idempotency-Key is lost", "error", err, "traceId", e.TraceID(ctx))
	}
	return a, nil
}

// kept returns the part of a body that decides whether two requests are the same: all of
// it, except properties of which nothing may be kept. The fingerprint is keyed but fast
// to make: somebody with the key and the fingerprint could try passwords.
func (e *tableRow) kept(body []byte) []byte {
	if len(e.route.Shape.Unkept) == 0 {
		return body
	}
	var properties map[string]json.RawMessage
	if json.Unmarshal(body, &properties) != nil {
		return nil // it is refused
	}
	for _, name := range e.route.Shape.Unkept {
		delete(properties, name)
	}
	kept, err := json.Marshal(properties)
	if err != nil {
		return nil
	}
	return kept
}

// storedReply is the stored form of a reply.
type storedReply struct {
	Header http.Header
	Body   []byte
	// Scopes are those of the token that got the answer.
	Scopes []string
	// Shown are the sensitive values that the answer shows in full.
	Shown audit.Shown
}

func (a *reply) stored(ctx context.Context) idempotency.Answer {
	caller, _ := tenant.CallerFrom(ctx)
	response, err := json.Marshal(storedReply{Header: a.header, Body: a.body, Scopes: caller.Scopes, Shown: a.shown})
	if err != nil {
		panic(err) // it holds only texts and bytes
	}
	return idempotency.Answer{Status: a.status, Response: response}
}

// replay returns a stored answer, byte for byte. What an answer shows depends on the
// scopes of its token. So a token with fewer scopes does not get it, and neither does one
// that would see masks today where the first answer has whole values. Revealed values are
// recorded again.
func replay(ctx context.Context, answer *idempotency.Answer, err error) (*reply, error) {
	if err != nil {
		return nil, keyProblem(err)
	}
	var s storedReply
	if err := json.Unmarshal(answer.Response, &s); err != nil {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	for _, scope := range s.Scopes {
		if !caller.HasScope(scope) {
			return nil, &problem.Error{Status: http.StatusForbidden, Code: "FORBIDDEN", Message: "The answer was given to a token with more scopes"}
		}
	}
	if len(s.Shown.Entries) > 0 && !tenant.MayReveal(ctx) {
		since := "which the agency masks since"
		if caller.Masked {
			since = "which an assistant is not shown"
		}
		return nil, &problem.Error{Status: http.StatusForbidden, Code: "FORBIDDEN",
			Message: "The answer shows sensitive values, " + since + "; the change was carried out, read the record"}
	}
	if s.Header == nil {
		s.Header = http.Header{}
	}
	s.Header.Set(replayedHeader, "true")
	return &reply{status: answer.Status, header: s.Header, body: s.Body, shown: s.Shown}, nil
}

// keyProblem returns the refusal that says what is wrong with a key.
func keyProblem(err error) error {
	switch {
	case errors.Is(err, idempotency.ErrReused):
		return &problem.Error{
			Status: http.StatusUnprocessableEntity, Code: "IDEMPOTENCY_KEY_REUSED",
			Message: "Another request had this Idempotency-Key; a new request needs a new key",
		}
	case errors.Is(err, idempotency.ErrInProgress):
		return &problem.Error{
			Status: http.StatusConflict, Code: "IDEMPOTENCY_IN_PROGRESS", RetryAfter: 1,
			Message: "A request with this Idempotency-Key is under way; repeat this one for its answer",
		}
	case errors.Is(err, idempotency.ErrAnswerLost):
		return &problem.Error{
			Status: http.StatusConflict, Code: "IDEMPOTENCY_ANSWER_LOST",
			Message: "The change of the request with this Idempotency-Key was carried out, but its answer is lost; read the record",
		}
	}
	return err
}
