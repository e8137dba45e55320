package rest

import (
	"fmt"
	"math"
	"net/url"
	"strconv"

	"github.com/uplinehq/upline/internal/problem"
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

// envelope writes the paged envelope: pageIndex, pageSize, totalCount and items
// (specification, "Paged envelope").
func (p window) envelope(totalCount int, rows *record.Plan, items []byte) ([]byte, error) {
	buf := make([]byte, 0, len(items)+128)
	buf = fmt.Appendf(buf, `{"pageIndex":%d,"pageSize":%d,"totalCount":%d,"items":`, p.index, p.size, totalCount)
	buf, err := rows.Append(buf, items)
	return append(buf, '}'), err
}
