package store

import "encoding/binary"

// NewCells returns cells to which rows of numbers are added; the caller releases them.
func NewCells(columns int) *Cells { return newCells(columns) }

// AddInt adds a number to the row that is being added.
func (c *Cells) AddInt(v int64) {
	var b [8]byte
	c.add(binary.BigEndian.AppendUint64(b[:0], uint64(v)))
}

// AddNull adds a missing value.
func (c *Cells) AddNull() { c.add(nil) }
