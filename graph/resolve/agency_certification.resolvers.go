package resolve

import (
	"context"
	"time"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/words/date"
)

func (r queryResolver) Certification(ctx context.Context, id string, onDate *date.Date, asKnownAt *time.Time) (*model.Certification, error) {
	return r.certification(ctx, CertificationID(id), r.AsOf(ctx, onDate, asKnownAt))
}

// CertificationID reads the id of a certification.
func CertificationID(id string) int64 { return RowID(model.CertificationNode, id) }

func (r *Resolver) certification(ctx context.Context, id int64, at history.AsOf) (*model.Certification, error) {
	rows, err := r.Agency.Certifications(ctx, []int64{id}, at)
	return found(rows[id], err, convert.CertificationView(at))
}

func (r queryResolver) Certifications(ctx context.Context, filter *model.CertificationFilter, orderBy []*model.CertificationOrder, onDate *date.Date, asKnownAt *time.Time, first *int, after *string, last *int, before *string, offset *int) (*model.CertificationConnection, error) {
	at := r.AsOf(ctx, onDate, asKnownAt)
	list, err := r.Agency.CertificationList(ctx, convert.CertificationFilter(filter), Orders(orderBy), at)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, pageArgs(ctx, first, after, last, before, offset), convert.CertificationView(at))
}

func (r queryResolver) CertificationPeriods(ctx context.Context, filter *model.CertificationPeriodFilter, orderBy []*model.PeriodOrder, first *int, after *string, last *int, before *string, offset *int) (*model.CertificationPeriodConnection, error) {
	list, err := r.Agency.CertificationPeriodList(ctx, convert.CertificationPeriodFilter(filter), Orders(orderBy))
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, pageArgs(ctx, first, after, last, before, offset), convert.CertificationPeriodView(r.AsOf(ctx, nil, nil)))
}

func (r mutationResolver) CertificationUpsert(ctx context.Context, in model.CertificationUpsertInput, dryRun bool) (*model.CertificationPayload, error) {
	result, err := r.Agency.UpsertCertification(ctx, certification.Upsert{
		AgentCode: in.AgentCode, Type: in.Type, ProviderCompany: convert.Value(in.ProviderCompany), Jurisdiction: convert.Value(in.Jurisdiction),
		Identifier: convert.Value(in.Identifier), Details: in.Details,
		Status: (*string)(convert.Value(in.Status)), EffectiveFrom: convert.Value(in.EffectiveFrom), EffectiveThrough: convert.Value(in.EffectiveThrough),
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
	result, err := r.Agency.UpdateCertification(ctx, CertificationID(id), certification.Update{
		Details: in.Details, Status: convert.StatusField(in.Status), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.CertificationPayload{}, err
	}
	return r.certificationPayload(ctx, result, dryRun)
}

func (r *Resolver) certificationPayload(ctx context.Context, result certification.Result, dryRun bool) (*model.CertificationPayload, error) {
	p := &model.CertificationPayload{Applied: result.Changed && !dryRun, Changes: convert.ChangeSet(result.Change)}
	if dryRun && result.IsNew {
		return p, nil
	}
	at := r.AsOf(ctx, nil, nil)
	if known := result.On(at); known != nil {
		p.Certification = convert.CertificationView(at)(known)
		return p, nil
	}
	var err error
	p.Certification, err = r.certification(ctx, result.ID, at)
	return p, err
}

func (r mutationResolver) CertificationPeriodApply(ctx context.Context, id string, in model.CertificationPeriodInput, dryRun bool) (*model.CertificationPeriodPayload, error) {
	row := CertificationID(id)
	change, err := r.Agency.ApplyCertificationPeriod(ctx, row, certification.PeriodInput{
		Status: string(in.Status), EffectiveFrom: in.EffectiveFrom, EffectiveThrough: convert.Value(in.EffectiveThrough), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.CertificationPeriodPayload{}, err
	}
	p := &model.CertificationPeriodPayload{Changes: convert.ChangeSet(change), Applied: change.Changed && !dryRun}
	if p.Certification, err = r.certification(ctx, row, r.AsOf(ctx, nil, nil)); err != nil || dryRun {
		return p, err
	}
	p.Period, err = r.certificationPeriodByID(ctx, change.Period())
	return p, err
}

func (r mutationResolver) CertificationDelete(ctx context.Context, id string, given *string) (*model.DeletePayload, error) {
	row := CertificationID(id)
	if err := r.Agency.DeleteCertification(ctx, row, initiator(ctx, given)); err != nil {
		return &model.DeletePayload{}, err
	}
	return convert.Deleted(model.CertificationNode, row), nil
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
	n := nested[*certification.Period]{
		relation: "certificationPeriods", at: known(obj.At), args: pageArgs(ctx, first, after, last, before, offset),
		list: func(ctx context.Context) (listing.List[*certification.Period], error) {
			return r.Agency.CertificationPeriodList(ctx, certification.PeriodFilter{Known: obj.At.Known}, record.ForOneOwner())
		},
	}
	return connection(ctx, n, obj.ID, convert.CertificationPeriodView(obj.At))
}

func (r certificationPeriodResolver) Certification(ctx context.Context, obj *model.CertificationPeriod) (*model.Certification, error) {
	c, err := r.certifications(ctx, obj.At).Load(ctx, obj.CertificationID)
	return found(c, err, convert.CertificationView(obj.At))
}
