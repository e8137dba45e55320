package insights

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var authorizationExpirations = &Report{
	Slug: "authorization-expirations", Title: "What ends soon, by effect", MaxPageSize: 500, Scoped: true,
	Description: "Certifications that end within so many days, and how many sales authorizations of the day each of them stops, of its agent and of those below it who need it: agent, product and jurisdiction count as one. An authorization that several certifications stop on the same day counts for each.",
	Parameters: []Parameter{
		{Name: "withinDays", Type: value.Integer, Least: 1, Most: 3660, Default: Constant(int64(60)), Description: "So many days from the day."},
		// All products at once would take ten seconds in an agency of 2,000 on a busy machine.
		{Name: "product", Type: value.Text, Of: products, Required: true, Description: "The product."},
		{Name: "jurisdiction", Type: value.Text, Of: jurisdictions, Description: "Only this jurisdiction.", DefaultText: "all"},
		onDate,
	},
	Columns: []Column{
		{Key: "lastDay", Label: "Last day", Type: value.Date, Sortable: true},
		{Key: "agentCode", Label: "Agent code", Type: value.Text, Sortable: true},
		{Key: "certificationId", Label: "Certification", Type: value.Integer, Sortable: true},
		{Key: "type", Label: "Type", Type: value.Text, Sortable: true},
		{Key: "jurisdiction", Label: "Jurisdiction", Type: value.Text, Sortable: true},
		{Key: "stops", Label: "Authorizations that it stops", Type: value.Integer, Measure: true, Sortable: true},
	},
	Keys: []string{"certification_id", "agent_id"},
	Make: expirations,
}

func expirations(ctx context.Context, r *Run) ([]Row, error) {
	agents, err := r.agents(ctx)
	if err != nil {
		return nil, err
	}
	stops := map[int64]map[date.Date]int64{} // by certification and its last day
	within := r.Day("onDate").AddDays(r.Int("withinDays"))
	err = authorization.Ends(ctx, r.q, r.question(idsOf(agents)), within, func(row authorization.Row, why []authorization.Reason) {
		seen := map[int64]bool{}
		for _, reason := range why {
			if id := reason.CertificationID; id != 0 && !seen[id] {
				if seen[id] = true; stops[id] == nil {
					stops[id] = map[date.Date]int64{}
				}
				stops[id][*row.ValidThrough]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var (
		rows []Row
		s    store.SQL
	)
	r.Write(&s, "SELECT c.id, c.agent_id, a.code, c.type, c.jurisdiction FROM agency_certification c JOIN agency_agent a ON a.tenant_id = @tenant AND a.id = c.agent_id WHERE c.tenant_id = @tenant AND ")
	s.Write(r.q.In("c.id", s.Arg(r.q.List(slices.Sorted(maps.Keys(stops))))))
	err = store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			id, agent  int64
			code, kind string
			place      any
		)
		err := row.Scan(&id, &agent, &code, &kind, &place)
		for lastDay, n := range stops[id] {
			rows = append(rows, Row{Values: []any{lastDay, code, id, kind, place, n}, Keys: []int64{id, agent}})
		}
		return err
	})
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(value.Compare(a.Values[0], b.Values[0]), cmp.Compare(a.Keys[0], b.Keys[0]))
	})
	return rows, err
}
