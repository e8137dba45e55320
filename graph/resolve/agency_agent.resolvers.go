package resolve

import (
	"context"
	"time"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/date"
)

func (r queryResolver) Agent(ctx context.Context, agentCode string, onDate *date.Date, asKnownAt *time.Time) (*model.Agent, error) {
	at := r.AsOf(ctx, onDate, asKnownAt)
	found, err := r.Agency.AgentsByCode(ctx, []string{agentCode})
	if err != nil || found[agentCode] == nil {
		return nil, err
	}
	return model.NewAgent(found[agentCode], at), nil
}

func (r queryResolver) Agents(ctx context.Context, _ *model.AgentFilter, _ []*model.AgentOrder, onDate *date.Date, asKnownAt *time.Time, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.AgentConnection, error) {
	at := r.AsOf(ctx, onDate, asKnownAt)
	return connectionOfAll(ctx, r.Resolver, lists.Agents, at, func(a *agency.Agent) *model.Agent { return model.NewAgent(a, at) })
}

func (r queryResolver) PayStatusPeriods(ctx context.Context, _ *model.PayStatusPeriodFilter, _ []*model.PeriodOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.PayStatusPeriodConnection, error) {
	at := r.AsOf(ctx, nil, nil)
	return connectionOfAll(ctx, r.Resolver, lists.PayStatusPeriods, at, convert.PayStatusPeriodView(at))
}

func (r mutationResolver) AgentRegister(ctx context.Context, input model.AgentRegisterInput, dryRun bool) (*model.AgentPayload, error) {
	code, err := r.Agency.Register(ctx, convert.Registration(input), dryRun)
	if err != nil || dryRun {
		return &model.AgentPayload{}, err
	}
	return r.agentPayload(ctx, code, true)
}

func (r mutationResolver) AgentUpdate(ctx context.Context, agentCode string, input agency.AgentUpdate) (*model.AgentPayload, error) {
	changed, err := r.Agency.UpdateAgent(ctx, agentCode, input)
	if err != nil {
		return &model.AgentPayload{}, err
	}
	return r.agentPayload(ctx, agentCode, changed)
}

func (r *Resolver) agentPayload(ctx context.Context, code string, applied bool) (*model.AgentPayload, error) {
	a, err := r.agentByCode(ctx, code)
	return &model.AgentPayload{Agent: a, Applied: applied}, err
}

// agentByCode reads an agent after a mutation changed it.
func (r *Resolver) agentByCode(ctx context.Context, code string) (*model.Agent, error) {
	found, err := r.Agency.AgentsByCode(ctx, []string{code})
	return model.NewAgent(found[code], r.AsOf(ctx, nil, nil)), err
}

func (r mutationResolver) AgentMembershipUpdate(ctx context.Context, team string, agentCode string, input model.AgentMembershipUpdateInput, dryRun bool) (*model.AgentMembershipPayload, error) {
	changes, err := r.Agency.UpdateMembership(ctx, team, agentCode, convert.MembershipUpdate(input), dryRun)
	if err != nil {
		return &model.AgentMembershipPayload{}, err
	}
	p := &model.AgentMembershipPayload{Changes: convert.ChangeSets(changes), Applied: !dryRun && convert.AnyChanged(changes)}
	if p.Agent, err = r.agentByCode(ctx, agentCode); err != nil {
		return p, err
	}
	p.Build, err = r.Build(ctx, team)
	return p, err
}

func (r mutationResolver) AgentDelete(ctx context.Context, agentCode string, newUplineAgentCode, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteAgent(ctx, agentCode, newUplineAgentCode, initiator(ctx, given))
	return convert.Deleted(model.AgentType, id), err
}

func (r mutationResolver) PayStatusPeriodApply(ctx context.Context, input model.PayStatusPeriodInput, dryRun bool) (*model.PayStatusPeriodPayload, error) {
	change, err := r.Agency.ApplyPayStatus(ctx, payee.PayStatusPeriodInput{
		AgentCode: input.AgentCode, Status: input.Status, EffectiveFrom: input.EffectiveFrom,
		EffectiveThrough: convert.Value(input.EffectiveThrough), Initiator: input.Initiator,
	}, dryRun)
	if err != nil {
		return &model.PayStatusPeriodPayload{}, err
	}
	p := &model.PayStatusPeriodPayload{Changes: convert.ChangeSet(change), Applied: change.Changed && !dryRun}
	if !dryRun {
		p.Period, err = r.payStatusPeriodByID(ctx, change.Period())
	}
	return p, err
}

func (r agentResolver) GovernmentIdentifier(ctx context.Context, obj *model.Agent, reveal bool) (*string, error) {
	return sensitive.GovernmentIdentifier.Unsealed(ctx, r.Vault, obj.AgentCode, &obj.Agent.GovernmentIdentifier, reveal)
}

func (r agentResolver) HomeAddress(ctx context.Context, obj *model.Agent) (*model.Address, error) {
	return r.address(ctx, obj, agency.HomeAddress)
}

func (r agentResolver) BusinessAddress(ctx context.Context, obj *model.Agent) (*model.Address, error) {
	return r.address(ctx, obj, agency.BusinessAddress)
}

func (r *Resolver) address(ctx context.Context, obj *model.Agent, kind agency.AddressKind) (*model.Address, error) {
	all, err := r.addresses(ctx).Load(ctx, obj.ID)
	return found(all[kind], err, func(a *agency.Address) *model.Address { return &model.Address{Address: a} })
}

func (r agentResolver) CellPhone(ctx context.Context, obj *model.Agent) (*model.Phone, error) {
	return r.phone(ctx, obj, agency.CellPhone)
}

func (r agentResolver) HomePhone(ctx context.Context, obj *model.Agent) (*model.Phone, error) {
	return r.phone(ctx, obj, agency.HomePhone)
}

func (r agentResolver) BusinessPhone(ctx context.Context, obj *model.Agent) (*model.Phone, error) {
	return r.phone(ctx, obj, agency.BusinessPhone)
}

func (r agentResolver) Fax(ctx context.Context, obj *model.Agent) (*model.Phone, error) {
	return r.phone(ctx, obj, agency.Fax)
}

func (r *Resolver) phone(ctx context.Context, obj *model.Agent, kind agency.PhoneKind) (*model.Phone, error) {
	all, err := r.phones(ctx).Load(ctx, obj.ID)
	return all[kind], err
}

func (r agentResolver) PayStatus(ctx context.Context, obj *model.Agent) (*model.PayStatus, error) {
	s, err := own[*struct{ Name string }](ctx, r.Resolver, obj.At, obj.ID, "name")
	if err != nil || s == nil {
		return nil, err
	}
	return r.payStatus(ctx, s.Name)
}

func (r agentResolver) IsActive(ctx context.Context, obj *model.Agent) (bool, error) {
	return own[bool](ctx, r.Resolver, obj.At, obj.ID)
}

func (r agentResolver) Membership(ctx context.Context, obj *model.Agent, team string) (*model.TeamMembership, error) {
	_, err := r.Agency.Team(ctx, team)
	return &model.TeamMembership{Agent: obj, Team: team}, err
}

func (r agentResolver) Upline(ctx context.Context, obj *model.Agent, _ string) (*model.Agent, error) {
	u, err := own[*agentKey](ctx, r.Resolver, obj.At, obj.ID, "id")
	return r.agentOf(ctx, u, obj.At, err)
}

// agentKey is what a plan answers of an agent that only its id is asked for.
type agentKey struct{ ID string }

// agentOf returns the agent with a key, nil for none.
func (r *Resolver) agentOf(ctx context.Context, key *agentKey, at history.AsOf, err error) (*model.Agent, error) {
	if err != nil || key == nil {
		return nil, err
	}
	return r.agent(ctx, globalRowID(model.AgentType, key.ID), at)
}

func (r agentResolver) Certifications(ctx context.Context, obj *model.Agent, _ *model.CertificationFilter, _ []*model.CertificationOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.CertificationConnection, error) {
	return connectionOf(ctx, r.Resolver, lists.Certifications, obj.ID, obj.At, convert.CertificationView(obj.At))
}

func (r agentResolver) PayStatusPeriods(ctx context.Context, obj *model.Agent, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.PayStatusPeriodConnection, error) {
	return connectionOf(ctx, r.Resolver, lists.PayStatusPeriods, obj.ID, obj.At, convert.PayStatusPeriodView(obj.At))
}

func (r agentResolver) UplinePeriods(ctx context.Context, obj *model.Agent, team string, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.UplinePeriodConnection, error) {
	return connectionOf(ctx, r.Resolver, lists.UplinePeriods, obj.ID, obj.At, convert.UplinePeriodView(team, obj.At))
}

func (r agentResolver) LevelPeriods(ctx context.Context, obj *model.Agent, team string, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.LevelPeriodConnection, error) {
	return connectionOf(ctx, r.Resolver, lists.LevelPeriods, obj.ID, obj.At, convert.LevelPeriodView(team, obj.At))
}

func (r addressResolver) Jurisdiction(ctx context.Context, obj *model.Address) (*model.Jurisdiction, error) {
	return r.jurisdiction(ctx, obj.Address.Jurisdiction.Value)
}

func (r payStatusPeriodResolver) Agent(ctx context.Context, obj *model.PayStatusPeriod) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r payStatusPeriodResolver) Status(ctx context.Context, obj *model.PayStatusPeriod) (*model.PayStatus, error) {
	return r.payStatus(ctx, obj.PayStatusPeriod.Status)
}
