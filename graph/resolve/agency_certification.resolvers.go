package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/history"
)

func certificationID(id string) int64 { return model.RowOf(model.CertificationNode, id) }

func (r mutationResolver) CertificationUpsert(ctx context.Context, in model.CertificationUpsertInput, dryRun bool) (*model.CertificationPayload, error) {
	result, err := r.Agency.UpsertCertification(ctx, certification.Upsert{
		AgentCode: in.AgentCode, Type: in.Type, ProviderCompany: convert.Value(in.ProviderCompany), Jurisdiction: convert.Value(in.Jurisdiction),
		Identifier: convert.Value(in.Identifier), Details: in.Details,
		Status: convert.Value(in.Status), EffectiveFrom: convert.Value(in.EffectiveFrom), EffectiveThrough: convert.Value(in.EffectiveThrough),
		Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.CertificationPayload{}, err
	}
	p := r.certificationPayload(ctx, result, dryRun)
	p.IsNew = &result.IsNew
	return p, nil
}

func (r mutationResolver) CertificationUpdate(ctx context.Context, in model.CertificationUpdateInput, dryRun bool) (*model.CertificationPayload, error) {
	result, err := r.Agency.UpdateCertification(ctx, certificationID(in.ID), certification.Update{
		Details: in.Details, Status: convert.Field(in.Status), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.CertificationPayload{}, err
	}
	return r.certificationPayload(ctx, result, dryRun), nil
}

func (r *Resolver) certificationPayload(ctx context.Context, result certification.Result, dryRun bool) *model.CertificationPayload {
	return &model.CertificationPayload{Changes: convert.ChangeSet(result.Change), Outcome: model.Outcome{Applied: result.Changed && !dryRun},
		Certification: r.object(ctx, model.CertificationNode, result.ID)}
}

func (r mutationResolver) CertificationPeriodApply(ctx context.Context, in model.CertificationPeriodApplyInput, dryRun bool) (*model.PeriodPayload, error) {
	row := certificationID(in.CertificationID)
	change, err := r.Agency.ApplyCertificationPeriod(ctx, row, certification.PeriodInput{
		Status: string(in.Status), EffectiveFrom: in.EffectiveFrom, EffectiveThrough: convert.Value(in.EffectiveThrough), Initiator: in.Initiator,
	}, dryRun)
	p := r.periodPayload(ctx, history.CertificationStatuses, change, dryRun)
	p.Certification = r.object(ctx, model.CertificationNode, row)
	return p, err
}

func (r mutationResolver) CertificationDelete(ctx context.Context, input model.CertificationDeleteInput) (*model.DeletePayload, error) {
	row := certificationID(input.ID)
	err := r.Agency.DeleteCertification(ctx, row, input.Initiator)
	return convert.Deleted(model.CertificationNode, row), err
}
