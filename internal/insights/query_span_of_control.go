package insights

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var spanOfControl = &Report{
	Slug: "span-of-control", Title: "Span of control", MaxPageSize: 500, Scoped: true,
	Description: "How many report to each agent on a day, directly and in all, how many levels there are below it, and how much of its downline is active by its pay status; whoever has the most direct reports first.",
	Parameters: []Parameter{onDate, {Name: "minDirect", Type: value.Integer, Most: 1_000_000, Default: Constant(int64(1)),
		Description: "Only agents with at least so many direct reports; 0 for everybody in the hierarchy."}},
	Columns: []Column{
		{Key: "agentCode", Label: "Agent code", Type: value.Text, Sortable: true},
		{Key: "name", Label: "Name", Type: value.Text},
		{Key: "directCount", Label: "Direct reports", Type: value.Integer, Sortable: true},
		{Key: "downlineCount", Label: "Downline", Type: value.Integer, Measure: true, Sortable: true},
		{Key: "maxDepth", Label: "Levels below", Type: value.Integer, Sortable: true},
		{Key: "activeShare", Label: "Active of 100 in the downline", Type: value.Decimal, Sortable: true},
	},
	Make: spanRows,
}

// reporting is an agent in the hierarchy of a day.
type reporting struct {
	id, upline      int64 // 0 for nobody
	code, name      string
	isHeld          bool // a period places it in the hierarchy
	isActive        bool
	direct, waiting int64 // how many of its reports are not added up yet
	downline, depth int64
	active          int64 // of the downline
}

// spanRows adds up the hierarchy from below, each agent once. SQL would count pairs of
// agents, which are as many times more as the hierarchy is deep.
func spanRows(ctx context.Context, r *Run) ([]Row, error) {
	read := *r
	if r.scope.kind == personal { // the agents below an agent are its span
		read.scope.kind = downline
	}
	agents, err := read.reporting(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.placeBelow(ctx, agents); err != nil {
		return nil, err
	}
	addUp(agents)
	var rows []Row
	for _, a := range agents {
		if !a.isHeld && a.direct == 0 || a.direct < int64(r.Int("minDirect")) || r.scope.kind == personal && a.id != r.scope.root {
			continue
		}
		rows = append(rows, Row{Keys: []int64{a.id}, Values: []any{a.code, a.name, a.direct, a.downline, a.depth, share(a.active, a.downline)}})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Values[2].(int64), a.Values[2].(int64)), strings.Compare(a.Values[0].(string), b.Values[0].(string)))
	})
	return rows, nil
}

// reporting reads the agents of the scope, without their direct uplines.
func (r *Run) reporting(ctx context.Context) ([]reporting, error) {
	var s store.SQL
	join, condition := r.onTheDay(&s, "a.id")
	r.Write(&s, "SELECT a.id, a.code, "+agentName+", coalesce(ps.is_active, false) FROM agency_agent a"+join+sqlOf(PayStatusJoins("a.id", "@onDate")...)+" WHERE a.tenant_id = @tenant"+condition)
	return store.Collect(ctx, r.q, func(row store.Scanner) (a reporting, err error) {
		return a, row.Scan(&a.id, &a.code, &a.name, &a.isActive)
	}, s.Text(), s.Args()...)
}

// placeBelow gives agents their direct uplines, with a read of its own: for a limited
// caller, whose uplines are narrowed by another join, SQLite would otherwise read all of
// them for each agent.
func (r *Run) placeBelow(ctx context.Context, agents []reporting) error {
	place := places(agents)
	var s store.SQL
	r.Write(&s, "SELECT p.agent_id, coalesce(p.upline_agent_id, 0) FROM agency_upline_period p WHERE p.tenant_id = @tenant AND p.team_id = @team AND "+history.Covers("p", "@onDate"))
	return store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var id, upline int64
		err := row.Scan(&id, &upline)
		if at, ok := place[id]; ok {
			agents[at].isHeld, agents[at].upline = true, upline
		}
		return err
	})
}

// places are the indexes of agents, by id.
func places(agents []reporting) map[int64]int {
	place := make(map[int64]int, len(agents))
	for i := range agents {
		place[agents[i].id] = i
	}
	return place
}

// addUp adds every agent to its upline once its own downline is complete. It ignores
// uplines outside of the scope.
func addUp(agents []reporting) {
	place := places(agents)
	var done []int
	for i := range agents {
		if up, ok := place[agents[i].upline]; ok {
			agents[up].direct++
			agents[up].waiting++
		}
	}
	for i := range agents {
		if agents[i].waiting == 0 {
			done = append(done, i)
		}
	}
	for len(done) > 0 {
		a := agents[done[len(done)-1]]
		done = done[:len(done)-1]
		at, ok := place[a.upline]
		if !ok {
			continue
		}
		up := &agents[at]
		up.downline += 1 + a.downline
		up.depth = max(up.depth, 1+a.depth)
		up.active += a.active
		if a.isActive {
			up.active++
		}
		if up.waiting--; up.waiting == 0 {
			done = append(done, at)
		}
	}
}
