package past

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

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
		all := u.some(of, (*Target).IsRemoved)
		if len(all) == 0 {
			continue
		}
		if err := of.refuseOwners(ctx, w, all); err != nil {
			return err
		}
		if err := of.By.Remove(ctx, w, all); err != nil {
			return err
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

// distinct returns objects by their ids.
func distinct(objects map[instant]*Object) (all []*Object) {
	for _, o := range objects {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *Object) int { return int(a.ID - b.ID) })
	return slices.Compact(all)
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
