package rest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/rest/paths"
)

// request is a request in the form in which the engine runs it.
type request struct {
	variables map[string]any
	page      window
	// body is the body as it was sent.
	body []byte
	// csv asks for a list as CSV.
	csv bool
	// match and noneMatch are If-Match and If-None-Match, nil when not sent.
	match, noneMatch *tagList
	// key is the Idempotency-Key, "" for none.
	key string
}

// dryRun reports whether the request asks for a preview.
func (q request) dryRun() bool { return q.variables[dryRunVariable] == true }

// read turns a request into variables. Everything wrong with its path, query, headers and
// body is reported together.
func (e *endpoint) read(w http.ResponseWriter, r *http.Request) (q request, err error) {
	if q.csv, err = e.negotiate(r); err != nil {
		return q, err
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, problem.List{problem.Invalid(problem.InvalidFormat, "The query string is malformed")}
	}
	caller, _ := tenant.CallerFrom(r.Context())
	c := &checker{schema: e.schema, takesMore: paths.TakesMore[e.route.Operation], masked: caller.Masked}
	q.variables = map[string]any{}
	for _, p := range e.request.path {
		q.variables[p.name] = c.parameter(p, []string{pathParameter(r, p.name)})
	}
	c.parameters(e.request.query, query, q.variables)
	e.readOthers(query, c, q.variables)
	e.refuseUnknown(query, c)
	e.readDryRun(query, c)
	e.readList(r, c, query, q.variables, &q.page)
	e.readConditions(r, c, &q)
	q.key = e.readKey(r, c)
	if e.request.body != nil {
		if q.body, err = e.readBody(w, r); err != nil {
			return q, err
		}
		body, twice, err := parseBody(q.body)
		if err != nil {
			return q, err
		}
		c.found.Add(twice...)
		q.variables[inputVariable] = c.value(e.request.body, body, nil)
	}
	return q, c.found.Err()
}

// The query parameters for order and page of a list. Some APIs have another name for the
// page, too.
const (
	sortParameter      = "sort"
	pageSizeParameter  = "pageSize"
	pageIndexParameter = "pageIndex"
)

// readList reads the parameters that only lists have: filter, sort and page.
func (e *endpoint) readList(r *http.Request, c *checker, query url.Values, variables map[string]any, page *window) {
	filter := map[string]any{}
	c.parameters(e.request.filter, query, filter)
	if len(filter) > 0 {
		variables[filterVariable] = filter
	}
	if !e.request.paged {
		return
	}
	takesText := slices.ContainsFunc(e.request.query, func(p parameter) bool { return p.name == sortParameter })
	if query.Has(sortParameter) && !takesText {
		e.readSort(c, strings.Join(query[sortParameter], ","), variables)
	}
	usual, most := e.api.Paging.Usual, e.api.Paging.Most
	if most == 0 {
		usual, most = e.PageSize(r.Context())
	}
	var found problem.List
	*page, found = readWindow(query, e.indexOf(query), usual, most)
	c.found.Add(found...)
	if e.connection || e.route.Outcome == paths.Tabled {
		variables[firstVariable] = number(page.size)
		variables[offsetVariable] = number(page.offset())
	}
}

// readOthers reads query parameters that nothing else takes; each may occur once.
func (e *endpoint) readOthers(query url.Values, c *checker, variables map[string]any) {
	if !e.request.others {
		return
	}
	taken := e.queryNames()
	others := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains(taken, name) {
			continue
		}
		if len(query[name]) > 1 {
			c.refuse(problem.InvalidFormat, "is given more than once", []string{name})
			continue
		}
		others[name] = query.Get(name)
	}
	variables[parametersVariable] = others
}

// indexOf returns the name of the page parameter that a request uses.
func (e *endpoint) indexOf(query url.Values) string {
	if name := e.api.Paging.Index; query.Has(name) {
		return name
	}
	return pageIndexParameter
}

// readSort reads the order of a list. A list with a fixed order knows no sort field, and
// an unknown one "gives 400" (specification, Limits).
func (e *endpoint) readSort(c *checker, text string, variables map[string]any) {
	if e.request.sort == nil {
		c.refuse(problem.UnknownSortField, "This list cannot be sorted", []string{sortParameter})
		return
	}
	clauses, found := e.request.sort.parse(text)
	c.found.Add(found...)
	variables[orderVariable] = clauses
}

// parameters reads the query parameters that are given.
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
			// An empty list could mean a condition that nothing meets, or no condition:
			// the sender meant neither.
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

// plain turns the text of a parameter into the JSON value it stands for. A text that
// stands for none stays as it is, so that the check of its type refuses it.
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
