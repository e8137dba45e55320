package history

// Relation is a dated relation: what is true of an owner from a day to a day, with one
// value on each day. It says where its periods are stored; whoever reads or writes
// periods takes that from here.
type Relation struct {
	// Type names a period, and Name the list of its periods, in the graph and in reports.
	Type, Name string
	// Table holds its periods.
	Table string
	// Columns hold the value of a period.
	Columns []string
	// Owner is the column that says whose period it is, and Owners the table that it refers
	// to: that of the agents, or one whose rows belong to an agent.
	Owner, Owners string
	// OfTeam is true if an owner has a history in each team.
	OfTeam bool
}

// The dated relations.
var (
	PayStatuses = &Relation{Type: "PayStatusPeriod", Name: "payStatusPeriods", Table: "agency_pay_status_period", Columns: []string{"status"},
		Owner: "agent_id", Owners: agents}
	W9s = &Relation{Type: "W9Period", Name: "w9Periods", Table: "agency_w9_period", Columns: []string{"w9_id"},
		Owner: "agent_id", Owners: agents}
	Levels = &Relation{Type: "LevelPeriod", Name: "levelPeriods", Table: "agency_level_period", Columns: []string{"level"},
		Owner: "agent_id", Owners: agents, OfTeam: true}
	// A period whose upline was deleted keeps its code.
	Uplines = &Relation{Type: "UplinePeriod", Name: "uplinePeriods", Table: "agency_upline_period", Columns: []string{"upline_agent_id", "deleted_upline_code"},
		Owner: "agent_id", Owners: agents, OfTeam: true}
	CertificationStatuses = &Relation{Type: "CertificationPeriod", Name: "certificationPeriods", Table: "agency_certification_period", Columns: []string{"status"},
		Owner: "certification_id", Owners: "agency_certification"}
	// Requirements are of rules of products, and so of no agent.
	Requirements = &Relation{Type: "ProductRule", Name: "productRules", Table: "agency_product_rule_period",
		Columns: []string{"jurisdictions", "certification_types", "requires_all", "is_resident", "provider_company", "requires_active_status", "minimum_level", "upline_depth"},
		Owner:   "rule_id", Owners: "agency_product_rule"}
)

// Relations are all dated relations.
var Relations = []*Relation{PayStatuses, W9s, Levels, Uplines, CertificationStatuses, Requirements}

const agents = "agency_agent"

// Key returns the columns that, with the tenant, say whose history a period belongs to.
func (r *Relation) Key() []string {
	if r.OfTeam {
		return []string{"team_id", r.Owner}
	}
	return []string{r.Owner}
}

// IsOfAgents reports whether the owners are agents.
func (r *Relation) IsOfAgents() bool { return r.Owners == agents }
