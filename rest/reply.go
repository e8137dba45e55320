package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/scan"
	"github.com/uplinehq/upline/rest/paths"
)

// reply turns the response of the operation into the answer of the path. The error is
// what the operation refused, or a fault of the server.
func (e *endpoint) reply(r *http.Request, response *graphql.Response, q request) (*reply, error) {
	if response == nil {
		return nil, interrupted(r.Context())
	}
	if !graph.OnlyUnreadable(response.Errors) {
		return nil, e.refused(response.Errors, q.variables)
	}
	root, err := scan.Member(response.Data, e.operation.Root.Alias)
	if err != nil {
		return nil, err
	}
	if scan.IsNull(root) && len(response.Errors) > 0 { // only values that cannot be shown are missing
		return nil, e.refused(response.Errors, q.variables)
	}
	a, err := e.replyOf(r, root, q)
	if err == nil {
		e.nameUnreadable(a.header, response.Errors, q)
	}
	return a, err
}

func (e *endpoint) replyOf(r *http.Request, root []byte, q request) (*reply, error) {
	switch e.route.Outcome {
	case paths.Listed:
		return e.replyList(r, root, q)
	case paths.Array:
		return e.replyArray(root, q)
	case paths.Tabled:
		return e.replyTable(r, root, q)
	case paths.Found:
		return e.replyRecord(root, q)
	case paths.Valid:
		return replyValidation(root)
	default:
		return e.replyMutation(r, root, q)
	}
}

// replyArray answers all records of a short list, or those of the page that is asked for.
func (e *endpoint) replyArray(root []byte, q request) (*reply, error) {
	if q.page.size > 0 {
		part, _, err := scan.Cut(root, q.page.offset(), q.page.size)
		if err != nil {
			return nil, err
		}
		root = part
	}
	body, err := e.rows.Append(nil, root)
	return &reply{status: http.StatusOK, header: http.Header{}, body: body}, err
}

func (e *endpoint) replyList(r *http.Request, root []byte, q request) (*reply, error) {
	root, err := e.listIn(root)
	if err != nil {
		return nil, err
	}
	items, totalCount, err := e.rowsOf(root, q.page)
	if err != nil {
		return nil, err
	}
	a := &reply{status: http.StatusOK, header: http.Header{}}
	if err := e.link(r, a.header, q.page, totalCount, root); err != nil {
		return nil, err
	}
	if e.route.Shape.Header != nil {
		if err := e.route.Shape.Header(root, a.header); err != nil {
			return nil, err
		}
	}
	if !q.csv {
		a.body, err = q.page.envelope(totalCount, e.rows, items)
		return a, err
	}
	if items, err = e.rows.Append(nil, items); err != nil {
		return nil, err
	}
	return a, replyCSV(a, q.page, totalCount, e.columns, items)
}

// listIn returns the list inside a record.
func (e *endpoint) listIn(root []byte) ([]byte, error) {
	switch {
	case e.listOf == nil:
		return root, nil
	case scan.IsNull(root):
		return nil, missing(e.operation.Root.Definition.Type)
	}
	return scan.Member(root, e.listOf.Alias)
}

// rowsOf returns the rows of the page, and the length of the list.
func (e *endpoint) rowsOf(root []byte, page window) (items []byte, totalCount int, err error) {
	if !e.connection {
		return scan.Cut(root, page.offset(), page.size)
	}
	if items, err = scan.Member(root, "nodes"); err != nil {
		return nil, 0, err
	}
	total, err := scan.Member(root, "totalCount")
	if err != nil {
		return nil, 0, err
	}
	totalCount, err = strconv.Atoi(string(total))
	return items, totalCount, err
}

// replyTable writes a table: the properties of the page, then the query's description of
// itself.
func (e *endpoint) replyTable(r *http.Request, root []byte, q request) (*reply, error) {
	table, err := e.listIn(root)
	if err != nil {
		return nil, err
	}
	answer, err := e.rows.Append(nil, table)
	if err != nil {
		return nil, err
	}
	total, err := scan.Member(answer, "totalCount")
	if err != nil {
		return nil, err
	}
	totalCount, err := strconv.Atoi(string(total))
	if err != nil {
		return nil, err
	}
	a := &reply{status: http.StatusOK, header: http.Header{}}
	if err := e.link(r, a.header, q.page, totalCount, nil); err != nil {
		return nil, err
	}
	if q.csv {
		return a, replyTableCSV(a, q.page, answer)
	}
	a.body = append(fmt.Appendf(nil, `{"pageIndex":%d,"pageSize":%d,`, q.page.index, q.page.size), answer[1:]...)
	return a, nil
}

func (e *endpoint) replyRecord(root []byte, q request) (*reply, error) {
	if scan.IsNull(root) {
		return nil, missing(e.rows.Type)
	}
	body, err := e.rows.Append(nil, root)
	if err != nil {
		return nil, err
	}
	a := &reply{status: http.StatusOK, header: http.Header{}, body: body}
	e.tag(a, root)
	if q.noneMatch == nil || !e.revalidates() {
		return a, nil
	}
	if has, ok := q.noneMatch.match(a.header.Get("ETag")); ok {
		a.status, a.body = http.StatusNotModified, nil
		a.header.Set("ETag", has)
	}
	return a, nil
}

// replyValidation answers the result of a validation: "204 No Content means the
// application is complete and ready to submit; 400 Bad Request means something is missing
// or invalid, and the validation errors name the fields" (Agent Onboarding). The fields
// are those of the record, not of the request.
func replyValidation(root []byte) (*reply, error) {
	var checked struct{ Errors []userError }
	if err := json.Unmarshal(root, &checked); err != nil {
		return nil, err
	}
	var list problem.List
	for _, f := range checked.Errors {
		list.Add(&problem.Error{Category: f.Category, Code: f.Code, Message: f.Message, Field: f.Field, Details: f.Details})
	}
	return &reply{status: http.StatusNoContent, header: http.Header{}}, list.Err()
}

// mutation is what the engine needs to know from the answer of a mutation.
type mutation struct {
	Applied    bool
	IsNew      bool
	UserErrors []userError
}

func (e *endpoint) replyMutation(r *http.Request, root []byte, q request) (*reply, error) {
	var m mutation
	if err := json.Unmarshal(root, &m); err != nil {
		return nil, err
	}
	if len(m.UserErrors) > 0 {
		return nil, e.problems(m.UserErrors, q.variables)
	}
	switch {
	case e.route.Outcome == paths.Removed:
		return &reply{status: http.StatusNoContent, header: http.Header{}}, nil
	case q.dryRun():
		return e.replyPreview(root)
	}
	// Another request may have deleted the record after the change, or after it was found
	// to need none, before it was read.
	for _, part := range e.rows.Members {
		if !part.Spread {
			continue
		}
		if written, err := scan.Member(root, part.Name); err != nil || string(written) == "null" {
			return nil, errors.Join(err, missing(part.Plan.Type).Err())
		}
	}
	body, err := e.rows.Append(nil, root)
	if err != nil {
		return nil, err
	}
	a := &reply{status: m.status(e.route.Outcome), header: http.Header{}, body: body}
	if e.route.Outcome != paths.Applied {
		e.tag(a, body)
	}
	if key := e.route.Shape.Key; key != "" && a.status == http.StatusCreated {
		name, err := memberText(body, key)
		if err != nil {
			return nil, err
		}
		a.header.Set("Location", e.home(r)+"/"+url.PathEscape(name))
	}
	return a, nil
}

// home returns the path below which records that the request creates are found.
func (e *endpoint) home(r *http.Request) string {
	path := strings.TrimSuffix(r.URL.EscapedPath(), "/")
	if e.route.Shape.Home == "" {
		return path
	}
	for range strings.Count(e.route.Path, "/") {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return path + e.route.Shape.Home
}

// status returns the status of a mutation that was not refused.
func (m mutation) status(o paths.Outcome) int {
	switch {
	case o == paths.Created, o == paths.Upserted && m.IsNew, o == paths.Applied && m.Applied:
		return http.StatusCreated
	case o == paths.Removed:
		return http.StatusNoContent
	default:
		return http.StatusOK
	}
}

// missing is the refusal of a path that names a record which does not exist.
func missing(record *ast.Type) problem.List {
	return problem.List{problem.Missing(problem.NotFoundCode, "There is no such "+noun(record.Name()))}
}

// noun returns the name of a type for a sentence: "certification type".
func noun(typeName string) string {
	return strings.ToLower(strings.Join(splitCapitals(typeName), " "))
}

// splitCapitals returns the words of a name written in PascalCase.
func splitCapitals(s string) []string {
	var words []string
	start := 0
	for i, r := range s {
		if i > start && unicode.IsUpper(r) {
			words = append(words, s[start:i])
			start = i
		}
	}
	return append(words, s[start:])
}

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// link names other pages of a list in a Link header (RFC 8288): the next and the previous
// one, if there are any, the first and the last. In a list that is paged in GraphQL, too,
// those next to the page have a cursor: it costs the same on every page, and shows no row
// twice while others come and go.
func (e *endpoint) link(r *http.Request, header http.Header, page window, totalCount int, list []byte) error {
	last := max(1, (totalCount+page.size-1)/page.size)
	here := struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       string
	}{HasNextPage: page.index < last, HasPreviousPage: page.index > 1}
	if e.connection {
		found, err := scan.Member(list, "pageInfo")
		if err == nil {
			err = json.Unmarshal(found, &here)
		}
		if err != nil {
			return err
		}
	}
	var (
		all     links
		refused error
	)
	add := func(relation string, index int, cursor, value string) {
		query := r.URL.Query()
		if e.connection { // else they are parameters of a curated query
			query.Del(afterVariable)
			query.Del(beforeVariable)
		}
		if value != "" {
			query.Set(cursor, value)
		}
		query.Set(e.indexOf(query), strconv.Itoa(index))
		if err := all.add(r.URL.EscapedPath(), query.Encode(), relation); err != nil {
			refused = err
		}
	}
	if here.HasNextPage {
		add("next", page.index+1, afterVariable, here.EndCursor)
	}
	if here.HasPreviousPage { // The one before a page behind the end is the last.
		add("prev", max(1, min(page.index-1, last)), beforeVariable, here.StartCursor)
	}
	add("first", 1, "", "")
	add("last", last, "", "")
	header.Set("Link", strings.Join(all, ", "))
	return refused
}
