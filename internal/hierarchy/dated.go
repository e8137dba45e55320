package hierarchy

import (
	"context"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// dated is the downline of one agent on another day than today, as the team's kept periods
// have it. The statement that reads it finds out whether they still say what the stored
// ones do, and walks those if not: so what is read is of one state.
type dated struct {
	View
	store    *store.Store
	tenantID int64
	levels   Range
	rootID   int64
	version  int64
	// agents has a number for each agent, see idBits; by level, and by id.
	agents []int64
}

// In a number for an agent of a downline, these bits are its id; those above are its
// level. One list of numbers is the least that a statement can be given, and its order is
// that of downlines.
const (
	idBits = 48
	idMask = 1<<idBits - 1
)

// shallow is how many levels are walked sooner than the team's periods are read.
const shallow = 2

// datedOf returns the dated downline of a root. It returns nil for those that are walked:
// what is not kept, several at once, few levels, and those on Citus, where the statement
// was not tried.
func (v View) datedOf(ctx context.Context, q *store.Store, tenantID int64, roots page.Owners, levels Range) (*dated, error) {
	isOne := roots.One != nil || len(roots.IDs) == 1
	lowest, highest := levels.bounds()
	if !isOne || highest <= shallow || !v.keeps(ctx) || q.Sharded() {
		return nil, nil
	}
	d := dated{View: v, store: q, tenantID: tenantID, levels: levels, agents: []int64{}}
	var s store.SQL
	var rootID *int64
	root, _ := roots.Single(&s)
	s.Write("SELECT b.changed_version, CAST(" + root + " AS bigint) FROM hierarchy_build b WHERE " + d.ofTeam(&s, "b"))
	if found, err := store.One(ctx, q, []any{&d.version, &rootID}, s.Text(), s.Args()...); err != nil || !found || rootID == nil { // nobody has the agent code
		return nil, err
	}
	h, err := v.asOf(ctx, q, tenantID, d.version)
	if err != nil || h == nil {
		return nil, err
	}
	d.rootID, d.version = *rootID, h.version
	for i, here := range h.below(d.rootID, v.Day, highest) {
		begin := len(d.agents)
		for _, s := range here {
			if level := i + 1; level >= lowest {
				d.agents = append(d.agents, int64(level)<<idBits|h.agents[s.agent])
			}
		}
		slices.Sort(d.agents[begin:])
	}
	return &d, nil
}

// list completes a list of the downline. other writes a condition besides; nil for none.
func (d *dated) list(l listing.Rows, other func(s *store.SQL) string) listing.Rows {
	l.With = d.with
	if other != nil {
		l.From = func(s *store.SQL) {
			d.rows(s, d.agents)
			s.Write(other(s))
		}
		return l
	}
	l.From = func(s *store.SQL) { d.rows(s, d.agents) }
	l.OfPage = func(plan *page.Query) func(s *store.SQL) {
		return func(s *store.SQL) {
			d.rows(s, plan.Window(d.agents, func(place []any) int64 { return place[0].(int64)<<idBits | place[1].(int64) }))
		}
	}
	l.Total = func(s *store.SQL, _ string) {
		s.Write("SELECT CASE WHEN EXISTS (SELECT 1 FROM source) THEN CAST(? AS bigint) ELSE (SELECT count(*) FROM walk) END", len(d.agents))
	}
	return l
}

// with writes the expressions that rows reads: source has a row if nothing has changed
// since the periods were read, and walk has the relations if something has.
func (d *dated) with(s *store.SQL) {
	s.Write("WITH source AS MATERIALIZED (SELECT 1 FROM hierarchy_build b WHERE " + d.ofTeam(s, "b") + " AND b.changed_version = " + s.Arg(d.version) + "), walk AS MATERIALIZED (")
	root := s.Arg(d.rootID)
	relations := d.walk(s, d.tenantID, false, func(column string) string {
		return column + " = " + root + " AND NOT EXISTS (SELECT 1 FROM source)"
	}, d.levels)
	s.Write("SELECT r.ancestor_id, r.descendant_id, r.level" + relations + ") ")
}

// rows writes where the relations r of some agents of the downline are read from.
func (d *dated) rows(s *store.SQL, agents []int64) {
	s.Write(fmt.Sprintf("(SELECT CAST(%s AS bigint) AS ancestor_id, e.value & %d AS descendant_id, CAST(e.value >> %d AS integer) AS level FROM %s WHERE EXISTS (SELECT 1 FROM source)"+
		" UNION ALL SELECT w.ancestor_id, w.descendant_id, w.level FROM walk w) r WHERE true",
		s.Arg(d.rootID), int64(idMask), idBits, d.store.Each("e", s.Arg(d.store.List(agents)))))
}

func (d *dated) ofTeam(s *store.SQL, alias string) string {
	return alias + ".tenant_id = " + s.Arg(d.tenantID) + " AND " + alias + ".team_id = " + s.Arg(d.TeamID)
}

// below is View.below for the downline.
func (d *dated) below(s *store.SQL) string {
	d.with(s)
	return " FROM " + s.Piece(func(s *store.SQL) { d.rows(s, d.agents) })
}
