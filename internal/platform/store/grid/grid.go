// Package grid holds the rows that a statement found in one piece of memory.
package grid

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/words/date"
)

// Kind is how the values of a column are kept in Cells.
type Kind uint8

// The kinds of columns.
const (
	Text Kind = iota
	Int
	Bool
	Day
	Instant
	Bytes
)

// Cells are the rows that a statement found, in one piece of memory and in the form in
// which PostgreSQL sends them. They are read in place, without making a Go value of each.
type Cells struct {
	columns int
	at      []cell
	data    []byte
}

// cell says where a value is; n is -1 for NULL.
type cell struct{ from, n int32 }

var cellsPool = sync.Pool{New: func() any { return new(Cells) }}

// New returns cells without rows; the caller releases them.
func New(columns int) *Cells {
	c := cellsPool.Get().(*Cells)
	c.columns, c.at, c.data = columns, c.at[:0], c.data[:0]
	return c
}

// keptCells bounds the memory that Release keeps.
const keptCells = 1 << 18

// Release gives the memory back; the cells must not be read afterwards.
func (c *Cells) Release() {
	if cap(c.data) <= keptCells {
		cellsPool.Put(c)
	}
}

func (c *Cells) Add(value []byte) {
	if value == nil {
		c.at = append(c.at, cell{n: -1})
		return
	}
	c.at = append(c.at, cell{int32(len(c.data)), int32(len(value))})
	c.data = append(c.data, value...)
}

// Rows is the number of rows.
func (c *Cells) Rows() int { return len(c.at) / c.columns }

// Clear removes all rows.
func (c *Cells) Clear() { c.at = c.at[:0] }

func (c *Cells) cell(row, column int) []byte {
	at := c.at[row*c.columns+column]
	if at.n < 0 {
		return nil
	}
	return c.data[at.from : at.from+at.n : at.from+at.n]
}

// IsNull reports whether there is no value.
func (c *Cells) IsNull(row, column int) bool { return c.at[row*c.columns+column].n < 0 }

// Text returns a text, or bytes; nil for NULL. It is valid until Release.
func (c *Cells) Text(row, column int) []byte { return c.cell(row, column) }

// Int returns a number, 0 for NULL.
func (c *Cells) Int(row, column int) int64 {
	switch v := c.cell(row, column); len(v) {
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	}
	return 0
}

// Bool returns a boolean, false for NULL.
func (c *Cells) Bool(row, column int) bool {
	v := c.cell(row, column)
	return len(v) == 1 && v[0] != 0
}

// PostgreSQL counts days, and microseconds, from the beginning of 2000.
const (
	epochDay   = date.Date(10957)
	epochMicro = int64(epochDay) * 86400 * 1e6
)

// Day returns a date, the zero one for NULL.
func (c *Cells) Day(row, column int) date.Date {
	if v := c.cell(row, column); len(v) == 4 {
		return date.Date(int32(binary.BigEndian.Uint32(v))) + epochDay
	}
	return 0
}

// Instant returns an instant, the zero one for NULL.
func (c *Cells) Instant(row, column int) time.Time {
	if v := c.cell(row, column); len(v) == 8 {
		return time.UnixMicro(int64(binary.BigEndian.Uint64(v)) + epochMicro).UTC()
	}
	return time.Time{}
}

// Scanner reads rows of a database that does not send them in the form of Cells.
type Scanner struct {
	kinds    []Kind
	dest     []any
	texts    []*string
	ints     []*int64
	bools    []*bool
	days     []*date.Date
	instants []*time.Time
	bytes    [][]byte
}

func NewScanner(kinds []Kind) *Scanner {
	n := len(kinds)
	s := &Scanner{kinds: kinds, dest: make([]any, n), texts: make([]*string, n), ints: make([]*int64, n), bools: make([]*bool, n),
		days: make([]*date.Date, n), instants: make([]*time.Time, n), bytes: make([][]byte, n)}
	for i, k := range kinds {
		switch k {
		case Text:
			s.dest[i] = &s.texts[i]
		case Int:
			s.dest[i] = &s.ints[i]
		case Bool:
			s.dest[i] = &s.bools[i]
		case Day:
			s.dest[i] = &s.days[i]
		case Instant:
			s.dest[i] = &s.instants[i]
		case Bytes:
			s.dest[i] = &s.bytes[i]
		}
	}
	return s
}

// Row reads a row into cells.
func (s *Scanner) Row(from interface{ Scan(dest ...any) error }, into *Cells) error {
	if err := from.Scan(s.dest...); err != nil {
		return err
	}
	var b [8]byte
	for i, k := range s.kinds {
		switch {
		case k == Text && s.texts[i] != nil:
			into.Add([]byte(*s.texts[i]))
		case k == Int && s.ints[i] != nil:
			into.Add(binary.BigEndian.AppendUint64(b[:0], uint64(*s.ints[i])))
		case k == Bool && s.bools[i] != nil:
			b[0] = 0
			if *s.bools[i] {
				b[0] = 1
			}
			into.Add(b[:1])
		case k == Day && s.days[i] != nil:
			into.Add(binary.BigEndian.AppendUint32(b[:0], uint32(*s.days[i]-epochDay)))
		case k == Instant && s.instants[i] != nil:
			into.Add(binary.BigEndian.AppendUint64(b[:0], uint64(s.instants[i].UnixMicro()-epochMicro)))
		case k == Bytes && s.bytes[i] != nil:
			into.Add(s.bytes[i])
		default:
			into.Add(nil)
		}
	}
	return nil
}

// AddInt adds a number to the row that is being added.
func (c *Cells) AddInt(v int64) {
	var b [8]byte
	c.Add(binary.BigEndian.AppendUint64(b[:0], uint64(v)))
}

// AddNull adds a missing value.
func (c *Cells) AddNull() { c.Add(nil) }
