package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Verification is what Verify found in the flattened rows of a team.
type Verification struct {
	Build *Build
	// Nodes and Relations are how many rows differ from the periods of the day for which
	// they are, are missing, or are superfluous.
	Nodes, Relations int
}

// Verify flattens the periods of a team anew and compares. It leaves out rows for which a
// change waits, since the next rebuild writes them. Build is nil for a team that never
// had a change.
func (s *Service) Verify(ctx context.Context, teamID int64) (v Verification, err error) {
	for {
		if v.Build, err = s.Build(ctx, s.store, teamID); err != nil || v.Build == nil || v.Build.BuiltFor == nil || v.Build.ChangedVersion > v.Build.Version {
			return v, err
		}
		if v.Nodes, v.Relations, err = s.differences(ctx, teamID, *v.Build.BuiltFor); err != nil {
			return v, err
		}
		after, err := s.Build(ctx, s.store, teamID)
		if err != nil || after != nil && after.ChangedVersion == v.Build.ChangedVersion && sameDay(after.BuiltFor, v.Build.BuiltFor) {
			return v, err
		}
	}
}

// differences compares the rows with the periods of a day.
func (s *Service) differences(ctx context.Context, teamID int64, day date.Date) (nodes, relations int, err error) {
	f := flattening{tenant.From(ctx).ID, teamID, day}
	places, err := f.allPlaces(ctx, s.store, 0)
	if err != nil {
		return 0, 0, err
	}
	built := map[int64]node{}
	if _, err := store.Collect(ctx, s.store, scanNode(built), selectNode, f.tenantID, teamID); err != nil {
		return 0, 0, err
	}
	want := diff(nil, places, nil)
	missing := make(map[relation]bool, len(want.added))
	for _, rel := range want.added {
		missing[rel] = true
	}
	if _, err := store.Collect(ctx, s.store, func(row store.Scanner) (none struct{}, err error) {
		var rel relation
		err = row.Scan(&rel.ancestor, &rel.descendant, &rel.level)
		if !missing[rel] {
			relations++
		}
		delete(missing, rel)
		return none, err
	}, "SELECT c.ancestor_id, c.descendant_id, c.level FROM hierarchy_closure c WHERE c.tenant_id = $1 AND c.team_id = $2", f.tenantID, teamID); err != nil {
		return 0, 0, err
	}
	for id, n := range want.nodes {
		if got, ok := built[id]; !ok || got != n {
			nodes++
		}
		delete(built, id)
	}
	return nodes + len(built), relations + len(missing), nil
}

// RebuildWhole writes all flattened rows of a team anew.
func (s *Service) RebuildWhole(ctx context.Context, teamID int64) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	if _, err := s.Rebuild(ctx, teamID); err != nil {
		return err
	}
	return alone(ctx, func() error { return s.rewriteAll(ctx, t.ID, teamID) })
}

func (s *Service) rewriteAll(ctx context.Context, tenantID, teamID int64) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := lockRebuild(ctx, tx, tenantID, teamID); err != nil {
			return err
		}
		b, err := readBuild(ctx, tx, tenantID, teamID, 0, "")
		if err != nil || b == nil || b.BuiltFor == nil || b.ChangedVersion > b.Version { // then a rebuild is due, and writes them
			return err
		}
		f := flattening{tenantID, teamID, *b.BuiltFor}
		places, err := f.allPlaces(ctx, tx, 0)
		if err != nil {
			return err
		}
		c := diff(nil, places, nil)
		if err := f.rewrite(ctx, tx, c); err != nil {
			return err
		}
		return f.completeAlone(ctx, tx, b, len(c.nodes), len(c.added), s.clock.Now())
	})
}
