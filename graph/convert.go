package graph

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Inputs as generated, with omitted told from null, become inputs of the area.

// value is what an optional property was set to: nil for omitted and null.
func value[T any](o graphql.Omittable[*T]) *T { return o.Value() }

// field keeps the three states of a property of a partial update.
func field[T any](o graphql.Omittable[*T]) patch.Field[T] {
	return patch.Field[T]{Sent: o.IsSet(), Value: o.Value()}
}

// statusField is field for an enum that areas know as text.
func statusField[T ~string](o graphql.Omittable[*T]) patch.Field[string] {
	if v := o.Value(); v != nil {
		return patch.Set(string(*v))
	}
	return patch.Field[string]{Sent: o.IsSet()}
}

func agentFilter(f *model.AgentFilter) agency.AgentFilter {
	if f == nil {
		return agency.AgentFilter{}
	}
	return agency.AgentFilter{
		AgentCodes: f.AgentCodes.Value(), IsActive: value(f.IsActive), Email: value(f.Email),
		FirstName: value(f.FirstName), LastName: value(f.LastName), Jurisdiction: value(f.Jurisdiction),
		GovernmentIdentifier: value(f.GovernmentIdentifier), NPN: value(f.Npn), ModifiedSince: value(f.ModifiedSince),
		PayStatus: f.PayStatus.Value(), UplineAgentCode: value(f.UplineAgentCode),
	}
}

func payStatusPeriodFilter(f *model.PayStatusPeriodFilter) agency.PeriodFilter {
	if f == nil {
		return agency.PeriodFilter{}
	}
	return agency.PeriodFilter{AgentCode: value(f.AgentCode), PayStatus: value(f.PayStatus), From: value(f.From),
		Through: value(f.Through), ModifiedSince: value(f.ModifiedSince)}
}

func uplinePeriodFilter(f *model.UplinePeriodFilter) agency.PeriodFilter {
	if f == nil {
		return agency.PeriodFilter{}
	}
	return agency.PeriodFilter{AgentCode: value(f.AgentCode), UplineAgentCode: value(f.UplineAgentCode), From: value(f.From),
		Through: value(f.Through), ModifiedSince: value(f.ModifiedSince)}
}

func levelPeriodFilter(f *model.LevelPeriodFilter) agency.PeriodFilter {
	if f == nil {
		return agency.PeriodFilter{}
	}
	return agency.PeriodFilter{AgentCode: value(f.AgentCode), Level: value(f.Level), From: value(f.From),
		Through: value(f.Through), ModifiedSince: value(f.ModifiedSince)}
}

func certificationFilter(f *model.CertificationFilter) agency.CertificationFilter {
	if f == nil {
		return agency.CertificationFilter{}
	}
	return agency.CertificationFilter{
		AgentCode: value(f.AgentCode), Type: value(f.Type), ProviderCompany: value(f.ProviderCompany),
		Jurisdiction: value(f.Jurisdiction), Status: texts(f.Status.Value()), Identifier: value(f.Identifier),
		IsResidentCertification: value(f.IsResidentCertification), IsVerified: value(f.IsVerified),
		ExpiresFrom: value(f.ExpiresFrom), ExpiresThrough: value(f.ExpiresThrough),
	}
}

func certificationPeriodFilter(f *model.CertificationPeriodFilter) agency.CertificationPeriodFilter {
	if f == nil {
		return agency.CertificationPeriodFilter{}
	}
	return agency.CertificationPeriodFilter{
		AgentCode: value(f.AgentCode), Type: value(f.Type), ProviderCompany: value(f.ProviderCompany),
		Jurisdiction: value(f.Jurisdiction), Status: texts(f.Status.Value()), Identifier: value(f.Identifier),
		From: value(f.From), Through: value(f.Through), ModifiedSince: value(f.ModifiedSince),
	}
}

// texts are the values of an enum that areas know as text.
func texts[T ~string](list []T) []string {
	if list == nil {
		return nil
	}
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}

func registration(in model.AgentRegisterInput) agency.Registration {
	teams := make([]agency.TeamAssignment, len(in.Teams))
	for i, t := range in.Teams {
		teams[i] = agency.TeamAssignment{Team: t.Team, DirectUpline: value(t.Membership.DirectUpline), Level: value(t.Membership.Level)}
	}
	return agency.Registration{
		AgentCode: value(in.AgentCode), Details: in.Details, Status: in.Status, Teams: teams, GovernmentIdentifier: value(in.GovernmentIdentifier),
		Contact: agency.Contact{
			Addresses: map[agency.AddressKind]*agency.Address{
				agency.HomeAddress: value(in.HomeAddress), agency.BusinessAddress: value(in.BusinessAddress),
			},
			Phones: map[agency.PhoneKind]*agency.Phone{
				agency.CellPhone: value(in.CellPhone), agency.HomePhone: value(in.HomePhone),
				agency.BusinessPhone: value(in.BusinessPhone), agency.Fax: value(in.Fax),
			},
		},
		W9: value(in.W9), DirectDeposit: value(in.DirectDeposit),
		Initiator: in.Initiator,
	}
}

func membershipUpdate(in model.AgentMembershipUpdateInput) agency.MembershipUpdate {
	return agency.MembershipUpdate{DirectUpline: field(in.Membership.DirectUpline), Level: field(in.Membership.Level), Initiator: in.Initiator}
}

// What areas answer becomes what is shown.

func changeSet(c agency.Change) *model.PeriodChangeSet {
	set := &model.PeriodChangeSet{Before: planned(c.Before), After: planned(c.After)}
	for _, op := range c.Operations {
		shown := &model.PeriodOperation{Kind: model.PeriodOperationKind(op.Kind), Results: planned(op.Results)}
		if op.Existing != nil {
			shown.Existing = planned([]agency.Planned{*op.Existing})[0]
		}
		set.Operations = append(set.Operations, shown)
	}
	for _, w := range c.Warnings {
		set.Warnings = append(set.Warnings, &model.PeriodWarning{Code: model.PeriodWarningCode(w.Code), Message: w.Message})
	}
	return set
}

func changeSets(changes []agency.Change) []*model.PeriodChangeSet {
	sets := make([]*model.PeriodChangeSet, len(changes))
	for i, c := range changes {
		sets[i] = changeSet(c)
	}
	return sets
}

func anyChanged(changes []agency.Change) bool {
	for _, c := range changes {
		if c.Changed {
			return true
		}
	}
	return false
}

func planned(periods []agency.Planned) []*model.PlannedPeriod {
	shown := make([]*model.PlannedPeriod, len(periods))
	for i, p := range periods {
		shown[i] = &model.PlannedPeriod{EffectiveFrom: p.EffectiveFrom, EffectiveThrough: p.EffectiveThrough, Value: p.Value}
	}
	return shown
}

func deleted(typeName string, id int64) *model.DeletePayload {
	if id == 0 {
		return &model.DeletePayload{}
	}
	global := model.RowID(typeName, id)
	return &model.DeletePayload{DeletedID: &global, Applied: true}
}

func certificationView(at history.AsOf) func(*agency.Certification) *model.Certification {
	return func(c *agency.Certification) *model.Certification {
		return &model.Certification{Certification: c, At: at}
	}
}

func certificationPeriodView(at history.AsOf) func(*agency.CertificationPeriod) *model.CertificationPeriod {
	return func(p *agency.CertificationPeriod) *model.CertificationPeriod {
		return &model.CertificationPeriod{CertificationPeriod: p, At: at}
	}
}

func payStatusPeriodView(at history.AsOf) func(*agency.PayStatusPeriod) *model.PayStatusPeriod {
	return func(p *agency.PayStatusPeriod) *model.PayStatusPeriod {
		return &model.PayStatusPeriod{PayStatusPeriod: p, At: at}
	}
}

func uplinePeriodView(team string, at history.AsOf) func(*agency.UplinePeriod) *model.UplinePeriod {
	return func(p *agency.UplinePeriod) *model.UplinePeriod {
		return &model.UplinePeriod{UplinePeriod: p, Team: team, At: at}
	}
}

func levelPeriodView(team string, teamID int64, at history.AsOf) func(*agency.LevelPeriod) *model.LevelPeriod {
	return func(p *agency.LevelPeriod) *model.LevelPeriod {
		return &model.LevelPeriod{LevelPeriod: p, Team: team, TeamID: teamID, At: at}
	}
}
