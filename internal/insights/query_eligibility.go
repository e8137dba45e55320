package insights

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/value"
)

// The reasons why an agent is not eligible.
const (
	noPayStatus          = string(authorization.NoPayStatus)
	payStatusCannotPay   = string(authorization.PayStatusCannotBePaid)
	noCertification      = string(authorization.NoCertification)
	certificationNotGood = string(authorization.CertificationNotActive)
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
	reasons, err := r.judge(ctx, agents)
	if err != nil {
		return nil, err
	}
	named, err := r.agents(ctx, agents...)
	var rows []Row
	for level, id := range agents {
		if i := slices.IndexFunc(named, func(a agentRef) bool { return a.id == id }); i >= 0 {
			rows = append(rows, Row{Values: []any{int64(level), named[i].code, named[i].name, reasons[id] == nil, reasons[id]}, Keys: []int64{id}})
		}
	}
	return rows, err
}

// judge returns the reasons why agents are not eligible; nil for those who are.
func (r *Run) judge(ctx context.Context, agents []int64) (map[int64]any, error) {
	types, err := r.licenceTypes(ctx)
	if err != nil {
		return nil, err
	}
	needs, place := authorization.Needs{Statuses: true, Types: types}, authorization.Anywhere
	if r.Given("jurisdiction") {
		place = r.Text("jurisdiction")
		needs.Places = []string{place}
	}
	known, err := authorization.Load(ctx, r.q, history.AsOf{Day: r.Day("onDate")}, agents, needs)
	reasons := map[int64]any{}
	for id, a := range known {
		switch code := a.Lacks(authorization.Payable(types), place, r.Day("onDate")); code {
		case "":
		case authorization.CertificationLapsed: // on the day there is none
			reasons[id] = noCertification
		default:
			reasons[id] = string(code)
		}
	}
	return reasons, err
}
