package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// referenceKind is a kind of reference data. Rows refer to a record by its key.
type referenceKind struct {
	reference.Reference
	names  []string
	fields map[string]plan.Field
}

// The kinds of reference data. Their table is t.
var (
	payStatuses        = newReference(model.PayStatusNode)
	jurisdictions      = newReference(model.JurisdictionNode)
	providerCompanies  = newReference(model.ProviderCompanyNode)
	certificationTypes = newReference(model.CertificationTypeNode)
	products           = newReference(model.ProductNode)
)

func newReference(typeName string) *referenceKind {
	return &referenceKind{reference.References[typeName], []string{typeName, "Node", "Audited"}, referenceFields(typeName)}
}

// referenceFields are the fields for a kind of reference data, by the area's table of
// fields.
func referenceFields(typeName string) map[string]plan.Field {
	fields := audited("t", leaves("t", reference.References[typeName].Fields))
	fields["id"] = rowGlobalID(typeName, "t.id")
	return fields
}

// at joins the record whose key a column holds.
func (k *referenceKind) at(at *plan.Place, column string) *plan.Place {
	key := at.Ref(column)
	return at.Join(k.Table+" "+column, k.Table, func(s *plan.Builder, alias string) { s.Write(alias + "." + k.Key + " = " + key) })
}

// field is the record whose key a column holds. If only the key is asked for, nothing is
// read.
func (k *referenceKind) field(column string) plan.Field {
	onlyKey := &plan.Type{Names: k.names, Fields: map[string]plan.Field{k.Key: plan.Text(column)}}
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		if write := at.Optional(c, onlyKey, f, column, rowset.Text); write != nil {
			return write
		}
		return k.at(at, column).Optional(c, k.objects(), f, "t.id", rowset.Int)
	}
}

func (k *referenceKind) objects() *plan.Type { return &plan.Type{Names: k.names, Fields: k.fields} }

// all is the list of all records, sorted by columns.
func (k *referenceKind) all(sorted ...string) plan.Field { return k.where(nil, sorted...) }

// where is the list of the records that meet a condition.
func (k *referenceKind) where(also func(s *plan.Builder) string, sorted ...string) plan.Field {
	return func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
		return c.Whole(f, k.objects(), plan.Source{Rows: records(k.Table, also)}, sorted...)
	}
}

// one is the record whose key is an argument.
func (k *referenceKind) one(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.One(f, k.objects(), plan.Source{Rows: records(k.Table, keyed(k.Key))})
}

// records writes a SELECT of the rows t of a table that meet a condition.
func records(table string, also func(s *plan.Builder) string) func(s *plan.Builder, columns string) {
	return func(s *plan.Builder, columns string) {
		s.Write("SELECT " + columns + " FROM " + table + " t WHERE t.tenant_id = " + s.Tenant())
		if also == nil {
			return
		}
		if condition := also(s); condition != "" {
			s.Write(" AND " + condition)
		}
	}
}

// keyed is the condition that a key is the argument of the same name.
func keyed(key string) func(s *plan.Builder) string {
	return func(s *plan.Builder) string { return "t." + key + " = " + s.Arg(s.Run.Args[key]) }
}

// inCountry is the condition that a jurisdiction is in the country that the argument
// names.
func inCountry(s *plan.Builder) string {
	country, _ := s.Run.Args["country"].(*string)
	if country == nil {
		return ""
	}
	return "t.country = " + s.Arg(*country)
}

// levelOf is the agent level of a level period in a team.
func levelOf(team named) plan.Field {
	levels := agentLevel(team)
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		value, team := at.Ref("p.level"), at.Ref("p.team_id")
		level := at.Join("level", "agency_agent_level", func(s *plan.Builder, alias string) {
			s.Write(alias + ".team_id = " + team + " AND " + alias + ".value = " + value)
		})
		return level.Optional(c, levels, f, "t.id", rowset.Int)
	}
}

// agentLevel is the type of the levels of a team.
func agentLevel(team named) *plan.Type {
	fields := referenceFields(model.AgentLevelNode)
	fields["team"] = plan.Computed(func(b []byte, r *plan.Run, _ int) []byte { return plan.String(b, team(r)) })
	return &plan.Type{Names: []string{model.AgentLevelNode, "Node", "Audited"}, Fields: fields}
}

// levels is the list of a team's levels, lowest value first.
func (t *teams) levels(c *plan.Compiler, f *ast.Field, team named) plan.Write {
	return c.Whole(f, agentLevel(team), plan.Source{Rows: records("agency_agent_level", t.inTeamOf(team))}, "t.value")
}

// agentLevels is the field Query.agentLevels, levelByValue the field Query.agentLevel.
func (t *teams) agentLevels(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return t.levels(c, f, teamOfField(f))
}

func (t *teams) levelByValue(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	team := teamOfField(f)
	inTeam, valued := t.inTeamOf(team), keyed("value")
	return c.One(f, agentLevel(team), plan.Source{Rows: records("agency_agent_level", func(s *plan.Builder) string { return inTeam(s) + " AND " + valued(s) })})
}

// inTeamOf is the condition that a record is of a team.
func (t *teams) inTeamOf(team named) func(s *plan.Builder) string {
	return func(s *plan.Builder) string {
		id, err := t.Agency.Team(s.Run.Ctx, team(s.Run))
		if err != nil {
			s.Fail(err)
		}
		return "t.team_id = " + s.Arg(id)
	}
}
