package demo

import (
	"iter"

	"github.com/uplinehq/upline/internal/agency"
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
	{"agency_agent", []string{
		"tenant_id", "id", "code", "first_name", "middle_name", "last_name", "common_name", "email",
		"first_name_key", "last_name_key", "common_name_key", "email_key",
		"government_identifier", "government_identifier_index", "birth_date", "gender", "npn", "is_dedicated",
		"start_date", "created_at", "created_by", "last_modified", "last_modified_by",
	}, perAgent((*batch).agent)},
	{"agency_address", []string{"tenant_id", "agent_id", "kind", "line1", "city", "jurisdiction", "postal_code", "country"}, perAgent((*batch).address)},
	{"agency_phone", []string{"tenant_id", "agent_id", "kind", "country_code", "area_code", "phone_number"}, perAgent((*batch).phone)},
	{"agency_pay_status_period", append([]string{"tenant_id", "agent_id", "status"}, periodColumns...), (*batch).payStatusPeriods},
	{"agency_upline_period", append([]string{"tenant_id", "team_id", "agent_id", "upline_agent_id"}, periodColumns...), (*batch).uplinePeriods},
	{"agency_level_period", append([]string{"tenant_id", "team_id", "agent_id", "level"}, periodColumns...), (*batch).levelPeriods},
	{"agency_certification", []string{
		"tenant_id", "id", "agent_id", "type", "provider_company", "jurisdiction", "identifier",
		"is_resident_certification", "is_verified", "note",
		"created_at", "created_by", "last_modified", "last_modified_by",
	}, func(b *batch) iter.Seq[[]any] { return b.certifications }},
	{"agency_certification_period", append([]string{"tenant_id", "certification_id", "status"}, periodColumns...), (*batch).certificationPeriods},
	{"agency_w9", append([]string{
		"tenant_id", "id", "agent_id", "name", "business_name", "tax_classification", "street_address", "city", "state", "zip_code",
		"signature_date", "created_at", "created_by", "taxpayer_identifier_index",
	}, w9Secrets...), func(b *batch) iter.Seq[[]any] { return b.w9s }},
	{"agency_w9_period", append([]string{"tenant_id", "agent_id", "w9_id"}, periodColumns...), func(b *batch) iter.Seq[[]any] { return b.w9Periods }},
	{"agency_direct_deposit", append([]string{
		"tenant_id", "id", "agent_id", "country", "account_holder_name", "bank_name", "account_type", "last_modified", "last_modified_by",
	}, depositSecrets...), func(b *batch) iter.Seq[[]any] { return b.directDeposits }},
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
	return []any{
		b.tenant.ID, b.id(i), a.Code, a.FirstName, optional(a.MiddleName), a.LastName, optional(a.CommonName), a.Email,
		agency.SearchKey(&a.FirstName), agency.SearchKey(&a.LastName), agency.SearchKey(&a.CommonName), agency.SearchKey(&a.Email),
		b.sealed[i].ciphertext, b.sealed[i].index, a.BirthDate, optional(a.Gender), a.NPN, false,
		created, created, initiator, modified, initiator,
	}
}

func (b *batch) address(i int, a *Agent) []any {
	h := a.HomeAddress
	return []any{b.tenant.ID, b.id(i), "HOME", h.Line1, h.City, h.Jurisdiction, h.PostalCode, h.Country}
}

func (b *batch) phone(i int, a *Agent) []any {
	return []any{b.tenant.ID, b.id(i), "CELL", "1", a.CellPhone.AreaCode, a.CellPhone.PhoneNumber}
}

func (b *batch) certifications(yield func([]any) bool) {
	n := 0
	for i := range b.agents {
		for _, c := range b.agents[i].Certifications {
			created, modified := b.recorded(i, c.Periods[0].From), b.recorded(i, last(c.Periods).From)
			if !yield([]any{
				b.tenant.ID, b.certificationIDs[n], b.id(i), c.Type, optional(c.ProviderCompany), optional(c.Jurisdiction), optional(c.Identifier),
				c.IsResident, c.IsVerified, optional(c.Note),
				created, initiator, modified, initiator,
			}) {
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
