package insights

import (
	"cmp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/money"
	"github.com/uplinehq/upline/internal/words/problem"
)

// sortClause is a clause of an order: a column of the query.
type sortClause struct {
	column int
	desc   bool
}

// readSort reads "key [asc|desc], …", each key at most once, so that there are never more
// clauses than columns.
func (r *Run) readSort(text *string) error {
	if text == nil {
		return nil
	}
	var keys []string
	for _, c := range r.Query.Columns {
		if c.CanSort() {
			keys = append(keys, c.Key)
		}
	}
	for clause := range strings.SplitSeq(*text, ",") {
		words := strings.Fields(clause)
		if len(words) == 0 || len(words) > 2 || len(words) == 2 && !strings.EqualFold(words[1], "asc") && !strings.EqualFold(words[1], "desc") {
			return problem.Invalid(problem.InvalidFormat, "must be a list of clauses of the form <field> [asc|desc]", "sort")
		}
		if !slices.Contains(keys, words[0]) {
			return problem.Invalid(problem.UnknownSortField, "can only be by "+strings.Join(keys, ", "), "sort").With("sortable", keys)
		}
		i := slices.IndexFunc(r.Query.Columns, func(c Column) bool { return c.Key == words[0] })
		if slices.ContainsFunc(r.sort, func(c sortClause) bool { return c.column == i }) {
			return problem.Invalid(problem.DuplicateKey, "must not name a field more than once", "sort")
		}
		r.sort = append(r.sort, sortClause{i, len(words) == 2 && strings.EqualFold(words[1], "desc")})
	}
	return nil
}

// orderBy is the order in SQL: first what the request asks for, with missing values last,
// then the query's own.
func (r *Run) orderBy(alias string) string {
	var clauses []string
	for _, c := range r.sort {
		column := alias + r.Query.Columns[c.column].Sort
		direction := ""
		if c.desc {
			direction = " DESC"
		}
		clauses = append(clauses, column+" IS NULL", column+direction)
	}
	for _, column := range r.Query.Order {
		clauses = append(clauses, alias+column)
	}
	return strings.Join(clauses, ", ")
}

// sortRows is orderBy for rows that Make has made, in the query's own order.
func (r *Run) sortRows(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		for _, c := range r.sort {
			if n := compare(a.Values[c.column], b.Values[c.column], c.desc); n != 0 {
				return n
			}
		}
		return 0
	})
}

// compare sorts missing values last, whatever the direction.
func compare(a, b any, desc bool) (n int) {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	switch a := a.(type) {
	case int64:
		n = cmp.Compare(a, b.(int64))
	case *money.Sum:
		n = a.Compare(b.(*money.Sum))
	case money.Amount:
		n = cmp.Compare(a, b.(money.Amount))
	case date.Date:
		n = cmp.Compare(a, b.(date.Date))
	case string:
		n = strings.Compare(a, b.(string))
	case bool:
		n = cmp.Compare(rank(a), rank(b.(bool)))
	}
	if desc {
		return -n
	}
	return n
}

// rank sorts false before true, like the databases.
func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}
