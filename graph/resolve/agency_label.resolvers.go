package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/reference"
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

func (r mutationResolver) AgentTagsUpdate(ctx context.Context, input model.AgentTagsUpdateInput) (*model.RecordPayload, error) {
	changed, err := r.Agency.UpdateTags(ctx, input.AgentCode, convert.TagsUpdate(input))
	return agentPayload(input.AgentCode, changed), err
}

func (r mutationResolver) TagCreate(ctx context.Context, input reference.TagInput) (*model.RecordPayload, error) {
	id, err := r.Agency.CreateTag(ctx, input)
	return r.recordPayload(ctx, model.TagNode, id, true), err
}

func (r mutationResolver) TagUpdate(ctx context.Context, input reference.TagInput) (*model.RecordPayload, error) {
	id, changed, err := r.Agency.UpdateTag(ctx, *input.Name.Value, input)
	return r.recordPayload(ctx, model.TagNode, id, changed), err
}

func (r mutationResolver) TagDelete(ctx context.Context, input model.TagDeleteInput) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteTag(ctx, input.Name, input.Initiator)
	return convert.Deleted(model.TagNode, id), err
}
