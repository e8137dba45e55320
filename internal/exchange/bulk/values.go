package bulk

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Required makes a column that a row needs if it creates something.
func Required(name, doc string) Column { return Column{Name: name, Required: true, Doc: doc} }

// Optional makes a column that a row may leave out.
func Optional(name, doc string) Column { return Column{Name: name, Doc: doc} }

// Sensitive makes an optional column whose values nobody may see.
func Sensitive(name, doc string) Column { return Column{Name: name, Sensitive: true, Doc: doc} }

// Columns are the columns of an entity, with the index of each in a row.
type Columns struct {
	All   []Column
	place map[string]int
}

// NewColumns joins groups of columns.
func NewColumns(groups ...[]Column) Columns {
	c := Columns{All: slices.Concat(groups...), place: map[string]int{}}
	for i, column := range c.All {
		c.place[column.Name] = i
	}
	return c
}

// Values reads the values of a row. It tells Refuse about a value of the wrong form, by
// the same rules as the scalars of the schema.
type Values struct {
	Columns
	Row
	Refuse func(*problem.Error)
}

// Cell returns a value without the blanks around it. given is false where the file says
// nothing; value is empty where the file says that there is none.
func (v *Values) Cell(name string) (value string, given bool) {
	i, ok := v.place[name]
	if !ok {
		panic("bulk: no column " + name)
	}
	return text.Trim(v.Row.Values[i]), v.Given[i]
}

// Field reads a value as a property of a partial update.
func (v *Values) Field(name string) patch.Field[string] {
	text, given := v.Cell(name)
	switch {
	case !given:
		return patch.Field[string]{}
	case text == "":
		return patch.Null[string]()
	}
	return patch.Set(text)
}

// Text reads a value; nil when there is none.
func (v *Values) Text(name string) *string { return v.Field(name).Value }

// Plain reads a value; empty when there is none.
func (v *Values) Plain(name string) string {
	text, _ := v.Cell(name)
	return text
}

// parsed reads a value that has a form; form says which, for the message.
func parsed[T any](v *Values, name, form string, parse func(string) (T, error)) patch.Field[T] {
	f := v.Field(name)
	if f.Value == nil {
		return patch.Field[T]{Sent: f.Sent}
	}
	value, err := parse(*f.Value)
	if err != nil {
		v.Refuse(problem.Invalid(problem.InvalidFormat, form, strings.Split(name, ".")...))
		return patch.Field[T]{}
	}
	return patch.Set(value)
}

// Date reads a day.
func (v *Values) Date(name string) patch.Field[date.Date] {
	return parsed(v, name, date.ErrFormat.Error(), date.Parse)
}

// Day reads a day that a row must have.
func (v *Values) Day(name string) date.Date { return must(v, name, v.Date(name)) }

// Number reads an integer.
func (v *Values) Number(name string) patch.Field[int] {
	return parsed(v, name, "must be an integer", strconv.Atoi)
}

// MustNumber reads an integer that a row must have.
func (v *Values) MustNumber(name string) int { return must(v, name, v.Number(name)) }

// must refuses a row without a value that it needs.
func must[T any](v *Values, name string, f patch.Field[T]) (value T) {
	switch {
	case f.Value != nil:
		return *f.Value
	case v.Plain(name) == "":
		v.Refuse(problem.Invalid(problem.Required, "is required", strings.Split(name, ".")...))
	}
	return value
}

// Flag reads true or false, in any case.
func (v *Values) Flag(name string) patch.Field[bool] {
	return parsed(v, name, "must be true or false", func(s string) (bool, error) {
		switch {
		case strings.EqualFold(s, "true"):
			return true, nil
		case strings.EqualFold(s, "false"):
			return false, nil
		}
		return false, strconv.ErrSyntax
	})
}

// AgentCode reads the code of the agent that a row is about, and the name that messages
// give the row. A text that is not a code may be anything, so no message repeats it.
func (v *Values) AgentCode() (code, name string) {
	code = v.Plain("agentCode")
	if len(code) > check.MaxAgentCode || strings.ContainsFunc(code, notOfCode) {
		return code, ""
	}
	return code, code
}

func notOfCode(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_'
}

// FirstOfEach splits rows into the first of each key, and the later ones, which have to
// wait for it. Rows without a key never wait.
func FirstOfEach[R any](rows []R, key func(R) string) (first, rest []R) {
	seen := make(map[string]bool, len(rows))
	for _, r := range rows {
		k := key(r)
		if k != "" && seen[k] {
			rest = append(rest, r)
			continue
		}
		seen[k] = true
		first = append(first, r)
	}
	return first, rest
}

// Instant reads an instant of RFC 3339, or a day, which stands for its beginning in a
// time zone: the systems that files come from write both.
func (v *Values) Instant(name string, zone *time.Location) patch.Field[time.Time] {
	const form = "must be a date in the form YYYY-MM-DD, or an instant in the form of RFC 3339, such as 2026-01-31T12:00:00Z"
	return parsed(v, name, form, func(s string) (time.Time, error) {
		if d, err := date.Parse(s); err == nil {
			return date.Instant(d.Begin(zone))
		}
		return date.ParseInstant(s)
	})
}
