package rest

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/value"
)

// A list is served as CSV too (RFC 4180): a header row, then the rows of the same page.
// The columns are the properties of the record; a property of a nested object has a dot,
// homeAddress.city. A property without a value is an empty cell.

// csvContentType says that the first row names the columns (RFC 4180 §3).
const csvContentType = csvMediaType + "; charset=utf-8; header=present"

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

// replyTableCSV writes the rows of a table, which names its columns itself, as CSV.
func replyTableCSV(a *reply, page window, record []byte) error {
	var table struct {
		TotalCount int
		Items      json.RawMessage
		Columns    []struct {
			Key  string
			Type value.Type
		}
	}
	if err := json.Unmarshal(record, &table); err != nil {
		return err
	}
	columns := make([]sheet.Column, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = sheet.Column{Path: []string{c.Key}, Kind: c.Type}
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
