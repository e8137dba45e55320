package rest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/scan"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/record"
)

// window is the page that a request asks for.
type window struct {
	// index counts from 1.
	index, size int
}

func (p window) offset() int { return (p.index - 1) * p.size }

// readWindow reads "pageIndex: 1-based, default 1" and pageSize (specification,
// Limits). The page has another name in some APIs.
func readWindow(query url.Values, index string, usual, most int) (window, problem.List) {
	var found problem.List
	p := window{
		index: positive(query, index, 1, &found),
		size:  positive(query, pageSizeParameter, usual, &found),
	}
	switch {
	case p.size > most:
		// "400 with a message of the form Page Size cannot exceed <max>; it is
		// never silently truncated" (specification, Errors, 2).
		found.Add(problem.Invalid(problem.PageSizeExceeded, fmt.Sprintf("Page Size cannot exceed %d", most), pageSizeParameter).With("max", most))
	case p.index > math.MaxInt32/max(p.size, 1):
		found.Add(problem.Invalid(problem.OutOfRange, "is beyond every list", index))
	}
	return p, found
}

// positive reads a number of at least 1. It returns the default for a number that is
// missing or refused.
func positive(query url.Values, name string, byDefault int, found *problem.List) int {
	if !query.Has(name) {
		return byDefault
	}
	n, err := strconv.Atoi(query.Get(name))
	switch {
	case len(query[name]) > 1:
		found.Add(problem.Invalid(problem.InvalidFormat, input.OnlyOnce, name))
	case err != nil:
		found.Add(problem.Invalid(problem.InvalidFormat, "must be an integer", name))
	case n < 1:
		found.Add(problem.Invalid(problem.OutOfRange, "must be at least 1", name))
	default:
		return n
	}
	return byDefault
}

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

// envelope writes the paged envelope: pageIndex, pageSize, totalCount and items
// (specification, "Paged envelope").
func (p window) envelope(totalCount int, rows *record.Plan, items []byte) ([]byte, error) {
	buf := make([]byte, 0, len(items)+128)
	buf = fmt.Appendf(buf, `{"pageIndex":%d,"pageSize":%d,"totalCount":%d,"items":`, p.index, p.size, totalCount)
	buf, err := rows.Append(buf, items)
	return append(buf, '}'), err
}
