package graph

import (
	"context"
	"time"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/words/date"
)

func (r queryResolver) Certification(ctx context.Context, id string, onDate *date.Date, asKnownAt *time.Time) (*model.Certification, error) {
	return r.certification(ctx, certificationID(id), r.asOf(ctx, onDate, asKnownAt))
}

func certificationID(id string) int64 { return rowID(model.CertificationNode, id) }

func (r *Resolver) certification(ctx context.Context, id int64, at history.AsOf) (*model.Certification, error) {
	rows, err := r.Agency.Certifications(ctx, []int64{id}, at)
	return found(rows[id], err, certificationView(at))
}

func (r queryResolver) Certifications(ctx context.Context, filter *model.CertificationFilter, orderBy []*model.CertificationOrder, onDate *date.Date, asKnownAt *time.Time, first *int, after *string, last *int, before *string, offset *int) (*model.CertificationConnection, error) {
	at := r.asOf(ctx, onDate, asKnownAt)
	list, err := r.Agency.CertificationList(ctx, certificationFilter(filter), orders(orderBy), at)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, pageArgs(ctx, first, after, last, before, offset), certificationView(at))
}

func (r queryResolver) CertificationPeriods(ctx context.Context, filter *model.CertificationPeriodFilter, orderBy []*model.PeriodOrder, first *int, after *string, last *int, before *string, offset *int) (*model.CertificationPeriodConnection, error) {
	list, err := r.Agency.CertificationPeriodList(ctx, certificationPeriodFilter(filter), orders(orderBy))
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, pageArgs(ctx, first, after, last, before, offset), certificationPeriodView(r.asOf(ctx, nil, nil)))
}

func (r mutationResolver) CertificationUpsert(ctx context.Context, in model.CertificationUpsertInput, dryRun bool) (*model.CertificationPayload, error) {
	result, err := r.Agency.UpsertCertification(ctx, agency.CertificationUpsert{
		AgentCode: in.AgentCode, Type: in.Type, ProviderCompany: value(in.ProviderCompany), Jurisdiction: value(in.Jurisdiction),
		Identifier: value(in.Identifier), CertificationDetails: in.CertificationDetails,
		Status: (*string)(value(in.Status)), EffectiveFrom: value(in.EffectiveFrom), EffectiveThrough: value(in.EffectiveThrough),
		Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.CertificationPayload{}, err
	}
	p, err := r.certificationPayload(ctx, result, dryRun)
	p.IsNew = &result.IsNew
	return p, err
}

func (r mutationResolver) CertificationUpdate(ctx context.Context, id string, in model.CertificationUpdateInput, dryRun bool) (*model.CertificationPayload, error) {
	result, err := r.Agency.UpdateCertification(ctx, certificationID(id), agency.CertificationUpdate{
		CertificationDetails: in.CertificationDetails, Status: statusField(in.Status), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.CertificationPayload{}, err
	}
	return r.certificationPayload(ctx, result, dryRun)
}

func (r *Resolver) certificationPayload(ctx context.Context, result agency.CertificationResult, dryRun bool) (*model.CertificationPayload, error) {
	p := &model.CertificationPayload{Applied: result.Changed && !dryRun, Changes: changeSet(result.Change)}
	if dryRun && result.IsNew {
		return p, nil
	}
	at := r.asOf(ctx, nil, nil)
	if known := result.On(at); known != nil {
		p.Certification = certificationView(at)(known)
		return p, nil
	}
	var err error
	p.Certification, err = r.certification(ctx, result.ID, at)
	return p, err
}

func (r mutationResolver) CertificationPeriodApply(ctx context.Context, id string, in model.CertificationPeriodInput, dryRun bool) (*model.CertificationPeriodPayload, error) {
	row := certificationID(id)
	change, err := r.Agency.ApplyCertificationPeriod(ctx, row, agency.CertificationPeriodInput{
		Status: string(in.Status), EffectiveFrom: in.EffectiveFrom, EffectiveThrough: value(in.EffectiveThrough), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.CertificationPeriodPayload{}, err
	}
	p := &model.CertificationPeriodPayload{Changes: changeSet(change), Applied: change.Changed && !dryRun}
	if p.Certification, err = r.certification(ctx, row, r.asOf(ctx, nil, nil)); err != nil || dryRun {
		return p, err
	}
	p.Period, err = r.certificationPeriodByID(ctx, change.Period())
	return p, err
}

func (r mutationResolver) CertificationDelete(ctx context.Context, id string, given *string) (*model.DeletePayload, error) {
	row := certificationID(id)
	if err := r.Agency.DeleteCertification(ctx, row, initiator(ctx, given)); err != nil {
		return &model.DeletePayload{}, err
	}
	return deleted(model.CertificationNode, row), nil
}

func (r certificationResolver) Agent(ctx context.Context, obj *model.Certification) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r certificationResolver) Type(ctx context.Context, obj *model.Certification) (*model.CertificationType, error) {
	return r.certificationType(ctx, obj.Certification.Type)
}

func (r certificationResolver) ProviderCompany(ctx context.Context, obj *model.Certification) (*model.ProviderCompany, error) {
	return r.providerCompany(ctx, obj.Certification.ProviderCompany)
}

func (r certificationResolver) Jurisdiction(ctx context.Context, obj *model.Certification) (*model.Jurisdiction, error) {
	return r.jurisdiction(ctx, obj.Certification.Jurisdiction)
}

func (r certificationResolver) Periods(ctx context.Context, obj *model.Certification, first *int, after *string, last *int, before *string, offset *int) (*model.CertificationPeriodConnection, error) {
	n := nested[*agency.CertificationPeriod]{
		relation: "certificationPeriods", at: known(obj.At), args: pageArgs(ctx, first, after, last, before, offset),
		list: func(ctx context.Context) (listing.List[*agency.CertificationPeriod], error) {
			return r.Agency.CertificationPeriodList(ctx, agency.CertificationPeriodFilter{Known: obj.At.Known}, agency.ForOneOwner())
		},
	}
	return connection(ctx, n, obj.ID, certificationPeriodView(obj.At))
}

func (r certificationPeriodResolver) Certification(ctx context.Context, obj *model.CertificationPeriod) (*model.Certification, error) {
	c, err := r.certifications(ctx, obj.At).Load(ctx, obj.CertificationID)
	return found(c, err, certificationView(obj.At))
}
