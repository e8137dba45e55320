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
	row     *cells
	texts   []string
	line    bytes.Buffer
	csv     *csv.Writer // into line
}

// NewCSV returns a writer of CSV for programs, without a byte order mark, which they
// would read as part of the first name.
func NewCSV(w io.Writer, columns []Column) (Writer, error) { return newCSV(w, columns, "") }

func newCSV(w io.Writer, columns []Column, mark string) (*commaSeparated, error) {
	c := &commaSeparated{w: w, columns: columns, row: newCells(columns), texts: make([]string, len(columns))}
	for i, column := range columns {
		c.texts[i] = Harmless(column.Name())
	}
	c.csv = csv.NewWriter(&c.line)
	c.line.WriteString(mark)
	return c, c.write()
}

// lineEnd matches what readers of CSV take for the end of a line inside a cell. They drop
// one CR before the LF.
var lineEnd = regexp.MustCompile(`\r+\n`)

// Row implements Writer.
func (c *commaSeparated) Row(object json.RawMessage) error {
	if err := c.row.read(object); err != nil {
		return err
	}
	for i, column := range c.columns {
		t, err := c.row.text(i)
		if err != nil {
			return err
		}
		switch c.texts[i] = t; column.Kind {
		case value.Integer, value.Decimal, value.Boolean, value.Date, value.DateTime:
		default:
			if strings.Contains(t, "\r\n") {
				t = lineEnd.ReplaceAllString(t, "\n")
			}
			c.texts[i] = Harmless(t)
		}
	}
	return c.write()
}

// write writes a row that ends with CRLF (RFC 4180 §2). The own CRLF of encoding/csv would
// also change the line ends inside a cell.
func (c *commaSeparated) write() error {
	if err := c.csv.Write(c.texts); err != nil {
		return err
	}
	c.csv.Flush()
	if err := c.csv.Error(); err != nil {
		return err
	}
	c.line.Truncate(c.line.Len() - 1)
	c.line.WriteString("\r\n")
	_, err := c.w.Write(c.line.Bytes())
	c.line.Reset()
	return err
}

// End implements Writer.
func (*commaSeparated) End() error { return nil }

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
	if text == "" || isPlain(text[0]) && !strings.ContainsAny(text, separators) {
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

// isPlain reports whether nothing can be a formula that begins with a character.
func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
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
