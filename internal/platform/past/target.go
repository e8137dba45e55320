package past

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Restorer writes what objects of a kind are to be, below the functions of its mutations: with
// the checks, keys, events and notes of these.
type Restorer interface {
	// Lock locks objects, and stamps the change after their last one.
	Lock(ctx context.Context, w *change.Writing, all []*Target) error
	// Restore sets the values of objects, and makes those again that were removed.
	Restore(ctx context.Context, w *change.Writing, all []*Target) error
	// Remove removes objects that were made.
	Remove(ctx context.Context, w *change.Writing, all []*Target) error
	// Restored is called when the change is kept.
	Restored(ctx context.Context)
}

// Target is an object, and what is to become of it.
type Target struct {
	*Object
	is, want state
	read     []*Fact
}

// LockRows locks the rows of objects, which have the column last_modified, and stamps the change
// after the last one.
func LockRows(ctx context.Context, w *change.Writing, table string, all []*Target) error {
	ids := make([]int64, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	var last time.Time
	_, err := store.Collect(ctx, w, func(row store.Scanner) (none struct{}, err error) {
		var at time.Time
		if err = row.Scan(&at); at.After(last) {
			last = at
		}
		return none, err
	}, "SELECT last_modified FROM "+table+" WHERE tenant_id = $1 AND "+w.In("id", "$2")+" ORDER BY id"+w.ForDelete(), w.Tenant.ID, w.List(ids))
	w.StampAfter(last)
	return err
}

// Touches reports whether a change names a fact of the relation with a path.
func (t *Target) Touches(path string) bool {
	return slices.ContainsFunc(t.read, func(f *Fact) bool { return f.Path == path })
}

// differs returns the paths at which two states differ.
func (s state) differs(other state) (paths []string) {
	for _, c := range cellsOf(s.cells, other.cells) {
		if !same(s.cells, other.cells, c) {
			paths = append(paths, c.path)
		}
	}
	for path := range unionOf(s.periods, other.periods) {
		if !sameRows(s.periods[path], other.periods[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// outcomes are what became of the fields of a target, which was read again after an instant.
func (t *Target) outcomes(o *Object, at time.Time) (all []Outcome) {
	removed := func(path, shown string) {
		all = append(all, Outcome{t.Entity, t.Key, path, []Difference{{Old: []Value{{Text: shown}}}}})
	}
	switch {
	case t.IsRemoved():
		removed("", t.Key)
		return all
	case t.IsMade():
		return []Outcome{{t.Entity, t.Key, "", []Difference{{New: []Value{{Text: t.Key}}}}}}
	}
	gone := t.RemovedParts()
	for _, path := range gone {
		to, _ := t.find(path)
		text, _ := t.textAt(cell{path: below(path, to.Lines[0].Path())}, before(at))
		removed(path, text)
	}
	for _, path := range t.is.differs(t.want) {
		if slices.ContainsFunc(gone, func(whole string) bool { return isUnder(path, whole) }) {
			continue
		}
		for _, p := range t.fields(path) {
			if d := o.difference(p, before(at), at); d != nil {
				all = append(all, Outcome{t.Entity, t.Key, p, d})
			}
		}
	}
	return all
}

// fields are the paths under which a cell is shown: a dated relation by the lines of its
// values.
func (o *Object) fields(path string) []string {
	to, ok := o.find(path)
	if !ok || to.Dated == nil || to.Dated.Rows == nil {
		return []string{path}
	}
	var all []string
	for _, l := range to.Dated.Rows.Lines {
		all = append(all, below(path, l.Path()))
	}
	return all
}

// IsRemoved reports whether the object is to be removed.
func (t *Target) IsRemoved() bool { return t.is.has(cell{}) && !t.want.has(cell{}) }

// IsMade reports whether the object is to be made again.
func (t *Target) IsMade() bool { return !t.is.has(cell{}) && t.want.has(cell{}) }

func (s state) has(c cell) bool {
	_, ok := s.cells[c]
	return ok
}

// RemovedParts are the paths of the parts that are to be removed.
func (t *Target) RemovedParts() (all []string) {
	for c := range t.is.cells {
		if c.member == "" && c.path != "" && t.isPresence(c.path) && !t.want.has(c) {
			all = append(all, c.path)
		}
	}
	slices.Sort(all)
	return all
}

// Differs are the paths below one whose values are to change.
func (t *Target) Differs(path string) (all []string) {
	for _, p := range t.is.differs(t.want) {
		if isUnder(p, path) {
			all = append(all, p)
		}
	}
	return all
}

// Text is what the value at a path is to be; nil for none. It is an error if it was sealed with
// a key that is lost.
func (t *Target) Text(path string) (*string, error) {
	text, ok := t.want.cells[cell{path: path}]
	switch {
	case !ok:
		return nil, nil
	case strings.HasPrefix(text, unreadable):
		return nil, problem.Invalid(problem.NotApplicable, t.Entity+" "+t.Key+" "+path+" was sealed with a key that is lost", "sequence")
	}
	return &text, nil
}

// TextNow is the value at a path now; empty for none.
func (t *Target) TextNow(path string) string { return t.is.cells[cell{path: path}] }

// Members are the members that a set is to get, and those that it is to lose, by their columns.
func (t *Target) Members(path string) (added, removed [][]string) {
	for _, c := range cellsOf(t.is.cells, t.want.cells) {
		if c.path != path {
			continue
		}
		switch is, want := t.is.has(c), t.want.has(c); {
		case is && !want:
			removed = append(removed, strings.Split(c.member, between))
		case want && !is:
			added = append(added, strings.Split(c.member, between))
		}
	}
	return added, removed
}

// AllMembers are all members that a set is to have.
func (t *Target) AllMembers(path string) (all [][]string) {
	for _, c := range cellsOf(t.want.cells) {
		if c.path == path && c.member != "" {
			all = append(all, strings.Split(c.member, between))
		}
	}
	return all
}

// Periods are what a dated relation is to be, with the statements of its periods; differs is
// false if it stays as it is.
func (t *Target) Periods(path string) (all []history.Period[string], differs bool) {
	return t.want.periods[path], !sameRows(t.is.periods[path], t.want.periods[path])
}

// PeriodsNow are the periods that a dated relation has now.
func (t *Target) PeriodsNow(path string) []history.Period[string] { return t.is.periods[path] }

// Has reports whether anything is to be there at or below a path.
func (t *Target) Has(path string) bool {
	for c := range t.want.cells {
		if isUnder(c.path, path) {
			return true
		}
	}
	return t.want.periods[path] != nil
}

// Line is a line of the values of a dated relation that is to change.
type Line struct {
	Path   string
	Sealed bool
	// Text is what it is to be on the first day that changes; nil for none.
	Text *string
}

// Lines are those in which the values of a dated relation are to differ.
func (t *Target) Lines(path string) (all []Line) {
	to, _ := t.find(path)
	for _, l := range to.Dated.Rows.Lines {
		to.line = &l
		for _, d := range t.days(to, path, t.is.periods[path], t.want.periods[path]) {
			line := Line{Path: below(path, l.Path()), Sealed: l.Sealed != ""}
			if d.New != nil {
				line.Text = &d.New[0].Text
			}
			all = append(all, line)
			break
		}
	}
	return all
}

// Since is when the object was made, in the past of a row that is made again.
func (t *Target) Since() time.Time {
	if spans := t.cells[cell{}]; len(spans) > 0 {
		return spans[0].from
	}
	return time.Time{}
}
