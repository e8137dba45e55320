package rest

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/uplinehq/upline/internal/exchange/sheet"
)

// A list is served as CSV too (RFC 4180): a header row, then the rows of the same page.
// The columns are the properties of the record; a property of a nested object has a dot,
// homeAddress.city. A property without a value is an empty cell.

// csvContentType says that the first row names the columns (RFC 4180 §3).
const csvContentType = csvMediaType + "; charset=utf-8; header=present"

// columns returns the columns of a record.
func (p planner) columns(record *plan) []sheet.Column {
	var columns []sheet.Column
	var walk func(o *plan, path []string)
	walk = func(o *plan, path []string) {
		for _, m := range o.members {
			if m.drop || m.name == o.keyedBy {
				continue
			}
			value := m.plan.written()
			here := below(path, m.name)
			switch {
			case m.spread:
				walk(m.plan, path)
			case value.kind == objectPlan && value.keyedBy != "":
				for _, key := range p.shape.keys[m.name] {
					walk(value, below(here, key))
				}
			case value.kind == objectPlan:
				walk(value, here)
			default:
				columns = append(columns, sheet.Column{Path: here, Kind: kindOf(value)})
			}
		}
	}
	walk(record, nil)
	return columns
}

// written returns the plan of the value that is written: of an object that is written as
// its only member, that member's.
func (p *plan) written() *plan {
	for p.kind == singlePlan {
		p = p.members[0].plan
	}
	return p
}

// kindOf returns the kind of a column's cells; numbers are never taken for formulas.
func kindOf(p *plan) sheet.Kind {
	if p.kind == leafPlan && (p.typ.NamedType == "Int" || p.typ.NamedType == "Float") {
		return sheet.Number
	}
	return sheet.Text
}

// replyCSV writes the rows of a page, in their REST form, as CSV.
func replyCSV(a *reply, page window, totalCount int, columns []sheet.Column, items []byte) error {
	for name, n := range map[string]int{"Page-Index": page.index, "Page-Size": page.size, "Total-Count": totalCount} {
		a.header.Set(name, strconv.Itoa(n))
	}
	a.header.Set("Content-Type", csvContentType)
	body, err := writeCSV(columns, items)
	a.body = body
	return err
}

// numbers are the column types whose cells hold numbers.
var numbers = map[string]sheet.Kind{"integer": sheet.Number, "decimal": sheet.Number}

// replyTableCSV writes the rows of a table, which names its columns itself, as CSV.
func replyTableCSV(a *reply, page window, record []byte) error {
	var table struct {
		TotalCount int
		Items      json.RawMessage
		Columns    []struct{ Key, Type string }
	}
	if err := json.Unmarshal(record, &table); err != nil {
		return err
	}
	columns := make([]sheet.Column, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = sheet.Column{Path: []string{c.Key}, Kind: numbers[c.Type]}
	}
	return replyCSV(a, page, table.TotalCount, columns, table.Items)
}

func writeCSV(columns []sheet.Column, items []byte) ([]byte, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(items, &rows); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	w, err := sheet.NewCSV(&text, columns)
	for i := 0; err == nil && i < len(rows); i++ {
		err = w.Row(rows[i])
	}
	return text.Bytes(), err
}
