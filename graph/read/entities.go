package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/history"
)

// entity is a type whose objects are read by the ids of their rows.
type entity struct {
	field plan.Field
	// hasViews is true if the object's global id names the view that it is read in.
	hasViews bool
}

// entities are the types whose objects are read by id, by their names. The rows of each
// have the columns of the tables that its fields are written from.
func (t *types) entities() map[string]entity {
	const ofAgent = " p JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id"
	byID := func(object *plan.Type, from, alias string, hasViews bool) entity {
		return entity{plan.ByID(whole(object), plan.Source{Rows: recordsByID(from, alias)}), hasViews}
	}
	of := map[string]entity{
		model.AgentType:         byID(t.agent, "agency_agent a", "a", true),
		model.CertificationNode: byID(t.undated, "agency_certification c", "c", true),
		history.CertificationStatuses.Type: byID(t.certificationPeriod(theTeam),
			"agency_certification_period p JOIN agency_certification c ON c.tenant_id = p.tenant_id AND c.id = p.certification_id", "p", true),
		model.AliasNode:          byID(t.alias(), "agency_alias l JOIN agency_agent a ON a.tenant_id = l.tenant_id AND a.id = l.agent_id", "l", true),
		model.TagNode:            byID(tagType, "agency_tag t", "t", false),
		model.TeamNode:           byID(t.team(theTeam), "agency_team t", "t", true),
		model.AgentLevelNode:     byID(agentLevel(theTeam), "agency_agent_level t", "t", false),
		model.HierarchyBuildNode: {plan.ByID(whole(hierarchyBuild), plan.Source{Objects: t.builds}), false},
	}
	for r := range t.ofAgents() {
		of[r.Type] = byID(t.periodOf(r, theTeam), r.Table+ofAgent, "p", true)
	}
	for name, kind := range map[string]*referenceKind{model.PayStatusNode: payStatuses, model.JurisdictionNode: jurisdictions,
		model.ProviderCompanyNode: providerCompanies, model.CertificationTypeNode: certificationTypes, model.ProductNode: products} {
		of[name] = byID(kind.objects(), kind.Table+" t", "t", false)
	}
	return of
}

// whole is a field that is an object itself.
func whole(object *plan.Type) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		return object.Object(c, at, f.SelectionSet)
	}
}

// recordsByID writes a SELECT of the rows with some ids. alias is that of their own table
// among those that they are read from.
func recordsByID(from, alias string) func(s *plan.Builder, columns string) {
	return func(s *plan.Builder, columns string) {
		s.Write("SELECT 0 AS total, " + alias + ".id AS owner, 1 AS place, " + columns + " FROM ")
		if s.Run.Store.Postgres() {
			s.Write(from + " WHERE " + s.Run.Store.In(alias+".id", s.Owners))
		} else { // which would rather read an index of all rows of the tenant that has the columns (decision 11)
			s.Write(s.Run.Store.Each("ids", s.Owners) + " CROSS JOIN " + from + " WHERE " + alias + ".id = ids.value")
		}
		s.Write(" AND " + alias + ".tenant_id = " + s.Tenant())
	}
}

// HasViews reports whether the global id of the objects of a type names the view that they
// are read in; ok is false for a type whose objects are not read by id.
func (e *Engine) HasViews(typeName string) (hasViews, ok bool) {
	r, ok := e.types[typeName]
	return r.hasViews, ok
}

func newTypes(e *Engine) *types {
	t := &types{teams: &teams{&agents{e, &plan.Type{Names: agentTypes}}}}
	t.certification, t.undated = t.certificationOf(besides), t.certificationOf(periodOfDay)
	t.agent.Fields = t.agentFields()
	return t
}

// queries are the fields of Query that have plans.
func (t *types) queries() map[string]plan.Field {
	agents := &plan.Connection{Name: "Agent", Node: t.agent, List: listed(t.Engine, lists.Agents, false)}
	return t.addPeriods(map[string]plan.Field{
		"agent": t.agentByCode, "agents": agents.Field, "alias": t.aliasByID, "aliases": t.aliases(""),
		"certification": t.certificationByID, "certifications": t.certifications(""), "certificationPeriods": t.certificationPeriods(""),
		"team": t.teamByName, "hierarchyBuild": t.hierarchyBuildOf,
		"uplineMembers": t.members(true, uplineMembers), "downlineMembers": t.members(false, downlineMembers),
		"tags": everyTag, "tag": tagByName, "tagAssignments": t.tagAssignments,
		"certificationTypes": certificationTypes.all("t.code"), "certificationType": certificationTypes.one,
		"products": products.all("t.code"), "product": products.one,
		"jurisdictions": jurisdictions.where(inCountry, "t.code"), "jurisdiction": jurisdictions.one,
		"payStatuses": payStatuses.all("t.sort_order", "t.name"), "payStatus": payStatuses.one,
		"providerCompanies": providerCompanies.all("t.code"), "agentLevels": t.agentLevels, "agentLevel": t.levelByValue,
	}, "")
}

// agentTypes are the names of the types that an agent has.
var agentTypes = []string{model.AgentType, "Node", "Audited"}
