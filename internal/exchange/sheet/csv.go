package sheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/uplinehq/upline/internal/value"
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

// NewCSV returns a writer of CSV for programs, without a byte order mark, which they
// would read as part of the first name.
func NewCSV(w io.Writer, columns []Column) (Writer, error) { return newCSV(w, columns, "") }

func newCSV(w io.Writer, columns []Column, mark string) (*commaSeparated, error) {
	c := &commaSeparated{w: w, columns: columns, cells: make([]string, len(columns))}
	for i, column := range columns {
		c.cells[i] = column.Name()
	}
	c.line.WriteString(mark)
	return c, c.write()
}

// lineEnd matches what readers of CSV take for the end of a line inside a cell. They drop
// one CR before the LF.
var lineEnd = regexp.MustCompile(`\r+\n`)

// Row implements Writer.
func (c *commaSeparated) Row(object json.RawMessage) error {
	row, err := value.Object(object)
	if err != nil {
		return err
	}
	for i, column := range c.columns {
		t, err := text(value.At(row, column.Path))
		if err != nil {
			return err
		}
		switch c.cells[i] = t; column.Kind {
		case value.Integer, value.Decimal, value.Boolean, value.Date, value.DateTime:
		default:
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
	// triggers are the characters with which a spreadsheet's formula begins (OWASP, CSV
	// Injection), with the full-width forms of Asian keyboards.
	triggers = "=+-@＝＋－＠"
	// separators are the characters at which a spreadsheet may begin a cell in the middle
	// of a text, if it does not split at the commas outside quotes.
	separators = ";,\t\r\n"
)

// Harmless puts an apostrophe before a text that a spreadsheet would take for a formula,
// even behind a quote or invisible characters. It does the same inside a text after each
// separator. A text that has apostrophes there gets one more, so that Original knows
// which one was added.
func Harmless(text string) string {
	return changeCells(text, func(cell, triggers string) string {
		if isFormula(strings.TrimLeft(cell, "'"), triggers) {
			return "'" + cell
		}
		return cell
	})
}

// Original removes what Harmless added to a text.
func Original(text string) string {
	return changeCells(text, func(cell, triggers string) string {
		if bare, marked := strings.CutPrefix(cell, "'"); marked && isFormula(strings.TrimLeft(bare, "'"), triggers) {
			return bare
		}
		return cell
	})
}

// changeCells changes each of the cells that a spreadsheet may split a text into. change
// gets the cell with the separator after it, and the characters that begin a formula
// there.
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

// isFormula reports whether a cell begins with a trigger, possibly behind quotes and
// invisible characters.
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
