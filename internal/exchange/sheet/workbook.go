package sheet

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/uplinehq/upline/internal/value"
)

// What a sheet of Excel holds.
const (
	maxColumns   = 16_384
	maxRows      = 1_048_576
	maxCellChars = 32_767
	// exactDigits is how many digits a number in a cell keeps.
	exactDigits = 15
)

const sheetName = "Export"

// workbook writes an Excel workbook of one sheet (ECMA-376), packed as its rows come. A
// cell has a type, so a text is never taken for a formula and stays as it is.
type workbook struct {
	pack    *zip.Writer
	sheet   io.Writer // the last part of pack
	columns []Column
	names   []string // of the columns for Excel
	rows    int      // written, with the header
	row     *cells
	line    bytes.Buffer
}

func newWorkbook(w io.Writer, columns []Column) (*workbook, error) {
	if len(columns) > maxColumns {
		return nil, refused(XLSX, "a sheet has at most %d columns", maxColumns)
	}
	b := &workbook{pack: zip.NewWriter(w), columns: columns, row: newCells(columns)}
	b.pack.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	for i := range columns {
		b.names = append(b.names, Letters(i))
	}
	for _, part := range parts {
		to, err := b.pack.Create(part.name)
		if err == nil {
			_, err = io.WriteString(to, xml.Header+part.text)
		}
		if err != nil {
			return nil, err
		}
		b.sheet = to
	}
	for i, c := range columns {
		b.text(i, bold, c.Name())
	}
	return b, b.write()
}

// Letters names a column, counted from 0, as Excel does: A to Z, AA to ZZ, and so on.
func Letters(column int) string {
	last := string(rune('A' + column%26))
	if column < 26 {
		return last
	}
	return Letters(column/26-1) + last
}

// Row implements Writer.
func (b *workbook) Row(object json.RawMessage) error {
	if b.rows == maxRows {
		return refused(XLSX, "a sheet has at most %d rows, its header among them", maxRows)
	}
	if err := b.row.read(object); err != nil {
		return err
	}
	for i := range b.columns {
		if err := b.cell(i); err != nil {
			b.line.Reset()
			return err
		}
	}
	return b.write()
}

// write writes a row of the cells in line.
func (b *workbook) write() error {
	b.rows++
	b.line.WriteString("</row>")
	_, err := io.WriteString(b.sheet, `<row r="`+strconv.Itoa(b.rows)+`">`)
	if err == nil {
		_, err = b.sheet.Write(b.line.Bytes())
	}
	b.line.Reset()
	return err
}

// cell adds a value as a cell of the column's kind; what Excel cannot hold as such, as a
// number of many digits, is a text.
func (b *workbook) cell(column int) error {
	raw := b.row.found[column]
	t, err := b.row.text(column)
	if err != nil || raw == nil {
		return err
	}
	c := b.columns[column]
	switch c.Kind {
	case value.Boolean:
		switch string(raw) {
		case "true":
			b.add(column, plain, ` t="b"`, "1")
			return nil
		case "false":
			b.add(column, plain, ` t="b"`, "0")
			return nil
		}
	case value.Integer, value.Decimal:
		if n, ok := exact(t); ok {
			b.number(column, plain, n)
			return nil
		}
	case value.Date:
		if day, err := time.Parse(time.DateOnly, t); err == nil && holds(day) {
			b.number(column, dayOnly, days(day))
			return nil
		}
	case value.DateTime:
		if at, err := time.Parse(time.RFC3339, t); err == nil && holds(at) {
			b.number(column, instant, days(at))
			return nil
		}
	}
	if utf16Length(t) > maxCellChars {
		return refused(XLSX, "a cell has at most %d characters, and one of the column %s has more", maxCellChars, c.Name())
	}
	b.text(column, plain, t)
	return nil
}

// number adds a cell that Excel reckons with.
func (b *workbook) number(column, style int, n float64) {
	b.add(column, style, "", strconv.FormatFloat(n, 'f', -1, 64))
}

// escaped is what Excel takes for a character, written by its number.
var escaped = regexp.MustCompile(`_(x[0-9A-Fa-f]{4}_)`)

// text adds a cell that holds a text as it is, but for characters that XML has not.
func (b *workbook) text(column, style int, t string) {
	b.begin(column, style, ` t="inlineStr"><is><t xml:space="preserve">`)
	for strings.Contains(t, "_x") {
		at := escaped.FindStringIndex(t)
		if at == nil {
			break
		}
		_ = xml.EscapeText(&b.line, []byte(t[:at[0]])) // a buffer takes everything
		b.line.WriteString("_x005F_")
		t = t[at[0]+1:] // the last underscore may begin another
	}
	_ = xml.EscapeText(&b.line, []byte(t))
	b.line.WriteString(`</t></is></c>`)
}

func (b *workbook) add(column, style int, kind, value string) {
	b.begin(column, style, kind+"><v>")
	b.line.WriteString(value)
	b.line.WriteString("</v></c>")
}

// begin adds the beginning of a cell, up to its style and what follows that.
func (b *workbook) begin(column, style int, rest string) {
	b.line.WriteString(`<c r="`)
	b.line.WriteString(b.names[column])
	b.line.Write(strconv.AppendInt(b.line.AvailableBuffer(), int64(b.rows+1), 10))
	b.line.WriteString(`" s="`)
	b.line.Write(strconv.AppendInt(b.line.AvailableBuffer(), int64(style), 10))
	b.line.WriteByte('"')
	b.line.WriteString(rest)
}

// Excel counts days from 1900 and takes that year for a leap year.
var earliest, limit = time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)

func holds(at time.Time) bool { return !at.Before(earliest) && at.Before(limit) }

// days is how Excel counts time, in UTC: the days since the one before 1900.
func days(at time.Time) float64 {
	const upTo1970 = 25_569
	return upTo1970 + float64(at.UnixMilli())/float64((24*time.Hour).Milliseconds())
}

// exact reads a number that a cell keeps digit by digit.
func exact(text string) (n float64, ok bool) {
	digits := 0
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r != '-' && r != '.':
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && digits <= exactDigits
}

// utf16Length is the length of a text as Excel counts characters.
func utf16Length(s string) (n int) {
	if len(s) <= maxCellChars {
		return len(s)
	}
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// End implements Writer.
func (b *workbook) End() error {
	if _, err := io.WriteString(b.sheet, `</sheetData></worksheet>`); err != nil {
		return err
	}
	return b.pack.Close()
}
