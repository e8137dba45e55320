package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/history"
)

func (r mutationResolver) AgentContactUpdate(ctx context.Context, agentCode string, input model.AgentContactUpdateInput) (*model.AgentPayload, error) {
	changed, err := r.Agency.UpdateContact(ctx, agentCode, convert.ContactUpdate(input))
	if err != nil {
		return &model.AgentPayload{}, err
	}
	return agentPayload(agentCode, changed), nil
}

func (r mutationResolver) AgentPayeeUpdate(ctx context.Context, agentCode string, input model.AgentPayeeUpdateInput, dryRun bool) (*model.AgentPayeePayload, error) {
	change, err := r.Agency.UpdatePayee(ctx, agentCode, convert.PayeeUpdate(input), dryRun)
	if err != nil {
		return &model.AgentPayeePayload{}, err
	}
	return &model.AgentPayeePayload{Agent: agentByCode(agentCode), Changes: convert.ChangeSets(change.Histories), Applied: change.Changed && !dryRun}, nil
}

func (r mutationResolver) W9PeriodApply(ctx context.Context, input model.W9PeriodInput, dryRun bool) (*model.W9PeriodPayload, error) {
	change, err := r.Agency.ApplyW9(ctx, payee.W9PeriodInput{
		AgentCode: input.AgentCode, W9: input.W9, EffectiveFrom: input.EffectiveFrom,
		EffectiveThrough: convert.Value(input.EffectiveThrough), Initiator: input.Initiator,
	}, dryRun)
	if err != nil {
		return &model.W9PeriodPayload{}, err
	}
	p := &model.W9PeriodPayload{Changes: convert.ChangeSet(change), Applied: change.Changed && !dryRun}
	if !dryRun {
		p.Period = r.object(ctx, history.W9s.Type, change.Period())
	}
	return p, nil
}

// W9Input and W9UpdateInput implement generated.ResolverRoot.
func (*Resolver) W9Input() generated.W9InputResolver             { return w9InputResolver{} }
func (*Resolver) W9UpdateInput() generated.W9UpdateInputResolver { return w9InputResolver{} }

type w9InputResolver struct{}

// Address takes the address of a W9 that was sent. Null clears all of it.
func (w9InputResolver) Address(_ context.Context, obj *payee.W9Details, data *payee.W9Address) error {
	if data == nil {
		data = payee.W9AddressFields.Cleared()
	}
	obj.Address = *data
	return nil
}
