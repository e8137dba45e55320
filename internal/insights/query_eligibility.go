package insights

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

// The reasons why an agent is not eligible.
const (
	noPayStatus          = string(authorization.NoPayStatus)
	payStatusCannotPay   = string(authorization.PayStatusCannotBePaid)
	noW9                 = string(authorization.NoW9)
	noDirectDeposit      = string(authorization.NoDirectDeposit)
	uplineDeleted        = string(authorization.UplineDeleted)
	noCertification      = string(authorization.NoCertification)
	certificationNotGood = string(authorization.CertificationNotActive)
)

var eligibility = &Report{
	Slug: "eligibility", Title: "Commission eligibility", MaxPageSize: 500,
	Description: "Whether an agent, and every upline above it on a day, gets a commission for a sale of that day: it is payable, by its pay status, a W9 and direct deposit, and a certification of the type is active, in the jurisdiction if one is given. A certification without a jurisdiction is good in all of them. reason is " +
		noPayStatus + ", " + payStatusCannotPay + ", " + noW9 + ", " + noDirectDeposit + ", " + noCertification + " or " + certificationNotGood + ", the first that holds. Level 0 is the agent, 1 its direct upline. An upline that was deleted since is the last, with the reason " + uplineDeleted + ".",
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
	view := hierarchy.View{TeamID: r.team, AsOf: r.asOf(r.Day("onDate")), Today: r.Today}
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
	if err != nil {
		return nil, err
	}
	gone, err := r.deletedAbove(ctx, agents[len(agents)-1])
	if gone != "" {
		rows = append(rows, Row{Values: []any{int64(len(agents)), gone, nil, false, uplineDeleted}, Keys: []int64{0}})
	}
	return rows, err
}

// deletedAbove returns the code of the upline of an agent on the day that was deleted since;
// empty for none. A limited caller learns nothing of who is above itself.
func (r *Run) deletedAbove(ctx context.Context, agent int64) (code string, err error) {
	if limit, limited := tenant.LimitOf(ctx); limited && limit.AgentID == agent {
		return "", nil
	}
	var s store.SQL
	r.Write(&s, "SELECT p.deleted_upline_code FROM agency_upline_period p WHERE p.tenant_id = @tenant AND p.team_id = @team AND p.upline_agent_id IS NULL AND p.deleted_upline_code IS NOT NULL AND "+history.Covers("p", "@onDate"))
	s.Write(" AND p.agent_id = ?", agent)
	_, err = store.One(tenant.Whole(ctx, "an upline whom the caller does not see is not one that was deleted"), r.q, []any{&code}, s.Text(), s.Args()...)
	return code, err
}

// judge returns the reasons why agents are not eligible; nil for those who are.
func (r *Run) judge(ctx context.Context, agents []int64) (map[int64]any, error) {
	types, err := r.licenceTypes(ctx)
	if err != nil {
		return nil, err
	}
	needs, place := authorization.Needs{Statuses: true, Papers: true, Types: types}, authorization.Anywhere
	if r.Given("jurisdiction") {
		place = r.Text("jurisdiction")
		needs.Places = []string{place}
	}
	known, err := authorization.Load(ctx, r.q, r.asOf(r.Day("onDate")), agents, needs)
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
