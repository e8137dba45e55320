package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/value"
)

var levelChanges = &Report{
	Slug: "level-changes", Title: "Level changes", MaxPageSize: 500, Scoped: true,
	Description: "Agents who got another agent level in a range of days, or their first, or lost it. With the scope downline, those who were in it on the day or on the day before.",
	Parameters:  rangeParameters,
	Columns: []Column{
		{Key: "effectiveFrom", Label: "First day", Type: value.Date, Sortable: true},
		{Key: "agentCode", Label: "Agent code", Type: value.Text, Sortable: true},
		{Key: "name", Label: "Name", Type: value.Text},
		{Key: "fromLevel", Label: "From", Type: value.Integer, Sortable: true},
		{Key: "toLevel", Label: "To", Type: value.Integer, Sortable: true},
	},
	Keys:  []string{"agent_id"},
	Check: checkRange,
	Make: func(ctx context.Context, r *Run) ([]Row, error) {
		changes, err := transitions[int64](ctx, r, periods{table: "agency_level_period", value: "p.level"})
		rows := make([]Row, len(changes))
		for i, c := range changes {
			rows[i] = Row{Values: []any{c.on, c.code, c.name, orNil(c.from), orNil(c.to)}, Keys: []int64{c.agentID}}
		}
		return rows, err
	},
}
