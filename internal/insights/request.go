package insights

import (
	"fmt"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
)

// Request asks for a page of a report.
type Request struct {
	// Slug is the name of a curated query.
	Slug string
	// Parameters are values by name. Texts are the same as texts of a URL, of a report by
	// definition; only one of the two is given.
	Parameters, Texts map[string]any
	// OnDate is the day of a report by definition. DefaultDay is the day where the request
	// names none, as the default of the parameter onDate; nil for today.
	OnDate, DefaultDay *date.Date
	// AsKnownAt is the instant whose knowledge counts for a report by definition; nil for
	// now. Curated queries have it as a parameter.
	AsKnownAt *time.Time
	// Sort are clauses of the form "key [asc|desc]", separated by commas, of a curated
	// query.
	Sort *string
	// First is the size of the page, and Offset how many rows are skipped, unless it
	// begins after the cursor After.
	First, Offset *int
	After         *string
	// Counted asks for TotalCount, which curated queries always have.
	Counted bool
}

// Result is a page of a report.
type Result struct {
	*Report
	GeneratedAt time.Time
	// Parameters are those in force, defaults included.
	Parameters map[string]any
	Rows       []Row
	// HasNext and HasPrev report whether there are rows after and before the page.
	HasNext, HasPrev bool
	// Start and End are the cursors of the first and the last row, if there are any.
	Start, End *string
	// TotalCount is the number of rows on all pages.
	TotalCount int
}

// The arguments that parameters come from.
const (
	argument      = "parameters"       // of a curated query
	argumentJSON  = "tenantParameters" // of a report by definition
	argumentTexts = "parameterTexts"
)

// Given is the argument that gives the parameters of a report by definition.
func (in Request) Given() string {
	if in.Texts != nil {
		return argumentTexts
	}
	return argumentJSON
}

// OneGiven refuses parameters that are given twice.
func (in Request) OneGiven() error {
	if in.Parameters != nil && in.Texts != nil {
		return problem.Invalid(problem.NotApplicable, "goes without "+argumentJSON, argumentTexts)
	}
	return nil
}

// defaultPageSize: "Business Insights paged queries pageSize: default 50; maximum
// set per query" (Limits).
const defaultPageSize = 50

// Size returns the size of the page: "Page Size cannot exceed <max>; it is never silently
// truncated" (Errors, 2).
func (in Request) Size(least, most int) (int, *problem.Error) {
	switch {
	case in.First == nil:
		return defaultPageSize, nil
	case *in.First > most:
		return 0, problem.Invalid(problem.PageSizeExceeded, fmt.Sprintf("Page Size cannot exceed %d", most), "first").With("max", most)
	case *in.First < least:
		must := map[int]string{0: "must not be negative", 1: "must be at least 1"}
		return 0, problem.Invalid(problem.OutOfRange, must[least], "first")
	}
	return *in.First, nil
}

// Skipped returns how many rows are skipped.
func (in Request) Skipped() (int, *problem.Error) {
	switch {
	case in.Offset == nil:
		return 0, nil
	case *in.Offset < 0:
		return 0, problem.Invalid(problem.OutOfRange, "must not be negative", "offset")
	case in.After != nil:
		return 0, problem.Invalid(problem.OutOfRange, "offset goes with first only, not with after", "offset")
	}
	return *in.Offset, nil
}

// sortClause is a clause of an order: a column of the report.
type sortClause struct {
	column int
	desc   bool
}

// readSort reads "key [asc|desc], …", each key at most once, so that there are never more
// clauses than columns.
func (r *Run) readSort(text *string) *problem.Error {
	if text == nil {
		return nil
	}
	places := map[string]int{}
	var keys []string
	for i, c := range r.Columns {
		if c.CanSort() {
			places[c.Key], keys = i, append(keys, c.Key)
		}
	}
	for clause := range strings.SplitSeq(*text, ",") {
		words := strings.Fields(clause)
		desc := len(words) == 2 && strings.EqualFold(words[1], "desc")
		if len(words) == 0 || len(words) > 2 || len(words) == 2 && !desc && !strings.EqualFold(words[1], "asc") {
			return problem.Invalid(problem.InvalidFormat, "must be a list of clauses of the form <field> [asc|desc]", "sort")
		}
		i, ok := places[words[0]]
		if !ok {
			return problem.Invalid(problem.UnknownSortField, "can only be by "+strings.Join(keys, ", "), "sort").With("sortable", keys)
		}
		for _, c := range r.sort {
			if c.column == i {
				return problem.Invalid(problem.DuplicateKey, "must not name a field more than once", "sort")
			}
		}
		r.sort = append(r.sort, sortClause{i, desc})
	}
	return nil
}
