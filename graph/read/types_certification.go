package read

import (
	"maps"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// certificationOf is the type of certifications c. Their period p of the day that is read
// is at the place that period returns.
func (t *types) certificationOf(period func(certification *plan.Place) *plan.Place) *plan.Type {
	fields := viewed(audited("c", map[string]plan.Field{
		"id":               globalID(model.CertificationNode, "c.id"),
		"databaseId":       plan.Int("c.id"),
		"agent":            t.agentOf("c.agent_id"),
		"type":             certificationTypes.field("c.type"),
		"providerCompany":  providerCompanies.field("c.provider_company"),
		"jurisdiction":     jurisdictions.field("c.jurisdiction"),
		"identifier":       plan.Text("c.identifier"),
		"status":           plan.Enum(record.CertificationStatuses, "p.status").At(period),
		"effectiveFrom":    plan.Day("p.effective_from").At(period),
		"effectiveThrough": plan.Day("p.effective_through").At(period),
		"daysRemaining":    plan.Field(daysRemaining).At(period),
		"periods":          t.certificationPeriods("c.id"),
	}))
	maps.Copy(fields, leaves("c", certification.Fields))
	return &plan.Type{Names: []string{model.CertificationNode, "Node", "Audited"}, Fields: fields}
}

// besides is the place of a certification whose row also has the period.
func besides(certification *plan.Place) *plan.Place { return certification }

// periodOfDay joins the period of the day to a certification.
func periodOfDay(certification *plan.Place) *plan.Place {
	id := certification.Ref("c.id")
	return certification.Join("period", "agency_certification_period", func(s *plan.Builder, alias string) {
		s.Write(alias + ".certification_id = " + id + " AND " + covering(s, alias))
	})
}

// certificationByID is the field Query.certification.
func (t *types) certificationByID(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return c.One(f, t.undated, plan.Source{Rows: func(s *plan.Builder, columns string) {
		id, _ := s.Run.Args["id"].(string)
		s.Write("SELECT " + columns + " FROM agency_certification c WHERE c.tenant_id = " + s.Tenant() + " AND c.id = " + s.Arg(model.RowOf(model.CertificationNode, id)))
	}})
}

// certifications is a connection of certifications: of all, or of an agent.
func (t *types) certifications(owner string) plan.Field {
	certifications := &plan.Connection{Name: "Certification", Node: t.certification, Owner: owner, List: listed(t.Engine, lists.Certifications, owner != "")}
	return certifications.Field
}

// certificationPeriods is a connection of status periods: of all certifications, or of
// one.
func (t *types) certificationPeriods(owner string) plan.Field {
	return periods(t.Engine, history.CertificationStatuses.Type, owner, lists.CertificationPeriods, t.certificationPeriod)
}

func (t *types) certificationPeriod(named) *plan.Type {
	certification := func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		return t.undated.Object(c, at, f.SelectionSet)
	}
	return period(history.CertificationStatuses.Type, map[string]plan.Field{"status": plan.Enum(record.CertificationStatuses, "p.status"), "certification": certification})
}

func daysRemaining(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	through := at.Column("p.effective_through", rowset.Day)
	return func(b []byte, r *plan.Run, row int) []byte {
		if through.IsNull(r, row) {
			return plan.Null(b)
		}
		return plan.AppendInt(b, int(through.Day(r, row)-r.At.Day))
	}
}
