package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
)

func (r queryResolver) W9Periods(ctx context.Context, _ *model.W9PeriodFilter, _ []*model.PeriodOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.W9PeriodConnection, error) {
	at := r.AsOf(ctx, nil, nil)
	return connectionOfAll(ctx, r.Resolver, lists.W9Periods, at, convert.W9PeriodView(at))
}

func (r mutationResolver) AgentContactUpdate(ctx context.Context, agentCode string, input model.AgentContactUpdateInput) (*model.AgentPayload, error) {
	changed, err := r.Agency.UpdateContact(ctx, agentCode, convert.ContactUpdate(input))
	if err != nil {
		return &model.AgentPayload{}, err
	}
	return r.agentPayload(ctx, agentCode, changed)
}

func (r mutationResolver) AgentPayeeUpdate(ctx context.Context, agentCode string, input model.AgentPayeeUpdateInput, dryRun bool) (*model.AgentPayeePayload, error) {
	change, err := r.Agency.UpdatePayee(ctx, agentCode, convert.PayeeUpdate(input), dryRun)
	if err != nil {
		return &model.AgentPayeePayload{}, err
	}
	p := &model.AgentPayeePayload{Changes: convert.ChangeSets(change.Histories), Applied: change.Changed && !dryRun}
	p.Agent, err = r.agentByCode(ctx, agentCode)
	return p, err
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
		p.Period, err = r.w9PeriodByID(ctx, change.Period())
	}
	return p, err
}

func (r *Resolver) w9PeriodByID(ctx context.Context, id int64) (*model.W9Period, error) {
	p, err := periodByID(ctx, "w9Period", id, func(ctx context.Context, f record.PeriodFilter) (listing.List[*payee.W9Period], error) {
		return r.Agency.W9Periods(ctx, f, nil)
	})
	return found(p, err, convert.W9PeriodView(r.AsOf(ctx, nil, nil)))
}

func (r agentResolver) Payee(_ context.Context, obj *model.Agent) (*model.Payee, error) {
	return &model.Payee{Agent: obj}, nil
}

func (r agentResolver) W9Periods(ctx context.Context, obj *model.Agent, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.W9PeriodConnection, error) {
	return connectionOf(ctx, r.Resolver, lists.W9Periods, obj.ID, obj.At, convert.W9PeriodView(obj.At))
}

func (r *Resolver) w9s(ctx context.Context, at history.AsOf) *loader.Batch[*payee.W9] {
	return loader.Get(ctx, loader.Key{Relation: "w9", AsOf: at}, func(ctx context.Context, ids []int64) (map[int64]*payee.W9, error) {
		return r.Agency.W9sOn(ctx, ids, at)
	})
}

func (r *Resolver) directDeposits(ctx context.Context) *loader.Batch[*payee.DirectDeposit] {
	return loader.Get(ctx, loader.Key{Relation: "directDeposit"}, r.Agency.DirectDeposits)
}

func (r payeeResolver) Status(ctx context.Context, obj *model.Payee) (*model.PayStatus, error) {
	s, err := inside[*struct{ Name string }](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID, "name")
	if err != nil || s == nil {
		return nil, err
	}
	return r.payStatus(ctx, s.Name)
}

func (r payeeResolver) W9(ctx context.Context, obj *model.Payee) (*model.W9, error) {
	v, err := r.w9s(ctx, obj.Agent.At).Load(ctx, obj.Agent.ID)
	return found(v, err, convert.W9View(obj.Agent.AgentCode))
}

func (r payeeResolver) DirectDeposit(ctx context.Context, obj *model.Payee) (*model.DirectDeposit, error) {
	d, err := r.directDeposits(ctx).Load(ctx, obj.Agent.ID)
	return found(d, err, convert.DirectDepositView(obj.Agent.AgentCode))
}

func (r payeeResolver) IsPayable(ctx context.Context, obj *model.Payee) (bool, error) {
	return inside[bool](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r w9Resolver) AccountNumber(ctx context.Context, obj *model.W9, reveal bool) (*string, error) {
	return r.w9Secret(ctx, obj, "accountNumber", reveal)
}

func (r w9Resolver) TaxpayerIdentifier(ctx context.Context, obj *model.W9, reveal bool) (*string, error) {
	return r.w9Secret(ctx, obj, "taxpayerIdentifier", reveal)
}

func (r w9Resolver) Signature(ctx context.Context, obj *model.W9, reveal bool) (*string, error) {
	return r.w9Secret(ctx, obj, "signature", reveal)
}

func (r w9Resolver) w9Secret(ctx context.Context, obj *model.W9, name string, reveal bool) (*string, error) {
	return sensitive.W9[name].Unsealed(ctx, r.Vault, obj.AgentCode, obj.Secrets[name], reveal)
}

func (r w9PeriodResolver) Agent(ctx context.Context, obj *model.W9Period) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r directDepositResolver) RoutingNumber(ctx context.Context, obj *model.DirectDeposit, reveal bool) (*string, error) {
	return r.bankSecret(ctx, obj, "routingNumber", reveal)
}

func (r directDepositResolver) InstitutionNumber(ctx context.Context, obj *model.DirectDeposit, reveal bool) (*string, error) {
	return r.bankSecret(ctx, obj, "institutionNumber", reveal)
}

func (r directDepositResolver) TransitNumber(ctx context.Context, obj *model.DirectDeposit, reveal bool) (*string, error) {
	return r.bankSecret(ctx, obj, "transitNumber", reveal)
}

func (r directDepositResolver) AccountNumber(ctx context.Context, obj *model.DirectDeposit, reveal bool) (*string, error) {
	return r.bankSecret(ctx, obj, "accountNumber", reveal)
}

func (r directDepositResolver) bankSecret(ctx context.Context, obj *model.DirectDeposit, name string, reveal bool) (*string, error) {
	return sensitive.Bank[name].Unsealed(ctx, r.Vault, obj.AgentCode, obj.Secrets[name], reveal)
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
