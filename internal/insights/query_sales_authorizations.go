package insights

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

var salesAuthorizations = &Report{
	Slug: "sales-authorizations", Title: "Sales authorizations", MaxPageSize: 500, Scoped: true,
	Description: "Whether each agent may sell a product in a jurisdiction on a day; if not, why not; through which uplines; and the last day on which the status is the same by itself. docs/authorization.md says what the reasons mean.",
	Parameters: []Parameter{
		{Name: "product", Type: value.Text, Of: products, Required: true, Description: "The product."},
		{Name: "jurisdiction", Type: value.Text, Of: jurisdictions, Required: true, Description: "Where."},
		{Name: "status", Type: value.Text, Allowed: authorization.Statuses.Texts(), Description: "Only agents with this status.", DefaultText: "both"},
		{Name: "reason", Type: value.Text, Allowed: authorization.Codes.Texts(), Description: "Only agents with a reason of this code."},
		onDate,
	},
	Columns: []Column{
		{Key: "agentCode", Label: "Agent code", Type: value.Text, Sortable: true},
		{Key: "name", Label: "Name", Type: value.Text},
		{Key: "product", Label: "Product", Type: value.Text},
		{Key: "jurisdiction", Label: "Jurisdiction", Type: value.Text},
		{Key: "status", Label: "Status", Type: value.Text, Sortable: true},
		{Key: "reasons", Label: "Reasons", Type: value.Text, Sortable: true},
		{Key: "through", Label: "Through", Type: value.Text},
		{Key: "validThrough", Label: "Last day", Type: value.Date, Sortable: true},
	},
	Keys: []string{"agent_id"},
	Make: func(ctx context.Context, r *Run) (rows []Row, err error) {
		agents, err := r.agents(ctx)
		if err != nil {
			return nil, err
		}
		for _, a := range agents {
			rows = append(rows, Row{Values: []any{a.code, a.name, nil, nil, nil, nil, nil, nil}, Keys: []int64{a.id}})
		}
		// Without a filter or an order by the answers, those of a page will do.
		if r.Given("status") || r.Given("reason") || slices.ContainsFunc(r.sort, func(c sortClause) bool { return r.Columns[c.column].Key != "agentCode" }) {
			rows, err = authorized(ctx, r, rows)
		}
		return rows, err
	},
	Complete: func(ctx context.Context, r *Run, rows []Row) ([]Row, error) {
		if len(rows) == 0 || rows[0].Values[4] != nil {
			return rows, nil
		}
		return authorized(ctx, r, rows)
	},
}

// authorized fills in the answers of agents, and returns the rows of those that have one.
func authorized(ctx context.Context, r *Run, rows []Row) (found []Row, err error) {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.Keys[0]
	}
	q := r.question(ids)
	if r.Given("status") {
		q.Status = new(authorization.Status(r.Text("status")))
	}
	if r.Given("reason") {
		q.Reason = new(authorization.Code(r.Text("reason")))
	}
	answers := map[int64]authorization.Row{}
	if err := authorization.Each(ctx, r.q, q, func(row authorization.Row) bool { answers[row.AgentID] = row; return true }); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if answer, ok := answers[row.Keys[0]]; ok {
			copy(row.Values[2:], cellsOf(answer))
			found = append(found, row)
		}
	}
	return found, nil
}

// cellsOf are the cells of an answer: product, jurisdiction, status, the different reasons,
// the uplines, the last day.
func cellsOf(row authorization.Row) []any {
	cells := []any{row.Product, row.Jurisdiction, string(row.Status), nil, nil, nil}
	var codes []string
	for _, why := range row.Reasons {
		if code := string(why.Code); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	if len(codes) > 0 {
		cells[3] = strings.Join(codes, ", ")
	}
	if len(row.Through) > 0 {
		cells[4] = strings.Join(row.Through, ", ")
	}
	if row.ValidThrough != nil {
		cells[5] = *row.ValidThrough
	}
	return cells
}

// maxAuthorized bounds what Authorized makes.
const maxAuthorized = 200_000

// Authorized returns, as a list in JSON, where agents may sell on the day of a run.
func (r *Run) Authorized(ctx context.Context) (string, error) {
	type authorized struct {
		AgentID      int64      `json:"agent_id"`
		Product      string     `json:"product"`
		Jurisdiction string     `json:"jurisdiction"`
		ValidThrough *date.Date `json:"valid_through"`
	}
	all := []authorized{}
	q := authorization.Question{AsOf: r.asOf(r.Day("onDate")), Status: new(authorization.Authorized)}
	err := authorization.Each(ctx, r.q, q, func(row authorization.Row) bool {
		all = append(all, authorized{row.AgentID, row.Product, row.Jurisdiction, row.ValidThrough})
		return len(all) <= maxAuthorized
	})
	if err == nil && len(all) > maxAuthorized {
		err = problem.Invalid(problem.OutOfRange, "has more rows than a report can have: export the list salesAuthorizations", "dataset").With("max", maxAuthorized)
	}
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(all)
	return string(text), err
}
