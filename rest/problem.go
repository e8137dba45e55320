package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
)

// Problem is the body of every response with an error: the fields of RFC 9457,
// and those of the specification ("error responses can contain a traceId";
// Errors). Its media type is application/problem+json.
type Problem struct {
	// Type is a stable name of the kind of problem: a relative URI such as
	// /problems/validation, where ProblemPage explains it.
	Type string `json:"type"`
	// Title is the name of the status.
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Code, Message and Details are those of the first error.
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Detail  string         `json:"detail"`
	Details map[string]any `json:"details,omitempty"`
	TraceID string         `json:"traceId,omitempty"`
	// Errors are all failures of the request, so that a client can correct them at once.
	// They are absent when the problem is not about the content of the request.
	Errors []FieldProblem `json:"errors,omitempty"`
}

// FieldProblem is one failure of a request. It never repeats the refused value.
type FieldProblem struct {
	// Field is the path of a property of the body, such as
	// teams.default.level, or the name of a parameter. It is absent when the
	// failure is not about one field.
	Field   string `json:"field,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

const problemMediaType = "application/problem+json"

// problemTypes are the last segments of Problem.Type.
var problemTypes = map[int]string{
	http.StatusBadRequest:            "validation",
	http.StatusUnauthorized:          "unauthenticated",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              "not-found",
	http.StatusMethodNotAllowed:      "method-not-allowed",
	http.StatusNotAcceptable:         "not-acceptable",
	http.StatusConflict:              "conflict",
	http.StatusPreconditionFailed:    "precondition-failed",
	http.StatusUnprocessableEntity:   "unprocessable",
	http.StatusRequestEntityTooLarge: "body-too-large",
	http.StatusUnsupportedMediaType:  "unsupported-media-type",
	http.StatusRequestURITooLong:     "path-too-long",

	http.StatusRequestHeaderFieldsTooLarge: "headers-too-large",

	http.StatusTooManyRequests:    "rate-limited",
	http.StatusServiceUnavailable: "unavailable",
	http.StatusGatewayTimeout:     "timeout",
}

// otherProblem is the last segment for statuses that have none.
const otherProblem = "internal"

// refuse answers an error with a problem. It logs a fault of the server, of which the
// caller only learns the trace id.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	traceID := d.TraceID(r.Context())
	refused := problem.From(err)
	if refused == nil {
		if away := d.Outage(r.Context(), err); away != nil {
			refused = problem.List{away}
		} else if r.Context().Err() != nil { // the client has left, and nothing is wrong
			refused = problem.List{interrupted(r.Context())}
		}
	}
	if refused == nil {
		d.Logger.ErrorContext(r.Context(), "REST request failed", "error", err, "traceId", traceID)
		refused = problem.List{problem.Fault()}
	}
	if err := refuse(w, refused, traceID); err != nil {
		d.Logger.ErrorContext(r.Context(), "REST problem cannot be written", "error", err, "traceId", traceID)
	}
}

// Refuse answers a request that is refused before its path is known, in the form of every
// refusal.
func Refuse(w http.ResponseWriter, refused *problem.Error, traceID string) {
	_ = refuse(w, problem.List{refused}, traceID) // it holds only values that JSON can express
}

// refuse answers everything that is wrong with a request. The first problem decides the
// status.
func refuse(w http.ResponseWriter, refused problem.List, traceID string) error {
	first := refused[0]
	if challenge := challengeOf(first); challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	after := first.RetryAfter
	if first.HTTPStatus() == http.StatusServiceUnavailable {
		after = max(after, 1)
	}
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(after))
	}
	return asProblem(refused).write(w, traceID)
}

// challengeOf returns the value of WWW-Authenticate, empty for none. RFC 6750 §3.1:
// insufficient_scope "MAY include the "scope" attribute with the scope necessary to
// access the protected resource".
func challengeOf(p *problem.Error) string {
	if p.Status == http.StatusForbidden && p.Scope != "" {
		return fmt.Sprintf(`Bearer realm="upline", error="insufficient_scope", scope="%s"`, p.Scope)
	}
	return p.Challenge
}

// write sends a problem; an error means that it cannot be encoded.
func (p *Problem) write(w http.ResponseWriter, traceID string) error {
	if p.TraceID = traceID; traceID != "" {
		w.Header().Set("Trace-Id", traceID)
	}
	body, err := json.Marshal(p)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return err
	}
	w.Header().Set("Content-Type", problemMediaType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // A failed write means that the client is gone.
	return nil
}

// asProblem returns the body of a refusal. It lists all problems with the content of the
// request.
func asProblem(refused problem.List) *Problem {
	first := refused[0]
	status, message := first.HTTPStatus(), sentence(first)
	p := &Problem{
		Type: ProblemPath + cmp.Or(problemTypes[status], otherProblem), Title: http.StatusText(status), Status: status,
		Code: string(first.Code), Message: message, Detail: message, Details: first.Details,
	}
	if first.Status != 0 {
		return p
	}
	for _, e := range refused {
		p.Errors = append(p.Errors, FieldProblem{Field: strings.Join(e.Field, "."), Code: string(e.Code), Message: e.Message})
	}
	return p
}

// sentence returns a message that can stand alone: "must not be null" needs the name of
// the field before it, "Page Size cannot exceed 100" does not.
func sentence(e *problem.Error) string {
	initial, _ := utf8.DecodeRuneInString(e.Message)
	if len(e.Field) == 0 || !unicode.IsLower(initial) {
		return e.Message
	}
	return strings.Join(e.Field, ".") + " " + e.Message
}
