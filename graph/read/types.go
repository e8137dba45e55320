package read

import (
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// agents has the type of agents, and the relations that lead to it.
type agents struct {
	*Engine
	agent *plan.Type
}

// agentByCode is the field Query.agent.
func (t *agents) agentByCode(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.One(f, t.agent, plan.Source{Rows: func(s *plan.Builder, columns string) {
		code, _ := s.Run.Args["agentCode"].(string)
		s.Write("SELECT ").Write(columns).Write(" FROM agency_agent a WHERE a.tenant_id = ").Write(s.Tenant()).Write(" AND a.code = ?", code)
	}})
}

// listed is the list of a connection: of all objects, or of each owner.
func listed(e *Engine, list lists.List, ofOwner bool) func(f *ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
	return func(f *ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
		return func(r *plan.Run, _ page.Owners) (plan.List, error) {
			q := lists.Request{Agency: e.Agency, Ctx: r.Ctx, At: r.At, OfOwner: ofOwner, Arguments: r.Args}
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
func (t *agents) agentOf(column string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		return agentAt(at, column).Optional(c, t.agent, f, "a.id", rowset.Int)
	}
}

// teamOf is the placeholder of the id of the team that a field names; of no team's if there
// is none, which the field itself refuses (inKnownTeam).
func (t *agents) teamOf(f *ast.Field) func(s *plan.Builder) string {
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

// leaves are the fields for the lines of a table that belong to no nested object.
func leaves(alias string, lines []fields.Line) map[string]plan.Field {
	leaves := make(map[string]plan.Field, len(lines))
	for _, l := range lines {
		column := alias + "." + l.Column
		if l.Below != "" {
			continue
		}
		if leaves[l.Name] = leaf(l.Holds, column); enums[l.As] != nil {
			leaves[l.Name] = enums[l.As](column)
		}
	}
	return leaves
}

// here is the agent of a row, from the table of agents that its list has joined as a.
func (t *agents) here(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return t.agent.Object(c, at, f.SelectionSet)
}

// teamArgument is the name of the team that a field names.
func teamArgument(f *ast.Field, r *plan.Run) string {
	return arguments(f.ArgumentMap(r.Variables)).team()
}

// named is the name of the team that something belongs to.
type named func(r *plan.Run) string

// teamOfField is the team that a field names.
func teamOfField(f *ast.Field) named {
	return func(r *plan.Run) string { return teamArgument(f, r) }
}

// types is the table that plans are compiled from. For each type it says from which
// columns the fields are written, and where the relations are read from.
type types struct {
	*teams
	// certification is the type of certifications read with the period of the day,
	// undated that of certifications read without.
	certification, undated *plan.Type
}

// teams has the relations within a team.
type teams struct{ *agents }

// enums are the fields for lines that are enumerations, by the kind of the line.
var enums = map[string]func(column string) plan.Field{
	"category":          func(column string) plan.Field { return plan.Enum(record.CertificationCategories, column) },
	"taxClassification": func(column string) plan.Field { return plan.Enum(record.TaxClassifications, column) },
	"bankCountry":       func(column string) plan.Field { return plan.Enum(record.BankCountries, column) },
	"accountType":       func(column string) plan.Field { return plan.Enum(record.BankAccountTypes, column) },
}

// leaf is the field for a column that has a property of some type.
func leaf(holds patch.Property, column string) plan.Field {
	switch holds.(type) {
	case *patch.Field[bool]:
		return plan.Bool(column)
	case *patch.Field[int]:
		return plan.Int(column)
	case *patch.Field[date.Date]:
		return plan.Day(column)
	case *patch.Field[time.Time]:
		return plan.Instant(column)
	}
	return plan.Text(column)
}
