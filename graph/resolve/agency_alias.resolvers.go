package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"
)

func (r queryResolver) Alias(ctx context.Context, id string) (*model.Alias, error) {
	return r.alias(ctx, RowID(model.AliasNode, id))
}

// alias reads an alias, together with others asked for at the same time.
func (r *Resolver) alias(ctx context.Context, id int64) (*model.Alias, error) {
	l, err := loader.Get(ctx, loader.Key{Relation: "alias"}, r.Agency.Aliases).Load(ctx, id)
	return found(l, err, convert.AliasView(r.AsOf(ctx, nil, nil)))
}

func (r queryResolver) Aliases(ctx context.Context, _ *model.AliasFilter, _ []*model.AliasOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.AliasConnection, error) {
	at := r.AsOf(ctx, nil, nil)
	return connectionOfAll(ctx, r.Resolver, lists.Aliases, at, convert.AliasView(at))
}

func (r mutationResolver) AliasCreate(ctx context.Context, agentCode string, input model.AliasCreateInput) (*model.AliasPayload, error) {
	id, err := r.Agency.CreateAlias(ctx, agentCode, label.AliasInput{
		Identifier: input.Identifier, ProviderCompany: convert.Value(input.ProviderCompany), Initiator: input.Initiator,
	})
	if err != nil {
		return &model.AliasPayload{}, err
	}
	shown, err := r.alias(ctx, id)
	return &model.AliasPayload{Alias: shown, Applied: true}, err
}

func (r mutationResolver) AliasDelete(ctx context.Context, id string, given *string) (*model.DeletePayload, error) {
	row := RowID(model.AliasNode, id)
	if err := r.Agency.DeleteAlias(ctx, row, initiator(ctx, given)); err != nil {
		return &model.DeletePayload{}, err
	}
	return convert.Deleted(model.AliasNode, row), nil
}

func (r agentResolver) Aliases(ctx context.Context, obj *model.Agent, _, _ *string, _ []*model.AliasOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.AliasConnection, error) {
	return connectionOf(ctx, r.Resolver, lists.Aliases, obj.ID, obj.At, convert.AliasView(obj.At))
}

func (r aliasResolver) Agent(ctx context.Context, obj *model.Alias) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r aliasResolver) ProviderCompany(ctx context.Context, obj *model.Alias) (*model.ProviderCompany, error) {
	return r.providerCompany(ctx, obj.Alias.ProviderCompany)
}
