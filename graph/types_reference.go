package graph

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/store"
)

// reference is a kind of reference data, to which rows refer by its key.
type reference struct {
	table, key string
	names      []string
	fields     map[string]plan.Field
}

// The kinds of reference data. Their table is t.
var (
	payStatuses = newReference(model.PayStatusNode, "agency_pay_status", "name", map[string]plan.Field{
		"description": plan.Text("t.description"), "isActive": plan.Bool("t.is_active"), "canBePaid": plan.Bool("t.can_be_paid"), "sortOrder": plan.Int("t.sort_order"),
	})
	jurisdictions = newReference(model.JurisdictionNode, "agency_jurisdiction", "code", map[string]plan.Field{
		"name": plan.Text("t.name"), "country": plan.Text("t.country"), "kind": plan.Text("t.kind"), "isEnabled": plan.Bool("t.is_enabled"),
	})
	providerCompanies = newReference(model.ProviderCompanyNode, "agency_provider_company", "code", map[string]plan.Field{
		"name": plan.Text("t.name"), "naicCode": plan.Text("t.naic_code"), "isEnabled": plan.Bool("t.is_enabled"),
	})
	certificationTypes = newReference(model.CertificationTypeNode, "agency_certification_type", "code", map[string]plan.Field{
		"name": plan.Text("t.name"), "description": plan.Text("t.description"), "category": plan.Enum(agency.CertificationCategories, "t.category"),
		"requiresJurisdiction": plan.Bool("t.requires_jurisdiction"), "requiresProviderCompany": plan.Bool("t.requires_provider_company"), "isEnabled": plan.Bool("t.is_enabled"),
	})
)

func newReference(typeName, table, key string, fields map[string]plan.Field) *reference {
	fields["id"], fields[key] = rowGlobalID(typeName, "t.id"), plan.Text("t."+key)
	return &reference{table, key, []string{typeName, "Node", "Audited"}, audited("t", fields)}
}

// at joins the record whose key a column holds.
func (k *reference) at(at *plan.Place, column string) *plan.Place {
	key := at.Ref(column)
	return at.Join(k.table+" "+column, k.table, func(s *plan.Builder, alias string) { s.Write(alias + "." + k.key + " = " + key) })
}

// field is the record whose key a column holds. Nothing is read where no more than the
// key is asked for.
func (k *reference) field(column string) plan.Field {
	onlyKey := &plan.Type{Names: k.names, Fields: map[string]plan.Field{k.key: plan.Text(column)}}
	all := &plan.Type{Names: k.names, Fields: k.fields}
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		if write := at.Optional(c, onlyKey, f.SelectionSet, column, store.TextCell); write != nil {
			return write
		}
		return k.at(at, column).Optional(c, all, f.SelectionSet, "t.id", store.IntCell)
	}
}

// agentLevel is the level of a period of one.
func agentLevel(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	value, team := at.Ref("p.level"), at.Ref("p.team_id")
	level := at.Join("level", "agency_agent_level", func(s *plan.Builder, alias string) {
		s.Write(alias + ".team_id = " + team + " AND " + alias + ".value = " + value)
	})
	return level.Optional(c, agentLevels, f.SelectionSet, "t.id", store.IntCell)
}

var agentLevels = &plan.Type{Names: []string{model.AgentLevelNode, "Node", "Audited"}, Fields: audited("t", map[string]plan.Field{
	"id": rowGlobalID(model.AgentLevelNode, "t.id"), "value": plan.Int("t.value"), "name": plan.Text("t.name"), "description": plan.Text("t.description"), "isEnabled": plan.Bool("t.is_enabled"),
})}

var tagType = &plan.Type{Names: []string{"Tag", "Node", "Audited"}, Fields: audited("t", map[string]plan.Field{
	"id": rowGlobalID(model.TagNode, "t.id"), "name": plan.Text("t.name"), "description": plan.Text("t.description"), "color": plan.Text("t.color"),
})}

// tagsOfAgent are those an agent wears, by name. How many wear one is left to the executor.
func tagsOfAgent(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return c.All(at, f, "a.id", tagType, func(s *plan.Builder, columns string) {
		s.Write("SELECT 0 AS total, x.agent_id AS owner, row_number() OVER (PARTITION BY x.agent_id ORDER BY t.name) AS place, " + columns +
			" FROM agency_tag_assignment x JOIN agency_tag t ON t.tenant_id = x.tenant_id AND t.name = x.tag WHERE x.tenant_id = " + s.Tenant() +
			" AND " + s.Run.Store.In("x.agent_id", s.Owners))
	})
}
