package plan

import (
	"errors"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// Column is a column of a set.
type Column struct{ set, at int }

// IsNull reports whether a row has no value.
func (c Column) IsNull(r *Run, row int) bool { return r.found[c.set].cells.IsNull(row, c.at) }

// Text returns a text, or bytes; nil for NULL. It is valid until the answer is written.
func (c Column) Text(r *Run, row int) []byte { return r.found[c.set].cells.Text(row, c.at) }

// Int returns a number, 0 for NULL.
func (c Column) Int(r *Run, row int) int64 { return r.found[c.set].cells.Int(row, c.at) }

// Bool returns a boolean, false for NULL.
func (c Column) Bool(r *Run, row int) bool { return r.found[c.set].cells.Bool(row, c.at) }

// Day returns a date.
func (c Column) Day(r *Run, row int) date.Date { return r.found[c.set].cells.Day(row, c.at) }

// Leaf writes a column as write does, and NULL as null.
func Leaf(name string, kind rowset.Kind, write func(c Column) Write) Field {
	return func(_ *Compiler, at *Place, _ *ast.Field) Write {
		c := at.Column(name, kind)
		value := write(c)
		return func(b []byte, r *Run, row int) []byte {
			if c.IsNull(r, row) {
				return Null(b)
			}
			return value(b, r, row)
		}
	}
}

// Text writes a text.
func Text(name string) Field {
	return Leaf(name, rowset.Text, func(c Column) Write {
		return func(b []byte, r *Run, row int) []byte { return String(b, c.Text(r, row)) }
	})
}

// Int writes a number.
func Int(name string) Field {
	return Leaf(name, rowset.Int, func(c Column) Write {
		return func(b []byte, r *Run, row int) []byte { return AppendInt(b, c.Int(r, row)) }
	})
}

// Bool writes a boolean.
func Bool(name string) Field {
	return Leaf(name, rowset.Bool, func(c Column) Write {
		return func(b []byte, r *Run, row int) []byte { return AppendBool(b, c.Bool(r, row)) }
	})
}

// Day writes a date.
func Day(name string) Field {
	return Leaf(name, rowset.Day, func(c Column) Write {
		return func(b []byte, r *Run, row int) []byte { return AppendDay(b, c.Day(r, row)) }
	})
}

// Instant writes an instant.
func Instant(name string) Field {
	return Leaf(name, rowset.Instant, func(c Column) Write {
		return func(b []byte, r *Run, row int) []byte {
			return AppendInstant(b, r.found[c.set].cells.Instant(row, c.at))
		}
	})
}

// Enum writes a value of an enumeration.
func Enum[T ~string](of enum.Set[T], name string) Field {
	values := of.Texts()
	return Leaf(name, rowset.Text, func(c Column) Write {
		return func(b []byte, r *Run, row int) []byte { return appendEnum(b, r, values, c.Text(r, row)) }
	})
}

// AppendEnum appends a value of an enumeration.
func AppendEnum[T ~string](b []byte, r *Run, of enum.Set[T], v T) []byte {
	return appendEnum(b, r, of.Texts(), []byte(v))
}

// ErrUnknownValue says that a stored value is not in its enumeration. It does not repeat
// the value.
var ErrUnknownValue = errors.New("graphql: the stored value is none of its enumeration")

// appendEnum appends a value of an enumeration.
func appendEnum(b []byte, r *Run, values []string, v []byte) []byte {
	if !slices.ContainsFunc(values, func(value string) bool { return value == string(v) }) {
		return r.Fail(b, ErrUnknownValue)
	}
	return String(b, v)
}

// Computed writes a value that needs no column.
func Computed(write Write) Field {
	return func(*Compiler, *Place, *ast.Field) Write { return write }
}

func constant(text string) Write {
	return func(b []byte, _ *Run, _ int) []byte { return append(b, text...) }
}

// AppendDay appends a date.
func AppendDay(b []byte, d date.Date) []byte {
	return append(d.Time().AppendFormat(append(b, '"'), time.DateOnly), '"')
}

// AppendInstant appends an instant.
func AppendInstant(b []byte, t time.Time) []byte {
	return append(t.UTC().AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
}

// AppendOptional appends a value that may be missing.
func AppendOptional[T any](b []byte, v *T, write func([]byte, T) []byte) []byte {
	if v == nil {
		return Null(b)
	}
	return write(b, *v)
}
