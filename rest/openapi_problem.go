package rest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/uplinehq/upline/internal/words/problem"
)

// problemWords explain the statuses that problems of any path can have.
var problemWords = map[int]string{
	http.StatusBadRequest:            "Something is wrong with the request: all that is, is listed.",
	http.StatusUnauthorized:          "There is no token, or none that counts.",
	http.StatusForbidden:             "The token lacks the scope, or is of another tenant.",
	http.StatusNotFound:              "What the path or the body names does not exist.",
	http.StatusNotAcceptable:         "There is no representation that Accept asks for.",
	http.StatusConflict:              "The change does not fit what is stored.",
	http.StatusPreconditionFailed:    "The record has another version than If-Match demands.",
	http.StatusRequestEntityTooLarge: "The body is larger than allowed.",
	http.StatusUnsupportedMediaType:  "The body is not JSON.",
	http.StatusUnprocessableEntity:   "The Idempotency-Key was used for another request.",
	http.StatusTooManyRequests:       "The client, or its agency, sent too many requests: nothing was done.",
	http.StatusServiceUnavailable:    "The server is busy: nothing was done.",
}

// problemName returns the name of the response for problems with a status: Problem for
// one that has no response of its own.
func problemName(status int) string {
	if problemWords[status] == "" {
		return "Problem"
	}
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}

// problems describes the responses that are problems, each with an example. If the
// transcripts have recorded none, the example is made by the code that writes problems.
func (d *describer) problems() openapi3.ResponseBodies {
	all := openapi3.ResponseBodies{problemName(0): response("Another problem.", problemContent(asProblem(problem.List{problem.Fault()})), nil)}
	for _, status := range slices.Sorted(maps.Keys(problemWords)) {
		shown := d.examples.Problems[strconv.Itoa(status)]
		if made := madeProblems[status]; shown == nil && made != nil {
			shown = asProblem(problem.List{made})
		}
		all[problemName(status)] = response(problemWords[status], problemContent(shown), problemHeaders(status))
	}
	return all
}

// madeProblems are the problems that no transcript shows, since they need a busy server
// or a large body.
var madeProblems = map[int]*problem.Error{
	http.StatusRequestEntityTooLarge: bodyTooLarge(DefaultMaxBody),
	http.StatusTooManyRequests:       problem.TooMany(),
	http.StatusServiceUnavailable:    problem.Busy(),
}

func problemContent(shown any) openapi3.Content {
	return openapi3.Content{problemMediaType: {Schema: ref("Problem"), Example: shown}}
}

// problemHeaders describes the headers of problems with a status.
func problemHeaders(status int) openapi3.Headers {
	retryAfter := countHeader("When to try again, in seconds.", 1)
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return openapi3.Headers{"WWW-Authenticate": header("What is wrong with the token (RFC 6750).", "string")}
	case http.StatusServiceUnavailable:
		return openapi3.Headers{"Retry-After": retryAfter}
	case http.StatusTooManyRequests:
		return openapi3.Headers{
			"Retry-After":         retryAfter,
			"RateLimit-Limit":     countHeader("Requests that may follow each other at once.", 0),
			"RateLimit-Remaining": countHeader("Those that are left of them.", 0),
			"RateLimit-Reset":     countHeader("Seconds until all of them are there again.", 0),
			"RateLimit-Policy":    header("The limit, and the seconds in which it fills again: 1000;w=10.", "string"),
		}
	}
	return nil
}

// problemSchemaJSON is the schema of Problem.
const problemSchemaJSON = `{
	"type": "object",
	"description": "A problem (RFC 9457).",
	"required": ["type", "title", "status", "code", "message", "detail"],
	"properties": {
		"type":    {"type": "string", "description": "A stable name of the kind of problem, such as /problems/validation."},
		"title":   {"type": "string", "description": "The name of the status."},
		"status":  {"type": "integer", "description": "The status of the response."},
		"code":    {"type": "string", "description": "What is wrong, for machines."},
		"message": {"type": "string", "description": "What is wrong, for people."},
		"detail":  {"type": "string", "description": "The same as message."},
		"details": {"type": "object", "description": "Extra facts, such as the maximum of a page size.", "additionalProperties": true},
		"traceId": {"type": "string", "description": "The trace of the request, to ask the operator about."},
		"errors": {
			"type": "array",
			"description": "All that is wrong with the request, when it is about its content.",
			"items": {
				"type": "object",
				"description": "One thing that is wrong.",
				"required": ["code", "message"],
				"properties": {
					"field":   {"type": "string", "description": "Dotted path of a property, or the name of a parameter."},
					"code":    {"type": "string", "description": "What is wrong, for machines."},
					"message": {"type": "string", "description": "What is wrong, for people."}
				}
			}
		}
	}
}`

func problemSchema() *openapi3.SchemaRef {
	var schema openapi3.SchemaRef
	if err := json.Unmarshal([]byte(problemSchemaJSON), &schema); err != nil {
		panic(err) // It is written above.
	}
	return &schema
}
