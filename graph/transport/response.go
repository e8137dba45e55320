package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/problem"
)

// The values of extensions.code that this package gives itself.
const (
	unauthenticated            = "UNAUTHENTICATED"
	rateLimited                = "RATE_LIMITED"
	badUserInput               = "BAD_USER_INPUT"
	operationResolutionFailure = "OPERATION_RESOLUTION_FAILURE"
	unavailable                = "UNAVAILABLE"
	internalServerError        = "INTERNAL_SERVER_ERROR"
)

// answer is a response on its way out.
type answer struct {
	// status is set when HTTP decides it; 0 leaves it to the errors.
	status     int
	errors     gqlerror.List
	data       json.RawMessage
	extensions map[string]any
	// code is what an error without a code gets.
	code string
}

// refuse answers a request that is not a GraphQL request.
func refuse(status int, message string) *answer {
	a := requestError(badUserInput, message)
	a.status = status
	return a
}

// tryAgainAfter is the time in seconds after which a client may try again what is not
// available now.
const tryAgainAfter = 5

// requestError answers a GraphQL request that was not executed.
func requestError(code, message string) *answer {
	err := &gqlerror.Error{Message: message}
	if code == unavailable {
		err.Extensions = map[string]any{"retryAfter": tryAgainAfter}
	}
	return &answer{errors: gqlerror.List{err}, code: code}
}

// Refuse answers a request that is not a GraphQL request because of its header, in the
// form in which a Handler with the same settings refuses.
func Refuse(w http.ResponseWriter, r *http.Request, c Config, message string) {
	c.answer(w, r, refuse(http.StatusBadRequest, message))
}

// RefuseWith answers a request with a refusal before its body is read, in the same form.
func RefuseWith(w http.ResponseWriter, r *http.Request, c Config, refused *problem.Error) {
	if refused.Challenge != "" {
		w.Header().Set("WWW-Authenticate", refused.Challenge)
	}
	c.answer(w, r, &answer{status: refused.HTTPStatus(), errors: gqlerror.List{refusal.Error(refused)}, code: internalServerError})
}

func (c Config) answer(w http.ResponseWriter, r *http.Request, a *answer) {
	mediaType, _ := negotiate(r.Header.Values("Accept"))
	(&handler{Config: c}).complete(r.Context(), a)
	a.write(w, mediaType)
}

func fromResponse(r *graphql.Response, code string) *answer {
	a := &answer{errors: r.Errors, data: r.Data, extensions: r.Extensions, code: code}
	if len(a.errors) == 0 && len(a.data) == 0 {
		a.data = json.RawMessage("null")
	}
	return a
}

// complete puts a code and the trace id on every error. It copies the errors:
// a resolver may hand out the same one twice.
func (h *handler) complete(ctx context.Context, a *answer) {
	if len(a.errors) == 0 {
		return
	}
	traceID := ""
	if h.TraceID != nil {
		traceID = h.TraceID(ctx)
	}
	list := make(gqlerror.List, len(a.errors))
	for i, e := range a.errors {
		c := *e
		c.Extensions = maps.Clone(e.Extensions)
		if c.Extensions == nil {
			c.Extensions = make(map[string]any, 2)
		}
		if c.Extensions["code"] == nil {
			c.Extensions["code"] = a.code
		}
		if c.Extensions["traceId"] == nil && traceID != "" {
			c.Extensions["traceId"] = traceID
		}
		list[i] = &c
	}
	a.errors = list
}

// contentTypes are the values of the header Content-Type, by media type. Nobody adds to them.
var contentTypes = map[string][]string{mediaJSON: {mediaJSON + "; charset=utf-8"}, mediaGraphQL: {mediaGraphQL + "; charset=utf-8"}}

// write sends the answer. The data is JSON already: it goes out as it is, and is not parsed
// again.
func (a *answer) write(w http.ResponseWriter, mediaType string) {
	whole := bodies.Get().(*bytes.Buffer)
	defer keepBody(whole)
	if a.envelope(whole) != nil {
		a = &answer{status: http.StatusInternalServerError}
		whole.Reset()
		whole.WriteString(`{"errors":[{"message":"internal system error","extensions":{"code":"` + internalServerError + `"}}]}`)
	}
	header := w.Header()
	header["Content-Type"] = contentTypes[mediaType]
	header["Content-Length"] = []string{strconv.Itoa(whole.Len())}
	if after := a.retryAfter(); after > 0 {
		header.Set("Retry-After", strconv.Itoa(after))
	}
	w.WriteHeader(a.statusUnder(mediaType))
	// In one piece, since each that is larger than the server's buffer goes out by itself.
	// A failed write means that the client is gone: nobody is left to tell.
	_, _ = w.Write(whole.Bytes())
}

// retryAfter returns extensions.retryAfter of the error that refused a request, in
// seconds; 0 when there is none.
func (a *answer) retryAfter() int {
	if len(a.data) > 0 || len(a.errors) == 0 {
		return 0
	}
	after, _ := a.errors[0].Extensions["retryAfter"].(int)
	return after
}

// body returns the answer in one piece, for a stream.
func (a *answer) body() ([]byte, error) {
	var whole bytes.Buffer
	err := a.envelope(&whole)
	return whole.Bytes(), err
}

// envelope writes the answer. Errors come first, so that a reader sees them before a long
// body; a response without data has no data key, rather than null.
func (a *answer) envelope(b *bytes.Buffer) error {
	b.Grow(len(a.data) + len(`{"data":}`))
	b.WriteByte('{')
	if len(a.errors) > 0 {
		errors, err := json.Marshal(a.errors)
		if err != nil {
			return err
		}
		b.WriteString(`"errors":`)
		b.Write(errors)
	}
	if len(a.data) > 0 {
		if len(a.errors) > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"data":`)
		b.Write(a.data)
	}
	if len(a.extensions) > 0 {
		extensions, err := json.Marshal(a.extensions)
		if err != nil {
			return err
		}
		b.WriteString(`,"extensions":`)
		b.Write(extensions)
	}
	b.WriteByte('}')
	return nil
}

// statusUnder returns the HTTP status. Partial data is 200: the 294 that the
// draft proposes is not registered, and clients that know only 200 exist.
func (a *answer) statusUnder(mediaType string) int {
	if a.status != 0 {
		return a.status
	}
	if len(a.data) > 0 {
		return http.StatusOK
	}
	for _, e := range a.errors {
		code, _ := e.Extensions["code"].(string)
		if status, ok := refusal.Status[code]; ok {
			return status
		}
	}
	if mediaType == mediaGraphQL {
		return http.StatusBadRequest
	}
	return http.StatusOK
}
