package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
	"github.com/uplinehq/upline/rest/choice"
	"github.com/uplinehq/upline/rest/input"
)

// queryNames are the query parameters that the path, or its tool, takes. Parameters that
// only other paths take may be refused elsewhere with their own words: readSort, readDryRun.
func (e *intake) queryNames(c *input.Checker) []string {
	var names []string
	for _, p := range slices.Concat(e.request.query, e.request.filter) {
		names = append(names, p.Name)
	}
	if e.request.paged {
		names = append(names, sortParameter, pageSizeParameter, pageIndexParameter, e.api.Paging.Index)
	}
	if e.route.Method != http.MethodGet {
		names = append(names, dryRunVariable)
	}
	if e.selects() && !c.Masked {
		names = append(names, choice.Parameter)
	}
	return names
}

// refuseUnknown refuses query parameters that the path does not take: if a misspelt
// condition were ignored, the answer would have all rows, and a misspelt dryRun would
// make the change.
func (e *intake) refuseUnknown(query url.Values, c *input.Checker) {
	if e.request.others {
		return
	}
	known := e.queryNames(c)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains(known, name) {
			continue
		}
		what := "is no query parameter of this path; "
		if c.Masked {
			what = "is no argument of this tool; "
		}
		c.Refuse(problem.UnknownField, what+e.instead(c, name), []string{input.NameOrNot(name)})
	}
}

// instead says which parameter may be meant by a name, or which ones there are.
func (e *intake) instead(c *input.Checker, name string) string {
	known := e.queryNames(c)
	if e.route.Method != http.MethodGet && e.preview == nil {
		known = slices.DeleteFunc(known, func(n string) bool { return n == dryRunVariable })
	}
	if len(known) == 0 {
		return "it takes none"
	}
	slices.Sort(known)
	if nearest := text.Nearest(name, known); nearest != "" {
		return "did you mean " + nearest + "?"
	}
	for _, n := range known { // page where it is pageIndex, pageIndex where it is page
		long, short := strings.ToLower(n), strings.ToLower(name)
		if len(long) < len(short) {
			long, short = short, long
		}
		if len(short) >= 4 && strings.HasPrefix(long, short) {
			return "did you mean " + n + "?"
		}
	}
	return "it takes " + strings.Join(slices.Compact(known), ", ")
}
