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
	row, err := r.Agency.CreateTag(ctx, input)
	return r.tagPayload(ctx, row, true), err
}

func (r mutationResolver) TagUpdate(ctx context.Context, name string, input reference.TagInput) (*model.TagPayload, error) {
	row, changed, err := r.Agency.UpdateTag(ctx, name, input)
	return r.tagPayload(ctx, row, changed), err
}

func (r *Resolver) tagPayload(ctx context.Context, tag *reference.Tag, changed bool) *model.TagPayload {
	p := &model.TagPayload{Applied: changed}
	if tag != nil {
		p.Tag = r.object(ctx, model.TagNode, tag.ID)
	}
	return p
}

func (r mutationResolver) TagDelete(ctx context.Context, name string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteTag(ctx, name, initiator(ctx, given))
	return convert.Deleted(model.TagNode, id), err
}
