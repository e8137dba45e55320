package sheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
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

// NewCSV returns a writer of CSV for programs, which take a byte order mark for a part
// of the first name.
func NewCSV(w io.Writer, columns []Column) (Writer, error) { return newCSV(w, columns, "") }

func newCSV(w io.Writer, columns []Column, mark string) (*commaSeparated, error) {
	c := &commaSeparated{w: w, columns: columns, cells: make([]string, len(columns))}
	for i, column := range columns {
		c.cells[i] = column.Name()
	}
	c.line.WriteString(mark)
	return c, c.write()
}

// lineEnd is what readers of CSV take for the end of a line inside a cell. One CR before
// the LF they leave out.
var lineEnd = regexp.MustCompile(`\r+\n`)

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
			c.cells[i] = Harmless(lineEnd.ReplaceAllString(t, "\n"))
		}
	}
	return c.write()
}

func (c *commaSeparated) write() error {
	if err := writeRow(&c.line, c.cells); err != nil {
		return err
	}
	_, err := c.w.Write(c.line.Bytes())
	c.line.Reset()
	return err
}

// End implements Writer.
func (*commaSeparated) End() error { return nil }

// writeRow writes a row that ends with CRLF (RFC 4180 §2). The own CRLF of
// encoding/csv would also change the line ends inside a cell.
func writeRow(text *bytes.Buffer, cells []string) error {
	w := csv.NewWriter(text)
	if err := w.Write(cells); err != nil {
		return err
	}
	w.Flush()
	text.Truncate(text.Len() - 1)
	text.WriteString("\r\n")
	return w.Error()
}

const (
	// triggers begin what a spreadsheet takes for a formula, and carries out (OWASP,
	// CSV Injection), in the full-width forms of Asian keyboards too.
	triggers = "=+-@＝＋－＠"
	// separators begin a cell in the middle of a text where a spreadsheet takes
	// them, and not the comma outside quotes, for what is between cells.
	separators = ";,\t\r\n"
)

// Harmless puts an apostrophe before a text that a spreadsheet would take for a
// formula, and before what it would take for one behind a separator: also when a
// quote, or what nobody sees, comes before it. One that has apostrophes there gets
// another, so that Original knows which was put.
func Harmless(text string) string {
	return changeCells(text, func(cell, triggers string) string {
		if isFormula(strings.TrimLeft(cell, "'"), triggers) {
			return "'" + cell
		}
		return cell
	})
}

// Original takes away what Harmless put into a text.
func Original(text string) string {
	return changeCells(text, func(cell, triggers string) string {
		if bare, marked := strings.CutPrefix(cell, "'"); marked && isFormula(strings.TrimLeft(bare, "'"), triggers) {
			return bare
		}
		return cell
	})
}

// changeCells changes the cells that a spreadsheet may split a text into, each with the
// separator behind it, given what makes a formula of it.
func changeCells(text string, change func(cell, triggers string) string) string {
	atStart := "\t\r\n" // are triggers only there
	if !strings.ContainsAny(text, triggers+atStart) {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		end := strings.IndexAny(rest, separators) + 1
		if end == 0 {
			end = len(rest)
		}
		b.WriteString(change(rest[:end], triggers+atStart))
		rest, atStart = rest[end:], ""
	}
	return b.String()
}

// isFormula reports whether a cell begins with a trigger, up to the next separator.
func isFormula(cell, triggers string) bool {
	for _, r := range cell {
		switch {
		case strings.ContainsRune(triggers, r):
			return true
		case strings.ContainsRune(separators, r):
			return false
		case r != '"' && !unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf):
			return false
		}
	}
	return false
}
