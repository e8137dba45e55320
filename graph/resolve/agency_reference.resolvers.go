package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
)

func (r queryResolver) CertificationTypes(ctx context.Context) ([]*model.CertificationType, error) {
	rows, err := r.Agency.CertificationTypes(ctx)
	return views(rows, convert.CertificationTypeView), err
}

func (r queryResolver) CertificationType(ctx context.Context, code string) (*model.CertificationType, error) {
	t, err := lookup(ctx, "certificationTypes", 0, r.Agency.CertificationTypes, func(t *reference.CertificationType) bool { return t.Code == code })
	return found(t, err, convert.CertificationTypeView)
}

func (r queryResolver) Jurisdictions(ctx context.Context, country *string) ([]*model.Jurisdiction, error) {
	rows, err := r.Agency.Jurisdictions(ctx)
	var shown []*model.Jurisdiction
	for _, j := range rows {
		if country == nil || j.Country == *country {
			shown = append(shown, convert.JurisdictionView(j))
		}
	}
	return shown, err
}

func (r queryResolver) Jurisdiction(ctx context.Context, code string) (*model.Jurisdiction, error) {
	j, err := lookup(ctx, "jurisdictions", 0, r.Agency.Jurisdictions, func(j *reference.Jurisdiction) bool { return j.Code == code })
	return found(j, err, convert.JurisdictionView)
}

func (r queryResolver) PayStatuses(ctx context.Context) ([]*model.PayStatus, error) {
	rows, err := r.Agency.PayStatuses(ctx)
	return views(rows, convert.PayStatusView), err
}

func (r queryResolver) PayStatus(ctx context.Context, name string) (*model.PayStatus, error) {
	s, err := lookup(ctx, "payStatuses", 0, r.Agency.PayStatuses, func(s *reference.PayStatus) bool { return s.Name == name })
	return found(s, err, convert.PayStatusView)
}

func (r queryResolver) AgentLevels(ctx context.Context, team string) ([]*model.AgentLevel, error) {
	id, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	return r.levelsOf(ctx, team, id)
}

func (r *Resolver) levelsOf(ctx context.Context, team string, teamID int64) ([]*model.AgentLevel, error) {
	rows, err := r.Agency.AgentLevels(ctx, teamID)
	return views(rows, convert.AgentLevelView(team)), err
}

func (r queryResolver) AgentLevel(ctx context.Context, team string, value int) (*model.AgentLevel, error) {
	id, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) ([]*reference.AgentLevel, error) { return r.Agency.AgentLevels(ctx, id) }
	l, err := lookup(ctx, "agentLevels", id, read, func(l *reference.AgentLevel) bool { return l.Value == value })
	return found(l, err, convert.AgentLevelView(team))
}

func (r queryResolver) ProviderCompanies(ctx context.Context) ([]*model.ProviderCompany, error) {
	rows, err := r.Agency.ProviderCompanies(ctx)
	return views(rows, convert.ProviderCompanyView), err
}

func (r mutationResolver) CertificationTypeCreate(ctx context.Context, input reference.CertificationTypeInput) (*model.CertificationTypePayload, error) {
	row, err := r.Agency.CreateCertificationType(ctx, input)
	return certificationTypePayload(row, true, err)
}

func (r mutationResolver) CertificationTypeUpdate(ctx context.Context, code string, input reference.CertificationTypeInput) (*model.CertificationTypePayload, error) {
	row, changed, err := r.Agency.UpdateCertificationType(ctx, code, input)
	return certificationTypePayload(row, changed, err)
}

func certificationTypePayload(row *reference.CertificationType, changed bool, err error) (*model.CertificationTypePayload, error) {
	shown, err := found(row, err, convert.CertificationTypeView)
	return &model.CertificationTypePayload{CertificationType: shown, Applied: changed}, err
}

func (r mutationResolver) CertificationTypeDelete(ctx context.Context, code string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteCertificationType(ctx, code, initiator(ctx, given))
	return convert.Deleted(model.CertificationTypeNode, id), err
}

func (r mutationResolver) JurisdictionCreate(ctx context.Context, input reference.JurisdictionInput) (*model.JurisdictionPayload, error) {
	row, err := r.Agency.CreateJurisdiction(ctx, input)
	return jurisdictionPayload(row, true, err)
}

func (r mutationResolver) JurisdictionUpdate(ctx context.Context, code string, input reference.JurisdictionInput) (*model.JurisdictionPayload, error) {
	row, changed, err := r.Agency.UpdateJurisdiction(ctx, code, input)
	return jurisdictionPayload(row, changed, err)
}

func jurisdictionPayload(row *reference.Jurisdiction, changed bool, err error) (*model.JurisdictionPayload, error) {
	shown, err := found(row, err, convert.JurisdictionView)
	return &model.JurisdictionPayload{Jurisdiction: shown, Applied: changed}, err
}

func (r mutationResolver) JurisdictionDelete(ctx context.Context, code string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteJurisdiction(ctx, code, initiator(ctx, given))
	return convert.Deleted(model.JurisdictionNode, id), err
}

func (r mutationResolver) PayStatusCreate(ctx context.Context, input reference.PayStatusInput) (*model.PayStatusPayload, error) {
	row, err := r.Agency.CreatePayStatus(ctx, input)
	return payStatusPayload(row, true, err)
}

func (r mutationResolver) PayStatusUpdate(ctx context.Context, name string, input reference.PayStatusInput) (*model.PayStatusPayload, error) {
	row, changed, err := r.Agency.UpdatePayStatus(ctx, name, input)
	return payStatusPayload(row, changed, err)
}

func payStatusPayload(row *reference.PayStatus, changed bool, err error) (*model.PayStatusPayload, error) {
	shown, err := found(row, err, convert.PayStatusView)
	return &model.PayStatusPayload{PayStatus: shown, Applied: changed}, err
}

func (r mutationResolver) PayStatusDelete(ctx context.Context, name string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeletePayStatus(ctx, name, initiator(ctx, given))
	return convert.Deleted(model.PayStatusNode, id), err
}

func (r mutationResolver) AgentLevelCreate(ctx context.Context, team string, input reference.AgentLevelInput) (*model.AgentLevelPayload, error) {
	id, err := r.Agency.Team(ctx, team)
	if err != nil {
		return &model.AgentLevelPayload{}, err
	}
	row, err := r.Agency.CreateAgentLevel(ctx, id, input)
	return agentLevelPayload(team, row, true, err)
}

func (r mutationResolver) AgentLevelUpdate(ctx context.Context, team string, value int, input reference.AgentLevelInput) (*model.AgentLevelPayload, error) {
	id, err := r.Agency.Team(ctx, team)
	if err != nil {
		return &model.AgentLevelPayload{}, err
	}
	row, changed, err := r.Agency.UpdateAgentLevel(ctx, id, value, input)
	return agentLevelPayload(team, row, changed, err)
}

func agentLevelPayload(team string, row *reference.AgentLevel, changed bool, err error) (*model.AgentLevelPayload, error) {
	shown, err := found(row, err, convert.AgentLevelView(team))
	return &model.AgentLevelPayload{AgentLevel: shown, Applied: changed}, err
}

func (r mutationResolver) AgentLevelDelete(ctx context.Context, team string, value int, given *string) (*model.DeletePayload, error) {
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return &model.DeletePayload{}, err
	}
	id, err := r.Agency.DeleteAgentLevel(ctx, teamID, value, initiator(ctx, given))
	return convert.Deleted(model.AgentLevelNode, id), err
}

func (r mutationResolver) ProviderCompanyUpsert(ctx context.Context, input reference.ProviderCompanyInput) (*model.ProviderCompanyPayload, error) {
	row, changed, err := r.Agency.UpsertProviderCompany(ctx, input)
	shown, err := found(row, err, convert.ProviderCompanyView)
	return &model.ProviderCompanyPayload{ProviderCompany: shown, Applied: changed}, err
}
