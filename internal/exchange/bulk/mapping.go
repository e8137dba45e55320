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
	// Cells are what some cells say in place of what the file has there.
	Cells []Cell
	// Kept is a mapping that is kept; what the others say counts more. Nil for none.
	Kept *KnownLayout
}

// KnownLayout is how the files of a sender are read.
type KnownLayout struct {
	// Name is that of its file, Title what people call it.
	Name  string `json:"-"`
	Title string `json:"title"`
	// Entity is what its rows are.
	Entity string `json:"entity"`
	// Has are the heads by which it is known.
	Has []string `json:"has"`
	// Headers, Skip, Values and Constants are those of a Mapping.
	Headers   map[string]string            `json:"headers"`
	Skip      []string                     `json:"skip"`
	Values    map[string]map[string]string `json:"values"`
	Constants map[string]string            `json:"constants"`
	// Order is the order of its days.
	Order Order `json:"dateOrder"`
	// Clear is true if an empty cell says that there is no value.
	Clear bool `json:"clearsBlanks"`
}

// Cell is a cell that is mended: the number of its row, its head or column, and what it says.
type Cell struct {
	Row           int
	Column, Value string
}

// Generated is the value of agentCode in all rows that gives new agents codes.
const Generated = "generated"

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
	for _, c := range m.Cells {
		all = append(all, fmt.Sprintf(" %d:%q=%q", c.Row, c.Column, c.Value))
	}
	if m.Sheet != "" || m.HeadRow != 0 || m.Order != "" || m.Clear {
		all = append(all, fmt.Sprintf(" %q %d %s %t", m.Sheet, m.HeadRow, m.Order, m.Clear))
	}
	if m.Kept != nil {
		all = append(all, fmt.Sprintf(" %+v", *m.Kept))
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
		column, known := l.columnOf(v.Column)
		if !known {
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

// columnOf finds the column of a head, or of a name.
func (l *Layout) columnOf(name string) (column int, known bool) {
	column, known = l.names.column(name)
	if i := slices.IndexFunc(l.Heads, func(h Head) bool { return fold(h.Name) == fold(name) }); !known && i >= 0 {
		column, known = l.header[i], true
	}
	return column, known && column >= 0
}

// mendedCells are what cells say in place of what the file has there, by row and column.
type mendedCells map[int]map[int]string

// newCells finds the column of each cell that is mended.
func (l *Layout) newCells(all []Cell) (mendedCells, *problem.Error) {
	of := mendedCells{}
	for _, c := range all {
		column, known := l.columnOf(c.Column)
		if !known {
			return nil, l.names.unknown("A cell of "+quote(c.Column)+" is mended, which is no column", "cells")
		}
		if of[c.Row] == nil {
			of[c.Row] = map[int]string{}
		}
		if _, again := of[c.Row][column]; again {
			return nil, problem.Invalid(problem.DuplicateKey, fmt.Sprintf("must mend each cell once, that of %s in row %d too", l.columns[column].Name, c.Row), "cells")
		}
		of[c.Row][column] = text.Trim(c.Value)
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
