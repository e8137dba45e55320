package graph

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/store"
)

// certificationFields are those of a certification c with its period p of the day.
func (t *types) certificationFields() map[string]plan.Field {
	return viewed(audited("c", map[string]plan.Field{
		"id":                      globalID(model.CertificationNode, "c.id"),
		"databaseId":              plan.Int("c.id"),
		"agent":                   t.agentOf("c.agent_id"),
		"type":                    certificationTypes.field("c.type"),
		"providerCompany":         providerCompanies.field("c.provider_company"),
		"jurisdiction":            jurisdictions.field("c.jurisdiction"),
		"identifier":              plan.Text("c.identifier"),
		"isResidentCertification": plan.Bool("c.is_resident_certification"),
		"isVerified":              plan.Bool("c.is_verified"),
		"note":                    plan.Text("c.note"),
		"status":                  plan.Enum(agency.CertificationStatuses, "p.status"),
		"effectiveFrom":           plan.Day("p.effective_from"),
		"effectiveThrough":        plan.Day("p.effective_through"),
		"daysRemaining":           daysRemaining,
	}))
}

func daysRemaining(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	through := at.Column("p.effective_through", store.DayCell)
	return func(b []byte, r *plan.Run, row int) []byte {
		if through.IsNull(r, row) {
			return plan.Null(b)
		}
		return plan.AppendInt(b, int(through.Day(r, row)-r.At.Day))
	}
}
