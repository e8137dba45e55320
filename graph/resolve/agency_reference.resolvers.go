package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
)

func (r mutationResolver) CertificationTypeCreate(ctx context.Context, input reference.CertificationTypeInput) (*model.CertificationTypePayload, error) {
	id, err := r.Agency.CreateCertificationType(ctx, input)
	return &model.CertificationTypePayload{CertificationType: r.object(ctx, model.CertificationTypeNode, id), Applied: true}, err
}

func (r mutationResolver) CertificationTypeUpdate(ctx context.Context, code string, input reference.CertificationTypeInput) (*model.CertificationTypePayload, error) {
	id, changed, err := r.Agency.UpdateCertificationType(ctx, code, input)
	return &model.CertificationTypePayload{CertificationType: r.object(ctx, model.CertificationTypeNode, id), Applied: changed}, err
}

func (r mutationResolver) CertificationTypeDelete(ctx context.Context, code string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteCertificationType(ctx, code, initiator(ctx, given))
	return convert.Deleted(model.CertificationTypeNode, id), err
}

func (r mutationResolver) JurisdictionCreate(ctx context.Context, input reference.JurisdictionInput) (*model.JurisdictionPayload, error) {
	id, err := r.Agency.CreateJurisdiction(ctx, input)
	return &model.JurisdictionPayload{Jurisdiction: r.object(ctx, model.JurisdictionNode, id), Applied: true}, err
}

func (r mutationResolver) JurisdictionUpdate(ctx context.Context, code string, input reference.JurisdictionInput) (*model.JurisdictionPayload, error) {
	id, changed, err := r.Agency.UpdateJurisdiction(ctx, code, input)
	return &model.JurisdictionPayload{Jurisdiction: r.object(ctx, model.JurisdictionNode, id), Applied: changed}, err
}

func (r mutationResolver) JurisdictionDelete(ctx context.Context, code string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteJurisdiction(ctx, code, initiator(ctx, given))
	return convert.Deleted(model.JurisdictionNode, id), err
}

func (r mutationResolver) PayStatusCreate(ctx context.Context, input reference.PayStatusInput) (*model.PayStatusPayload, error) {
	id, err := r.Agency.CreatePayStatus(ctx, input)
	return &model.PayStatusPayload{PayStatus: r.object(ctx, model.PayStatusNode, id), Applied: true}, err
}

func (r mutationResolver) PayStatusUpdate(ctx context.Context, name string, input reference.PayStatusInput) (*model.PayStatusPayload, error) {
	id, changed, err := r.Agency.UpdatePayStatus(ctx, name, input)
	return &model.PayStatusPayload{PayStatus: r.object(ctx, model.PayStatusNode, id), Applied: changed}, err
}

func (r mutationResolver) PayStatusDelete(ctx context.Context, name string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeletePayStatus(ctx, name, initiator(ctx, given))
	return convert.Deleted(model.PayStatusNode, id), err
}

func (r mutationResolver) AgentLevelCreate(ctx context.Context, team string, input reference.AgentLevelInput) (*model.AgentLevelPayload, error) {
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return &model.AgentLevelPayload{}, err
	}
	id, err := r.Agency.CreateAgentLevel(ctx, teamID, input)
	return &model.AgentLevelPayload{AgentLevel: r.object(ctx, model.AgentLevelNode, id), Applied: true}, err
}

func (r mutationResolver) AgentLevelUpdate(ctx context.Context, team string, value int, input reference.AgentLevelInput) (*model.AgentLevelPayload, error) {
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return &model.AgentLevelPayload{}, err
	}
	id, changed, err := r.Agency.UpdateAgentLevel(ctx, teamID, value, input)
	return &model.AgentLevelPayload{AgentLevel: r.object(ctx, model.AgentLevelNode, id), Applied: changed}, err
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
	id, changed, err := r.Agency.UpsertProviderCompany(ctx, input)
	return &model.ProviderCompanyPayload{ProviderCompany: r.object(ctx, model.ProviderCompanyNode, id), Applied: changed}, err
}
