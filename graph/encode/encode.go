// Package encode writes objects as the JSON that a GraphQL selection asks for,
// with functions compiled once per selection. The executor that gqlgen
// generates spends most of a large page on contexts, goroutines and buffers for
// single fields; a compiled encoder appends bytes.
//
// An encoder supports what its type declares. A selection with anything else –
// a field with other arguments, a directive, a response name used twice – does
// not compile, and the generated executor answers it. So there is one way to be
// right and one to be fast, and a test holds their bytes equal.
package encode

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
)

// Append appends the JSON of a value. It reports what it cannot do with
// Run.Fail; the bytes then do not count.
type Append[V any] func(b []byte, v V, r *Run) []byte

// Run is one use of an encoder.
type Run struct {
	Ctx context.Context
	// Variables are those of the operation.
	Variables map[string]any
	err       error
	slots     []any
}

// Fail says that the value cannot be encoded here.
func (r *Run) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// ErrNotRead is the failure of an encoder that needs a relation nobody read.
var ErrNotRead = errors.New("encode: a relation was not read ahead")

// Once returns what make returns for a place of the selection, made once per
// run.
func Once[T any](r *Run, slot int, make func() T) T {
	if r.slots[slot] == nil {
		r.slots[slot] = make()
	}
	return r.slots[slot].(T)
}

// Compiler compiles one selection.
type Compiler struct{ slots int }

// Slot reserves a place for Once.
func (c *Compiler) Slot() int {
	c.slots++
	return c.slots - 1
}

// Compile makes the encoder of a field; nil when it is not supported.
type Compile[V any] func(c *Compiler, f *ast.Field) Append[V]

// Type is how an object type is encoded.
type Type[V any] struct {
	// Names are the type's name and the interfaces it implements.
	Names  []string
	Fields map[string]Compile[V]
}

// Encoder is a compiled selection.
type Encoder[V any] struct {
	append Append[V]
	slots  int
}

// New compiles the selection of a type; nil when it is not supported.
func New[V any](t *Type[V], s ast.SelectionSet) *Encoder[V] {
	var c Compiler
	f := t.Compile(&c, s)
	if f == nil {
		return nil
	}
	return &Encoder[V]{f, c.slots}
}

// JSON encodes a value.
func (e *Encoder[V]) JSON(ctx context.Context, variables map[string]any, v V) ([]byte, error) {
	r := Run{Ctx: ctx, Variables: variables, slots: make([]any, e.slots)}
	b := e.append(make([]byte, 0, 4096), v, &r)
	return b, r.err
}

type member[V any] struct {
	name   string // `"agentCode":`
	append Append[V]
}

// Compile returns the encoder of an object, nil when something in the
// selection is not supported.
func (t *Type[V]) Compile(c *Compiler, s ast.SelectionSet) Append[V] {
	members, ok := t.collect(c, s, nil)
	if !ok || len(members) == 0 {
		return nil
	}
	for i := range members[1:] {
		members[i+1].name = "," + members[i+1].name
	}
	members[0].name = "{" + members[0].name
	return func(b []byte, v V, r *Run) []byte {
		for i := range members {
			b = append(b, members[i].name...)
			b = members[i].append(b, v, r)
		}
		return append(b, '}')
	}
}

func (t *Type[V]) collect(c *Compiler, s ast.SelectionSet, members []member[V]) ([]member[V], bool) {
	for _, selection := range s {
		ok := false
		switch sel := selection.(type) {
		case *ast.Field:
			members, ok = t.field(c, sel, members)
		case *ast.InlineFragment:
			ok = len(sel.Directives) == 0 && (sel.TypeCondition == "" || slices.Contains(t.Names, sel.TypeCondition))
			if ok {
				members, ok = t.collect(c, sel.SelectionSet, members)
			}
		case *ast.FragmentSpread:
			ok = len(sel.Directives) == 0 && slices.Contains(t.Names, sel.Definition.TypeCondition)
			if ok {
				members, ok = t.collect(c, sel.Definition.SelectionSet, members)
			}
		}
		if !ok {
			return nil, false
		}
	}
	return members, true
}

func (t *Type[V]) field(c *Compiler, f *ast.Field, members []member[V]) ([]member[V], bool) {
	name := strconv.Quote(f.Alias) + ":"
	if len(f.Directives) > 0 || slices.ContainsFunc(members, func(m member[V]) bool { return m.name == name }) {
		return nil, false
	}
	var encoder Append[V]
	if f.Name == "__typename" {
		typeName := strconv.Quote(t.Names[0])
		encoder = func(b []byte, _ V, _ *Run) []byte { return append(b, typeName...) }
	} else if compile, known := t.Fields[f.Name]; known {
		encoder = compile(c, f)
	}
	return append(members, member[V]{name, encoder}), encoder != nil
}

// Text encodes a text.
func Text[V any](get func(V) string) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte { return String(b, get(v)) })
}

// OptionalText encodes a text that may be missing.
func OptionalText[V any](get func(V) *string) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte { return AppendOptionalText(b, get(v)) })
}

// ErrUnknownValue is the failure of an encoder whose value is none of its
// enumeration.
var ErrUnknownValue = errors.New("encode: a value is none of its enumeration")

// Enum encodes a value of an enumeration.
func Enum[V any, T ~string](of enum.Set[T], get func(V) T) Compile[V] {
	return value(func(b []byte, v V, r *Run) []byte { return appendEnum(b, of, get(v), r) })
}

// OptionalEnum encodes a value of an enumeration that may be missing.
func OptionalEnum[V any, T ~string](of enum.Set[T], get func(V) *T) Compile[V] {
	return value(func(b []byte, v V, r *Run) []byte {
		if value := get(v); value != nil {
			return appendEnum(b, of, *value, r)
		}
		return Null(b)
	})
}

func appendEnum[T ~string](b []byte, of enum.Set[T], value T, r *Run) []byte {
	if !of.Has(value) {
		r.Fail(ErrUnknownValue)
	}
	return String(b, string(value))
}

// Bool encodes a boolean.
func Bool[V any](get func(V) bool) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte { return AppendBool(b, get(v)) })
}

// Int encodes a number.
func Int[V any, N int | int64](get func(V) N) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte { return strconv.AppendInt(b, int64(get(v)), 10) })
}

// OptionalInt encodes a number that may be missing.
func OptionalInt[V any](get func(V) *int) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte {
		if n := get(v); n != nil {
			return strconv.AppendInt(b, int64(*n), 10)
		}
		return Null(b)
	})
}

// Day encodes a date.
func Day[V any](get func(V) date.Date) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte { return day(b, get(v)) })
}

// OptionalDay encodes a date that may be missing.
func OptionalDay[V any](get func(V) *date.Date) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte {
		if d := get(v); d != nil {
			return day(b, *d)
		}
		return Null(b)
	})
}

func day(b []byte, d date.Date) []byte {
	return append(d.Time().AppendFormat(append(b, '"'), time.DateOnly), '"')
}

// Instant encodes an instant.
func Instant[V any](get func(V) time.Time) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte { return instant(b, get(v)) })
}

// OptionalInstant encodes an instant that may be missing.
func OptionalInstant[V any](get func(V) *time.Time) Compile[V] {
	return value(func(b []byte, v V, _ *Run) []byte {
		if t := get(v); t != nil {
			return instant(b, *t)
		}
		return Null(b)
	})
}

func instant(b []byte, t time.Time) []byte {
	return append(t.UTC().AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
}

func value[V any](encode Append[V]) Compile[V] {
	return func(*Compiler, *ast.Field) Append[V] { return encode }
}

// List encodes the objects of a field that is a list.
func List[V, E any](element *Type[E], get func(V) []E) Compile[V] {
	return func(c *Compiler, f *ast.Field) Append[V] {
		encode := element.Compile(c, f.SelectionSet)
		if encode == nil {
			return nil
		}
		return func(b []byte, v V, r *Run) []byte {
			b = append(b, '[')
			for i, e := range get(v) {
				if i > 0 {
					b = append(b, ',')
				}
				b = encode(b, e, r)
			}
			return append(b, ']')
		}
	}
}

// Object encodes a field that is one object.
func Object[V, E any](t *Type[E], get func(V) E) Compile[V] {
	return func(c *Compiler, f *ast.Field) Append[V] {
		encode := t.Compile(c, f.SelectionSet)
		if encode == nil {
			return nil
		}
		return func(b []byte, v V, r *Run) []byte { return encode(b, get(v), r) }
	}
}

// Optional encodes a field that is an object, or null when the value has none.
func Optional[V any](t *Type[V], has func(V) bool) Compile[V] {
	return func(c *Compiler, f *ast.Field) Append[V] {
		encode := t.Compile(c, f.SelectionSet)
		if encode == nil {
			return nil
		}
		return func(b []byte, v V, r *Run) []byte {
			if !has(v) {
				return Null(b)
			}
			return encode(b, v, r)
		}
	}
}
