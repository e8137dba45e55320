package agency

import (
	"slices"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/past"
)

// The facts of an agent that are sets, and its bank details and certifications.
const (
	tagsField           = "tags"
	aliasesField        = "aliases"
	certificationsField = "certifications"
)

// identifierLine is the SSN or SIN of an agent, which is no detail: it is stored sealed.
var identifierLine = fields.Line{Name: "governmentIdentifier", Column: "government_identifier", Sealed: "identifier", Holds: new(patch.Field[string])}

// Kinds says how agents and the reference data are stored, and takes changes of them back.
func (s *Service) Kinds() []*past.Kind {
	return append(s.referenceData.Kinds(), &past.Kind{
		Entity: record.AgentEntity, Label: "agentCode", Key: "x.code", OfAgents: true, By: restorer{s},
		Blocks: []past.Block{{Table: "insights_production_record", Column: "agent_id", Words: "has written policies since"}, {Table: "insights_commission_payment", Column: "agent_id", Words: "has been paid since"},
			{Table: "identity_user_agent", Column: "agent_id", Words: "is a user"}, {Table: "onboarding_application", Column: "agent_id", Words: "comes from an application"}},
		Facts: []*past.Fact{
			{Table: "agency_agent", Owner: "id", Since: "created_at", Lines: append(slices.Clone(AgentDetails), identifierLine), Takes: "agentUpdate"},
			{Table: "agency_address", Owner: "agent_id", Kinds: byKind(fieldOfAddress), Lines: AddressFields, Takes: "agentContactUpdate"},
			{Table: "agency_phone", Owner: "agent_id", Kinds: byKind(fieldOfPhone), Lines: PhoneFields, Takes: "agentContactUpdate"},
			{Path: payee.Deposits.Field, Table: payee.Deposits.Name, Owner: "agent_id", Lines: payee.BankFields, IsWhole: true, Takes: "agentPayeeUpdate"},
			{Path: tagsField, Table: "agency_tag_assignment", Owner: "agent_id", Since: "assigned_at", Members: []string{"tag"}, Takes: "agentTagsUpdate"},
			{Path: aliasesField, Table: label.AliasTable, Owner: "agent_id", Since: "created_at", Members: []string{"identifier", "provider_company"}, Takes: "aliasCreate"},
			{Path: certificationsField, Type: "Certification", Table: "agency_certification", Owner: "agent_id", Since: "created_at", EachRow: true, Lines: certificationLines, Takes: "certificationUpdate"},
			datedFact(payee.Statuses.Field, history.PayStatuses, "x.status", "payStatusPeriodApply"),
			datedFact(record.LevelField, history.Levels, "CAST(x.level AS text)", "levelPeriodApply"),
			uplinesFact(), w9Fact(), certificationStatuses(),
		},
	})
}

func byKind[K ~string](names map[K]string) map[string]string {
	paths := map[string]string{}
	for kind, name := range names {
		paths[string(kind)] = name
	}
	return paths
}

// certificationLines are the columns of a certification: first those that never change.
var certificationLines = append([]fields.Line{
	{Name: "type", Column: "type", Holds: new(patch.Field[string])}, {Name: "providerCompany", Column: "provider_company", Holds: new(patch.Field[string])},
	{Name: "jurisdiction", Column: "jurisdiction", Holds: new(patch.Field[string])}, {Name: "identifier", Column: "identifier", Holds: new(patch.Field[string])},
}, certification.Fields...)

// datedFact is a dated relation of agents whose value is one column.
func datedFact(path string, r *history.Relation, value, takes string) *past.Fact {
	return &past.Fact{Path: path, Table: r.Table, Owner: r.Owner, Dated: &past.Dated{Relation: r, Value: value, Shown: value}, Takes: takes}
}

// uplinesFact has the upline by its id, or by its code if it was deleted.
func uplinesFact() *past.Fact {
	f := datedFact(record.DirectUplineField, history.Uplines,
		"CASE WHEN x.upline_agent_id IS NOT NULL THEN '"+uplineByID+"' || CAST(x.upline_agent_id AS text) ELSE coalesce('"+uplineByCode+"' || x.deleted_upline_code, '') END", "uplinePeriodApply")
	f.Dated.Shown = "coalesce((SELECT u.code FROM agency_agent u WHERE u.tenant_id = x.tenant_id AND u.id = x.upline_agent_id), x.deleted_upline_code)"
	return f
}

// What begins the text of an upline.
const (
	uplineByID   = "#"
	uplineByCode = "="
)

func w9Fact() *past.Fact {
	f := datedFact(record.W9Field, history.W9s, "CAST(x.w9_id AS text)", "w9PeriodApply")
	f.Dated.Rows = &past.Fact{Table: payee.W9s.Name, Owner: "agent_id", Lines: payee.W9Fields}
	return f
}

func certificationStatuses() *past.Fact {
	f := datedFact(certificationsField, history.CertificationStatuses, "x.status", "certificationPeriodApply")
	f.Dated.Join = "JOIN agency_certification c ON c.tenant_id = x.tenant_id AND c.id = x.certification_id"
	f.Dated.Object, f.Dated.Part, f.Dated.Below = "c.agent_id", "CAST(c.id AS text)", "status"
	return f
}
