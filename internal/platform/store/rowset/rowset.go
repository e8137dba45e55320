// Package rowset holds the rows that a statement found in one piece of memory.
package rowset

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/date"
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
	ends    []end
	data    []byte
}

// end says where a value ends; the next one begins there. missing is added for NULL.
type end uint32

const missing end = 1 << 31

var cellsPool = sync.Pool{New: func() any { return new(Cells) }}

// New returns cells without rows; the caller releases them.
func New(columns int) *Cells {
	c := cellsPool.Get().(*Cells)
	c.columns, c.ends, c.data = columns, c.ends[:0], c.data[:0]
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

// Add adds a value, in the form in which PostgreSQL sends it, to the row that is being
// added; nil is a missing one.
func (c *Cells) Add(value []byte) {
	c.data = append(c.data, value...)
	c.end(value == nil)
}

// end ends the value that was added.
func (c *Cells) end(isMissing bool) {
	if len(c.data) >= int(missing) {
		panic("rowset: 2 GiB of values")
	}
	at := end(len(c.data))
	if isMissing {
		at |= missing
	}
	c.ends = append(c.ends, at)
}

// Rows is the number of rows.
func (c *Cells) Rows() int { return len(c.ends) / c.columns }

// Clear removes all rows.
func (c *Cells) Clear() { c.ends, c.data = c.ends[:0], c.data[:0] }

// cell returns a value, nil for NULL.
func (c *Cells) cell(row, column int) []byte {
	n := row*c.columns + column
	to, from := c.ends[n], end(0)
	if to&missing != 0 {
		return nil
	}
	if n > 0 {
		from = c.ends[n-1] &^ missing
	}
	return c.data[from:to:to]
}

// IsNull reports whether there is no value.
func (c *Cells) IsNull(row, column int) bool { return c.ends[row*c.columns+column]&missing != 0 }

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

// AddInt adds a number to the row that is being added.
func (c *Cells) AddInt(v int64) {
	c.data = binary.BigEndian.AppendUint64(c.data, uint64(v))
	c.end(false)
}

// AddNull adds a missing value.
func (c *Cells) AddNull() { c.Add(nil) }
