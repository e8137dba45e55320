package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
)

func (r mutationResolver) AgentTagsUpdate(ctx context.Context, agentCode string, input model.AgentTagsUpdateInput) (*model.AgentPayload, error) {
	changed, err := r.Agency.UpdateTags(ctx, agentCode, convert.TagsUpdate(input))
	if err != nil {
		return &model.AgentPayload{}, err
	}
	return agentPayload(agentCode, changed), nil
}

func (r mutationResolver) TagCreate(ctx context.Context, input reference.TagInput) (*model.TagPayload, error) {
	id, err := r.Agency.CreateTag(ctx, input)
	return &model.TagPayload{Tag: r.object(ctx, model.TagNode, id), Applied: true}, err
}

func (r mutationResolver) TagUpdate(ctx context.Context, name string, input reference.TagInput) (*model.TagPayload, error) {
	id, changed, err := r.Agency.UpdateTag(ctx, name, input)
	return &model.TagPayload{Tag: r.object(ctx, model.TagNode, id), Applied: changed}, err
}

func (r mutationResolver) TagDelete(ctx context.Context, name string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteTag(ctx, name, initiator(ctx, given))
	return convert.Deleted(model.TagNode, id), err
}
