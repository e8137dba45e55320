package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/input"
)

// Tool is a stored operation for programs that know names and arguments but no paths. It
// answers what the operation's path answers.
type Tool struct {
	// Name is the name of the operation in the OpenAPI document; the name of a dry run
	// begins with preview.
	Name, Description string
	// Scopes are the scopes that the caller must hold, all of them.
	Scopes []string
	// Purpose is what the tool is for, one of Purposes.
	Purpose string
	// Input is the JSON Schema of the arguments, Output that of the answer: nil if the
	// answer is no JSON object.
	Input, Output json.RawMessage
	endpoint      *endpoint
	effect        effect
}

// Answer is the answer of a tool: JSON, or a sentence if the path answers no body.
type Answer struct {
	Body []byte
	// Notes are the headers that say something about the content, such as how old it is.
	Notes []string
	// Failed reports whether the body is a problem.
	Failed bool
}

// Tools returns the tools of all operations that read, and of all changes that are not
// withheld, with their dry runs.
func (h *Handler) Tools() ([]Tool, error) {
	endpoints, err := h.all()
	if err != nil {
		return nil, err
	}
	d := newDescriber(h.schema, recordedExamples{})
	d.masked = true
	var tools []Tool
	for _, e := range endpoints {
		for _, effect := range effectsOf(e) {
			tool, err := d.tool(e, effect)
			if err != nil {
				return nil, err
			}
			tools = append(tools, tool)
		}
	}
	return tools, nil
}

// Call runs the tool for the caller in ctx, who is authorized.
func (t Tool) Call(ctx context.Context, arguments json.RawMessage) Answer {
	answer := &recorder{header: http.Header{}, status: http.StatusOK}
	r, err := t.requestOf(ctx, arguments)
	if err == nil {
		err = t.mayWrite(ctx)
	}
	if err != nil {
		t.endpoint.refuse(answer, r, err)
	} else {
		t.endpoint.ServeHTTP(answer, r)
	}
	if answer.body.Len() == 0 {
		answer.body.WriteString(emptyText[t.endpoint.route.Outcome])
	}
	return Answer{Body: answer.body.Bytes(), Notes: t.endpoint.notes(answer.header), Failed: answer.status >= http.StatusBadRequest}
}

// notes are the fields of a header that say something about the content.
func (e *tableRow) notes(h http.Header) []string {
	var notes []string
	for _, name := range append(slices.Sorted(maps.Keys(e.route.Shape.Headers)), unreadableHeader, replayedHeader, "ETag") {
		if value := h.Get(name); value != "" {
			notes = append(notes, name+": "+value)
		}
	}
	return notes
}

// bodyArgument is the argument that holds the body.
const bodyArgument = "body"

// requestOf returns the request of the path that the arguments describe. It returns a
// request even with an error.
func (t Tool) requestOf(ctx context.Context, arguments json.RawMessage) (*http.Request, error) {
	e := t.endpoint
	var given map[string]json.RawMessage
	malformed := json.Unmarshal(arguments, &given)
	path, route, found := e.pathOf(ctx, given)
	r := (&http.Request{Method: e.route.Method, URL: path, Header: http.Header{}, Body: http.NoBody}).
		WithContext(context.WithValue(ctx, chi.RouteCtxKey, route))
	if len(arguments) > 0 && malformed != nil {
		return r, problem.List{problem.Invalid(problem.InvalidFormat, "The arguments must be an object")}
	}
	if e.request.body != nil {
		body := given[bodyArgument]
		if body == nil {
			found.Add(problem.Invalid(problem.Required, "is required", bodyArgument))
		}
		r.Body, r.ContentLength = readCloser{bytes.NewReader(body)}, int64(len(body))
		r.Header.Set("Content-Type", jsonMediaType)
		delete(given, bodyArgument)
	}
	if t.Writes() {
		found.Add(e.headerOf(given, r.Header)...)
	}
	query, wrong := t.queryOf(given)
	found.Add(wrong...)
	r.URL.RawQuery = query.Encode()
	return r, found.Err()
}

// headerOf takes the arguments that stand for headers.
func (e *tableRow) headerOf(given map[string]json.RawMessage, h http.Header) (found problem.List) {
	for _, name := range slices.Sorted(maps.Keys(input.HeaderArguments)) {
		header := input.HeaderArguments[name]
		texts, wrong := texts(name, given[name])
		found.Add(wrong...)
		if len(texts) > 0 && header == input.IdempotencyKey && !e.keyed() { // which a path of REST ignores
			found.Add(problem.Invalid(problem.NotApplicable, "is not an argument: this can be repeated as it is", name))
		}
		for _, text := range texts {
			h.Add(header, text)
		}
		delete(given, name)
	}
	return found
}

// queryOf returns the query for the arguments that belong neither in the path nor in the
// body; the engine refuses unknown ones. The tool, and not an argument, says whether a
// change is a dry run.
func (t Tool) queryOf(given map[string]json.RawMessage) (url.Values, problem.List) {
	query, found := url.Values{}, problem.List{}
	add := func(given map[string]json.RawMessage) {
		for _, name := range slices.Sorted(maps.Keys(given)) {
			texts, wrong := texts(input.NameOrNot(name), given[name])
			found.Add(wrong...)
			for _, text := range texts {
				query.Add(name, text)
			}
		}
	}
	if others := given[parametersVariable]; t.endpoint.request.others && others != nil {
		delete(given, parametersVariable)
		var named map[string]json.RawMessage
		if err := json.Unmarshal(others, &named); err != nil {
			found.Add(problem.Invalid(problem.InvalidFormat, "must be an object", parametersVariable))
		}
		add(named)
	}
	if _, ok := given[dryRunVariable]; ok && t.endpoint.changes() {
		what := map[bool]string{true: "this changes something", false: "this is always a dry run"}[t.Writes()]
		found.Add(problem.Invalid(problem.NotApplicable, "is not an argument: "+what, dryRunVariable))
		delete(given, dryRunVariable)
	}
	add(given)
	if t.effect == tries {
		query.Set(dryRunVariable, "true")
	}
	return query, found
}

// texts returns an argument as texts for the query: one for each element of a list, none
// for null.
func texts(name string, given json.RawMessage) ([]string, problem.List) {
	if given == nil {
		return nil, nil
	}
	decode := json.NewDecoder(bytes.NewReader(given))
	decode.UseNumber()
	var value any
	_ = decode.Decode(&value) // it is part of what was already read
	switch v := value.(type) {
	case nil:
		return nil, nil
	case []any:
		if len(v) == 0 { // which the engine refuses, like ?name=
			return []string{""}, nil
		}
		list := make([]string, len(v))
		for i, element := range v {
			text, ok := textOf(element)
			if !ok || strings.Contains(text, ",") {
				return nil, problem.List{problem.Invalid(problem.InvalidFormat, "must be a list of texts without commas, or of numbers", name)}
			}
			list[i] = text
		}
		return list, nil
	default:
		text, ok := textOf(v)
		if !ok {
			return nil, problem.List{problem.Invalid(problem.InvalidFormat, "must not be an object", name)}
		}
		return []string{text}, nil
	}
}

func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorder) Header() http.Header            { return a.header }
func (a *recorder) WriteHeader(status int)         { a.status = status }
func (a *recorder) Write(body []byte) (int, error) { return a.body.Write(body) }

// readCloser is a body that is in memory.
type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// Invalid is the answer to arguments that cannot be read.
func Invalid(message string) Answer {
	answer := &recorder{header: http.Header{}}
	p := asProblem(problem.List{problem.Invalid(problem.InvalidFormat, message)})
	_ = p.write(answer, "") // it holds nothing that JSON does not know
	return Answer{Body: answer.body.Bytes(), Failed: true}
}
