package resolve

import (
	"context"
	"time"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/page"
)

func (r mutationResolver) CertificationTypeCreate(ctx context.Context, input reference.CertificationTypeInput) (*model.RecordPayload, error) {
	id, err := r.Agency.CreateCertificationType(ctx, input)
	return r.recordPayload(ctx, model.CertificationTypeNode, id, true), err
}

func (r mutationResolver) CertificationTypeUpdate(ctx context.Context, input reference.CertificationTypeInput) (*model.RecordPayload, error) {
	id, changed, err := r.Agency.UpdateCertificationType(ctx, *input.Code.Value, input)
	return r.recordPayload(ctx, model.CertificationTypeNode, id, changed), err
}

func (r mutationResolver) CertificationTypeDelete(ctx context.Context, input model.CertificationTypeDeleteInput) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteCertificationType(ctx, input.Code, input.Initiator)
	return convert.Deleted(model.CertificationTypeNode, id), err
}

func (r mutationResolver) JurisdictionCreate(ctx context.Context, input reference.JurisdictionInput) (*model.RecordPayload, error) {
	id, err := r.Agency.CreateJurisdiction(ctx, input)
	return r.recordPayload(ctx, model.JurisdictionNode, id, true), err
}

func (r mutationResolver) JurisdictionUpdate(ctx context.Context, input reference.JurisdictionInput) (*model.RecordPayload, error) {
	id, changed, err := r.Agency.UpdateJurisdiction(ctx, *input.Code.Value, input)
	return r.recordPayload(ctx, model.JurisdictionNode, id, changed), err
}

func (r mutationResolver) JurisdictionDelete(ctx context.Context, input model.JurisdictionDeleteInput) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteJurisdiction(ctx, input.Code, input.Initiator)
	return convert.Deleted(model.JurisdictionNode, id), err
}

func (r mutationResolver) PayStatusCreate(ctx context.Context, input reference.PayStatusInput) (*model.RecordPayload, error) {
	id, err := r.Agency.CreatePayStatus(ctx, input)
	return r.recordPayload(ctx, model.PayStatusNode, id, true), err
}

func (r mutationResolver) PayStatusUpdate(ctx context.Context, input reference.PayStatusInput) (*model.RecordPayload, error) {
	id, changed, err := r.Agency.UpdatePayStatus(ctx, *input.Name.Value, input)
	return r.recordPayload(ctx, model.PayStatusNode, id, changed), err
}

func (r mutationResolver) PayStatusDelete(ctx context.Context, input model.PayStatusDeleteInput) (*model.DeletePayload, error) {
	id, err := r.Agency.DeletePayStatus(ctx, input.Name, input.Initiator)
	return convert.Deleted(model.PayStatusNode, id), err
}

func (r mutationResolver) AgentLevelCreate(ctx context.Context, input model.AgentLevelInput) (*model.RecordPayload, error) {
	teamID, err := r.Agency.Team(ctx, input.Team)
	if err != nil {
		return &model.RecordPayload{}, err
	}
	id, err := r.Agency.CreateAgentLevel(ctx, teamID, input.AgentLevelInput)
	return r.recordPayload(ctx, model.AgentLevelNode, id, true), err
}

func (r mutationResolver) AgentLevelUpdate(ctx context.Context, input model.AgentLevelInput) (*model.RecordPayload, error) {
	teamID, err := r.Agency.Team(ctx, input.Team)
	if err != nil {
		return &model.RecordPayload{}, err
	}
	id, changed, err := r.Agency.UpdateAgentLevel(ctx, teamID, *input.Value.Value, input.AgentLevelInput)
	return r.recordPayload(ctx, model.AgentLevelNode, id, changed), err
}

func (r mutationResolver) AgentLevelDelete(ctx context.Context, input model.AgentLevelDeleteInput) (*model.DeletePayload, error) {
	teamID, err := r.Agency.Team(ctx, input.Team)
	if err != nil {
		return &model.DeletePayload{}, err
	}
	id, err := r.Agency.DeleteAgentLevel(ctx, teamID, input.Value, input.Initiator)
	return convert.Deleted(model.AgentLevelNode, id), err
}

func (r mutationResolver) ProviderCompanyUpsert(ctx context.Context, input reference.ProviderCompanyInput) (*model.RecordPayload, error) {
	id, changed, err := r.Agency.UpsertProviderCompany(ctx, input)
	return r.recordPayload(ctx, model.ProviderCompanyNode, id, changed), err
}

func (r mutationResolver) ProductCreate(ctx context.Context, input reference.ProductInput) (*model.RecordPayload, error) {
	id, err := r.Agency.CreateProduct(ctx, input)
	return r.recordPayload(ctx, model.ProductNode, id, true), err
}

func (r mutationResolver) ProductUpdate(ctx context.Context, input reference.ProductInput) (*model.RecordPayload, error) {
	id, changed, err := r.Agency.UpdateProduct(ctx, *input.Code.Value, input)
	return r.recordPayload(ctx, model.ProductNode, id, changed), err
}

func (r mutationResolver) ProductDelete(ctx context.Context, input model.ProductDeleteInput) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteProduct(ctx, input.Code, input.Initiator)
	return convert.Deleted(model.ProductNode, id), err
}

func (r mutationResolver) ProductRuleApply(ctx context.Context, input reference.ProductRuleInput) (*model.RecordPayload, error) {
	id, changed, err := r.Agency.ApplyProductRule(ctx, input)
	return r.recordPayload(ctx, model.ProductNode, id, changed), err
}

func (r queryResolver) ProductRules(ctx context.Context, product *string, onDate *date.Date, asKnownAt *time.Time) ([]*model.ProductRule, error) {
	var products []string
	if product != nil {
		products = []string{*product}
	}
	rules, err := r.Authorized.Rules(ctx, products, r.Read.AsOf(ctx, onDate, asKnownAt))
	views := make([]*model.ProductRule, len(rules))
	for i, rule := range rules {
		views[i] = &model.ProductRule{Rule: rule}
	}
	return views, err
}

func (r queryResolver) SalesAuthorizations(ctx context.Context, agentCodes []string, downlineOf *string, products, jurisdictions []string, onDate *date.Date, asKnownAt *time.Time,
	status *model.SalesAuthorizationStatus, reason *model.SalesAuthorizationReasonCode, first *int, after *string) (*model.SalesAuthorizationConnection, error) {
	question := authorization.Question{AgentCodes: agentCodes, DownlineOf: downlineOf, Products: products, Jurisdictions: jurisdictions, AsOf: r.Read.AsOf(ctx, onDate, asKnownAt),
		Status: (*authorization.Status)(status), Reason: (*authorization.Code)(reason)}
	p, err := r.Authorized.Page(ctx, question, page.Args{First: first, After: after, Counted: selects(ctx, "totalCount")})
	if err != nil {
		return nil, err
	}
	c := model.Connect(p, func(row authorization.Row) *model.SalesAuthorization {
		return model.SalesAuthorizationOf(row, question.AsOf)
	})
	return &c, nil
}
