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
	// count writes a SELECT of the number of agents below the owner on all levels.
	count(s *store.SQL, owner string)
}

// datedOf returns the dated downline of a root. It returns false for those that have no
// source: several at once, and those on Citus, where the statement was not tried.
func (v View) datedOf(ctx context.Context, q *store.Store, tenantID int64, roots page.Owners, levels Range) (dated, bool) {
	isOne := roots.One != nil || len(roots.IDs) == 1
	return dated{v, tenantID, roots, levels}, isOne && v.isDated(ctx) && !q.Sharded()
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
	return func(s *store.SQL, owner string) {
		s.Write("SELECT CASE WHEN EXISTS (SELECT 1 FROM source) THEN (" + s.Piece(func(s *store.SQL) { from.count(s, owner) }) + ") ELSE (SELECT count(*) FROM walk) END")
	}
}

func (d dated) ofTeam(s *store.SQL, alias string) string {
	return alias + ".tenant_id = " + s.Arg(d.tenantID) + " AND " + alias + ".team_id = " + s.Arg(d.TeamID)
}
