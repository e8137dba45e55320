package past

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
)

// partSize is how many objects a part of an undo has.
const partSize = 1000

// UndoInParts takes all back that the writes of some entries changed, however much it is, so
// many objects at a time: the last that were changed come first. If a later change is in the
// way of any of them, nothing is changed. What is interrupted goes on when it is called again,
// since what is as before already is left alone. done is told how many objects of all were gone
// through.
func (p *Past) UndoInParts(ctx context.Context, r Request, done func(objects, all int)) (*Undone, error) {
	parts, all, err := p.partsOf(ctx, r)
	if err != nil {
		return nil, err
	}
	undone := &Undone{}
	for _, part := range parts {
		u := &undoing{Past: p, Request: r, changes: part, kinds: p.byKind(part), isPart: true}
		if err := u.check(ctx); err != nil {
			return nil, err
		}
		err := p.changes.Rehearse(whole(ctx), r.Initiator, u.look)
		if err != nil {
			return nil, err
		}
		if len(u.clashes) > 0 {
			return u.refused(ctx)
		}
	}
	if r.DryRun {
		return undone, nil
	}
	ctx = change.WithDefaultReason(ctx, fmt.Sprintf("Takes back change %d", r.Numbers[0]))
	count := 0
	for _, part := range parts {
		u := &undoing{Past: p, Request: r, changes: part, kinds: p.byKind(part), isPart: true}
		err := p.changes.Write(whole(ctx), r.Initiator, u.run)
		if errors.Is(err, errInTheWay) { // somebody has changed something meanwhile
			return u.refused(ctx)
		}
		if err != nil {
			return undone, err
		}
		undone.Outcomes, undone.Gone = append(undone.Outcomes, u.outcomes...), undone.Gone+u.gone
		count += min(partSize, all-count)
		done(count, all)
	}
	return undone, nil
}

// look reads what would be taken back, and what is in the way.
func (u *undoing) look(ctx context.Context, w *change.Writing) error {
	u.clashes = nil
	for _, of := range u.kinds {
		if _, err := u.targetsOf(ctx, w, of); err != nil {
			return err
		}
	}
	return nil
}

// partsOf are the changes of the writes of some entries, by parts with so many objects, and how
// many objects there are.
func (p *Past) partsOf(ctx context.Context, r Request) (parts [][]*audit.Changed, objects int, err error) {
	all, err := p.allOf(ctx, r, 0)
	if err != nil {
		return nil, 0, err
	}
	byObject, order := map[[2]string][]*audit.Changed{}, [][2]string(nil)
	for _, c := range all {
		o := [2]string{c.EntityType, c.Key}
		if byObject[o] == nil {
			order = append(order, o)
		}
		byObject[o] = append(byObject[o], c)
	}
	for some := range slices.Chunk(order, partSize) {
		var part []*audit.Changed
		for _, o := range some {
			part = append(part, byObject[o]...)
		}
		parts = append(parts, part)
	}
	return parts, len(order), nil
}
