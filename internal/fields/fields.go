// Package fields reads tables of fields. Such a table is a struct whose fields are
// properties of an entity. Their tags hold what code that handles all of them (checks,
// statements, audit entries, imports, plans) has to know:
//
//	name     the property in GraphQL, REST, files and audit entries
//	column   its column in the database
//	search   the column of its search key, if it has one
//	as       which texts, or numbers, it may be
//	needed   a new record must be given it
//	always   every record has it, so it is never cleared
//	default  its value in a new record that is not given it
//	about    the description of its column in a file
//	sealed   it is sensitive and stored encrypted; the word says how it is masked
//
// A field of the struct without a name does not belong to the table. A struct with the
// tag below is a property that is an object; its fields are lines of the table, too.
package fields

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
)

// Line is a line of a table.
type Line struct {
	Name, Column, Search, As, About string
	// Below is the property of which the line is a part; empty for a line that is part of
	// none.
	Below string
	// Sealed says how a sensitive value is masked; empty for a line that is not
	// sensitive.
	Sealed string
	// Needed is set if a new record must be given a value, Always if every record has
	// one.
	Needed, Always bool
	// Default is the value, as text, of a new record that is not given one; empty for
	// none.
	Default string
	// Holds is a property of the line's type.
	Holds patch.Property
	index []int
}

// Field is the path of the line in its entity, as problems name it.
func (l Line) Field() []string {
	if l.Below == "" {
		return []string{l.Name}
	}
	return []string{l.Below, l.Name}
}

// Path is Field with dots, as in audit entries: address.city.
func (l Line) Path() string { return strings.Join(l.Field(), ".") }

// Of returns the line's property in a record, which is a pointer to the struct of the
// table.
func (l Line) Of(record any) patch.Property {
	return reflect.ValueOf(record).Elem().FieldByIndex(l.index).Addr().Interface().(patch.Property)
}

// Table is the list of the lines of records T, in the order of its fields.
type Table[T any] []Line

// Of returns the table that the tags of T describe.
func Of[T any]() Table[T] { return linesOf(reflect.TypeFor[T](), "", nil) }

// linesOf returns the lines of a struct. below is the property of the entity that the
// struct is; at is where it is in the entity's struct.
func linesOf(record reflect.Type, below string, at []int) (lines []Line) {
	for i := range record.NumField() {
		field, index := record.Field(i), append(slices.Clone(at), i)
		tag := field.Tag
		if object := tag.Get("below"); object != "" {
			lines = append(lines, linesOf(field.Type, object, index)...)
		}
		if tag.Get("name") == "" {
			continue
		}
		needed := tag.Get("needed") != ""
		lines = append(lines, Line{
			Name: tag.Get("name"), Column: tag.Get("column"), Search: tag.Get("search"), As: tag.Get("as"), About: tag.Get("about"),
			Below: below, Sealed: tag.Get("sealed"),
			Needed: needed, Always: needed || tag.Get("always") != "", Default: tag.Get("default"),
			Holds: reflect.New(field.Type).Interface().(patch.Property), index: index,
		})
	}
	return lines
}

// Open returns the lines that are not sensitive.
func (t Table[T]) Open() Table[T] { return t.where(false) }

// Sealed returns the sensitive lines.
func (t Table[T]) Sealed() Table[T] { return t.where(true) }

func (t Table[T]) where(sealed bool) (lines Table[T]) {
	for _, l := range t {
		if (l.Sealed != "") == sealed {
			lines = append(lines, l)
		}
	}
	return lines
}

// Columns returns the columns of the lines in the database.
func (t Table[T]) Columns() []string {
	columns := make([]string, len(t))
	for i, l := range t {
		columns[i] = l.Column
	}
	return columns
}

// Append appends a record's values of Columns to a row.
func (t Table[T]) Append(row []any, record *T) []any {
	for _, l := range t {
		row = append(row, l.Of(record).Any())
	}
	return row
}

// Given returns the names of the lines that have a value in a record.
func (t Table[T]) Given(record *T) (names []string) {
	for _, l := range t {
		if l.Of(record).Any() != nil {
			names = append(names, l.Path())
		}
	}
	return names
}

// Cleared returns an update that sets every line to null.
func (t Table[T]) Cleared() *T {
	record := new(T)
	t.Dest(record)
	return record
}

// Dest returns where the values of Columns are scanned to.
func (t Table[T]) Dest(record *T) []any {
	dest := make([]any, len(t))
	for i, l := range t {
		dest[i] = l.Of(record).Dest()
	}
	return dest
}

// Whole sets the lines that a record omits to null.
func (t Table[T]) Whole(record *T) {
	for _, l := range t {
		if p := l.Of(record); !p.IsSent() {
			p.Dest()
		}
	}
}

// Become applies an update to a record, and returns the names of the lines whose value
// has changed.
func (t Table[T]) Become(record, update *T) (changed []string) {
	for _, l := range t {
		if sent := l.Of(update); sent.IsSent() && l.Of(record).Become(sent) {
			changed = append(changed, l.Path())
		}
	}
	return changed
}

// Differ returns the lines whose values differ in another record.
func (t Table[T]) Differ(record, other *T) (lines Table[T]) {
	before := *record
	for _, l := range t {
		if l.Of(&before).Become(l.Of(other)) {
			lines = append(lines, l)
		}
	}
	return lines
}

// Complete sets the defaults of a new record for the values that it was not given.
func (t Table[T]) Complete(record *T) {
	for _, l := range t {
		if l.Default == "" || l.Of(record).Any() != nil {
			continue
		}
		switch p := l.Of(record).(type) {
		case *patch.Field[string]:
			*p = patch.Set(l.Default)
		case *patch.Field[bool]:
			*p = patch.Set(l.Default == "true")
		case *patch.Field[int]:
			n, err := strconv.Atoi(l.Default)
			if err != nil {
				panic("fields: the default of " + l.Name + " is no number")
			}
			*p = patch.Set(n)
		}
	}
}

// Text returns the value of a property as a text, the same for the same value: a time in UTC,
// an instant with all its digits. It is nil for none.
func Text(p patch.Property) *string {
	switch v := p.Any().(type) {
	case nil:
		return nil
	case time.Time:
		return new(v.UTC().Format(time.RFC3339Nano))
	default:
		return new(fmt.Sprint(v))
	}
}

// Parse sets a property of a record to the value that Text gave; to null for nil.
func (l Line) Parse(record any, text *string) (err error) {
	p := l.Of(record)
	p.Dest()
	if text == nil {
		return nil
	}
	switch f := p.(type) {
	case *patch.Field[string]:
		f.Value = text
	case *patch.Field[bool]:
		f.Value = new(*text == "true")
	case *patch.Field[int]:
		f.Value, err = parsed(strconv.Atoi(*text))
	case *patch.Field[time.Time]:
		f.Value, err = parsed(time.Parse(time.RFC3339Nano, *text))
	case *patch.Field[date.Date]:
		f.Value, err = parsed(date.Parse(*text))
	default:
		err = fmt.Errorf("fields: %s has a type without a text", l.Name)
	}
	return err
}

func parsed[T any](v T, err error) (*T, error) { return &v, err }
