package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
)

func (r mutationResolver) AgentRegister(ctx context.Context, input model.AgentRegisterInput, dryRun bool) (*model.RecordPayload, error) {
	code, err := r.Agency.Register(ctx, convert.Registration(input), dryRun)
	if err != nil {
		return &model.RecordPayload{}, err
	}
	return agentPayload(code, !dryRun), nil
}

func (r mutationResolver) AgentUpdate(ctx context.Context, input model.AgentUpdateInput) (*model.RecordPayload, error) {
	changed, err := r.Agency.UpdateAgent(ctx, input.AgentCode, input.AgentUpdate)
	return agentPayload(input.AgentCode, changed), err
}

func agentPayload(code string, applied bool) *model.RecordPayload {
	return &model.RecordPayload{Record: agentByCode(code), Outcome: model.Outcome{Applied: applied}}
}

// agentByCode is an agent after a mutation has changed it, in the request's default view.
func agentByCode(code string) *model.Object { return &model.Object{Type: model.AgentType, Code: code} }

func (r mutationResolver) AgentMembershipUpdate(ctx context.Context, input model.AgentMembershipUpdateInput, dryRun bool) (*model.AgentPayload, error) {
	changes, err := r.Agency.UpdateMembership(ctx, input.Team, input.AgentCode, convert.MembershipUpdate(input), dryRun)
	if err != nil {
		return &model.AgentPayload{}, err
	}
	p := &model.AgentPayload{Agent: agentByCode(input.AgentCode), Changes: convert.ChangeSets(changes), Outcome: model.Outcome{Applied: !dryRun && convert.AnyChanged(changes)}}
	p.Build, err = r.build(ctx, input.Team)
	return p, err
}

func (r mutationResolver) AgentDelete(ctx context.Context, input model.AgentDeleteInput) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteAgent(ctx, input.AgentCode, convert.Value(input.NewUplineAgentCode), input.Initiator)
	return convert.Deleted(model.AgentType, id), err
}

func (r mutationResolver) PayStatusPeriodApply(ctx context.Context, input model.PayStatusPeriodApplyInput, dryRun bool) (*model.PeriodPayload, error) {
	change, err := r.Agency.ApplyPayStatus(ctx, record.PeriodInput[string]{
		AgentCode: input.AgentCode, Value: input.Status, EffectiveFrom: input.EffectiveFrom,
		EffectiveThrough: convert.Value(input.EffectiveThrough), Initiator: input.Initiator,
	}, dryRun)
	return r.periodPayload(ctx, history.PayStatuses, change, dryRun), err
}
