package agency

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// importColumns are the columns of an entity, with their places in a row.
type importColumns struct {
	all   []bulk.Column
	place map[string]int
}

func columnsOf(groups ...[]bulk.Column) importColumns {
	c := importColumns{all: slices.Concat(groups...), place: map[string]int{}}
	for i, column := range c.all {
		c.place[column.Name] = i
	}
	return c
}

// required, optional and sensitive make a column.
func required(name, doc string) bulk.Column { return bulk.Column{Name: name, Required: true, Doc: doc} }

func optional(name, doc string) bulk.Column { return bulk.Column{Name: name, Doc: doc} }

func sensitive(name, doc string) bulk.Column {
	return bulk.Column{Name: name, Sensitive: true, Doc: doc}
}

// rowReader reads the values of a row; what cannot be read is a problem of its
// column, as the scalars of the schema have it.
type rowReader struct {
	columns importColumns
	row     bulk.Row
	check
	zone *time.Location
}

// cell returns a value; given is false where the file says nothing, and text
// empty where it says that there is none.
func (r *rowReader) cell(name string) (text string, given bool) {
	i, ok := r.columns.place[name]
	if !ok {
		panic("agency: no column " + name)
	}
	return strings.TrimSpace(r.row.Values[i]), r.row.Given[i]
}

// field reads a value as a property of a partial update.
func (r *rowReader) field(name string) patch.Field[string] {
	text, given := r.cell(name)
	switch {
	case !given:
		return patch.Field[string]{}
	case text == "":
		return patch.Null[string]()
	}
	return patch.Set(text)
}

// text reads a value, nil for none.
func (r *rowReader) text(name string) *string { return r.field(name).Value }

// plain reads a value, empty for none.
func (r *rowReader) plain(name string) string {
	text, _ := r.cell(name)
	return text
}

// parsed reads a value that is not any text.
func parsed[T any](r *rowReader, name, form string, parse func(string) (T, error)) patch.Field[T] {
	f := r.field(name)
	if f.Value == nil {
		return patch.Field[T]{Sent: f.Sent}
	}
	v, err := parse(*f.Value)
	if err != nil {
		r.refuse(problem.InvalidFormat, form, strings.Split(name, ".")...)
		return patch.Field[T]{}
	}
	return patch.Set(v)
}

func (r *rowReader) date(name string) patch.Field[date.Date] {
	return parsed(r, name, date.ErrFormat.Error(), date.Parse)
}

// day reads a day that a row must have.
func (r *rowReader) day(name string) date.Date {
	f := r.date(name)
	if f.Value == nil {
		if text, _ := r.cell(name); text == "" {
			r.refuse(problem.Required, "is required", name)
		}
		return 0
	}
	return *f.Value
}

func (r *rowReader) flag(name string) patch.Field[bool] {
	return parsed(r, name, "must be true or false", func(s string) (bool, error) {
		switch strings.ToLower(s) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return false, strconv.ErrSyntax
	})
}

func (r *rowReader) number(name string) patch.Field[int] {
	return parsed(r, name, "must be an integer", strconv.Atoi)
}

// instant reads RFC 3339, or a day, which then begins in the tenant's zone: what
// the systems that files come from write.
func (r *rowReader) instant(name string) patch.Field[time.Time] {
	const form = "must be a date in the form YYYY-MM-DD, or an instant in the form of RFC 3339, such as 2026-01-31T12:00:00Z"
	return parsed(r, name, form, func(s string) (time.Time, error) {
		if d, err := date.Parse(s); err == nil {
			y, m, day := d.Time().Date()
			return time.Date(y, m, day, 0, 0, 0, 0, r.zone).UTC(), nil
		}
		t, err := time.Parse(time.RFC3339, s)
		return t.UTC().Truncate(time.Microsecond), err
	})
}

// columnOfPath are the columns of paths that the file writes otherwise.
var columnOfPath = map[string]string{
	"teams.0.membership.directUpline": directUplineField, "teams.0.membership.level": levelField,
}

// atColumn returns a problem whose path is that of its column.
func atColumn(p *problem.Error) *problem.Error {
	name, ok := columnOfPath[strings.Join(p.Field, ".")]
	if !ok {
		return p
	}
	c := *p
	c.Field = strings.Split(name, ".")
	return &c
}

// code reads the agent code that a row is about, and names the row by it. What
// is no code may be anything, so it names nothing.
func (im *importing) code(i int, r *rowReader) string {
	code := r.plain("agentCode")
	if len(code) <= maxAgentCode && agentCodePattern.MatchString(code) {
		im.results[i].Key = code
	}
	return code
}
