package past

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// clash is a cell that stands in the way of taking a change back, as it was changed since; of
// a dated relation, some of its days.
type clash struct {
	cell
	from    date.Date
	through *date.Date
	// at is the instant of the change that is taken back.
	at time.Time
}

// revert takes a change back in a state: what the change did to each cell is undone, unless
// the cell is as before already. It returns what is in the way, and whether the change did
// anything. Paths limits it to what lies at or below them; nil for all.
func (o *Object) revert(cur *state, at time.Time, paths ...string) (clashes []clash, did bool) {
	r := reverting{Object: o, was: o.at(before(at)), made: o.at(at), cur: cur, instant: at, paths: paths}
	r.parts()
	r.values()
	r.histories()
	return r.clashes, r.did
}

// reverting takes one change of an object back.
type reverting struct {
	*Object
	was, made state
	cur       *state
	instant   time.Time
	paths     []string
	// gone are the paths of what the change made, which goes with all that belongs to it.
	gone    []string
	clashes []clash
	did     bool
}

// concerns reports whether a path is one of those that are taken back, and goes not with what
// was made.
func (r *reverting) concerns(path string) bool {
	if slices.ContainsFunc(r.gone, func(whole string) bool { return isUnder(path, whole) }) {
		return false
	}
	return r.paths == nil || slices.ContainsFunc(r.paths, func(whole string) bool { return isUnder(path, whole) })
}

// parts takes back that the object, or a part of it, was made: if all that belongs to it is as
// the change left it.
func (r *reverting) parts() {
	var all []string
	for c := range r.made.cells {
		if _, was := r.was.cells[c]; !was && c.member == "" && r.isPresence(c.path) {
			all = append(all, c.path)
		}
	}
	slices.Sort(all) // the object before its parts
	for _, path := range all {
		if !r.concerns(path) {
			continue
		}
		r.did = true
		if _, is := r.cur.cells[cell{path: path}]; is {
			r.removePart(path)
		}
		r.gone = append(r.gone, path)
	}
}

// isPresence reports whether the cell at a path says that the object, or a part of it, is there.
func (o *Object) isPresence(path string) bool {
	if path == "" {
		return true
	}
	to, ok := o.find(path)
	return ok && to.EachRow && to.line == nil
}

// removePart takes all that belongs to a part out of the state.
func (r *reverting) removePart(path string) {
	var under []clash
	for _, c := range cellsOf(r.cur.cells, r.made.cells) {
		if isUnder(c.path, path) && !same(r.cur.cells, r.made.cells, c) {
			under = append(under, clash{cell: c, at: r.instant})
		}
	}
	for _, p := range slices.Sorted(maps.Keys(unionOf(r.cur.periods, r.made.periods))) {
		if !isUnder(p, path) {
			continue
		}
		for _, d := range history.Differences(stated(r.made.periods[p]), stated(r.cur.periods[p])) {
			under = append(under, clash{cell{path: p}, d.From, d.Through, r.instant})
		}
	}
	if r.clashes = append(r.clashes, under...); under == nil {
		maps.DeleteFunc(r.cur.cells, func(c cell, _ string) bool { return isUnder(c.path, path) })
		maps.DeleteFunc(r.cur.periods, func(p string, _ []history.Period[string]) bool { return isUnder(p, path) })
	}
}

// values takes back what the change did to columns and sets.
func (r *reverting) values() {
	units := map[string][]cell{}
	for _, c := range cellsOf(r.was.cells, r.made.cells, r.cur.cells) {
		if r.concerns(c.path) {
			unit := r.unitOf(c)
			units[unit] = append(units[unit], c)
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(units)) {
		cells := units[unit]
		switch {
		case sameAll(r.was.cells, r.made.cells, cells):
			continue
		case sameAll(r.cur.cells, r.was.cells, cells):
		case sameAll(r.cur.cells, r.made.cells, cells):
			for _, c := range cells {
				if text, ok := r.was.cells[c]; ok {
					r.cur.cells[c] = text
				} else {
					delete(r.cur.cells, c)
				}
			}
		default:
			for _, c := range cells {
				if !same(r.cur.cells, r.made.cells, c) {
					r.clashes = append(r.clashes, clash{cell: c, at: r.instant})
				}
			}
		}
		r.did = true
	}
}

// unitOf names what changes together: the cell, or the whole fact.
func (o *Object) unitOf(c cell) string {
	if to, ok := o.find(c.path); ok && to.IsWhole {
		return to.Path
	}
	return c.path + between + c.member
}

// histories takes back what the change did to dated relations, by days.
func (r *reverting) histories() {
	for _, path := range slices.Sorted(maps.Keys(unionOf(r.was.periods, r.made.periods))) {
		if !r.concerns(path) {
			continue
		}
		was, made := r.was.periods[path], r.made.periods[path]
		if slices.EqualFunc(was, made, func(a, b history.Period[string]) bool { return a.ID == b.ID }) {
			continue
		}
		r.did = true
		next, inTheWay := history.Revert(r.cur.periods[path], history.Edit[string]{Before: was, After: made})
		for _, c := range inTheWay {
			r.clashes = append(r.clashes, clash{cell{path: path}, c.From, c.Through, r.instant})
		}
		if r.cur.periods[path] = next; next == nil {
			delete(r.cur.periods, path)
		}
	}
}

// statement is a value with the row in which it was stated.
type statement struct {
	value string
	id    int64
}

// stated returns periods whose values are told apart by their statements.
func stated(all []history.Period[string]) (as []history.Period[statement]) {
	for _, p := range all {
		as = append(as, history.Period[statement]{From: p.From, Through: p.Through, Value: statement{p.Value, p.Stated}})
	}
	return as
}

// culprits are the instants of the changes that put something in the way: those of the cell,
// or of the days, since.
func (o *Object) culprits(c clash) (all []time.Time) {
	for _, t := range o.instants(c.path, c.member) {
		if !t.After(c.at) {
			continue
		}
		if o.periods[c.path] == nil || slices.ContainsFunc(history.Differences(stated(o.known(c.path, before(t))), stated(o.known(c.path, t))),
			func(d history.Difference[statement]) bool {
				return date.OrMax(d.Through) >= c.from && d.From <= date.OrMax(c.through)
			}) {
			all = append(all, t)
		}
	}
	return all
}

func cellsOf(states ...map[cell]string) (all []cell) {
	for _, s := range states {
		for c := range s {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return strings.Compare(a.path+between+a.member, b.path+between+b.member) })
	return slices.Compact(all)
}

func unionOf[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func same(a, b map[cell]string, c cell) bool {
	was, hasOne := a[c]
	is, hasOther := b[c]
	return hasOne == hasOther && was == is
}

func sameAll(a, b map[cell]string, cells []cell) bool {
	return !slices.ContainsFunc(cells, func(c cell) bool { return !same(a, b, c) })
}

// isSame reports whether two states are the same, with the statements of their periods.
func (s state) isSame(other state) bool {
	return maps.Equal(s.cells, other.cells) && len(unionOf(s.periods, other.periods)) == len(s.periods) && len(s.periods) == len(other.periods) &&
		!slices.ContainsFunc(slices.Collect(maps.Keys(s.periods)), func(path string) bool { return !sameRows(s.periods[path], other.periods[path]) })
}

// sameRows compares periods but for the ids of their rows.
func sameRows(a, b []history.Period[string]) bool {
	return slices.EqualFunc(a, b, func(p, q history.Period[string]) bool {
		return p.From == q.From && date.OrMax(p.Through) == date.OrMax(q.Through) && p.Value == q.Value && p.Stated == q.Stated
	})
}

func (s state) clone() state {
	return state{cells: maps.Clone(s.cells), periods: maps.Clone(s.periods)}
}
