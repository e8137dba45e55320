package read

import (
	"maps"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

func (t *types) agentFields() map[string]plan.Field {
	fields := t.addPeriods(viewed(audited("a", map[string]plan.Field{
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
		"upline":          t.upline,
		"uplineChain":     t.uplineChain,
		"membership":      t.membership,
		"downline":        t.downline,
		"downlineTree":    t.downlineTree,
		"downlineSummary": t.downlineSummary,
		"certifications":  t.certifications("a.id"),
		"aliases":         t.aliases("a.id"),
		"tags":            tagsOfAgent,
		"users":           t.elsewhere, "application": t.elsewhere, "recruits": t.elsewhere, "commissionPayments": t.elsewhere, "auditLog": t.elsewhere,
	})), "a.id")
	maps.Copy(fields, leaves("a", agency.AgentDetails))
	return fields
}

// displayName writes what agency.DisplayName returns.
func displayName(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	common, first, last := at.Column("a.common_name", rowset.Text), at.Column("a.first_name", rowset.Text), at.Column("a.last_name", rowset.Text)
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
	return at.Join("payStatus", history.PayStatuses.Table, ownedBy(at, covering))
}

func payStatus(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return payStatuses.field("p.status")(c, payStatusAt(at), f)
}

func isActive(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	active := payStatuses.at(payStatusAt(at), "p.status").Column("t.is_active", rowset.Bool)
	return func(b []byte, r *plan.Run, row int) []byte { return plan.AppendBool(b, active.Bool(r, row)) }
}

// addressOf is an address of an agent, of one kind.
func addressOf(kind agency.AddressKind) plan.Field {
	fields := leaves("d", agency.AddressFields)
	fields["jurisdiction"] = jurisdictions.field("d.jurisdiction")
	return ofKind(&plan.Type{Names: []string{"Address"}, Fields: fields}, "agency_address", string(kind))
}

// phoneOf is a telephone number of an agent, of one kind.
func phoneOf(kind agency.PhoneKind) plan.Field {
	return ofKind(&plan.Type{Names: []string{"Phone"}, Fields: leaves("d", agency.PhoneFields)}, "agency_phone", string(kind))
}

// ofKind is the row of a table that has a kind and belongs to an agent.
func ofKind(object *plan.Type, table, kind string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		row := at.Join(table+" "+kind, table, ownedBy(at, func(_ *plan.Builder, alias string) string { return alias + ".kind = '" + kind + "'" }))
		return row.Optional(c, object, f, "d.id", rowset.Int)
	}
}
