package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/history"
)

func (r mutationResolver) AgentContactUpdate(ctx context.Context, input model.AgentContactUpdateInput) (*model.RecordPayload, error) {
	changed, err := r.Agency.UpdateContact(ctx, input.AgentCode, convert.ContactUpdate(input))
	return agentPayload(input.AgentCode, changed), err
}

func (r mutationResolver) AgentPayeeUpdate(ctx context.Context, input model.AgentPayeeUpdateInput, dryRun bool) (*model.AgentPayload, error) {
	change, err := r.Agency.UpdatePayee(ctx, input.AgentCode, convert.PayeeUpdate(input), dryRun)
	return &model.AgentPayload{Agent: agentByCode(input.AgentCode), Changes: convert.ChangeSets(change.Histories), Outcome: model.Outcome{Applied: change.Changed && !dryRun}}, err
}

func (r mutationResolver) W9PeriodApply(ctx context.Context, input model.W9PeriodApplyInput, dryRun bool) (*model.PeriodPayload, error) {
	change, err := r.Agency.ApplyW9(ctx, payee.W9PeriodInput{
		AgentCode: input.AgentCode, W9: input.W9, EffectiveFrom: input.EffectiveFrom,
		EffectiveThrough: convert.Value(input.EffectiveThrough), Initiator: input.Initiator,
	}, dryRun)
	return r.periodPayload(ctx, history.W9s, change, dryRun), err
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
