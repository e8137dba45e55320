package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"
)

func (r mutationResolver) AliasCreate(ctx context.Context, input model.AliasCreateInput) (*model.RecordPayload, error) {
	id, err := r.Agency.CreateAlias(ctx, input.AgentCode, label.AliasInput{
		Identifier: input.Identifier, ProviderCompany: convert.Value(input.ProviderCompany), Initiator: input.Initiator,
	})
	return r.recordPayload(ctx, model.AliasNode, id, true), err
}

func (r mutationResolver) AliasDelete(ctx context.Context, input model.AliasDeleteInput) (*model.DeletePayload, error) {
	row := model.RowOf(model.AliasNode, input.ID)
	err := r.Agency.DeleteAlias(ctx, row, input.Initiator)
	return convert.Deleted(model.AliasNode, row), err
}
