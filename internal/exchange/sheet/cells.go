package sheet

import (
	"bytes"
	"encoding/json"

	"github.com/uplinehq/upline/internal/scan"
)

// cells finds the values of columns in a row, in one walk over it. The names of columns
// are names of GraphQL, which JSON writes as they are.
type cells struct {
	root place
	// found are the values, as the row writes them; nil for none.
	found [][]byte
}

// place is a name in a row, with the column that it is and the names below it.
type place struct {
	name   string
	column int // -1 for none
	below  []*place
}

func newCells(columns []Column) *cells {
	c := &cells{found: make([][]byte, len(columns))}
	for i, column := range columns {
		at := &c.root
		for _, name := range column.Path {
			at = at.under(name)
		}
		at.column = i
	}
	return c
}

// under returns the place of a name below another, and makes it if there is none yet.
func (p *place) under(name string) *place {
	next := 0
	below := p.find([]byte(name), &next)
	if below == nil {
		below = &place{name: name, column: -1}
		p.below = append(p.below, below)
	}
	return below
}

// find returns the place of a name; nil if there is none. Rows come in the order of the
// columns, so the next one is tried first.
func (p *place) find(name []byte, next *int) *place {
	for range p.below {
		below := p.below[*next%len(p.below)]
		if *next++; below.name == string(name) {
			return below
		}
	}
	return nil
}

// read finds the values of a row.
func (c *cells) read(object []byte) error {
	clear(c.found)
	return c.walk(&c.root, object)
}

func (c *cells) walk(at *place, object []byte) error {
	next := 0
	return scan.Members(object, func(name, value []byte) error {
		p := at.find(name, &next)
		if p == nil || scan.IsNull(value) {
			return nil
		}
		if p.column >= 0 {
			c.found[p.column] = value
		}
		if len(p.below) > 0 && value[0] == '{' {
			return c.walk(p, value)
		}
		return nil
	})
}

// text is the text of a column's cell. Few values have to be decoded for it: texts with
// escapes, lists and objects.
func (c *cells) text(column int) (string, error) {
	switch raw := c.found[column]; {
	case raw == nil:
		return "", nil
	case raw[0] == '{' || raw[0] == '[' || bytes.IndexByte(raw, '\\') >= 0:
		var v any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return "", err
		}
		return text(v)
	case raw[0] == '"':
		return string(raw[1 : len(raw)-1]), nil
	default:
		return string(raw), nil
	}
}
