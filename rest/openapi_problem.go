package rest

import (
	"cmp"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
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

// otherWords explain the statuses that no path has of its own.
var otherWords = map[int]string{
	http.StatusMethodNotAllowed:            "The path does not serve the method: Allow names those that it serves.",
	http.StatusRequestURITooLong:           "The path and its query are longer than allowed.",
	http.StatusRequestHeaderFieldsTooLarge: "The headers are larger than allowed.",
	http.StatusGatewayTimeout:              "The request took longer than it may: nothing was done.",
	http.StatusInternalServerError:         "The server made a mistake. Give the traceId to its operator.",
}

// ProblemPath is where the kinds of problems are explained.
const ProblemPath = "/problems/"

var problemPage = template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Title}} ({{.Status}})</title></head>
<body>
<h1>{{.Title}} ({{.Status}})</h1>
<p>{{.Words}}</p>
{{if .Codes}}<p>What exactly is wrong the <code>code</code> of the problem says, and of each of its <code>errors</code>:</p>
<dl>{{range .Codes}}<dt><code>{{.Name}}</code></dt><dd>{{.Description}}</dd>{{end}}</dl>
{{end}}<p>The <a href="/docs/">reference</a> says which problems an operation can answer with.</p>
</body>
</html>
`))

// ProblemPage explains the kind of problem that a path names, such as
// /problems/validation. The codes are those of the schema.
func ProblemPage(schema *ast.Schema) http.HandlerFunc {
	kinds := map[string]int{otherProblem: http.StatusInternalServerError}
	for status, kind := range problemTypes {
		kinds[kind] = status
	}
	return func(w http.ResponseWriter, r *http.Request) {
		status, ok := kinds[r.PathValue("kind")]
		if !ok {
			Refuse(w, problem.Refused(http.StatusNotFound, "There is no such kind of problem"), "")
			return
		}
		page := struct {
			Title, Words string
			Status       int
			Codes        ast.EnumValueList
		}{Title: http.StatusText(status), Words: cmp.Or(problemWords[status], otherWords[status]), Status: status}
		if status == http.StatusBadRequest {
			page.Codes = schema.Types["UserErrorCode"].EnumValues
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = problemPage.Execute(w, page) // a failed write means that the client is gone
	}
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
		headers := rateHeaders()
		headers["Retry-After"] = retryAfter
		return headers
	}
	return nil
}

// rateHeaders describes the headers of the rate that a request counts for
// (draft-ietf-httpapi-ratelimit-headers-11).
func rateHeaders() openapi3.Headers {
	return openapi3.Headers{
		"RateLimit-Policy": header(`Whose rate is nearer, the client's or the tenant's, how many requests it allows (q), and in how many seconds (w): "client";q=1000;w=10. Absent where there is no limit.`, "string"),
		"RateLimit":        header(`How many requests of that rate are left (r), and in how many seconds all of them are there again (t): "client";r=998;t=1. Absent where there is no limit.`, "string"),
	}
}

// problemSchemaJSON is the schema of Problem.
const problemSchemaJSON = `{
	"type": "object",
	"description": "A problem (RFC 9457).",
	"required": ["type", "title", "status", "code", "message", "detail"],
	"properties": {
		"type":    {"type": "string", "description": "The kind of problem, such as /problems/validation: a path of this server that explains it."},
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
