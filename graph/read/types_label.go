package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// alias is the type of aliases l of agents a.
func (t *agents) alias() *plan.Type {
	return &plan.Type{Names: []string{model.AliasNode, "Node", "Audited"}, Fields: audited("l", map[string]plan.Field{
		"id": globalID(model.AliasNode, "l.id"), "databaseId": plan.Int("l.id"), "agent": t.here,
		"identifier": plan.Text("l.identifier"), "providerCompany": providerCompanies.field("l.provider_company"),
	})}
}

// aliasByID is the field Query.alias.
func (t *agents) aliasByID(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.One(f, t.alias(), plan.Source{Rows: func(s *plan.Builder, columns string) {
		id, _ := s.Run.Args["id"].(string)
		s.Write("SELECT " + columns + " FROM agency_alias l JOIN agency_agent a ON a.tenant_id = l.tenant_id AND a.id = l.agent_id WHERE l.tenant_id = " +
			s.Tenant() + " AND l.id = " + s.Arg(model.RowOf(model.AliasNode, id)))
	}})
}

// aliases is a connection of aliases: of all agents, or of one.
func (t *agents) aliases(owner string) plan.Field {
	aliases := &plan.Connection{Name: "Alias", Node: t.alias(), Owner: owner, List: listed(t.Engine, lists.Aliases, owner != "")}
	return aliases.Field
}

var tagType = func() *plan.Type {
	fields := referenceFields(model.TagNode)
	fields["assignedCount"] = assignedCount
	return &plan.Type{Names: []string{model.TagNode, "Node", "Audited"}, Fields: fields}
}()

// assignedCount is how many agents have a tag.
func assignedCount(c *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	tag := at.Column("t.id", rowset.Int)
	counts := c.Below(at, "assignedCount", tag, plan.Source{Rows: func(s *plan.Builder, columns string) {
		s.Write("SELECT 0 AS total, t.id AS owner, 1 AS place, " + columns + " FROM agency_tag t JOIN agency_tag_assignment x ON x.tenant_id = t.tenant_id AND x.tag = t.name" +
			" WHERE t.tenant_id = " + s.Tenant() + " AND " + s.Run.Store.In("t.id", s.Owners) + " GROUP BY t.id")
	}})
	count := counts.Column("count(*)", rowset.Int)
	return func(b []byte, r *plan.Run, row int) []byte {
		for _, one := range r.Of(counts, tag.Int(r, row)) {
			return plan.AppendInt(b, count.Int(r, int(one)))
		}
		return plan.AppendInt(b, 0)
	}
}

// tagsOfAgent are the tags of an agent, by name.
func tagsOfAgent(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return c.All(at, f, at.Column("a.id", rowset.Int), tagType, plan.Source{Rows: func(s *plan.Builder, columns string) {
		s.Write("SELECT 0 AS total, x.agent_id AS owner, row_number() OVER (PARTITION BY x.agent_id ORDER BY t.name) AS place, " + columns +
			" FROM agency_tag_assignment x JOIN agency_tag t ON t.tenant_id = x.tenant_id AND t.name = x.tag WHERE x.tenant_id = " + s.Tenant() +
			" AND " + s.Run.Store.In("x.agent_id", s.Owners))
	}})
}

// everyTag is the field Query.tags, tagByName the field Query.tag.
func everyTag(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.Whole(f, tagType, plan.Source{Rows: records("agency_tag", nil)}, "t.name")
}

func tagByName(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.One(f, tagType, plan.Source{Rows: records("agency_tag", keyed("name"))})
}

// tagAssignments is the connection Query.tagAssignments.
func (t *agents) tagAssignments(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	tag := func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		name := at.Ref("x.tag")
		row := at.Join("tag", "agency_tag", func(s *plan.Builder, alias string) { s.Write(alias + ".name = " + name) })
		return row.Optional(c, tagType, f, "t.id", rowset.Int)
	}
	assignment := &plan.Type{Names: []string{"TagAssignment"}, Fields: map[string]plan.Field{
		"agent": t.here, "tag": tag, "assignedAt": plan.Instant("x.assigned_at"), "assignedBy": plan.Text("x.assigned_by"),
	}}
	assignments := &plan.Connection{Name: "TagAssignment", Node: assignment, List: listed(t.Engine, lists.TagAssignments, false)}
	return assignments.Field(c, at, f)
}
