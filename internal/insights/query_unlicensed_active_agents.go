package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/value"
)

// home stands for the jurisdiction of an agent's home address.
const home = "home"

var unlicensedActiveAgents = &Report{
	Slug: "unlicensed-active-agents", Title: "Unlicensed active agents", MaxPageSize: 500, Scoped: true,
	Description: "Agents who are active by their pay status on a day, but have no active certification of a type in a jurisdiction then, with the last that they had. A certification without a jurisdiction is good in all of them.",
	Parameters: []Parameter{
		onDate,
		{Name: "type", Type: value.Text, Of: certificationTypes, Description: "The certification type that is missing.", DefaultText: "any of the category LICENSE"},
		{Name: "jurisdiction", Type: value.Text, Of: jurisdictions, Also: []string{home}, Default: Constant(home),
			Description: "Where: the code of a jurisdiction, or home for that of each agent's home address; who has none there is listed without."},
	},
	Columns: []Column{
		{Key: "agentCode", Label: "Agent code", Type: value.Text, Sortable: true},
		{Key: "name", Label: "Name", Type: value.Text},
		{Key: "payStatus", Label: "Pay status", Type: value.Text, Sortable: true},
		{Key: "jurisdiction", Label: "Jurisdiction", Type: value.Text, Sortable: true},
		{Key: "lastStatus", Label: "Status of the last certification", Type: value.Text},
		{Key: "lastEffectiveThrough", Label: "Last day of that status", Type: value.Date},
	},
	Keys: []string{"agent_id"},
	Make: unlicensed,
}

func unlicensed(ctx context.Context, r *Run) (rows []Row, err error) {
	agents, err := r.agents(ctx)
	if err != nil {
		return nil, err
	}
	types, err := r.licenceTypes(ctx)
	if err != nil {
		return nil, err
	}
	needs, day := authorization.Needs{Statuses: true, Homes: true, Types: types}, r.Day("onDate")
	if r.Text("jurisdiction") != home {
		needs.Places = []string{r.Text("jurisdiction")}
	}
	rule := authorization.Licensed(types)
	return rows, r.known(ctx, agents, needs, func(a agentRef, of *authorization.Agent) {
		status, _ := history.At(of.Statuses, day)
		place := r.Text("jurisdiction")
		if place == home {
			place = of.Home
		}
		if !status.Value.Active || of.Lacks(rule, place, day) == "" {
			return
		}
		row := Row{Values: []any{a.code, a.name, status.Value.Name, nil, nil, nil}, Keys: []int64{a.id}}
		if place != "" {
			row.Values[3] = place
		}
		if last, ok := of.Last(types, place, day); ok {
			if row.Values[4] = last.Value; last.Through != nil {
				row.Values[5] = *last.Through
			}
		}
		rows = append(rows, row)
	})
}
