package recipe

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

// Dataset is what a report can be made of: rows of a tenant, with fields that have
// a name and a type. Names in a definition are looked up here and nowhere else, so
// that no text of a recipe ever gets into a statement.
//
// No dataset has a sensitive value – taxpayer identifiers, bank details, what a W9
// says, anything that is encrypted – nor the birth date and the gender of an agent,
// free text, or the URLs, payloads and answers of webhooks: a recipe is shared by
// all tenants, so whoever writes one chooses what the staff of others puts into
// tables that leave the service.
type Dataset struct {
	Name, Description string
	// Scope is the scope that reading it needs, besides the scope to run reports.
	Scope  string
	Fields []Field

	// from is the table of the rows, and where the condition that every row meets. In
	// both, and in joins and fields, @tenant, @team and @onDate stand for arguments.
	from, where string
	joins       []insights.Join
	// key are columns that together differ for each row, which end every order.
	key []string
	// today replaces from on the tenant's today, if there is a faster way; sqlite does on
	// SQLite.
	today, sqlite string
	// ofNow says why the dataset cannot be answered as it was known; empty for one that can.
	ofNow string
	// prepare makes what @prepared stands for; nil for none.
	prepare func(*insights.Run, context.Context) (string, error)
}

// Field is a field of a dataset.
type Field struct {
	Name        string
	Type        value.Type
	Description string
	// Values are all possible values, for a String with a few.
	Values []string

	sql string
	// sqlite is the expression for SQLite, if it differs.
	sqlite string
	// join is the alias of the join that the expression needs, if any.
	join string
}

// datasets are all datasets, in the order in which they are shown.
var datasets = []*Dataset{
	agentsDataset, certificationsDataset, certificationPeriodsDataset, payStatusPeriodsDataset, uplinePeriodsDataset, levelPeriodsDataset,
	downlineDataset, applicationsDataset, productionDataset, commissionsDataset, webhookDeliveriesDataset, authorizationsDataset,
}

// Datasets returns the catalogue.
func Datasets() []*Dataset { return slices.Clone(datasets) }

func datasetOf(name string) *Dataset {
	i := slices.IndexFunc(datasets, func(d *Dataset) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return datasets[i]
}

func (d *Dataset) field(name string) *Field {
	i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &d.Fields[i]
}

func (d *Dataset) fieldNames() []string {
	names := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		names[i] = f.Name
	}
	return names
}

func datasetNames() []string {
	names := make([]string, len(datasets))
	for i, d := range datasets {
		names[i] = d.Name
	}
	return names
}

// on is the SQL of a field on a database.
func (f *Field) on(postgres bool) string {
	if !postgres && f.sqlite != "" {
		return f.sqlite
	}
	return f.sql
}

// joined returns the joins that expressions need, in their order.
func (d *Dataset) joined(used []expression) string {
	needed := map[string]bool{}
	for _, e := range used {
		needed[e.join] = true
	}
	for _, j := range slices.Backward(d.joins) {
		if needed[j.Alias] {
			needed[j.Needs] = true
		}
	}
	var b strings.Builder
	for _, j := range d.joins {
		if needed[j.Alias] {
			b.WriteString(" " + j.SQL)
		}
	}
	return b.String()
}

// The scopes that reading a dataset needs.
const (
	agentsScope       = "read:agents"
	applicationsScope = "agent-onboarding:applications:read"
	webhooksScope     = "read:webhook-subscriptions"
	factsScope        = "write:production"
)

// coversDay is the condition that the live period of an alias covers the day.
func coversDay(alias string) string { return history.Covers(alias, "@onDate") }

// Joins that several datasets have, of the agent whose id is a column.

func payStatusJoins(agent string) []insights.Join { return insights.PayStatusJoins(agent, "@onDate") }

func levelJoins(agent string) []insights.Join {
	return []insights.Join{insights.LevelJoin(agent, "@onDate"),
		{Alias: "al", Needs: "l", SQL: "LEFT JOIN agency_agent_level al ON al.tenant_id = @tenant AND al.team_id = @team AND al.value = l.level"},
	}
}

// Fields that several datasets have.

// agentFields are the fields of the agent that a row is about.
func agentFields() []Field {
	return []Field{
		{Name: "agentCode", Type: value.Text, Description: "Code of the agent.", sql: "a.code", join: "a"},
		{Name: "firstName", Type: value.Text, Description: "First name of the agent.", sql: "a.first_name", join: "a"},
		{Name: "lastName", Type: value.Text, Description: "Last name of the agent.", sql: "a.last_name", join: "a"},
	}
}

// standingFields are the values that the agent has on the day.
func standingFields() []Field {
	return []Field{
		{Name: "payStatus", Type: value.Text, Description: "Pay status of the agent on the day.", sql: "s.status", join: "s"},
		{Name: "isActive", Type: value.Boolean, Description: "Whether that pay status is an active one; false without one.", sql: "coalesce(ps.is_active, false)", join: "ps"},
	}
}

// periodFields are the fields of a period with the alias p.
func periodFields() []Field {
	return []Field{
		{Name: "effectiveFrom", Type: value.Date, Description: "First day of the period.", sql: "p.effective_from"},
		{Name: "effectiveThrough", Type: value.Date, Description: "Last day of the period; null while open-ended.", sql: "p.effective_through"},
		{Name: "isCurrent", Type: value.Boolean, Description: "Whether the period covers the day.",
			sql: "(p.effective_from <= @onDate AND (p.effective_through IS NULL OR p.effective_through >= @onDate))"},
		{Name: "recordedAt", Type: value.DateTime, Description: "When the period was written.", sql: "p.recorded_at"},
		{Name: "recordedBy", Type: value.Text, Description: "The initiator that wrote it.", sql: "p.recorded_by"},
	}
}
