package bulk

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// table reads CSV (RFC 4180).
type table struct {
	columns []Column
	header  []int // the column of each cell
	rows    *csv.Reader
	limit   *bounded
	line    int // where the last row began
}

func newTable(in *bufio.Reader, columns []Column, names names) (*table, error) {
	t := &table{columns: columns, limit: &bounded{in: in}}
	separator := separatorOf(in)
	t.rows = csv.NewReader(t.limit)
	t.rows.Comma = separator
	t.rows.FieldsPerRecord = -1 // a row of another length is refused by itself
	t.rows.ReuseRecord = true
	cells, problems, err := t.read()
	switch {
	case problems != nil:
		return nil, whole(problem.InvalidFormat, "The header row is not CSV")
	case err != nil:
		return nil, err
	}
	t.header, err = names.header(cells)
	return t, err
}

// separatorOf returns what stands between the cells of the first line: a comma if there
// is one; otherwise a semicolon, as spreadsheets write it in countries with a decimal
// comma, or a tab.
func separatorOf(in *bufio.Reader) rune {
	start, _ := in.Peek(in.Buffered())
	line, _, _ := bytes.Cut(start, []byte("\n"))
	for _, separator := range ",;\t" {
		if bytes.ContainsRune(line, separator) {
			return separator
		}
	}
	return ','
}

func (t *table) next() (Row, []*problem.Error, error) {
	cells, problems, err := t.read()
	row := Row{Number: t.line}
	if problems != nil || err != nil {
		return row, problems, err
	}
	if len(cells) != len(t.header) {
		return row, refused("The row has " + strconv.Itoa(len(cells)) + " cells, and the header has " + strconv.Itoa(len(t.header))), nil
	}
	row.Values, row.Given = make([]string, len(t.columns)), make([]bool, len(t.columns))
	for i, column := range t.header {
		if column == skipped {
			continue
		}
		if cell := sheet.Original(cells[i]); text.Trim(cell) != "" {
			row.Values[column], row.Given[column] = strings.Clone(cell), true
		}
	}
	return row, nil, nil
}

// read returns the cells of the next row. The next call reuses their memory.
func (t *table) read() ([]string, []*problem.Error, error) {
	t.limit.left = MaxRow + bufferOfCSV
	cells, err := t.rows.Read()
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, errTooLong):
		return nil, nil, tooLong(t.line + 1)
	case errors.As(err, &wrong):
		t.line = wrong.StartLine
		if wrong.Line != wrong.StartLine {
			return nil, nil, notClosed(t.line)
		}
		return nil, refused("The quotation marks of the row are not those of CSV"), nil
	case err != nil:
		return nil, nil, err
	}
	t.line, _ = t.rows.FieldPos(0)
	return cells, nil, nil
}

func refused(message string) []*problem.Error {
	return []*problem.Error{problem.Invalid(problem.InvalidFormat, message)}
}

// bufferOfCSV is how many bytes a csv.Reader reads ahead.
const bufferOfCSV = 4 << 10

var errTooLong = errors.New("bulk: the row is too long")

// bounded is a reader that hands out a limited number of bytes for one row.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
