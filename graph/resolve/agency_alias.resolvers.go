package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"
)

func (r mutationResolver) AliasCreate(ctx context.Context, agentCode string, input model.AliasCreateInput) (*model.AliasPayload, error) {
	id, err := r.Agency.CreateAlias(ctx, agentCode, label.AliasInput{
		Identifier: input.Identifier, ProviderCompany: convert.Value(input.ProviderCompany), Initiator: input.Initiator,
	})
	if err != nil {
		return &model.AliasPayload{}, err
	}
	return &model.AliasPayload{Alias: r.object(ctx, model.AliasNode, id), Applied: true}, nil
}

func (r mutationResolver) AliasDelete(ctx context.Context, id string, given *string) (*model.DeletePayload, error) {
	row := model.RowOf(model.AliasNode, id)
	if err := r.Agency.DeleteAlias(ctx, row, initiator(ctx, given)); err != nil {
		return &model.DeletePayload{}, err
	}
	return convert.Deleted(model.AliasNode, row), nil
}
