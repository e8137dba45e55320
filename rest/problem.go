package rest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
)

// failure is a response that is not about single fields of the request.
type failure struct {
	status  int
	code    string
	message string
	// challenge and retryAfter are the values of WWW-Authenticate and
	// Retry-After, empty for none.
	challenge  string
	retryAfter string
	details    map[string]any
}

func (f *failure) Error() string { return "rest: " + f.code + ": " + f.message }

// Problem is the body of every response with an error: the fields of RFC 9457,
// and those of the specification ("error responses can contain a traceId";
// Errors). Its media type is application/problem+json.
type Problem struct {
	// Type is a stable name of the kind of problem: a relative URI such as
	// /problems/validation. Nothing is served there.
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
	// Errors are all the failures, so that a client can correct them at once. It
	// is absent when the problem is not about the content of the request.
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

// categoryStatus is the status of problems (specification, Errors).
var categoryStatus = map[problem.Category]int{
	problem.Validation:   http.StatusBadRequest,
	problem.Forbidden:    http.StatusForbidden,
	problem.NotFound:     http.StatusNotFound,
	problem.Conflict:     http.StatusConflict,
	problem.Precondition: http.StatusPreconditionFailed,
	problem.Unavailable:  http.StatusServiceUnavailable,
}

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

// faults are the failures that a caller did not cause. Their texts are generic:
// what happened is in the log.
var faults = map[string]*failure{
	"RATE_LIMITED": {status: http.StatusTooManyRequests, code: "RATE_LIMITED", message: "Too many requests; try again later"},
	"TIMEOUT":      {status: http.StatusGatewayTimeout, code: "TIMEOUT", message: "The request took too long"},
	"UNAVAILABLE":  {status: http.StatusServiceUnavailable, code: "UNAVAILABLE", message: "The service is not available; try again later"},
}

var internalError = &failure{
	status: http.StatusInternalServerError, code: "INTERNAL_SERVER_ERROR",
	message: "The request could not be completed because of a fault of the server",
}

// refuse writes an error as a problem body. It logs a fault of the server, of
// which the caller learns nothing but the trace id.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	traceID := d.TraceID(r.Context())
	p, challenge := asProblem(err)
	if p == nil {
		if away := d.Outage(r.Context(), err); away != nil {
			Refuse(w, away, traceID)
			return
		}
	}
	if after := retryAfter(err); after != "" {
		w.Header().Set("Retry-After", after)
	}
	if p == nil && r.Context().Err() != nil { // the client left, and nothing is wrong
		p, _ = asProblem(interrupted(r.Context()))
	}
	if p == nil {
		d.Logger.ErrorContext(r.Context(), "REST request failed", "error", err, "traceId", traceID)
		p, _ = asProblem(internalError)
	}
	if challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	if err := p.write(w, traceID); err != nil {
		d.Logger.ErrorContext(r.Context(), "REST problem cannot be written", "error", err, "traceId", traceID)
	}
}

// Refuse answers a request that is refused before its path is looked at, in the
// form of every refusal.
func Refuse(w http.ResponseWriter, refusal *Refusal, traceID string) {
	p, challenge := asProblem(refusal)
	if challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	if after := retryAfter(refusal); after != "" {
		w.Header().Set("Retry-After", after)
	}
	_ = p.write(w, traceID) // it holds nothing that JSON does not know
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

// retryAfter returns the value of Retry-After, empty for none.
func retryAfter(err error) string {
	var f *failure
	var refusal *Refusal
	switch {
	case errors.As(err, &f):
		return f.retryAfter
	case errors.As(err, &refusal) && refusal.RetryAfter > 0:
		return strconv.Itoa(refusal.RetryAfter)
	}
	if list := problem.From(err); len(list) > 0 && list[0].Category == problem.Unavailable {
		return "1"
	}
	return ""
}

// asProblem returns the body for an error, nil for a fault of the server.
func asProblem(err error) (p *Problem, challenge string) {
	var f *failure
	var refusal *Refusal
	switch list := problem.From(err); {
	case len(list) > 0:
		return listProblem(list), ""
	case errors.As(err, &f):
		return newProblem(f.status, f.code, f.message, f.details), f.challenge
	case errors.As(err, &refusal):
		return newProblem(refusal.Status, refusalCode(refusal.Status), refusal.Message, nil), refusal.Challenge
	}
	return nil, ""
}

func refusalCode(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "FORBIDDEN"
	case http.StatusTooManyRequests:
		return "RATE_LIMITED"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	}
	return "INVALID_REQUEST"
}

// listProblem reports all of a request's problems. The first decides the
// status.
func listProblem(list problem.List) *Problem {
	first := list[0]
	status, ok := categoryStatus[first.Category]
	if !ok {
		status = http.StatusBadRequest
	}
	p := newProblem(status, string(first.Code), sentence(first), first.Details)
	for _, e := range list {
		p.Errors = append(p.Errors, FieldProblem{Field: strings.Join(e.Field, "."), Code: string(e.Code), Message: e.Message})
	}
	return p
}

func newProblem(status int, code, message string, details map[string]any) *Problem {
	kind, ok := problemTypes[status]
	if !ok {
		kind = "internal"
	}
	return &Problem{
		Type: "/problems/" + kind, Title: http.StatusText(status), Status: status,
		Code: code, Message: message, Detail: message, Details: details,
	}
}

// sentence returns a message that can stand alone: "must not be null" needs the
// field before it, "Page Size cannot exceed 100" does not.
func sentence(e *problem.Error) string {
	initial, _ := utf8.DecodeRuneInString(e.Message)
	if len(e.Field) == 0 || !unicode.IsLower(initial) {
		return e.Message
	}
	return strings.Join(e.Field, ".") + " " + e.Message
}
