package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

// The reasons why an agent is not eligible.
const (
	noPayStatus          = "NO_PAY_STATUS"
	payStatusCannotPay   = "PAY_STATUS_CANNOT_BE_PAID"
	noCertification      = "NO_CERTIFICATION"
	certificationNotGood = "CERTIFICATION_NOT_ACTIVE"
)

var eligibility = &Report{
	Slug: "eligibility", Title: "Commission eligibility", MaxPageSize: 500,
	Description: "Whether an agent, and every upline above it on a day, can be paid for a sale of that day: its pay status can be paid, and a certification of the type is active, in the jurisdiction if one is given. A certification without a jurisdiction is good in all of them. reason is " +
		noPayStatus + ", " + payStatusCannotPay + ", " + noCertification + " or " + certificationNotGood + ", the first that holds. Level 0 is the agent, 1 its direct upline.",
	Parameters: []Parameter{
		{Name: "agentCode", Type: value.Text, Required: true, Description: "The agent of the sale."},
		{Name: "type", Type: value.Text, Of: certificationTypes, Description: "The certification type that the sale needs.", DefaultText: "any of the category LICENSE"},
		{Name: "jurisdiction", Type: value.Text, Of: jurisdictions, Description: "Where the sale is.", DefaultText: "anywhere"},
		onDate,
	},
	Columns: []Column{
		{Key: "level", Label: "Level", Type: value.Integer, Sortable: true},
		{Key: "agentCode", Label: "Agent code", Type: value.Text, Sortable: true},
		{Key: "name", Label: "Name", Type: value.Text},
		{Key: "isEligible", Label: "Eligible", Type: value.Boolean},
		{Key: "reason", Label: "Reason", Type: value.Text, Sortable: true},
	},
	Keys: []string{"agent_id"},
	Make: chainEligibility,
}

// highestChain limits a chain of uplines; no chain comes near it.
const highestChain = 1 << 20

func chainEligibility(ctx context.Context, r *Run) ([]Row, error) {
	root, err := r.agent(ctx)
	if err != nil {
		return nil, err
	}
	view := hierarchy.View{TeamID: r.team, AsOf: history.AsOf{Day: r.Day("onDate")}, Today: r.Today}
	chains, err := view.Chain(ctx, r.q, []int64{root}, highestChain)
	if err != nil {
		return nil, err
	}
	agents := []int64{root}
	for _, link := range chains[root] {
		agents = append(agents, link.AgentID)
	}
	judged, err := r.judge(ctx, agents)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for level, id := range agents {
		if row, ok := judged[id]; ok {
			row.Values[0] = int64(level)
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// judge returns the rows of agents, without their levels.
func (r *Run) judge(ctx context.Context, agents []int64) (map[int64]Row, error) {
	var s store.SQL
	r.Write(&s, "SELECT a.id, a.code, "+agentName+`, ps.can_be_paid, (SELECT max(CASE WHEN l.status = 'ACTIVE' THEN 2 ELSE 1 END)
			FROM agency_certification c JOIN agency_certification_period l ON l.tenant_id = c.tenant_id AND l.certification_id = c.id AND `+history.Covers("l", "@onDate")+`
			WHERE c.tenant_id = @tenant AND c.agent_id = a.id`)
	r.licenceType(&s, "c.type")
	if r.Given("jurisdiction") {
		r.Write(&s, " AND (c.jurisdiction IS NULL OR c.jurisdiction = @jurisdiction)")
	}
	r.Write(&s, ") FROM agency_agent a"+sqlOf(PayStatusJoins("a.id", "@onDate")...)+" WHERE a.tenant_id = @tenant AND "+r.q.In("a.id", s.Arg(r.q.List(agents))))
	judged := map[int64]Row{}
	return judged, store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			id         int64
			code, name string
			canBePaid  *bool
			best       *int64
		)
		if err := row.Scan(&id, &code, &name, &canBePaid, &best); err != nil {
			return err
		}
		reason := any(nil)
		switch {
		case canBePaid == nil:
			reason = noPayStatus
		case !*canBePaid:
			reason = payStatusCannotPay
		case best == nil:
			reason = noCertification
		case *best < 2:
			reason = certificationNotGood
		}
		judged[id] = Row{Values: []any{nil, code, name, reason == nil, reason}, Keys: []int64{id}}
		return nil
	})
}
