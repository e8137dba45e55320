package graph

import (
	"errors"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/store"
)

func (t *types) agentFields() map[string]plan.Field {
	certifications := t.certifications("a.id")
	downline := t.downline()
	fields := viewed(audited("a", map[string]plan.Field{
		"id":                   globalID(model.AgentType, "a.id"),
		"agentCode":            plan.Text("a.code"),
		"displayName":          displayName,
		"governmentIdentifier": t.governmentIdentifier,
		"payStatus":            payStatus,
		"isActive":             isActive,
		"payee":                t.payee,
		"homeAddress":          addressOf(agency.HomeAddress), "businessAddress": addressOf(agency.BusinessAddress),
		"cellPhone": phoneOf(agency.CellPhone), "homePhone": phoneOf(agency.HomePhone),
		"businessPhone": phoneOf(agency.BusinessPhone), "fax": phoneOf(agency.Fax),
		"upline":         t.upline,
		"membership":     t.membership,
		"certifications": certifications.Field,
		"downline":       downline.Field,
		"tags":           tagsOfAgent,
	}))
	for _, detail := range agency.AgentDetails {
		fields[detail.Name] = leaf(detail.Holds, "a."+detail.Column)
	}
	return fields
}

// leaf is the field of a column that holds a property of a type.
func leaf(holds patch.Property, column string) plan.Field {
	switch holds.(type) {
	case *patch.Field[bool]:
		return plan.Bool(column)
	case *patch.Field[date.Date]:
		return plan.Day(column)
	case *patch.Field[time.Time]:
		return plan.Instant(column)
	}
	return plan.Text(column)
}

// displayName is as agency.Agent has it.
func displayName(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	common, first, last := at.Column("a.common_name", store.TextCell), at.Column("a.first_name", store.TextCell), at.Column("a.last_name", store.TextCell)
	return func(b []byte, r *plan.Run, row int) []byte {
		var preferred *string
		if !common.IsNull(r, row) {
			preferred = new(string(common.Text(r, row)))
		}
		return plan.String(b, agency.DisplayName(string(first.Text(r, row)), preferred, string(last.Text(r, row))))
	}
}

// payStatusAt joins the pay status period of the day.
func payStatusAt(at *plan.Place) *plan.Place {
	return at.Join("payStatus", "agency_pay_status_period", ownedBy(at, covering))
}

func payStatus(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return payStatuses.field("p.status")(c, payStatusAt(at), f)
}

func isActive(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	active := payStatuses.at(payStatusAt(at), "p.status").Column("t.is_active", store.BoolCell)
	return func(b []byte, r *plan.Run, row int) []byte { return plan.AppendBool(b, active.Bool(r, row)) }
}

// inTeam joins the period of the day, of a table, in the team that a field names.
func (t *types) inTeam(at *plan.Place, f *ast.Field, table string) *plan.Place {
	team := t.teamOf(f)
	name := ""
	if a := f.Arguments.ForName("team"); a != nil {
		name = a.Value.String()
	}
	return at.Join(table+" "+name, table, ownedBy(at, func(s *plan.Builder, alias string) string {
		return alias + ".team_id = " + team(s) + " AND " + covering(s, alias)
	}))
}

func (t *types) upline(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return t.agentOf("p.upline_agent_id")(c, t.inTeam(at, f, "agency_upline_period"), f)
}

// membership is an agent's place in a team, which is there without any period too, but
// not in a team that is unknown.
func (t *types) membership(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	team := f
	from := func(table string, field plan.Field) plan.Field {
		return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
			return field(c, t.inTeam(at, team, table), f)
		}
	}
	const uplines, levels = "agency_upline_period", "agency_level_period"
	membership := &plan.Type{Names: []string{"TeamMembership"}, Fields: map[string]plan.Field{
		"directUpline":     from(uplines, t.agentOf("p.upline_agent_id")),
		"directUplineCode": from(uplines, uplineCode),
		"uplineSince":      from(uplines, plan.Day("p.effective_from")),
		"level":            from(levels, agentLevel),
		"levelSince":       from(levels, plan.Day("p.effective_from")),
	}}
	write := membership.Object(c, at, f.SelectionSet)
	if write == nil {
		return nil
	}
	return func(b []byte, r *plan.Run, row int) []byte {
		if _, err := t.r.Agency.Team(r.Ctx, arguments(f.ArgumentMap(r.Variables)).team()); err != nil {
			r.Fail(errors.Join(plan.ErrElsewhere, err))
		}
		return write(b, r, row)
	}
}

// uplineCode is the code of an upline, also of one that was deleted since.
func uplineCode(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	code, deleted := agentAt(at, "p.upline_agent_id").Column("a.code", store.TextCell), at.Column("p.deleted_upline_code", store.TextCell)
	return func(b []byte, r *plan.Run, row int) []byte {
		for _, c := range []plan.Column{code, deleted} {
			if !c.IsNull(r, row) {
				return plan.String(b, c.Text(r, row))
			}
		}
		return plan.Null(b)
	}
}

// downline is the connection of all below an agent. The path to each is left to the
// executor.
func (t *types) downline() *plan.Connection {
	return &plan.Connection{Name: "Downline", Node: t.agent, Owner: "a.id",
		NodeAt: func(row *plan.Place) (*plan.Place, string) { return agentAt(row, "r.descendant_id"), "a.id" },
		Edge:   map[string]plan.Field{"level": plan.Int("r.level")},
		List: func(f *ast.Field) func(*plan.Run, []int64) (plan.List, error) {
			return func(r *plan.Run, owners []int64) (plan.List, error) {
				args := arguments(f.ArgumentMap(r.Variables))
				view, err := t.r.view(r.Ctx, args.team(), r.At)
				if err != nil {
					return nil, err
				}
				return view.DownlineList(r.Ctx, t.r.Store, owners, hierarchy.Range{Level: args.int("level"), Min: args.int("minLevel"), Max: args.int("maxLevel")})
			}
		}}
}

// addressOf is one of an agent's addresses.
func addressOf(kind agency.AddressKind) plan.Field {
	object := &plan.Type{Names: []string{"Address"}, Fields: map[string]plan.Field{
		"line1": plan.Text("d.line1"), "line2": plan.Text("d.line2"), "city": plan.Text("d.city"),
		"jurisdiction": jurisdictions.field("d.jurisdiction"), "postalCode": plan.Text("d.postal_code"), "country": plan.Text("d.country"),
	}}
	return ofKind(object, "agency_address", string(kind))
}

// phoneOf is one of an agent's telephone numbers.
func phoneOf(kind agency.PhoneKind) plan.Field {
	object := &plan.Type{Names: []string{"Phone"}, Fields: map[string]plan.Field{
		"countryCode": plan.Text("d.country_code"), "areaCode": plan.Text("d.area_code"), "phoneNumber": plan.Text("d.phone_number"),
	}}
	return ofKind(object, "agency_phone", string(kind))
}

// ofKind is the row of a table that is of a kind and belongs to an agent.
func ofKind(object *plan.Type, table, kind string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		row := at.Join(table+" "+kind, table, ownedBy(at, func(_ *plan.Builder, alias string) string { return alias + ".kind = '" + kind + "'" }))
		return row.Optional(c, object, f.SelectionSet, "d.id", store.IntCell)
	}
}
