package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/value"
)

var hierarchyChanges = &Report{
	Slug: "hierarchy-changes", Title: "Hierarchy changes", MaxPageSize: 500, Scoped: true,
	Description: "Agents who got another direct upline in a range of days, or their first, or lost it, with who recorded it first: a later change of other days does not count. With the scope downline, those who were in it on the day or on the day before.",
	Parameters:  rangeParameters,
	Columns: []Column{
		{Key: "effectiveFrom", Label: "First day", Type: value.Date, Sortable: true},
		{Key: "agentCode", Label: "Agent code", Type: value.Text, Sortable: true},
		{Key: "name", Label: "Name", Type: value.Text},
		{Key: "fromUpline", Label: "From", Type: value.Text, Sortable: true},
		{Key: "toUpline", Label: "To", Type: value.Text, Sortable: true},
		{Key: "initiator", Label: "Initiator", Type: value.Text, Sortable: true},
	},
	Keys:  []string{"agent_id"},
	Check: checkRange,
	Make: func(ctx context.Context, r *Run) ([]Row, error) {
		changes, err := transitions[string](ctx, r, uplinePeriods)
		rows := make([]Row, len(changes))
		for i, c := range changes {
			rows[i] = Row{Values: []any{c.on, c.code, c.name, orNil(c.from), orNil(c.to), c.by}, Keys: []int64{c.agentID}}
		}
		return rows, err
	},
}

var uplinePeriods = periods{
	table: "agency_upline_period", value: "coalesce(u.code, p.deleted_upline_code)",
	join:    " LEFT JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id",
	tellsBy: true,
}
