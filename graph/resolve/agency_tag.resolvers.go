package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
)

func (r queryResolver) Tags(ctx context.Context) ([]*model.Tag, error) {
	rows, err := r.Agency.Tags(ctx)
	return views(rows, convert.TagView), err
}

func (r queryResolver) Tag(ctx context.Context, name string) (*model.Tag, error) {
	return r.tag(ctx, func(t *reference.Tag) bool { return t.Name == name })
}

// tag finds one tag among all, which are read once per request.
func (r *Resolver) tag(ctx context.Context, is func(*reference.Tag) bool) (*model.Tag, error) {
	t, err := lookup(ctx, "tags", 0, r.Agency.Tags, is)
	return found(t, err, convert.TagView)
}

func (r queryResolver) TagAssignments(ctx context.Context, _ *model.TagAssignmentFilter, _ []*model.TagAssignmentOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.TagAssignmentConnection, error) {
	at := r.AsOf(ctx, nil, nil)
	return connectionOfAll(ctx, r.Resolver, TagAssignments, at, convert.TagAssignmentView(at))
}

func (r mutationResolver) AgentTagsUpdate(ctx context.Context, agentCode string, input model.AgentTagsUpdateInput) (*model.AgentPayload, error) {
	changed, err := r.Agency.UpdateTags(ctx, agentCode, convert.TagsUpdate(input))
	if err != nil {
		return &model.AgentPayload{}, err
	}
	return r.agentPayload(ctx, agentCode, changed)
}

func (r mutationResolver) TagCreate(ctx context.Context, input reference.TagInput) (*model.TagPayload, error) {
	row, err := r.Agency.CreateTag(ctx, input)
	return tagPayload(row, true, err)
}

func (r mutationResolver) TagUpdate(ctx context.Context, name string, input reference.TagInput) (*model.TagPayload, error) {
	row, changed, err := r.Agency.UpdateTag(ctx, name, input)
	return tagPayload(row, changed, err)
}

func tagPayload(row *reference.Tag, changed bool, err error) (*model.TagPayload, error) {
	shown, err := found(row, err, convert.TagView)
	return &model.TagPayload{Tag: shown, Applied: changed}, err
}

func (r mutationResolver) TagDelete(ctx context.Context, name string, given *string) (*model.DeletePayload, error) {
	id, err := r.Agency.DeleteTag(ctx, name, initiator(ctx, given))
	return convert.Deleted(model.TagNode, id), err
}

func (r agentResolver) Tags(ctx context.Context, obj *model.Agent) ([]*model.Tag, error) {
	rows, err := r.tagsOf(ctx).Load(ctx, obj.ID)
	return views(rows, convert.TagView), err
}

func (r *Resolver) tagsOf(ctx context.Context) *loader.Batch[[]*reference.Tag] {
	return loader.Get(ctx, loader.Key{Relation: "tags"}, r.Agency.TagsOf)
}

func (r tagResolver) AssignedCount(ctx context.Context, obj *model.Tag) (int, error) {
	return r.assignedCounts(ctx).Load(ctx, obj.ID)
}

func (r *Resolver) assignedCounts(ctx context.Context) *loader.Batch[int] {
	return loader.Get(ctx, loader.Key{Relation: "assignedCount"}, r.Agency.TagCounts)
}

func (r tagAssignmentResolver) Agent(ctx context.Context, obj *model.TagAssignment) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r tagAssignmentResolver) Tag(ctx context.Context, obj *model.TagAssignment) (*model.Tag, error) {
	name := obj.TagAssignment.Tag
	if onlyKey(ctx, "name") {
		return convert.TagView(&reference.Tag{Name: name}), nil
	}
	return r.tag(ctx, func(t *reference.Tag) bool { return t.Name == name })
}
