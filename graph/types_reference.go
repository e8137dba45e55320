package graph

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/platform/store"
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
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		if write := at.Optional(c, onlyKey, f, column, store.TextCell); write != nil {
			return write
		}
		return k.at(at, column).Optional(c, k.objects(), f, "t.id", store.IntCell)
	}
}

func (k *reference) objects() *plan.Type { return &plan.Type{Names: k.names, Fields: k.fields} }

// all is the list of the records, sorted by columns.
func (k *reference) all(sorted ...string) plan.Field { return k.where(nil, sorted...) }

// where is all for the records that meet a condition.
func (k *reference) where(also func(s *plan.Builder) string, sorted ...string) plan.Field {
	return func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
		return c.Whole(f, k.objects(), plan.Source{Rows: records(k.table, also)}, sorted...)
	}
}

// one is the record whose key is an argument.
func (k *reference) one(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.One(f, k.objects(), plan.Source{Rows: records(k.table, keyed(k.key))})
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

// inCountry is the condition on jurisdictions that the argument country names.
func inCountry(s *plan.Builder) string {
	country, _ := s.Run.Args["country"].(*string)
	if country == nil {
		return ""
	}
	return "t.country = " + s.Arg(*country)
}

// levelOf is the level of a period of one, in the team that a field names.
func levelOf(team *ast.Field) plan.Field {
	levels := agentLevel(func(r *plan.Run) string { return teamArgument(team, r) })
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		value, team := at.Ref("p.level"), at.Ref("p.team_id")
		level := at.Join("level", "agency_agent_level", func(s *plan.Builder, alias string) {
			s.Write(alias + ".team_id = " + team + " AND " + alias + ".value = " + value)
		})
		return level.Optional(c, levels, f, "t.id", store.IntCell)
	}
}

// agentLevel is the type of the levels of a team.
func agentLevel(team func(r *plan.Run) string) *plan.Type {
	return &plan.Type{Names: []string{model.AgentLevelNode, "Node", "Audited"}, Fields: audited("t", map[string]plan.Field{
		"id": rowGlobalID(model.AgentLevelNode, "t.id"), "value": plan.Int("t.value"), "name": plan.Text("t.name"), "description": plan.Text("t.description"), "isEnabled": plan.Bool("t.is_enabled"),
		"team": plan.Computed(func(b []byte, r *plan.Run, _ int) []byte { return plan.String(b, team(r)) }),
	})}
}

// levels are those of a team, lowest value first.
func (t *types) levels(c *plan.Compiler, f *ast.Field, team func(r *plan.Run) string) plan.Write {
	return c.Whole(f, agentLevel(team), plan.Source{Rows: records("agency_agent_level", t.inTeamOf(team))}, "t.value")
}

// agentLevels is the field Query.agentLevels, levelByValue the field Query.agentLevel.
func (t *types) agentLevels(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return t.levels(c, f, func(r *plan.Run) string { return teamArgument(f, r) })
}

func (t *types) levelByValue(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	team := func(r *plan.Run) string { return teamArgument(f, r) }
	inTeam, valued := t.inTeamOf(team), keyed("value")
	return c.One(f, agentLevel(team), plan.Source{Rows: records("agency_agent_level", func(s *plan.Builder) string { return inTeam(s) + " AND " + valued(s) })})
}

// inTeamOf is the condition that a record is of a team.
func (t *types) inTeamOf(team func(r *plan.Run) string) func(s *plan.Builder) string {
	return func(s *plan.Builder) string {
		id, err := t.r.Agency.Team(s.Run.Ctx, team(s.Run))
		if err != nil {
			s.Run.Fail(err)
		}
		return "t.team_id = " + s.Arg(id)
	}
}
