// Package fields reads tables of fields. Such a table is a struct whose fields are
// properties of an entity; their tags say what whoever goes over all of them – checks,
// statements, audit entries, imports, plans – has to know:
//
//	name     the property in GraphQL, REST, files and audit entries
//	column   where the table of the database has it
//	search   the column of its search key, if it has one
//	as       what it is: which texts, or numbers, it may be
//	needed   a new record must be given it
//	always   every record has it, so it is never cleared
//	default  its value in a new record that is not given it
//	about    what a file says in the column
//	sealed   it is sensitive and stored encrypted; what is shown of it
//
// A field of the struct without a name is none of the table. A struct with the tag
// below is a property that is an object: the lines of its fields are lines of the table.
package fields

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/words/patch"
)

// Line is a line of a table.
type Line struct {
	Name, Column, Search, As, About string
	// Below is the property that the line is a part of; empty for none.
	Below string
	// Sealed tells of a sensitive line what is shown of it; empty for one that is not.
	Sealed string
	// Needed tells what a new record must be given, Always what every record has.
	Needed, Always bool
	// Default is the text of the value of a new record that is not given it; empty for
	// none.
	Default string
	// Holds is a property of the type that the line has.
	Holds patch.Property
	index []int
}

// Field is where the line is in its entity, as problems name it.
func (l Line) Field() []string {
	if l.Below == "" {
		return []string{l.Name}
	}
	return []string{l.Below, l.Name}
}

// Path is Field as audit entries write it, such as address.city.
func (l Line) Path() string { return strings.Join(l.Field(), ".") }

// Of returns the property of the line in a record, which is a pointer to the struct of
// the table.
func (l Line) Of(record any) patch.Property {
	return reflect.ValueOf(record).Elem().FieldByIndex(l.index).Addr().Interface().(patch.Property)
}

// Table are the lines of a table of records T, in its order.
type Table[T any] []Line

// Of returns the table that the tags of T are.
func Of[T any]() Table[T] { return linesOf(reflect.TypeFor[T](), "", nil) }

// linesOf are the lines of a struct, which is the property below of the entity. at is
// where the struct is in that of the entity.
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

// Open are the lines that are not sensitive.
func (t Table[T]) Open() Table[T] { return t.where(false) }

// Sealed are the sensitive lines.
func (t Table[T]) Sealed() Table[T] { return t.where(true) }

func (t Table[T]) where(sealed bool) (lines Table[T]) {
	for _, l := range t {
		if (l.Sealed != "") == sealed {
			lines = append(lines, l)
		}
	}
	return lines
}

// Columns are where the database has the lines.
func (t Table[T]) Columns() []string {
	columns := make([]string, len(t))
	for i, l := range t {
		columns[i] = l.Column
	}
	return columns
}

// Append appends to a row what a record has in Columns.
func (t Table[T]) Append(row []any, record *T) []any {
	for _, l := range t {
		row = append(row, l.Of(record).Any())
	}
	return row
}

// Given names the lines that have a value in a record.
func (t Table[T]) Given(record *T) (names []string) {
	for _, l := range t {
		if l.Of(record).Any() != nil {
			names = append(names, l.Path())
		}
	}
	return names
}

// Cleared returns an update that says null in every line.
func (t Table[T]) Cleared() *T {
	record := new(T)
	t.Dest(record)
	return record
}

// Dest is where Columns are scanned to.
func (t Table[T]) Dest(record *T) []any {
	dest := make([]any, len(t))
	for i, l := range t {
		dest[i] = l.Of(record).Dest()
	}
	return dest
}

// Whole makes a record say every line: null in those that it left out.
func (t Table[T]) Whole(record *T) {
	for _, l := range t {
		if p := l.Of(record); !p.IsSent() {
			p.Dest()
		}
	}
}

// Become takes over what an update says, and names the lines that have another value
// then.
func (t Table[T]) Become(record, update *T) (changed []string) {
	for _, l := range t {
		if sent := l.Of(update); sent.IsSent() && l.Of(record).Become(sent) {
			changed = append(changed, l.Path())
		}
	}
	return changed
}

// Differ are the lines in which another record has another value.
func (t Table[T]) Differ(record, other *T) (lines Table[T]) {
	before := *record
	for _, l := range t {
		if l.Of(&before).Become(l.Of(other)) {
			lines = append(lines, l)
		}
	}
	return lines
}

// Complete gives a new record the defaults of what it was not given.
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
