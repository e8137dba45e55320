package hierarchy

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// View is the hierarchy of a team as of a day. Today's hierarchy, as it is known now, is
// read from the flattened rows, which may be behind (Build says so); any other is read
// from the periods, kept or walked, and is always right. All methods read for the tenant of the context, return tenant.ErrNone
// without one, and need the same number of statements for any hierarchy. Level is a
// distance: 1 is direct.
type View struct {
	TeamID int64
	history.AsOf
	// Today is the day it is in the tenant's zone.
	Today date.Date
	// history has the periods that are kept in memory; nil keeps none.
	history *kept
	// totals keeps the sizes of lists, and where their pages begin; nil keeps none.
	totals *listing.Totals
}

// Flattened reports whether the view is read from the flattened rows.
func (v View) Flattened() bool { return v.Day == v.Today && v.Known == history.Known{} }

// Range is a range of levels. "exact level wins" (Level) over the range; without bounds
// it has every level.
type Range struct {
	Level, Min, Max *int
}

func (r Range) isAll() bool { return r.Level == nil && r.Min == nil && r.Max == nil }

func (r Range) bounds() (lowest, highest int) {
	lowest, highest = 1, maxLevel
	if r.Level != nil {
		return *r.Level, min(*r.Level, maxLevel)
	}
	if r.Min != nil {
		lowest = *r.Min
	}
	if r.Max != nil {
		highest = min(*r.Max, maxLevel)
	}
	return lowest, highest
}

// below writes the source of the relations r below agents: columns ancestor_id,
// descendant_id and level. It returns the FROM and WHERE clauses, which follow the columns.
// isRoot returns the condition that a column is the agent's id, or that of one of several
// agents.
func (v View) below(s *store.SQL, tenantID int64, isRoot func(column string) string, levels Range) string {
	if v.Flattened() {
		return v.fromClosure(s, tenantID, levels) + " AND " + isRoot("r.ancestor_id")
	}
	return v.walk(s, tenantID, false, isRoot, levels)
}

// above is below for the relations above an agent.
func (v View) above(s *store.SQL, tenantID int64, isOwner func(column string) string, levels Range) string {
	if v.Flattened() {
		return v.fromClosure(s, tenantID, levels) + " AND " + isOwner("r.descendant_id")
	}
	return v.walk(s, tenantID, true, isOwner, levels)
}

// walked returns how a list reads relations r by walking the periods, once for the rows
// of a page and their total.
func walked(from func(s *store.SQL) string) (with, rows func(s *store.SQL)) {
	return func(s *store.SQL) {
		s.Write("WITH walk AS MATERIALIZED (" + s.Piece(func(s *store.SQL) {
			relations := from(s)
			s.Write("SELECT r.ancestor_id, r.descendant_id, r.level" + relations)
		}) + ") ")
	}, func(s *store.SQL) { s.Write("walk r WHERE true") }
}

// among returns the condition that a column is one of the ids. A single id is compared
// with =, so that the order of an index after that column can be used.
func among(q store.Querier, s *store.SQL, owners page.Owners) func(column string) string {
	if id, ok := owners.Single(s); ok {
		return is(id)
	}
	list := owners.List(s, q)
	return func(column string) string { return q.In(column, list) }
}

// window is a part of a sorted list: a number of rows after a number of skipped ones.
type window struct {
	orderBy       string
	offset, limit int
}

// ofEach returns a SELECT of relations r: the same part of the list of each of several
// roots. from has the clauses after the columns. For one root, only that part is read;
// for several, everything below them is ranked.
func (w window) ofEach(roots int, from string) string {
	const columns = "r.ancestor_id, r.descendant_id, r.level"
	if roots == 1 {
		return fmt.Sprintf("SELECT %s%s ORDER BY %s LIMIT %d OFFSET %d", columns, from, w.orderBy, w.limit, w.offset)
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT %s, row_number() OVER (PARTITION BY r.ancestor_id ORDER BY %s) AS place%s) r WHERE r.place > %d AND r.place <= %d",
		columns, columns, w.orderBy, from, w.offset, w.offset+w.limit)
}

// WriteUplines writes a SELECT of columns of the relations r – ancestor_id, descendant_id
// and level – between agents and those above them. A placeholder holds the ids of the
// agents.
func (v View) WriteUplines(s *store.SQL, q store.Querier, tenantID int64, agents, columns string) {
	from := v.above(s, tenantID, func(column string) string { return q.In(column, agents) }, Range{})
	s.Write("SELECT " + columns + from)
}

// WriteDownline writes a SELECT of columns of the relations r between the agents that isRoot
// says and those below them; as a condition, too.
func (v View) WriteDownline(s *store.SQL, tenantID int64, isRoot func(s *store.SQL, column string) string, columns string) {
	s.Write(s.Piece(func(s *store.SQL) {
		from := v.below(s, tenantID, func(column string) string { return isRoot(s, column) }, Range{})
		s.Write("SELECT " + columns + from)
	}))
}

func (v View) fromClosure(s *store.SQL, tenantID int64, levels Range) string {
	from := " FROM hierarchy_closure r WHERE r.tenant_id = " + s.Arg(tenantID) + " AND r.team_id = " + s.Arg(v.TeamID)
	if levels.isAll() {
		return from
	}
	lowest, highest := levels.bounds()
	return from + " AND r.level >= " + s.Arg(lowest) + " AND r.level <= " + s.Arg(highest)
}

// nodes returns a FROM and WHERE clause for the flattened nodes n.
func (v View) nodes(s *store.SQL, tenantID int64) string {
	return " FROM hierarchy_node n WHERE n.tenant_id = " + s.Arg(tenantID) + " AND n.team_id = " + s.Arg(v.TeamID)
}

// Sort keys of relations r.
var (
	byLevel      = page.Key{Name: "level", SQL: "r.level", Kind: page.Int}
	byAncestor   = page.Key{Name: "ancestor", SQL: "r.ancestor_id", Kind: page.Int}
	byDescendant = page.Key{Name: "descendant", SQL: "r.descendant_id", Kind: page.Int}
)

// collectByRoot runs a query whose rows begin with an agent above, and reads the rest of
// each row with scan.
func collectByRoot[T any](ctx context.Context, q store.Querier, scan func(store.Scanner) (T, error), s *store.SQL) (map[int64][]T, error) {
	byRoot := map[int64][]T{}
	_, err := store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var root int64
		one, err := scan(store.After(row, &root))
		byRoot[root] = append(byRoot[root], one)
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return byRoot, err
}

// single is for queries with one row for each root.
func single[T any](byRoot map[int64][]T) map[int64]T {
	one := make(map[int64]T, len(byRoot))
	for root, rows := range byRoot {
		one[root] = rows[0]
	}
	return one
}
