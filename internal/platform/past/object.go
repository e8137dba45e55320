package past

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/history"
)

// Object is an object with all that was read of its past.
type Object struct {
	*Kind
	// ID is its row, Key what a change calls it.
	ID  int64
	Key string
	// since is when it was made.
	since time.Time
	// isMade is true if one of the changes made it.
	isMade bool
	// cells are the values of its cells in time, in order.
	cells map[cell][]span
	// periods are the rows of its dated relations, by path, and shown what their values are to
	// be shown as.
	periods map[string][]row
	// lines are those of the values of dated relations, by path and value.
	lines map[string]map[string]map[string]string
}

// cell is the smallest that changes by itself: the value at a path, or a member of the set there.
type cell struct{ path, member string }

// span is a value from an instant until another: from is zero for one that was always there,
// and until for one that is there now.
type span struct {
	from, until time.Time
	text, shown string
}

func (s span) holds(at time.Time) bool {
	return !s.from.After(at) && (s.until.IsZero() || s.until.After(at))
}

// row is a row of a dated relation.
type row struct {
	history.Period[string]
	recorded   time.Time
	superseded *time.Time
	shown      *string
}

func (r row) known(at time.Time) bool {
	return !r.recorded.After(at) && (r.superseded == nil || r.superseded.After(at))
}

// now is later than every instant: what is known then is there now.
var now = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

// before is the last instant at which a change was not known.
func before(at time.Time) time.Time { return at.Add(-time.Microsecond) }

// state is what was true of an object at an instant: the texts of its cells, and the periods of
// its dated relations.
type state struct {
	cells   map[cell]string
	periods map[string][]history.Period[string]
}

// At returns what was true of the object at an instant.
func (o *Object) at(t time.Time) state {
	s := state{cells: map[cell]string{}, periods: map[string][]history.Period[string]{}}
	for c, spans := range o.cells {
		if i := slices.IndexFunc(spans, func(s span) bool { return s.holds(t) }); i >= 0 {
			s.cells[c] = spans[i].text
		}
	}
	for path := range o.periods {
		if all := o.known(path, t); all != nil {
			s.periods[path] = all
		}
	}
	return s
}

// known returns the periods of a dated relation that were known at an instant, in order.
func (o *Object) known(path string, t time.Time) (all []history.Period[string]) {
	for _, r := range o.periods[path] {
		if r.known(t) {
			all = append(all, r.Period)
		}
	}
	slices.SortFunc(all, func(a, b history.Period[string]) int { return cmp.Compare(a.From, b.From) })
	return all
}

// instants are when a cell changed, or a dated relation, the newest first.
func (o *Object) instants(path, member string) (all []time.Time) {
	spans := o.cells[cell{path, member}]
	for i, s := range spans {
		if !s.from.IsZero() {
			all = append(all, s.from)
		}
		if !s.until.IsZero() && (i+1 == len(spans) || !spans[i+1].from.Equal(s.until)) {
			all = append(all, s.until)
		}
	}
	for _, r := range o.periods[path] {
		if all = append(all, r.recorded); r.superseded != nil {
			all = append(all, *r.superseded)
		}
	}
	slices.SortFunc(all, func(a, b time.Time) int { return b.Compare(a) })
	return slices.CompactFunc(all, time.Time.Equal)
}

// last is when the object changed last: of one that was removed nothing else says it.
func (o *Object) last() (last time.Time) {
	later := func(t time.Time) {
		if t.After(last) {
			last = t
		}
	}
	for _, spans := range o.cells {
		for _, s := range spans {
			later(s.from)
			later(s.until)
		}
	}
	for _, rows := range o.periods {
		for _, r := range rows {
			if later(r.recorded); r.superseded != nil {
				later(*r.superseded)
			}
		}
	}
	return last
}

// add adds a value to a cell.
func (o *Object) add(c cell, s span) {
	if o.cells == nil {
		o.cells = map[cell][]span{}
	}
	o.cells[c] = append(o.cells[c], s)
}

// arrange orders the values of each cell, and makes one of those that follow each other and
// are the same.
func (o *Object) arrange() {
	for c, spans := range o.cells {
		slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
		merged := spans[:1]
		for _, s := range spans[1:] {
			if last := &merged[len(merged)-1]; last.text == s.text && !last.until.IsZero() && last.until.Equal(s.from) {
				last.until = s.until
				continue
			}
			merged = append(merged, s)
		}
		o.cells[c] = merged
	}
}

// members returns the members of a set at an instant, as they are shown.
func (o *Object) members(path string, t time.Time) (all []string) {
	for c, spans := range o.cells {
		if c.path != path || c.member == "" {
			continue
		}
		if i := slices.IndexFunc(spans, func(s span) bool { return s.holds(t) }); i >= 0 {
			all = append(all, spans[i].shown)
		}
	}
	slices.Sort(all)
	return all
}

// isUnder reports whether a path is another one, or a part of it; all paths are parts of the
// object.
func isUnder(path, whole string) bool {
	return whole == "" || path == whole || strings.HasPrefix(path, whole+".")
}
