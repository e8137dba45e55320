package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// dated is the downline of one agent on another day than today, which walking the periods
// always finds.
type dated struct {
	View
	tenantID int64
	root     page.Owners
	levels   Range
}

// source is where a dated downline may be read for less than by walking. One statement
// finds out whether it says the same, and walks if it does not: so what is read is of one
// state.
type source interface {
	// holds writes the expression source, which has a row if the source says the same as
	// the periods, and others that this needs.
	holds(s *store.SQL)
	// relations writes a SELECT of the relations r, with a WHERE clause.
	relations(s *store.SQL)
	// count writes a SELECT of the number of agents below on all levels.
	count(s *store.SQL)
}

// shallow is how many levels are walked sooner than a source is found to hold.
const shallow = 2

// datedOf returns the dated downline of a root. It returns false for those that are
// walked: several at once, few levels, and those on Citus, where the statement was not
// tried.
func (v View) datedOf(ctx context.Context, q *store.Store, tenantID int64, roots page.Owners, levels Range) (dated, bool) {
	isOne := roots.One != nil || len(roots.IDs) == 1
	_, highest := levels.bounds()
	return dated{v, tenantID, roots, levels}, isOne && highest > shallow && v.isDated(ctx) && !q.Sharded()
}

// belowOf is below for lists that may be dated.
func (v View) belowOf(ctx context.Context, q *store.Store, s *store.SQL, tenantID int64, roots page.Owners, levels Range) (string, error) {
	d, ok := v.datedOf(ctx, q, tenantID, roots, levels)
	if !ok {
		return v.below(s, tenantID, among(q, s, roots), levels), nil
	}
	from, err := d.source(ctx, q)
	if err != nil {
		return "", err
	}
	d.with(from)(s)
	return " FROM " + s.Piece(d.rows(from)), nil
}

// source returns the periods that are kept in memory, if they are, and otherwise today's
// flattened rows.
func (d dated) source(ctx context.Context, q *store.Store) (source, error) {
	if k, err := d.kept(ctx, q); k != nil || err != nil {
		return k, err
	}
	return alike{d}, nil
}

// with writes the expressions that rows and total read: source has a row if the source
// holds, and walk has the relations if it does not.
func (d dated) with(from source) func(s *store.SQL) {
	return func(s *store.SQL) {
		s.Write("WITH ")
		from.holds(s)
		s.Write(", walk AS MATERIALIZED (")
		root, _ := d.root.Single(s)
		relations := d.below(s, d.tenantID, func(column string) string {
			return column + " = " + root + " AND NOT EXISTS (SELECT 1 FROM source)"
		}, d.levels)
		s.Write("SELECT r.ancestor_id, r.descendant_id, r.level" + relations + ") ")
	}
}

// rows writes where the relations r are read from.
func (d dated) rows(from source) func(s *store.SQL) {
	return func(s *store.SQL) {
		s.Write("(" + s.Piece(from.relations) + " AND EXISTS (SELECT 1 FROM source) UNION ALL SELECT w.ancestor_id, w.descendant_id, w.level FROM walk w) r WHERE true")
	}
}

// total writes how many there are on all levels.
func (d dated) total(from source) func(s *store.SQL, owner string) {
	return func(s *store.SQL, _ string) {
		s.Write("SELECT CASE WHEN EXISTS (SELECT 1 FROM source) THEN coalesce((" + s.Piece(from.count) + "), 0) ELSE (SELECT count(*) FROM walk) END")
	}
}

func (d dated) ofTeam(s *store.SQL, alias string) string {
	return alias + ".tenant_id = " + s.Arg(d.tenantID) + " AND " + alias + ".team_id = " + s.Arg(d.TeamID)
}
