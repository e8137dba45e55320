package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/history"
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
	return connectionOfAll(ctx, r.Resolver, lists.TagAssignments, at, convert.TagAssignmentView(at))
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
	keys, err := own[[]struct{ Name string }](ctx, r.Resolver, obj.At, obj.ID, "name")
	tags := []*model.Tag{}
	for _, key := range keys {
		tag, err := r.tag(ctx, func(t *reference.Tag) bool { return t.Name == key.Name })
		if err != nil {
			return nil, err
		}
		if tag != nil { // else deleted meanwhile
			tags = append(tags, tag)
		}
	}
	return tags, err
}

func (r tagResolver) AssignedCount(ctx context.Context, obj *model.Tag) (int, error) {
	return own[int](ctx, r.Resolver, history.AsOf{}, obj.ID)
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
