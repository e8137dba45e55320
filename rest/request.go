package rest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
)

// read turns a request into variables. What is wrong with its path, query and
// body is reported together.
func (e *endpoint) read(w http.ResponseWriter, r *http.Request) (variables map[string]any, page window, err error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, page, problem.List{problem.Invalid(problem.InvalidFormat, "The query string is malformed")}
	}
	c := &checker{schema: e.schema}
	variables = map[string]any{}
	for _, p := range e.request.path {
		variables[p.name] = c.parameter(p, []string{pathParameter(r, p.name)})
	}
	c.parameters(e.request.query, query, variables)
	e.readList(r, c, query, variables, &page)
	if e.request.body != nil {
		body, twice, err := e.readBody(w, r)
		if err != nil {
			return nil, page, err
		}
		c.found.Add(twice...)
		variables[inputVariable] = c.value(e.request.body, body, nil)
	}
	return variables, page, c.found.Err()
}

// readList reads what only lists have: filter, sort and page.
func (e *endpoint) readList(r *http.Request, c *checker, query url.Values, variables map[string]any, page *window) {
	filter := map[string]any{}
	c.parameters(e.request.filter, query, filter)
	if len(filter) > 0 {
		variables[filterVariable] = filter
	}
	if !e.request.paged {
		return
	}
	if query.Has("sort") {
		e.readSort(c, strings.Join(query["sort"], ","), variables)
	}
	usual, most := e.PageSize(r.Context())
	var found problem.List
	*page, found = readWindow(query, usual, most)
	c.found.Add(found...)
	if e.connection {
		variables[firstVariable] = number(page.size)
		variables[offsetVariable] = number(page.offset())
	}
}

// readSort reads the order of a list. In a list with an order of its own every
// sort field is unknown, which "gives 400" (specification, Limits).
func (e *endpoint) readSort(c *checker, text string, variables map[string]any) {
	if e.request.sort == nil {
		c.refuse(problem.UnknownSortField, "This list cannot be sorted", []string{"sort"})
		return
	}
	clauses, found := e.request.sort.parse(text)
	c.found.Add(found...)
	variables[orderVariable] = clauses
}

// parameters reads the query parameters that are given. Others in the query are
// ignored.
func (c *checker) parameters(params []parameter, query url.Values, into map[string]any) {
	for _, p := range params {
		if query.Has(p.name) {
			into[p.name] = c.parameter(p, query[p.name])
		}
	}
}

// parameter checks a parameter by its type. The values of a list are repeated
// or separated by commas.
func (c *checker) parameter(p parameter, given []string) any {
	path := []string{p.name}
	if p.typ.Elem == nil {
		if len(given) > 1 {
			c.refuse(problem.InvalidFormat, "is given more than once", path)
			return nil
		}
		return c.value(p.typ, plain(p.typ, given[0]), path)
	}
	list := []any{}
	for part := range strings.SplitSeq(strings.Join(given, ","), ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			// An empty list would be a condition that nothing meets, or none at
			// all: whoever sends it did not mean either.
			c.refuse(problem.InvalidFormat, "must not have an empty element", path)
			return nil
		}
		before := len(c.found)
		if list = append(list, c.value(p.typ.Elem, plain(p.typ.Elem, part), path)); len(c.found) > before {
			return nil
		}
	}
	return list
}

// plain turns the text of a parameter into the JSON value it stands for. A text
// that does not stand for one stays, for the check of the type to refuse.
func plain(t *ast.Type, text string) any {
	switch {
	case t.NamedType == "Int":
		return json.Number(text)
	case t.NamedType == "Boolean" && text == "true":
		return true
	case t.NamedType == "Boolean" && text == "false":
		return false
	default:
		return text
	}
}
