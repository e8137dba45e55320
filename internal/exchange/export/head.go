package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// longestHead bounds the head of a column, in characters.
const longestHead = 100

// underHeads is a plan whose columns have other heads.
type underHeads struct {
	Plan
	columns []sheet.Column
}

// Columns are those of the plan, under the heads that were asked for.
func (p underHeads) Columns() []sheet.Column { return p.columns }

// headed gives columns of a plan the heads that were asked for. It refuses the head of a
// column that the query does not select.
func headed(plan Plan, heads []*Head) (Plan, error) {
	if len(heads) == 0 {
		return plan, nil
	}
	columns := slices.Clone(plan.Columns())
	var refused problem.List
	for i, h := range heads {
		// A list is one column: a field of its items names it, too.
		at := slices.IndexFunc(columns, func(c sheet.Column) bool {
			return strings.HasPrefix(h.Path+".", strings.Join(c.Path, ".")+".")
		})
		switch {
		case at < 0:
			refused.Add(problem.Invalid(problem.UnknownField, "must be the path of a field that the query selects below nodes", "headings", strconv.Itoa(i), "path"))
		case strings.TrimSpace(h.Text) == "" || utf8.RuneCountInString(h.Text) > longestHead || !text.Fit(h.Text) || strings.ContainsFunc(h.Text, text.IsControl):
			refused.Add(problem.Invalid(problem.InvalidFormat, fmt.Sprintf("must have 1 to %d characters, without control characters", longestHead), "headings", strconv.Itoa(i), "text"))
		default:
			columns[at].Head = h.Text
		}
	}
	return underHeads{plan, columns}, refused.Err()
}
