package hierarchy_test

import (
	"context"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// relation is a pair of agents, one above the other.
type relation struct {
	AncestorID, DescendantID int64
	Level                    int
}

// relationsOf reads the pairs of a list.
func relationsOf(rows listing.Rows) listing.List[relation] {
	return listing.List[relation]{Rows: rows, Columns: "r.ancestor_id, r.descendant_id, r.level",
		Scan: func(row store.Scanner) (r relation, err error) {
			err = row.Scan(&r.AncestorID, &r.DescendantID, &r.Level)
			return r, err
		},
		Place: func(r relation, key string) any {
			return map[string]any{"level": r.Level, "ancestor": r.AncestorID, "descendant": r.DescendantID}[key]
		}}
}

// idsOf reads the agents of a list of roots.
func idsOf(rows listing.Rows) listing.List[int64] {
	return listing.List[int64]{Rows: rows, Columns: "r.agent_id", Scan: store.ScanOne[int64], Place: func(id int64, _ string) any { return id }}
}

// downlines reads the same page of the downline of each of several agents.
func downlines(ctx context.Context, v hierarchy.View, s *store.Store, roots []int64, levels hierarchy.Range, args page.Args) (map[int64]page.Page[relation], error) {
	l, err := v.DownlineList(ctx, s, page.Owners{IDs: roots}, levels)
	if err != nil {
		return nil, err
	}
	return relationsOf(l).Pages(ctx, roots, args)
}

// rootPage reads a page of the agents without an upline.
func rootPage(ctx context.Context, v hierarchy.View, s *store.Store, args page.Args) (page.Page[int64], error) {
	l, err := v.RootList(ctx, s)
	if err != nil {
		return page.Page[int64]{}, err
	}
	return idsOf(l).Page(ctx, args)
}

// memberPage reads a page of pairs of an agent and one above it, or one below it.
func memberPage(ctx context.Context, v hierarchy.View, s *store.Store, up bool, f hierarchy.MemberFilter, args page.Args) (page.Page[relation], error) {
	l, err := v.MemberList(ctx, s, f, up)
	if err != nil {
		return page.Page[relation]{}, err
	}
	return relationsOf(l).Page(ctx, args)
}
