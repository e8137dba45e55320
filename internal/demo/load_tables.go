package demo

import (
	"iter"
	"slices"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/words/patch"
)

// table is how the rows of a batch get into one table. Ids that nothing refers
// to are left to the database.
type table struct {
	name    string
	columns []string
	rows    func(*batch) iter.Seq[[]any]
}

// tables are in the order in which they refer to each other.
var tables = []table{
	{"agency_agent", append([]string{
		"tenant_id", "id", "code", "government_identifier", "government_identifier_index", "created_at", "created_by", "last_modified", "last_modified_by",
	}, agency.WrittenDetails...), perAgent((*batch).agent)},
	{"agency_address", append([]string{"tenant_id", "agent_id", "kind"}, agency.AddressFields.Columns()...), perAgent((*batch).address)},
	{"agency_phone", append([]string{"tenant_id", "agent_id", "kind"}, agency.PhoneFields.Columns()...), perAgent((*batch).phone)},
	{"agency_pay_status_period", append([]string{"tenant_id", "agent_id", "status"}, periodColumns...), (*batch).payStatusPeriods},
	{"agency_upline_period", append([]string{"tenant_id", "team_id", "agent_id", "upline_agent_id"}, periodColumns...), (*batch).uplinePeriods},
	{"agency_level_period", append([]string{"tenant_id", "team_id", "agent_id", "level"}, periodColumns...), (*batch).levelPeriods},
	{"agency_certification", append([]string{
		"tenant_id", "id", "agent_id", "type", "provider_company", "jurisdiction", "identifier",
		"created_at", "created_by", "last_modified", "last_modified_by",
	}, certification.Fields.Columns()...), func(b *batch) iter.Seq[[]any] { return b.certifications }},
	{"agency_certification_period", append([]string{"tenant_id", "certification_id", "status"}, periodColumns...), (*batch).certificationPeriods},
	{payee.W9s.Name, slices.Concat([]string{"tenant_id", "id", "agent_id", "created_at", "created_by"}, fieldColumns(payee.W9s),
		[]string{"taxpayer_identifier_index"}), func(b *batch) iter.Seq[[]any] { return b.w9s }},
	{"agency_w9_period", append([]string{"tenant_id", "agent_id", "w9_id"}, periodColumns...), func(b *batch) iter.Seq[[]any] { return b.w9Periods }},
	{payee.Deposits.Name, append([]string{"tenant_id", "id", "agent_id", "last_modified", "last_modified_by"}, fieldColumns(payee.Deposits)...), func(b *batch) iter.Seq[[]any] { return b.directDeposits }},
	{"agency_alias", []string{
		"tenant_id", "agent_id", "identifier", "provider_company", "created_at", "created_by", "last_modified", "last_modified_by",
	}, func(b *batch) iter.Seq[[]any] { return b.aliases }},
	{"agency_tag_assignment", []string{"tenant_id", "agent_id", "tag", "assigned_at", "assigned_by"}, func(b *batch) iter.Seq[[]any] { return b.tagAssignments }},
	{"insights_production_record", productionColumns, func(b *batch) iter.Seq[[]any] { return b.production }},
	{"insights_commission_payment", commissionColumns, func(b *batch) iter.Seq[[]any] { return b.commissions }},
}

// perAgent makes one row of each agent.
func perAgent(row func(b *batch, i int, a *Agent) []any) func(*batch) iter.Seq[[]any] {
	return func(b *batch) iter.Seq[[]any] {
		return func(yield func([]any) bool) {
			for i := range b.agents {
				if !yield(row(b, i, &b.agents[i])) {
					return
				}
			}
		}
	}
}

func (b *batch) agent(i int, a *Agent) []any {
	created, modified := b.recorded(i, a.StartDate), b.lastRecorded(i)
	details := agency.Details{
		FirstName: given(a.FirstName), MiddleName: given(a.MiddleName), LastName: given(a.LastName), CommonName: given(a.CommonName),
		StartDate: patch.Set(created), BirthDate: patch.Set(a.BirthDate), Gender: given(a.Gender), Email: given(a.Email), NPN: given(a.NPN),
		IsDedicated: patch.Set(false),
	}
	return details.Written([]any{
		b.tenant.ID, b.id(i), a.Code, b.sealed[i].ciphertext, b.sealed[i].index, created, initiator, modified, initiator,
	})
}

func (b *batch) address(i int, a *Agent) []any {
	h := a.HomeAddress
	return agency.AddressFields.Append([]any{b.tenant.ID, b.id(i), string(agency.HomeAddress)}, &agency.Address{
		Line1: given(h.Line1), City: given(h.City), Jurisdiction: given(h.Jurisdiction), PostalCode: given(h.PostalCode), Country: given(h.Country),
	})
}

func (b *batch) phone(i int, a *Agent) []any {
	phone := agency.Phone{AreaCode: given(a.CellPhone.AreaCode), PhoneNumber: given(a.CellPhone.PhoneNumber)}
	agency.PhoneFields.Complete(&phone)
	return agency.PhoneFields.Append([]any{b.tenant.ID, b.id(i), string(agency.CellPhone)}, &phone)
}

func (b *batch) certifications(yield func([]any) bool) {
	n := 0
	for i := range b.agents {
		for _, c := range b.agents[i].Certifications {
			created, modified := b.recorded(i, c.Periods[0].From), b.recorded(i, last(c.Periods).From)
			details := certification.Details{IsResidentCertification: patch.Set(c.IsResident), IsVerified: patch.Set(c.IsVerified), Note: given(c.Note)}
			if !yield(certification.Fields.Append([]any{
				b.tenant.ID, b.certificationIDs[n], b.id(i), c.Type, optional(c.ProviderCompany), optional(c.Jurisdiction), optional(c.Identifier),
				created, initiator, modified, initiator,
			}, &details)) {
				return
			}
			n++
		}
	}
}

// optional is NULL for empty text.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}
