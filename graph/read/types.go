package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// types is the table that plans are compiled from. For each type it says from which
// columns the fields are written, and where the relations are read from.
type types struct {
	*Engine
	// certification is the type of certifications read with the period of the day,
	// undated that of certifications read without.
	agent, certification, undated *plan.Type
}

func newTypes(e *Engine) *types {
	t := &types{Engine: e}
	t.agent, t.certification, t.undated = &plan.Type{Names: agentTypes}, t.certificationOf(besides), t.certificationOf(periodOfDay)
	t.agent.Fields = t.agentFields()
	return t
}

// agentTypes are the names of the types that an agent has.
var agentTypes = []string{model.AgentType, "Node", "Audited"}

// queries are the fields of Query that have plans.
func (t *types) queries() map[string]plan.Field {
	agents := &plan.Connection{Name: "Agent", Node: t.agent, List: listed(t, lists.Agents, false)}
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

// agentByCode is the field Query.agent.
func (t *types) agentByCode(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.One(f, t.agent, plan.Source{Rows: func(s *plan.Builder, columns string) {
		code, _ := s.Run.Args["agentCode"].(string)
		s.Write("SELECT ").Write(columns).Write(" FROM agency_agent a WHERE a.tenant_id = ").Write(s.Tenant()).Write(" AND a.code = ?", code)
	}})
}

// listed is the list of a connection: of all objects, or of each owner.
func listed(t *types, list lists.List, ofOwner bool) func(f *ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
	return func(f *ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
		return func(r *plan.Run, _ page.Owners) (plan.List, error) {
			q := lists.Request{Agency: t.Agency, Ctx: r.Ctx, At: r.At, OfOwner: ofOwner, Arguments: r.Args}
			if ofOwner {
				q.Arguments = f.ArgumentMap(r.Variables)
			}
			return list(q)
		}
	}
}

// globalID writes the id of an object whose children depend on the view it is read in.
func globalID(typeName, column string) plan.Field {
	return plan.Leaf(column, rowset.Int, func(c plan.Column) plan.Write {
		return func(b []byte, r *plan.Run, row int) []byte {
			return plan.String(b, model.ViewID(typeName, c.Int(r, row), r.At))
		}
	})
}

// rowGlobalID writes the id of an object that is the same on all days.
func rowGlobalID(typeName, column string) plan.Field {
	return plan.Leaf(column, rowset.Int, func(c plan.Column) plan.Write {
		return func(b []byte, r *plan.Run, row int) []byte {
			return plan.String(b, model.RowID(typeName, c.Int(r, row)))
		}
	})
}

// viewed adds the fields of an object that is read as of a day.
func viewed(fields map[string]plan.Field) map[string]plan.Field {
	fields["asOf"] = asOf
	fields["asKnownAt"] = plan.Computed(func(b []byte, r *plan.Run, _ int) []byte {
		if at := r.At.Known.At(); at != nil {
			return plan.AppendInstant(b, *at)
		}
		return plan.Null(b)
	})
	return fields
}

var asOf = plan.Computed(func(b []byte, r *plan.Run, _ int) []byte { return plan.AppendDay(b, r.At.Day) })

// audited adds the fields of the interface Audited, from the columns of a table.
func audited(alias string, fields map[string]plan.Field) map[string]plan.Field {
	fields["createdAt"], fields["createdBy"] = plan.Instant(alias+".created_at"), plan.Text(alias+".created_by")
	fields["lastModified"], fields["lastModifiedBy"] = plan.Instant(alias+".last_modified"), plan.Text(alias+".last_modified_by")
	return fields
}

// ownedBy joins the row of a table that has the id of an agent and meets another
// condition.
func ownedBy(agent *plan.Place, also func(s *plan.Builder, alias string) string) plan.On {
	id := agent.Ref("a.id")
	return func(s *plan.Builder, alias string) {
		s.Write(alias).Write(".agent_id = ").Write(id)
		if also != nil {
			s.Write(" AND ").Write(also(s, alias))
		}
	}
}

// covering is the condition that a period covers the day that is read.
func covering(s *plan.Builder, alias string) string { return s.Run.At.Covers(alias, s.Arg) }

// agentAt joins the agent whose id a column holds.
func agentAt(at *plan.Place, column string) *plan.Place {
	id := at.Ref(column)
	return at.Join("agent "+column, "agency_agent", func(s *plan.Builder, alias string) { s.Write(alias + ".id = " + id) })
}

// agentOf is a field that is the agent whose id a column holds.
func (t *types) agentOf(column string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		return agentAt(at, column).Optional(c, t.agent, f, "a.id", rowset.Int)
	}
}

// teamOf is the placeholder of the id of the team that a field names; of no team's if there
// is none, which the field itself refuses (inKnownTeam).
func (t *types) teamOf(f *ast.Field) func(s *plan.Builder) string {
	return func(s *plan.Builder) string {
		if s.IsFailing() {
			return s.Arg(int64(0))
		}
		id, err := t.Agency.Team(s.Run.Ctx, teamArgument(f, s.Run))
		if plan.IsRefusal(err) {
			id, err = 0, nil
		}
		if err != nil {
			s.Fail(err)
		}
		return s.Arg(id)
	}
}

// arguments are the arguments of a field of a plan. The schema has checked their types.
type arguments map[string]any

// int returns an argument, nil if it is not given.
func (a arguments) int(name string) *int { return plan.OptionalInt(a[name]) }

func (a arguments) team() string {
	name, _ := a["team"].(string)
	return name
}
