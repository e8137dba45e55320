package past

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/history"
)

// Difference is what a change did to a value; of a dated relation, on a range of days.
type Difference struct {
	From, Through *date.Date
	// Old and New are the values before and after; nil for none. A whole has several, and so
	// has a set.
	Old, New []Value
}

// Value is a value as a text.
type Value struct {
	Text string
	// Field is the path of a sensitive value, and Sealed the word that says how it is masked;
	// both are empty for an open one.
	Field, Sealed string
	// IsUnreadable is true for a sealed value whose key is lost.
	IsUnreadable bool
}

// difference returns what became of the value at a path between two instants.
func (o *Object) difference(path string, was, is time.Time) (all []Difference) {
	to, ok := o.find(path)
	if !ok {
		return nil
	}
	switch {
	case to.Dated != nil:
		for at := range o.periods {
			if at == path || to.line != nil && at == to.Path || to.Dated.Part != "" && isUnder(at, path) {
				all = append(all, o.days(to, at, o.known(at, was), o.known(at, is))...)
			}
		}
		return all
	case to.Members != nil:
		return one(Difference{Old: plain(o.members(path, was)), New: plain(o.members(path, is))})
	case to.line == nil:
		return one(Difference{Old: o.presence(to, path, was), New: o.presence(to, path, is)})
	}
	if o.same(cell{path: path}, was, is) {
		return nil
	}
	return []Difference{{Old: o.value(to.line, path, was), New: o.value(to.line, path, is)}}
}

// same reports whether a cell had the same text at two instants. What is shown of two texts that
// differ may be the same.
func (o *Object) same(c cell, was, is time.Time) bool {
	before, had := o.textAt(c, was)
	after, has := o.textAt(c, is)
	return had == has && before == after
}

// one returns a difference, unless it is none.
func one(d Difference) []Difference {
	if slices.Equal(d.Old, d.New) {
		return nil
	}
	return []Difference{d}
}

func plain(texts []string) (all []Value) {
	for _, s := range texts {
		all = append(all, Value{Text: s})
	}
	return all
}

// textAt returns the text of a cell at an instant.
func (o *Object) textAt(c cell, at time.Time) (string, bool) {
	for _, s := range o.cells[c] {
		if s.holds(at) {
			return s.text, true
		}
	}
	return "", false
}

// presence returns what stands for the object, or a part of it: its key, or the first of its
// lines.
func (o *Object) presence(to at, path string, at time.Time) []Value {
	prefix := path
	if to.Fact == o.Facts[0] {
		prefix = ""
	}
	if _, is := o.textAt(cell{path: prefix}, at); !is {
		return nil
	}
	if prefix == "" {
		return []Value{{Text: o.Key}}
	}
	text, _ := o.textAt(cell{path: below(path, to.Lines[0].Path())}, at)
	return []Value{{Text: text}}
}

// value returns the value of a line.
func (o *Object) value(l *fields.Line, path string, at time.Time) []Value {
	text, ok := o.textAt(cell{path: path}, at)
	if !ok {
		return nil
	}
	return []Value{o.valueOf(l, path, text)}
}

// valueOf returns a text as the value of a line. A list of words is shown with commas.
func (o *Object) valueOf(l *fields.Line, path, text string) Value {
	switch {
	case l.Sealed != "":
		return Value{Text: text, Field: path, Sealed: l.Sealed, IsUnreadable: strings.HasPrefix(text, unreadable)}
	case l.As == Words:
		text = strings.Join(strings.Fields(text), ", ")
	case o.Say[l.Name] != nil:
		text = o.Say[l.Name](text)
	}
	return Value{Text: text}
}

// Words is the tag of lines that hold words with blanks between them, such as scopes.
const Words = "words"

// days returns the ranges of days on which a dated relation, or a line of its values, differs.
func (o *Object) days(to at, path string, was, is []history.Period[string]) (all []Difference) {
	as := func(periods []history.Period[string]) []history.Period[string] {
		if to.line == nil {
			return periods
		}
		lines := slices.Clone(periods)
		at := below(path, to.line.Path())
		lines = slices.DeleteFunc(lines, func(p history.Period[string]) bool { _, has := o.lines[path][p.Value][at]; return !has })
		for i := range lines {
			lines[i].Value = o.lines[path][lines[i].Value][at]
		}
		return lines
	}
	for _, d := range history.Differences(as(was), as(is)) {
		diff := Difference{From: &d.From, Through: d.Through, Old: o.shownOf(to, path, d.Old), New: o.shownOf(to, path, d.New)}
		if diff.Old != nil || diff.New != nil {
			all = append(all, diff)
		}
	}
	return all
}

// shownOf returns what is shown of a value of a dated relation; nil for none.
func (o *Object) shownOf(to at, path string, value *string) (all []Value) {
	switch {
	case value == nil:
		return nil
	case to.line != nil:
		return []Value{o.valueOf(to.line, below(path, to.line.Path()), *value)}
	case to.Dated.Rows != nil:
		values := o.lines[path][*value]
		for _, l := range to.Dated.Rows.Lines {
			if text, has := values[below(path, l.Path())]; has {
				all = append(all, o.valueOf(&l, below(path, l.Path()), text))
			}
		}
		return all
	}
	for _, r := range o.periods[path] {
		if r.Value == *value && r.shown != nil {
			return []Value{{Text: *r.shown}}
		}
	}
	return nil
}

// paths are those of all that was read.
func (o *Object) paths() []string {
	all := slices.Collect(maps.Keys(o.periods))
	for c := range o.cells {
		all = append(all, c.path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
