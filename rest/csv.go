package rest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/sheet"
)

// A list is served as CSV too (RFC 4180): a header row, then the rows of the
// same page. Its columns are the properties of the record, those of an object
// inside it with a dot, homeAddress.city. A property without a value is an
// empty cell.

// csvContentType says that the first row names the columns (RFC 4180 §3).
const csvContentType = csvMediaType + "; charset=utf-8; header=present"

// column is a property as a column.
type column struct {
	path []string
	// number cells hold numbers, and are never taken for formulas.
	number bool
}

// columns returns those of a record.
func (p planner) columns(record *plan) []column {
	var columns []column
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
				columns = append(columns, column{path: here, number: isNumber(value)})
			}
		}
	}
	walk(record, nil)
	return columns
}

// written returns the plan of what is written: the only member of an object that
// is written as that.
func (p *plan) written() *plan {
	for p.kind == singlePlan {
		p = p.members[0].plan
	}
	return p
}

func isNumber(p *plan) bool {
	return p.kind == leafPlan && (p.typ.NamedType == "Int" || p.typ.NamedType == "Float")
}

// replyCSV writes the rows of a page, in their REST form, as CSV.
func replyCSV(a *reply, page window, totalCount int, columns []column, items []byte) error {
	for name, n := range map[string]int{"Page-Index": page.index, "Page-Size": page.size, "Total-Count": totalCount} {
		a.header.Set(name, strconv.Itoa(n))
	}
	a.header.Set("Content-Type", csvContentType)
	body, err := writeCSV(columns, items)
	a.body = body
	return err
}

// numbers are the types of a table's columns whose cells hold numbers.
var numbers = []string{"integer", "decimal"}

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
	columns := make([]column, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = column{path: []string{c.Key}, number: slices.Contains(numbers, c.Type)}
	}
	return replyCSV(a, page, table.TotalCount, columns, table.Items)
}

func writeCSV(columns []column, items []byte) ([]byte, error) {
	var rows []any
	decode := json.NewDecoder(bytes.NewReader(items))
	decode.UseNumber()
	if err := decode.Decode(&rows); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = strings.Join(c.path, ".")
	}
	if err := sheet.WriteCSVRow(&text, cells); err != nil {
		return nil, err
	}
	for _, row := range rows {
		for i, c := range columns {
			cells[i] = c.cell(row)
		}
		if err := sheet.WriteCSVRow(&text, cells); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// cell returns the text of a row in a column.
func (c column) cell(row any) string {
	for _, name := range c.path {
		object, _ := row.(map[string]any)
		row = object[name]
	}
	text := cellText(row)
	if c.number {
		return text
	}
	return sheet.Harmless(text)
}

// cellText writes a value: a list with semicolons between its elements.
func cellText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return lineEnd.ReplaceAllString(v, "\n")
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		texts := make([]string, len(v))
		for i, element := range v {
			texts[i] = cellText(element)
		}
		return strings.Join(texts, ";")
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // It was decoded from JSON.
	}
	return string(text)
}

// lineEnd is what readers of CSV take for the end of a line inside a cell.
var lineEnd = regexp.MustCompile(`\r+\n`)
