package hierarchy

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// DownlineList is the list of the relations r between each of several agents and those
// below it, nearest first; "exact level wins" over a range. It can only be read by owner.
func (v View) DownlineList(ctx context.Context, q *store.Store, roots page.Owners, levels Range) (listing.Rows, error) {
	tenantID, err := tenant.ID(ctx)
	l := listing.Rows{
		Store: q, Name: "downline", Owner: "r.ancestor_id", Keys: []page.Key{byLevel, byDescendant},
	}
	if err != nil {
		return l, err
	}
	if d, err := v.datedOf(ctx, q, tenantID, roots, levels); err != nil || d != nil {
		return d.list(l, nil), err
	}
	if !v.Flattened() {
		l.With, l.From = walked(func(s *store.SQL) string { return v.below(s, tenantID, among(q, s, roots), levels) })
		return l, nil
	}
	l.From = func(s *store.SQL) { s.Write(strings.TrimPrefix(v.fromClosure(s, tenantID, levels), " FROM ")) }
	if q.Postgres() {
		l.Each = l.From
	}
	if levels.isAll() { // the count of the last rebuild is read
		l.Total = func(s *store.SQL, owner string) {
			s.Write("SELECT n.downline_count" + v.nodes(s, tenantID) + " AND n.agent_id = " + owner)
		}
	}
	return l, nil
}
