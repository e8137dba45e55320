package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
)

func (r mutationResolver) CertificationTypeCreate(ctx context.Context, input reference.CertificationTypeInput) (*model.CertificationTypePayload, error) {
	row, err := r.Agency.CreateCertificationType(ctx, input)
	return r.certificationTypePayload(ctx, row, true), err
}

func (r mutationResolver) CertificationTypeUpdate(ctx context.Context, code string, input reference.CertificationTypeInput) (*model.CertificationTypePayload, error) {
	row, changed, err := r.Agency.UpdateCertificationType(ctx, code, input)
	return r.certificationTypePayload(ctx, row, changed), err
}

func (r *Resolver) certificationTypePayload(ctx context.Context, row *reference.CertificationType, changed bool) *model.CertificationTypePayload {
	p := &model.CertificationTypePayload{Applied: changed}
	if row != nil {
		p.CertificationType = r.object(ctx, model.CertificationTypeNode, row.ID)
	}
	return p
}

func (r mutationResolver) CertificationTypeDelete(ctx context.Context, code string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteCertificationType(ctx, code, initiator(ctx, given))
	return convert.Deleted(model.CertificationTypeNode, id), err
}

func (r mutationResolver) JurisdictionCreate(ctx context.Context, input reference.JurisdictionInput) (*model.JurisdictionPayload, error) {
	row, err := r.Agency.CreateJurisdiction(ctx, input)
	return r.jurisdictionPayload(ctx, row, true), err
}

func (r mutationResolver) JurisdictionUpdate(ctx context.Context, code string, input reference.JurisdictionInput) (*model.JurisdictionPayload, error) {
	row, changed, err := r.Agency.UpdateJurisdiction(ctx, code, input)
	return r.jurisdictionPayload(ctx, row, changed), err
}

func (r *Resolver) jurisdictionPayload(ctx context.Context, row *reference.Jurisdiction, changed bool) *model.JurisdictionPayload {
	p := &model.JurisdictionPayload{Applied: changed}
	if row != nil {
		p.Jurisdiction = r.object(ctx, model.JurisdictionNode, row.ID)
	}
	return p
}

func (r mutationResolver) JurisdictionDelete(ctx context.Context, code string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteJurisdiction(ctx, code, initiator(ctx, given))
	return convert.Deleted(model.JurisdictionNode, id), err
}

func (r mutationResolver) PayStatusCreate(ctx context.Context, input reference.PayStatusInput) (*model.PayStatusPayload, error) {
	row, err := r.Agency.CreatePayStatus(ctx, input)
	return r.payStatusPayload(ctx, row, true), err
}

func (r mutationResolver) PayStatusUpdate(ctx context.Context, name string, input reference.PayStatusInput) (*model.PayStatusPayload, error) {
	row, changed, err := r.Agency.UpdatePayStatus(ctx, name, input)
	return r.payStatusPayload(ctx, row, changed), err
}

func (r *Resolver) payStatusPayload(ctx context.Context, row *reference.PayStatus, changed bool) *model.PayStatusPayload {
	p := &model.PayStatusPayload{Applied: changed}
	if row != nil {
		p.PayStatus = r.object(ctx, model.PayStatusNode, row.ID)
	}
	return p
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
	return r.agentLevelPayload(ctx, row, true), err
}

func (r mutationResolver) AgentLevelUpdate(ctx context.Context, team string, value int, input reference.AgentLevelInput) (*model.AgentLevelPayload, error) {
	id, err := r.Agency.Team(ctx, team)
	if err != nil {
		return &model.AgentLevelPayload{}, err
	}
	row, changed, err := r.Agency.UpdateAgentLevel(ctx, id, value, input)
	return r.agentLevelPayload(ctx, row, changed), err
}

func (r *Resolver) agentLevelPayload(ctx context.Context, row *reference.AgentLevel, changed bool) *model.AgentLevelPayload {
	p := &model.AgentLevelPayload{Applied: changed}
	if row != nil {
		p.AgentLevel = r.object(ctx, model.AgentLevelNode, row.ID)
	}
	return p
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
	p := &model.ProviderCompanyPayload{Applied: changed}
	if row != nil {
		p.ProviderCompany = r.object(ctx, model.ProviderCompanyNode, row.ID)
	}
	return p, err
}
