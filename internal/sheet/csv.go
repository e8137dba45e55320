package sheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"unicode"
)

// byteOrderMark tells a spreadsheet that a file is UTF-8: without it Excel takes
// the letters of names for those of its own code page.
const byteOrderMark = "\ufeff"

// commaSeparated writes CSV (RFC 4180), a header row first.
type commaSeparated struct {
	w       io.Writer
	columns []Column
	cells   []string
	line    bytes.Buffer
}

func newCSV(w io.Writer, columns []Column) (*commaSeparated, error) {
	c := &commaSeparated{w: w, columns: columns, cells: make([]string, len(columns))}
	for i, column := range columns {
		c.cells[i] = column.Name()
	}
	c.line.WriteString(byteOrderMark)
	return c, c.write()
}

// Row implements Writer.
func (c *commaSeparated) Row(object json.RawMessage) error {
	row, err := decode(object)
	if err != nil {
		return err
	}
	for i, column := range c.columns {
		t, err := text(column.value(row))
		if err != nil {
			return err
		}
		if c.cells[i] = t; column.Kind == Text {
			c.cells[i] = Harmless(t)
		}
	}
	return c.write()
}

func (c *commaSeparated) write() error {
	if err := WriteCSVRow(&c.line, c.cells); err != nil {
		return err
	}
	_, err := c.w.Write(c.line.Bytes())
	c.line.Reset()
	return err
}

// End implements Writer.
func (*commaSeparated) End() error { return nil }

// Close implements Writer.
func (*commaSeparated) Close() {}

// WriteCSVRow writes a row that ends with CRLF (RFC 4180 §2). The own CRLF of
// encoding/csv would also change the line ends inside a cell.
func WriteCSVRow(text *bytes.Buffer, cells []string) error {
	w := csv.NewWriter(text)
	if err := w.Write(cells); err != nil {
		return err
	}
	w.Flush()
	text.Truncate(text.Len() - 1)
	text.WriteString("\r\n")
	return w.Error()
}

// triggers begin what a spreadsheet takes for a formula, and carries out (OWASP,
// CSV Injection), in the full-width forms of Asian keyboards too.
const triggers = "=+-@\t\r\n＝＋－＠"

// Harmless puts an apostrophe before a text that a spreadsheet would take for a
// formula, also when what nobody sees comes before it.
func Harmless(text string) string {
	for _, r := range text {
		switch {
		case strings.ContainsRune(triggers, r):
			return "'" + text
		case !unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf):
			return text
		}
	}
	return text
}
