package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
)

func (r mutationResolver) AgentRegister(ctx context.Context, input model.AgentRegisterInput, dryRun bool) (*model.AgentPayload, error) {
	code, err := r.Agency.Register(ctx, convert.Registration(input), dryRun)
	if err != nil || dryRun {
		return &model.AgentPayload{}, err
	}
	return agentPayload(code, true), nil
}

func (r mutationResolver) AgentUpdate(ctx context.Context, agentCode string, input agency.AgentUpdate) (*model.AgentPayload, error) {
	changed, err := r.Agency.UpdateAgent(ctx, agentCode, input)
	if err != nil {
		return &model.AgentPayload{}, err
	}
	return agentPayload(agentCode, changed), nil
}

func agentPayload(code string, applied bool) *model.AgentPayload {
	return &model.AgentPayload{Agent: agentByCode(code), Applied: applied}
}

// agentByCode is an agent after a mutation has changed it, in the request's default view.
func agentByCode(code string) *model.Object { return &model.Object{Type: model.AgentType, Code: code} }

func (r mutationResolver) AgentMembershipUpdate(ctx context.Context, team string, agentCode string, input model.AgentMembershipUpdateInput, dryRun bool) (*model.AgentMembershipPayload, error) {
	changes, err := r.Agency.UpdateMembership(ctx, team, agentCode, convert.MembershipUpdate(input), dryRun)
	if err != nil {
		return &model.AgentMembershipPayload{}, err
	}
	p := &model.AgentMembershipPayload{Agent: agentByCode(agentCode), Changes: convert.ChangeSets(changes), Applied: !dryRun && convert.AnyChanged(changes)}
	p.Build, err = r.build(ctx, team)
	return p, err
}

func (r mutationResolver) AgentDelete(ctx context.Context, agentCode string, newUplineAgentCode, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteAgent(ctx, agentCode, newUplineAgentCode, initiator(ctx, given))
	return convert.Deleted(model.AgentType, id), err
}

func (r mutationResolver) PayStatusPeriodApply(ctx context.Context, input model.PayStatusPeriodInput, dryRun bool) (*model.PayStatusPeriodPayload, error) {
	change, err := r.Agency.ApplyPayStatus(ctx, record.PeriodInput[string]{
		AgentCode: input.AgentCode, Value: input.Status, EffectiveFrom: input.EffectiveFrom,
		EffectiveThrough: convert.Value(input.EffectiveThrough), Initiator: input.Initiator,
	}, dryRun)
	if err != nil {
		return &model.PayStatusPeriodPayload{}, err
	}
	p := &model.PayStatusPeriodPayload{Changes: convert.ChangeSet(change), Applied: change.Changed && !dryRun}
	if !dryRun {
		p.Period = r.object(ctx, history.PayStatuses.Type, change.Period())
	}
	return p, nil
}
