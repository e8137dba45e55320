package bulk

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
)

// table reads CSV (RFC 4180) with any separator.
type table struct {
	rows  *csv.Reader
	limit *bounded
	line  int // where the last row began
	told  int // lines before the first row
}

func newTable(in *bufio.Reader, f form) (*table, error) {
	cells := &plainCells{in: in, separator: byte(f.separator), at: cellStart}
	t := &table{limit: &bounded{in: cells}}
	if f.told {
		t.told = 1
		for b := make([]byte, 1); b[0] != '\n'; {
			if _, err := cells.Read(b); err != nil {
				return nil, err
			}
		}
	}
	t.rows = csv.NewReader(t.limit)
	t.rows.Comma = f.separator
	t.rows.FieldsPerRecord = -1 // a row of another length is refused by itself
	t.rows.ReuseRecord = true
	return t, nil
}

// next implements grid.
func (t *table) next() (record, error) {
	t.limit.left = MaxRow + bufferOfCSV
	cells, err := t.rows.Read()
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, errTooLong):
		return record{}, tooLong(t.line + 1)
	case errors.As(err, &wrong):
		t.line = wrong.StartLine + t.told
		if wrong.Line != wrong.StartLine {
			return record{}, notClosed(t.line)
		}
		return record{number: t.line, problems: refused("The quotation marks of the row are not those of CSV")}, nil
	case err != nil:
		return record{}, err
	}
	line, _ := t.rows.FieldPos(0)
	t.line = line + t.told
	for i, cell := range cells {
		cells[i] = unguarded(cell)
	}
	return record{number: t.line, cells: cells}, nil
}

// unguarded returns what a cell says: ="00123" is how people keep Excel from taking a code
// for a number, and an apostrophe how exports keep it from taking a text for a formula.
func unguarded(cell string) string {
	if inner, ok := strings.CutPrefix(cell, `="`); ok {
		if inner, ok = strings.CutSuffix(strings.TrimRight(inner, " "), `"`); ok && !strings.Contains(inner, `"`) {
			return inner
		}
	}
	return sheet.Original(cell)
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

// plainCells makes of what spreadsheets write what a reader of CSV takes: a line may end
// with CR alone, and a cell be ="00123", whose quotes are not at its beginning.
type plainCells struct {
	in        *bufio.Reader
	separator byte
	at        place
}

// place is where in a row the reader is.
type place int

const (
	cellStart place = iota
	inCell
	inQuotes
	afterQuote
)

func (c *plainCells) Read(p []byte) (n int, err error) {
	if _, err := c.in.Peek(1); err != nil {
		return 0, err
	}
	some, _ := c.in.Peek(c.in.Buffered())
	taken := 0
	for n < len(p) && taken < len(some) {
		b := some[taken]
		if b == '\r' && c.at != inQuotes || b == '=' && c.at == cellStart {
			if taken+1 == len(some) && taken > 0 {
				break // what follows is seen at the beginning of the next part
			}
			next, _ := c.in.Peek(taken + 2)
			follows := byte(0)
			if len(next) == taken+2 {
				follows = next[taken+1]
			}
			if b == '=' && follows == '"' {
				taken++
				continue
			}
			if b == '\r' && follows != '\n' {
				b = '\n'
			}
		}
		c.step(b)
		p[n] = b
		n, taken = n+1, taken+1
	}
	_, err = c.in.Discard(taken)
	return n, err
}

func (c *plainCells) step(b byte) {
	switch {
	case c.at == inQuotes:
		if b == '"' {
			c.at = afterQuote
		}
	case b == '"' && (c.at == cellStart || c.at == afterQuote):
		c.at = inQuotes
	case b == c.separator || b == '\n':
		c.at = cellStart
	default:
		c.at = inCell
	}
}
