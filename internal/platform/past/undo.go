package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
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

// Request says what is to be taken back.
type Request struct {
	// Numbers are entries of the trail. All that their writes changed is taken back.
	Numbers   []int64
	Initiator string
	// Readable are the types of objects that the caller may read about; nil for all.
	Readable []string
	// May refuses a mutation whose scope the caller does not have, Own changes that the caller
	// may not take back.
	May func(mutation string) error
	Own func([]*audit.Changed) error
	// DryRun is true to say what would happen, and change nothing.
	DryRun bool
}

// Undone is what taking changes back does.
type Undone struct {
	Outcomes []Outcome
	// Conflicts are the later changes that are in the way; then nothing was changed.
	Conflicts []*audit.Changed
	// Gone is how many changes are of what is not there any more, and were left alone
	// (UndoInParts).
	Gone int
}

// Outcome is what becomes of a field. Its path is empty for the whole object, which is removed
// or made again.
type Outcome struct {
	Entity, Key, Path string
	Differences       []Difference
}

// MostUndone limits the objects whose changes are taken back at once.
const MostUndone = 5000

// mostConflicts limits the conflicts that are named.
const mostConflicts = 100

// Undo takes changes back: what each did to each cell, the newest change first, unless a later
// one is in the way. All is written at one instant, and read again before it is kept.
func (p *Past) Undo(ctx context.Context, r Request) (*Undone, error) {
	all, err := p.writesOf(ctx, r)
	if err != nil {
		return nil, err
	}
	u := &undoing{Past: p, Request: r, changes: all, kinds: p.byKind(all)}
	if err := u.check(ctx); err != nil {
		return nil, err
	}
	write := p.changes.Write
	if r.DryRun {
		write = p.changes.Rehearse
	}
	ctx = change.WithDefaultReason(ctx, fmt.Sprintf("Takes back change %d", r.Numbers[0]))
	if err = write(whole(ctx), r.Initiator, u.run); errors.Is(err, errInTheWay) {
		return u.refused(ctx)
	}
	if err == nil && !r.DryRun {
		for _, k := range u.kinds {
			k.By.Restored(ctx)
		}
	}
	return &Undone{Outcomes: u.outcomes}, err
}

// refused is the outcome of an undo that later changes are in the way of. It is an error if none of
// them can be named.
func (u *undoing) refused(ctx context.Context) (*Undone, error) {
	conflicts := u.conflicts(ctx)
	if conflicts == nil {
		return nil, problem.Invalid(problem.PreconditionFailed, "was followed by changes of the same fields or days", "sequence")
	}
	return &Undone{Conflicts: conflicts}, nil
}

// whole returns a context that ignores the limit of the caller, who was asked what they may take
// back before.
func whole(ctx context.Context) context.Context {
	return tenant.Whole(ctx, "what is changed back is checked as the changes were")
}

// errInTheWay ends the transaction of an undo that later changes are in the way of.
var errInTheWay = errors.New("past: later changes are in the way")

// writesOf are all changes of the writes of some entries, if they are not too many.
func (p *Past) writesOf(ctx context.Context, r Request) ([]*audit.Changed, error) {
	all, err := p.allOf(ctx, r, mostChanges)
	if err != nil {
		return nil, err
	}
	objects := map[[2]string]bool{}
	for _, c := range all {
		objects[[2]string{c.EntityType, c.Key}] = true
	}
	if len(objects) > MostUndone || len(all) >= mostChanges {
		return nil, problem.Invalid(problem.OutOfRange, fmt.Sprintf("changed more than %d objects, which are not taken back at once: upline change undo %d does it, some at a time", MostUndone, r.Numbers[0]), "sequence")
	}
	return all, nil
}

// allOf are the changes of the writes of some entries, no more than so many; 0 for all. Half of a
// write is not taken back: it is refused if the caller may not read about all that it changed.
func (p *Past) allOf(ctx context.Context, r Request, most int) (all []*audit.Changed, err error) {
	list, err := p.trail.Changes(ctx, audit.Filter{WritesOf: r.Numbers})
	if err != nil {
		return nil, err
	}
	list.Max, list.Default = mostChanges, mostChanges
	for args, more := (page.Args{}), true; more; {
		found, err := list.Page(ctx, args)
		if err != nil {
			return nil, err
		}
		if all, more = append(all, found.Items...), found.HasNext && (most == 0 || len(all)+len(found.Items) < most); more {
			args.After = new(found.Cursor(found.Items[len(found.Items)-1]))
		}
	}
	for i, n := range r.Numbers {
		if !slices.ContainsFunc(all, func(c *audit.Changed) bool { return c.Seq == n && r.mayRead(c) }) {
			return nil, problem.Invalid(problem.NotFoundCode, "is the number of no change", []string{"sequence", "also"}[min(i, 1)])
		}
	}
	if i := slices.IndexFunc(all, func(c *audit.Changed) bool { return !r.mayRead(c) }); i >= 0 {
		return nil, problem.Invalid(problem.NotApplicable, "changed something of type "+all[i].EntityType+" as well, which the caller may not read about", "sequence")
	}
	return all, nil
}

func (r Request) mayRead(c *audit.Changed) bool {
	return r.Readable == nil || slices.Contains(r.Readable, c.EntityType)
}

// mostChanges is how many changed fields are read: as many as the most objects have.
const mostChanges = 200_000

// undoing takes changes back.
type undoing struct {
	*Past
	Request
	changes  []*audit.Changed
	kinds    []*changed
	targets  map[string][]*Target
	clashes  []objectClash
	outcomes []Outcome
	// isPart is true for a part of an undo: what is gone, or as before already, was taken back.
	isPart bool
	gone   int
}

// objectClash is a cell of an object that is in the way. Undone are the instants of the changes
// of the object that are taken back.
type objectClash struct {
	*Object
	clash
	undone []time.Time
}

// check refuses changes that nothing takes back, that the caller may not take back, or of which
// the values are not known.
func (u *undoing) check(ctx context.Context) error {
	if err := u.Own(u.changes); err != nil {
		return err
	}
	since, err := u.trail.KeptSince(ctx)
	if err != nil {
		return err
	}
	var refused problem.List
	needed := map[string]bool{}
	for _, c := range u.changes {
		k := u.Kind(c.EntityType)
		if reason := k.refusal(c, since); reason != nil {
			refused.Add(reason)
		} else if to, _ := k.find(c.Field); to.Fact != nil {
			needed[to.Takes] = true
		}
		if len(refused) == mostConflicts {
			break
		}
	}
	for _, mutation := range slices.Sorted(maps.Keys(needed)) {
		if err := u.May(mutation); err != nil {
			return err
		}
	}
	return refused.Err()
}

// refusal says why a change of a kind cannot be taken back, whatever has become of it since.
func (k *Kind) refusal(c *audit.Changed, since time.Time) *problem.Error {
	switch {
	case k == nil:
		return notUndone(c, "keeps no values, so it cannot be taken back")
	case k.By == nil:
		return notUndone(c, k.WhyNot)
	}
	to, ok := k.find(c.Field)
	switch {
	case !ok:
		return notUndone(c, "keeps no values, so it cannot be taken back")
	case to.Takes == "":
		return notUndone(c, "cannot be taken back")
	case to.Dated == nil && c.At.Before(since):
		return notUndone(c, "has no values any more, which are kept since "+since.UTC().Format(time.DateOnly))
	}
	return nil
}

func notUndone(c *audit.Changed, why string) *problem.Error {
	return problem.Invalid(problem.NotApplicable, strings.TrimSpace(c.EntityType+" "+c.Key+" "+c.Field)+" "+why, "sequence")
}

// whyNot says why the change of a field cannot be taken back, as things are now; nil if it can.
func (p *Past) whyNot(c *audit.Changed, o *Object, since time.Time) *problem.Error {
	k := p.Kind(c.EntityType)
	if reason := k.refusal(c, since); reason != nil {
		return reason
	}
	if o == nil || o.isGone(c.Field) {
		return notUndone(c, "was deleted for good")
	}
	is := o.at(now)
	cur := is.clone()
	path := c.Field
	if path == k.Label {
		path = ""
	}
	clashes, did := o.revert(&cur, c.At, path)
	switch {
	case len(clashes) > 0:
		return problem.Invalid(problem.PreconditionFailed, strings.TrimSpace(c.EntityType+" "+c.Key+" "+c.Field)+" was changed again since", "sequence")
	case !did:
		return notUndone(c, "has changed no value")
	case !is.has(cell{}) && cur.has(cell{}) && !k.IsRemade:
		return notUndone(c, "was deleted for good")
	case cur.isSame(is):
		return notUndone(c, "is as before already")
	}
	return nil
}

// run is Undo in its transaction: it locks, reads, takes back in memory, writes, and reads
// again.
func (u *undoing) run(ctx context.Context, w *change.Writing) error {
	u.targets, u.clashes, u.outcomes, u.gone = map[string][]*Target{}, nil, nil, 0
	if err := u.lock(ctx, w); err != nil {
		return err
	}
	changes := false
	for _, of := range u.kinds {
		all, err := u.targetsOf(ctx, w, of)
		if err != nil {
			return err
		}
		u.targets[of.Entity] = all
		changes = changes || len(all) > 0
	}
	switch {
	case len(u.clashes) > 0:
		return errInTheWay
	case !changes && u.isPart:
		return nil
	case !changes:
		return notUndone(u.changes[0], "is as before already")
	}
	w.Fix()
	for _, of := range u.inOrder() {
		if all := u.some(of, func(t *Target) bool { return !t.IsRemoved() }); len(all) > 0 {
			if err := of.By.Restore(ctx, w, all); err != nil {
				return err
			}
		}
	}
	for _, of := range slices.Backward(u.inOrder()) {
		if all := u.some(of, (*Target).IsRemoved); len(all) > 0 {
			if err := of.By.Remove(ctx, w, all); err != nil {
				return err
			}
		}
	}
	if err := w.Flush(ctx); err != nil {
		return err
	}
	return u.confirm(ctx, w)
}

// inOrder are the kinds with changes, what others refer to first.
func (u *undoing) inOrder() (all []*changed) {
	for _, k := range u.Past.kinds {
		if i := slices.IndexFunc(u.kinds, func(of *changed) bool { return of.Kind == k }); i >= 0 {
			all = append(all, u.kinds[i])
		}
	}
	return all
}

func (u *undoing) some(of *changed, is func(*Target) bool) (some []*Target) {
	for _, t := range u.targets[of.Entity] {
		if is(t) {
			some = append(some, t)
		}
	}
	return some
}

// lock locks all objects, those first that others come after: a hierarchy and its agents.
func (u *undoing) lock(ctx context.Context, w *change.Writing) error {
	for _, of := range slices.Backward(u.inOrder()) {
		objects, err := u.resolve(ctx, w, w.Tenant.ID, of)
		if err != nil {
			return err
		}
		var all []*Target
		for _, o := range distinct(objects) {
			t := &Target{Object: o, read: of.named()}
			if o.isMade {
				t.read = of.Facts
			}
			all = append(all, t)
		}
		if len(all) == 0 {
			continue
		}
		if err := errors.Join(of.By.Lock(ctx, w, all), w.Flush(ctx)); err != nil {
			return err
		}
	}
	return nil
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

// distinct returns objects by their ids.
func distinct(objects map[instant]*Object) (all []*Object) {
	for _, o := range objects {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *Object) int { return int(a.ID - b.ID) })
	return slices.Compact(all)
}

// Touches reports whether a change names a fact of the relation with a path.
func (t *Target) Touches(path string) bool {
	return slices.ContainsFunc(t.read, func(f *Fact) bool { return f.Path == path })
}

// targetsOf takes the changes of a kind back in memory, the newest first.
func (u *undoing) targetsOf(ctx context.Context, w *change.Writing, of *changed) (all []*Target, err error) {
	objects, err := u.read(ctx, w, of)
	if err != nil {
		return nil, err
	}
	var refused problem.List
	for _, c := range u.changes {
		if c.EntityType != of.Entity || len(refused) == mostConflicts {
			continue
		}
		switch o := objects[instant{c.Key, c.At}]; {
		case o != nil && !o.isGone(c.Field):
		case u.isPart:
			u.gone++
		default:
			refused.Add(notUndone(c, "was deleted for good"))
		}
	}
	if err := refused.Err(); err != nil {
		return nil, err
	}
	at := map[*Object][]time.Time{}
	for i, o := range objects {
		if !slices.ContainsFunc(at[o], i.at.Equal) {
			at[o] = append(at[o], i.at)
		}
	}
	for _, o := range distinct(objects) {
		w.StampAfter(o.last())
		t := &Target{Object: o, is: o.at(now), read: of.factsOf(o)}
		t.want = t.is.clone()
		slices.SortFunc(at[o], func(a, b time.Time) int { return b.Compare(a) })
		for _, instant := range at[o] {
			clashes, _ := o.revert(&t.want, instant)
			for _, c := range clashes {
				u.clashes = append(u.clashes, objectClash{o, c, at[o]})
			}
		}
		if t.IsMade() && !of.IsRemade {
			return nil, problem.Invalid(problem.NotApplicable, of.Entity+" "+o.Key+" was deleted for good", "sequence")
		}
		if !t.want.isSame(t.is) {
			all = append(all, t)
		}
	}
	return all, nil
}

// confirm reads again what was written. That everything is as it is to be is not taken on
// trust: checks of today may have changed a value of before.
func (u *undoing) confirm(ctx context.Context, w *change.Writing) error {
	for _, of := range u.inOrder() {
		again, whole, named := map[int64]*Object{}, map[int64]*Object{}, map[int64]*Object{}
		for _, t := range u.targets[of.Entity] {
			o := &Object{Kind: of.Kind, ID: t.ID, Key: t.Key}
			if again[t.ID], named[t.ID] = o, o; of.whole[t.ID] != nil {
				delete(named, t.ID)
				whole[t.ID] = o
			}
		}
		for _, some := range []struct {
			facts []*Fact
			byID  map[int64]*Object
		}{{of.Facts, whole}, {of.named(), named}} {
			r := reading{q: w, vault: u.vault, tenantID: w.Tenant.ID, kind: of.Kind, since: w.Now, byID: some.byID}
			if err := r.read(ctx, some.facts); err != nil {
				return err
			}
		}
		for _, t := range u.targets[of.Entity] {
			o := again[t.ID]
			if is := o.at(now); !is.isSame(t.want) {
				return fmt.Errorf("past: %s %s is not as it is to be: %s", of.Entity, t.Key, strings.Join(is.differs(t.want), ", "))
			}
			u.outcomes = append(u.outcomes, t.outcomes(o, w.Now)...)
		}
	}
	return nil
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

// conflicts are the entries of the later changes that are in the way, the newest first.
func (u *undoing) conflicts(ctx context.Context) (all []*audit.Changed) {
	type entry struct {
		seq                int64
		entity, key, field string
	}
	seen, read := map[entry]bool{}, map[string][]*audit.Changed{}
	for _, c := range u.clashes {
		for _, at := range c.culprits(c.clash) {
			if len(all) >= mostConflicts || slices.ContainsFunc(c.undone, at.Equal) {
				continue
			}
			change := fmt.Sprint(c.Entity, between, c.Key, between, at.UnixMicro())
			if _, ok := read[change]; !ok {
				read[change], _ = u.changesAt(ctx, c.Entity, c.Key, at) // without them the undo is refused as well
			}
			for _, e := range read[change] {
				if is := (entry{e.Seq, e.EntityType, e.Key, e.Field}); !seen[is] && c.isOf(e) {
					seen[is], all = true, append(all, e)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *audit.Changed) int { return cmp.Compare(b.Seq, a.Seq) })
	return all
}

// isOf reports whether an entry of a later change is about the cell that is in the way.
func (c objectClash) isOf(e *audit.Changed) bool {
	to, _ := c.find(e.Field)
	return e.Field == "" || isUnder(c.path, e.Field) || isUnder(e.Field, c.path) || to.Fact != nil && to.IsWhole && isUnder(c.path, to.Path)
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
