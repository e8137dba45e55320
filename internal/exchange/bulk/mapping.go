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
	// Skip are the headers or properties that the import leaves out; * stands for all that
	// are not understood.
	Skip   []string
	Values []Value
	// Constants are the values of columns that the file does not have.
	Constants []Constant
	// Sheet is the sheet of a workbook that is read; the first one by default.
	Sheet string
	// HeadRow is the line with the heads; 0 to find it.
	HeadRow int
	// Order is the order of days; empty to find it.
	Order Order
	// Clear is true if an empty cell says that there is no value; otherwise it says nothing.
	Clear bool
}

// Constant is the value that a column has in all rows.
type Constant struct{ Column, Value string }

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
	for _, c := range m.Constants {
		all = append(all, fmt.Sprintf(" %q:=%q", c.Column, c.Value))
	}
	if m.Sheet != "" || m.HeadRow != 0 || m.Order != "" || m.Clear {
		all = append(all, fmt.Sprintf(" %q %d %s %t", m.Sheet, m.HeadRow, m.Order, m.Clear))
	}
	slices.Sort(all)
	return strings.Join(all, "")
}

// values are the mapped values by the index of their column: what the file has to what it
// means.
type values map[int]map[string]string

// newValues finds the column of each mapped value.
func (l *Layout) newValues(all []Value) (values, *problem.Error) {
	n, of := l.names, values{}
	for _, v := range all {
		column, known := n.column(v.Column)
		if i := slices.IndexFunc(l.Heads, func(h Head) bool { return fold(h.Name) == fold(v.Column) }); !known && i >= 0 {
			column, known = l.header[i], true
		}
		if !known || column < 0 {
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

// newConstants finds the column of each constant.
func newConstants(n names, all []Constant) (map[int]string, *problem.Error) {
	of := map[int]string{}
	for _, c := range all {
		column, known := n.byName[fold(c.Column)]
		if !known || column < 0 || text.Trim(c.Value) == "" {
			return nil, n.unknown("A value for all rows, of "+quote(c.Column)+", needs a column and a value", "constants")
		}
		if _, again := of[column]; again {
			return nil, problem.Invalid(problem.DuplicateKey, "must give "+n.columns[column].Name+" one value", "constants")
		}
		of[column] = text.Trim(c.Value)
	}
	return of, nil
}
