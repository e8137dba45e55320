// Package convert turns inputs of the schema into what areas take, and what areas return
// into what the schema shows. It reads nothing and decides nothing.
package convert

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/patch"
)

// These turn generated inputs, which tell omitted from null, into inputs of the areas.

// Value returns the value of an optional property: nil if it is omitted or null.
func Value[T any](o graphql.Omittable[*T]) *T { return o.Value() }

// Field keeps the three states of a property of a partial update: omitted, null, set.
func Field[T any](o graphql.Omittable[*T]) patch.Field[T] {
	return patch.Field[T]{Sent: o.IsSet(), Value: o.Value()}
}

// Given returns a filter; the empty one if none is given.
func Given[T any](filter *T) (none T) {
	if filter == nil {
		return none
	}
	return *filter
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
	return DeletedID(model.RowID(typeName, id))
}

// DeletedID is the payload of the deletion of what had an id.
func DeletedID(id string) *model.DeletePayload {
	return &model.DeletePayload{DeletedID: &id, Outcome: model.Outcome{Applied: true}}
}
