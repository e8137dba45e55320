package past

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

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

// refused is the outcome of an undo that later changes are in the way of. It is an error if none of
// them can be named.
func (u *undoing) refused(ctx context.Context) (*Undone, error) {
	conflicts, err := u.conflicts(ctx)
	if err == nil && conflicts == nil {
		err = problem.Invalid(problem.PreconditionFailed, "was followed by changes of the same fields or days", "sequence")
	}
	if err != nil {
		return nil, err
	}
	return &Undone{Conflicts: conflicts}, nil
}

// conflicts are the entries of the later changes that are in the way, the newest first.
func (u *undoing) conflicts(ctx context.Context) (all []*audit.Changed, err error) {
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
				if read[change], err = u.changesAt(ctx, c.Entity, c.Key, at); err != nil {
					return nil, err
				}
			}
			for _, e := range read[change] {
				if is := (entry{e.Seq, e.EntityType, e.Key, e.Field}); !seen[is] && c.isOf(e) {
					seen[is], all = true, append(all, e)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *audit.Changed) int { return cmp.Compare(b.Seq, a.Seq) })
	return all, nil
}

// isOf reports whether an entry of a later change is about the cell that is in the way.
func (c objectClash) isOf(e *audit.Changed) bool {
	to, _ := c.find(e.Field)
	return e.Field == "" || isUnder(c.path, e.Field) || isUnder(e.Field, c.path) || to.Fact != nil && to.IsWhole && isUnder(c.path, to.Path)
}

// objectClash is a cell of an object that is in the way. Undone are the instants of the changes
// of the object that are taken back.
type objectClash struct {
	*Object
	clash
	undone []time.Time
}

// refuseOwners refuses to remove objects to which something belongs that the change did not make.
func (k *Kind) refuseOwners(ctx context.Context, w *change.Writing, all []*Target) error {
	ids := make([]int64, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	var refused problem.List
	for _, b := range k.Blocks {
		owners, err := store.Collect(ctx, w, store.ScanOne[int64], "SELECT DISTINCT "+b.Column+" FROM "+b.Table+" WHERE tenant_id = $1 AND "+w.In(b.Column, "$2"), w.Tenant.ID, w.List(ids))
		if err != nil {
			return err
		}
		for _, t := range all {
			if slices.Contains(owners, t.ID) {
				refused.Add(problem.Invalid(problem.NotApplicable, k.Entity+" "+t.Key+" "+b.Words+", and would be deleted", "sequence"))
			}
		}
	}
	return refused.Err()
}
