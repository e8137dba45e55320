// Package convert turns inputs of the schema into what areas take, and what areas return
// into what the schema shows. It reads nothing and decides nothing.
package convert

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/patch"
)

// These turn generated inputs, which tell omitted from null, into inputs of the areas.

// Value returns the value of an optional property: nil if it is omitted or null.
func Value[T any](o graphql.Omittable[*T]) *T { return o.Value() }

// Field keeps the three states of a property of a partial update: omitted, null, set.
func Field[T any](o graphql.Omittable[*T]) patch.Field[T] {
	return patch.Field[T]{Sent: o.IsSet(), Value: o.Value()}
}

// StatusField is Field for an enumeration that an area has as text.
func StatusField[T ~string](o graphql.Omittable[*T]) patch.Field[string] {
	if v := o.Value(); v != nil {
		return patch.Set(string(*v))
	}
	return patch.Field[string]{Sent: o.IsSet()}
}

// AgentFilter is a filter of agents, as the area takes it.
func AgentFilter(f *model.AgentFilter) agency.AgentFilter {
	if f == nil {
		return agency.AgentFilter{}
	}
	return agency.AgentFilter{
		AgentCodes: f.AgentCodes.Value(), Search: Value(f.Search), IsActive: Value(f.IsActive), Email: Value(f.Email),
		FirstName: Value(f.FirstName), LastName: Value(f.LastName), Jurisdiction: Value(f.Jurisdiction),
		GovernmentIdentifier: Value(f.GovernmentIdentifier), NPN: Value(f.Npn), ModifiedSince: Value(f.ModifiedSince),
		PayStatus: f.PayStatus.Value(), UplineAgentCode: Value(f.UplineAgentCode),
	}
}

// PayStatusPeriodFilter is a filter of pay statuses by their periods, as the area takes it.
func PayStatusPeriodFilter(f *model.PayStatusPeriodFilter) record.PeriodFilter {
	if f == nil {
		return record.PeriodFilter{}
	}
	return record.PeriodFilter{AgentCode: Value(f.AgentCode), PayStatus: Value(f.PayStatus), From: Value(f.From),
		Through: Value(f.Through), ModifiedSince: Value(f.ModifiedSince)}
}

// UplinePeriodFilter is a filter of uplines by their periods, as the area takes it.
func UplinePeriodFilter(f *model.UplinePeriodFilter) record.PeriodFilter {
	if f == nil {
		return record.PeriodFilter{}
	}
	return record.PeriodFilter{AgentCode: Value(f.AgentCode), UplineAgentCode: Value(f.UplineAgentCode), From: Value(f.From),
		Through: Value(f.Through), ModifiedSince: Value(f.ModifiedSince)}
}

// LevelPeriodFilter is a filter of levels by their periods, as the area takes it.
func LevelPeriodFilter(f *model.LevelPeriodFilter) record.PeriodFilter {
	if f == nil {
		return record.PeriodFilter{}
	}
	return record.PeriodFilter{AgentCode: Value(f.AgentCode), Level: Value(f.Level), From: Value(f.From),
		Through: Value(f.Through), ModifiedSince: Value(f.ModifiedSince)}
}

// CertificationFilter is a filter of certifications, as the area takes it.
func CertificationFilter(f *model.CertificationFilter) certification.Filter {
	if f == nil {
		return certification.Filter{}
	}
	return certification.Filter{
		AgentCode: Value(f.AgentCode), Type: Value(f.Type), ProviderCompany: Value(f.ProviderCompany),
		Jurisdiction: Value(f.Jurisdiction), Status: Texts(f.Status.Value()), Identifier: Value(f.Identifier),
		IsResidentCertification: Value(f.IsResidentCertification), IsVerified: Value(f.IsVerified),
		ExpiresFrom: Value(f.ExpiresFrom), ExpiresThrough: Value(f.ExpiresThrough),
	}
}

// CertificationPeriodFilter is a filter of periods of certifications, as the area takes it.
func CertificationPeriodFilter(f *model.CertificationPeriodFilter) certification.PeriodFilter {
	if f == nil {
		return certification.PeriodFilter{}
	}
	return certification.PeriodFilter{
		AgentCode: Value(f.AgentCode), Type: Value(f.Type), ProviderCompany: Value(f.ProviderCompany),
		Jurisdiction: Value(f.Jurisdiction), Status: Texts(f.Status.Value()), Identifier: Value(f.Identifier),
		From: Value(f.From), Through: Value(f.Through), ModifiedSince: Value(f.ModifiedSince),
	}
}

// Texts are the values of an enumeration that an area has as text.
func Texts[T ~string](list []T) []string {
	if list == nil {
		return nil
	}
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}

// Registration is the input of a registration, as the area takes it.
func Registration(in model.AgentRegisterInput) agency.Registration {
	teams := make([]agency.TeamAssignment, len(in.Teams))
	for i, t := range in.Teams {
		teams[i] = agency.TeamAssignment{Team: t.Team, DirectUpline: Value(t.Membership.DirectUpline), Level: Value(t.Membership.Level)}
	}
	return agency.Registration{
		AgentCode: Value(in.AgentCode), Details: in.Details, Status: in.Status, Teams: teams, GovernmentIdentifier: Value(in.GovernmentIdentifier),
		Contact: agency.Contact{
			Addresses: map[agency.AddressKind]*agency.Address{
				agency.HomeAddress: Value(in.HomeAddress), agency.BusinessAddress: Value(in.BusinessAddress),
			},
			Phones: map[agency.PhoneKind]*agency.Phone{
				agency.CellPhone: Value(in.CellPhone), agency.HomePhone: Value(in.HomePhone),
				agency.BusinessPhone: Value(in.BusinessPhone), agency.Fax: Value(in.Fax),
			},
		},
		W9: Value(in.W9), DirectDeposit: Value(in.DirectDeposit),
		Initiator: in.Initiator,
	}
}

// MembershipUpdate is the input of a change of upline and level, as the area takes it.
func MembershipUpdate(in model.AgentMembershipUpdateInput) agency.MembershipUpdate {
	return agency.MembershipUpdate{DirectUpline: Field(in.Membership.DirectUpline), Level: Field(in.Membership.Level), Initiator: in.Initiator}
}

// These turn answers of the areas into what the schema shows.

// ChangeSet shows what a change does to periods.
func ChangeSet(c record.Change) *model.PeriodChangeSet {
	set := &model.PeriodChangeSet{Before: planned(c.Before), After: planned(c.After)}
	for _, op := range c.Operations {
		shown := &model.PeriodOperation{Kind: model.PeriodOperationKind(op.Kind), Results: planned(op.Results)}
		if op.Existing != nil {
			shown.Existing = planned([]record.Planned{*op.Existing})[0]
		}
		set.Operations = append(set.Operations, shown)
	}
	for _, w := range c.Warnings {
		set.Warnings = append(set.Warnings, &model.PeriodWarning{Code: model.PeriodWarningCode(w.Code), Message: w.Message})
	}
	return set
}

// ChangeSets shows several changes.
func ChangeSets(changes []record.Change) []*model.PeriodChangeSet {
	sets := make([]*model.PeriodChangeSet, len(changes))
	for i, c := range changes {
		sets[i] = ChangeSet(c)
	}
	return sets
}

// AnyChanged reports whether one of the changes changed anything.
func AnyChanged(changes []record.Change) bool {
	for _, c := range changes {
		if c.Changed {
			return true
		}
	}
	return false
}

func planned(periods []record.Planned) []*model.PlannedPeriod {
	shown := make([]*model.PlannedPeriod, len(periods))
	for i, p := range periods {
		shown[i] = &model.PlannedPeriod{EffectiveFrom: p.EffectiveFrom, EffectiveThrough: p.EffectiveThrough, Value: p.Value}
	}
	return shown
}

// Deleted is the payload of a deletion; id 0 means that nothing was deleted.
func Deleted(typeName string, id int64) *model.DeletePayload {
	if id == 0 {
		return &model.DeletePayload{}
	}
	global := model.RowID(typeName, id)
	return &model.DeletePayload{DeletedID: &global, Applied: true}
}
