package rowset

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/date"
)

// Scanner reads rows of a database that does not send them in the form of Cells.
type Scanner struct {
	into    *Cells
	columns []column
	dest    []any
}

// NewScanner makes a scanner of rows whose columns are of kinds. It adds them to cells.
func NewScanner(kinds []Kind, into *Cells) *Scanner {
	s := &Scanner{into: into, columns: make([]column, len(kinds)), dest: make([]any, len(kinds))}
	for i, k := range kinds {
		s.columns[i] = column{k, into}
		s.dest[i] = &s.columns[i]
	}
	return s
}

// Row reads a row.
func (s *Scanner) Row(from interface{ Scan(dest ...any) error }) error { return from.Scan(s.dest...) }

// column adds the values of a column to cells as they are read, without a Go value of each.
type column struct {
	kind Kind
	into *Cells
}

// Scan implements sql.Scanner.
func (c *column) Scan(src any) (err error) {
	if src == nil {
		c.into.AddNull()
		return nil
	}
	switch c.kind {
	case Text, Bytes:
		c.text(src)
	case Int:
		n, isInt := src.(int64)
		if !isInt {
			n, err = strconv.ParseInt(fmt.Sprint(src), 10, 64)
		}
		c.into.AddInt(n)
	case Bool:
		var v any
		if v, err = driver.Bool.ConvertValue(src); err == nil {
			c.into.addBool(v.(bool))
		}
	case Day:
		var d date.Date
		err = d.Scan(src)
		c.into.addDay(d)
	case Instant:
		err = InstantInto(func(at *time.Time) error {
			c.into.AddInt(at.UnixMicro() - epochMicro)
			return nil
		}).Scan(src)
	}
	return err
}

func (c *column) text(src any) {
	switch v := src.(type) {
	case string:
		c.into.addText(v)
	case []byte:
		c.into.Add(v)
	default:
		c.into.addText(fmt.Sprint(v))
	}
}

func (c *Cells) addText(v string) {
	c.data = append(c.data, v...)
	c.end(false)
}

func (c *Cells) addBool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	c.data = append(c.data, b)
	c.end(false)
}

func (c *Cells) addDay(d date.Date) {
	c.data = binary.BigEndian.AppendUint32(c.data, uint32(d-epochDay))
	c.end(false)
}

// InstantInto receives the instant of a column, nil for NULL.
type InstantInto func(*time.Time) error

// asText is how SQLite has an instant.
const asText = "2006-01-02 15:04:05.999999999-07:00"

// Scan implements sql.Scanner. SQLite gives the instant of a column that is computed as a text.
func (into InstantInto) Scan(src any) error {
	var at time.Time
	switch v := src.(type) {
	case nil:
		return into(nil)
	case time.Time:
		at = v
	case string:
		var err error
		if at, err = time.Parse(asText, v); err != nil {
			return fmt.Errorf("rowset: an instant is no %w", err)
		}
	default:
		return fmt.Errorf("rowset: an instant is a %T", src)
	}
	return into(&at)
}
