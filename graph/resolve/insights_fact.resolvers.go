package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/platform/listing"
)

func (r mutationResolver) ProductionRecordUpsert(ctx context.Context, input model.ProductionRecordUpsertInput, dryRun bool) (*model.ProductionRecordUpsertPayload, error) {
	record, fate, err := r.Facts.RecordOneProduction(ctx, facts.ProductionInput{
		AgentCode: input.AgentCode, ProviderCompany: input.ProviderCompany, PolicyNumber: input.PolicyNumber, ProductLine: convert.Value(input.ProductLine),
		SubmittedOn: convert.Value(input.SubmittedOn), IssuedOn: convert.Value(input.IssuedOn), PlacedOn: convert.Value(input.PlacedOn), AnnualPremium: input.AnnualPremium,
	}, facts.Batch{Initiator: input.Initiator, DryRun: dryRun})
	shown, err := found(record, err, func(p *facts.ProductionRecord) *model.ProductionRecord {
		return &model.ProductionRecord{ProductionRecord: p, At: r.Read.AsOf(ctx, nil, nil)}
	})
	return &model.ProductionRecordUpsertPayload{ProductionRecord: shown, Applied: applied(fate, dryRun)}, err
}

func (r mutationResolver) CommissionPaymentRecord(ctx context.Context, input model.CommissionPaymentRecordInput, dryRun bool) (*model.CommissionPaymentRecordPayload, error) {
	payment, fate, err := r.Facts.RecordOneCommission(ctx, facts.CommissionInput{
		AgentCode: input.AgentCode, PaidOn: input.PaidOn, Amount: input.Amount, Reference: convert.Value(input.Reference),
	}, facts.Batch{Initiator: input.Initiator, DryRun: dryRun})
	shown, err := found(payment, err, func(p *facts.CommissionPayment) *model.CommissionPayment {
		return &model.CommissionPayment{CommissionPayment: p, At: r.Read.AsOf(ctx, nil, nil)}
	})
	return &model.CommissionPaymentRecordPayload{CommissionPayment: shown, Applied: applied(fate, dryRun)}, err
}

// applied reports whether recording a fact changed anything.
func applied(fate facts.Fate, dryRun bool) bool {
	return !dryRun && (fate == facts.Created || fate == facts.Updated)
}

func (r productionRecordResolver) Agent(ctx context.Context, obj *model.ProductionRecord) (*model.Object, error) {
	return model.Agent(obj.AgentID, obj.At), nil
}

func (r productionRecordResolver) ProviderCompany(ctx context.Context, obj *model.ProductionRecord) (*model.Object, error) {
	return &model.Object{Type: model.ProviderCompanyNode, Code: obj.ProductionRecord.ProviderCompany}, nil
}

func (r agentResolver) CommissionPayments(ctx context.Context, obj *model.Object, first *int, after *string, last *int, before *string, offset *int) (*model.CommissionPaymentConnection, error) {
	n := nested[*facts.CommissionPayment]{relation: "commissionPayments", args: paging(ctx), list: func(ctx context.Context, _ []int64) (listing.List[*facts.CommissionPayment], error) {
		return r.Insights.Payments(ctx)
	}}
	return connection(ctx, n, obj.ID, func(p *facts.CommissionPayment) *model.CommissionPayment {
		return &model.CommissionPayment{CommissionPayment: p, At: obj.At}
	})
}

func (r commissionPaymentResolver) Agent(ctx context.Context, obj *model.CommissionPayment) (*model.Object, error) {
	return model.Agent(obj.AgentID, obj.At), nil
}
