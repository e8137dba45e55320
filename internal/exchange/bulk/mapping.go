package bulk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Mapping says how a file differs from what its entity expects; an empty one says that it
// does not differ. Names are compared without regard to case and to blanks around them.
type Mapping struct {
	Headers []Header
	// Skip are the headers or properties that the import leaves out.
	Skip   []string
	Values []Value
}

// Header maps a header or a property, Name, to a column of another name.
type Header struct{ Name, Column string }

// Value maps a value of a column, or under a header, to another one: TX to US-TX. A row
// that has From gets To; an empty To makes the value not given.
type Value struct{ Column, From, To string }

// String returns the same text for mappings that say the same.
func (m Mapping) String() string {
	var all []string
	for _, h := range m.Headers {
		all = append(all, fmt.Sprintf(" %q=%q", h.Name, h.Column))
	}
	for _, name := range m.Skip {
		all = append(all, fmt.Sprintf(" -%q", name))
	}
	for _, v := range m.Values {
		all = append(all, fmt.Sprintf(" %q:%q=%q", v.Column, v.From, v.To))
	}
	slices.Sort(all)
	return strings.Join(all, "")
}

// skipped stands for the column of a header that is left out.
const skipped = -1

// values are the mapped values by the index of their column: what the file has to what it
// means.
type values map[int]map[string]string

// newValues finds the column of each mapped value.
func newValues(n names, all []Value) (values, *problem.Error) {
	of := values{}
	for _, v := range all {
		column, known := n.column(v.Column)
		if !known || column == skipped {
			return nil, n.unknown("A value of "+quote(v.Column)+" is mapped, which is no column", "values")
		}
		from := text.Trim(v.From)
		if of[column] == nil {
			of[column] = map[string]string{}
		}
		if _, again := of[column][from]; again || from == "" {
			return nil, problem.Invalid(problem.DuplicateKey, "must map each value of "+n.columns[column].Name+" once, and none that is empty", "values")
		}
		of[column][from] = text.Trim(v.To)
	}
	return of, nil
}

// apply replaces the mapped values of a row. A value that is mapped to nothing counts as
// not given.
func (v values) apply(row Row) {
	for column, of := range v {
		if !row.Given[column] {
			continue
		}
		if to, mapped := of[text.Trim(row.Values[column])]; mapped {
			row.Values[column], row.Given[column] = to, to != ""
		}
	}
}
