package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/choice"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/paths"
)

// read turns a request into variables. Everything wrong with its path, query, headers and
// body is reported together.
func (e *endpoint) read(w http.ResponseWriter, r *http.Request) (q request, err error) {
	if q.csv, err = negotiate(r, e.hasCSV()); err != nil {
		return q, err
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, problem.List{problem.Invalid(problem.InvalidFormat, "The query string is malformed")}
	}
	caller, _ := tenant.CallerFrom(r.Context())
	c := &input.Checker{Schema: e.schema, TakesMore: paths.TakesMore[e.route.Operation], Masked: caller.Masked}
	q.variables = map[string]any{}
	keys := map[string]any{}
	for _, p := range e.request.path {
		value := c.Parameter(p, []string{pathParameter(r, p.Name)})
		if field, isKey := e.request.keys[p.Name]; isKey {
			keys[field] = value
		} else {
			q.variables[p.Name] = value
		}
	}
	c.Parameters(e.request.query, query, q.variables)
	e.readOthers(query, c, q.variables)
	e.refuseUnknown(query, c)
	e.readFields(query, c, &q)
	e.readDryRun(query, c)
	e.readList(r, c, query, q.variables, &q.page)
	e.readConditions(r, c, &q)
	q.key = e.readKey(r, c)
	if reason := r.Header.Get(input.ChangeReason); e.request.reasoned && reason != "" {
		q.variables[reasonVariable] = strings.ToValidUTF8(reason, "\uFFFD")
	}
	if e.request.body != nil {
		if q.body, err = e.readBody(w, r); err != nil {
			return q, err
		}
		body, twice, err := input.ParseBody(q.body)
		if err != nil {
			return q, err
		}
		c.Found.Add(twice...)
		def := e.Executor.Schema().Types[e.request.body.Name()]
		q.variables[inputVariable] = c.Keyed(def, c.Value(e.request.body, body, nil), keys)
	}
	return q, c.Found.Err()
}

// readList reads the parameters that only lists have: filter, sort and page.
func (e *endpoint) readList(r *http.Request, c *input.Checker, query url.Values, variables map[string]any, page *window) {
	filter := map[string]any{}
	c.Parameters(e.request.filter, query, filter)
	if len(filter) > 0 {
		variables[filterVariable] = filter
	}
	if !e.request.paged {
		return
	}
	takesText := slices.ContainsFunc(e.request.query, func(p input.Parameter) bool { return p.Name == sortParameter })
	if query.Has(sortParameter) && !takesText {
		e.readSort(c, strings.Join(query[sortParameter], ","), variables)
	}
	if e.route.Outcome == paths.Array && !query.Has(pageSizeParameter) && !query.Has(e.indexOf(query)) {
		return // all of a short list
	}
	usual, most := e.api.Paging.Usual, e.api.Paging.Most
	if most == 0 {
		usual, most = e.PageSize(r.Context())
	}
	var found problem.List
	*page, found = readWindow(query, e.indexOf(query), usual, most)
	c.Found.Add(found...)
	if e.connection || e.route.Outcome == paths.Tabled {
		e.readCursors(query, c, *page, variables)
	}
}

// readCursors says where a page begins: behind the row of a cursor, or as many rows before
// one as it has, and pageIndex is only its number then.
func (e *intake) readCursors(query url.Values, c *input.Checker, page window, variables map[string]any) {
	after, before := e.connection && query.Get(afterVariable) != "", e.connection && query.Get(beforeVariable) != ""
	switch size := number(page.size); {
	case after && before:
		c.Refuse(problem.NotApplicable, "cannot be given together with "+afterVariable, []string{beforeVariable})
	case before:
		variables[lastVariable] = size
	case after:
		variables[firstVariable] = size
	default:
		variables[firstVariable], variables[offsetVariable] = size, number(page.offset())
	}
}

// readFields reads which properties are asked for.
func (e *intake) readFields(query url.Values, c *input.Checker, q *request) {
	if !e.selects() || !query.Has(choice.Parameter) || c.Masked { // no tool has it, for its answers have the form that it says
		return
	}
	properties := e.rows.Properties()
	chosen, found := choice.Read(query[choice.Parameter], properties)
	c.Found.Add(found...)
	if len(chosen) < len(properties) {
		q.fields = chosen
	}
}

// readOthers reads query parameters that nothing else takes; each may occur once.
func (e *intake) readOthers(query url.Values, c *input.Checker, variables map[string]any) {
	if !e.request.others {
		return
	}
	taken := e.queryNames(c)
	others := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains(taken, name) {
			continue
		}
		if len(query[name]) > 1 {
			c.Refuse(problem.InvalidFormat, input.OnlyOnce, []string{name})
			continue
		}
		others[name] = query.Get(name)
	}
	variables[parametersVariable] = others
}

// readSort reads the order of a list. A list with a fixed order knows no sort field, and
// an unknown one "gives 400" (specification, Limits).
func (e *intake) readSort(c *input.Checker, text string, variables map[string]any) {
	if e.request.sort == nil {
		c.Refuse(problem.UnknownSortField, "This list cannot be sorted", []string{sortParameter})
		return
	}
	clauses, found := e.request.sort.Parse(text)
	c.Found.Add(found...)
	variables[orderVariable] = clauses
}

// readConditions reads If-Match and If-None-Match. A condition that cannot be evaluated
// is refused, since its sender relies on it. It is ignored only for reading a list, where
// it would merely save work.
func (e *tableRow) readConditions(r *http.Request, c *input.Checker, q *request) {
	for _, h := range []struct {
		name    string
		into    **tagList
		serves  bool
		ignored bool
	}{
		{"If-Match", &q.match, e.conditional(), false},
		{"If-None-Match", &q.noneMatch, e.route.Outcome == paths.Found, e.route.Outcome == paths.Listed || e.route.Outcome == paths.Array},
	} {
		lines := r.Header.Values(h.name)
		if len(lines) == 0 || h.ignored {
			continue
		}
		if !h.serves {
			c.Refuse("PRECONDITION_NOT_SUPPORTED", "has no meaning for this method and path", c.Header(h.name))
			continue
		}
		t, ok := parseTags(lines)
		if !ok {
			c.Refuse(problem.InvalidFormat, `must be * or a list of entity tags, such as "1f3k-x7Gd"`, c.Header(h.name))
		}
		*h.into = &t
	}
}
