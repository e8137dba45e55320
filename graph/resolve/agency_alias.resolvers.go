package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"

	"github.com/uplinehq/upline/internal/platform/listing"
)

func (r queryResolver) Alias(ctx context.Context, id string) (*model.Alias, error) {
	return r.alias(ctx, RowID(model.AliasNode, id))
}

// alias reads an alias, together with others asked for at the same time.
func (r *Resolver) alias(ctx context.Context, id int64) (*model.Alias, error) {
	l, err := loader.Get(ctx, loader.Key{Relation: "alias"}, r.Agency.Aliases).Load(ctx, id)
	return found(l, err, convert.AliasView(r.AsOf(ctx, nil, nil)))
}

func (r queryResolver) Aliases(ctx context.Context, filter *model.AliasFilter, orderBy []*model.AliasOrder, first *int, after *string, last *int, before *string, offset *int) (*model.AliasConnection, error) {
	list, err := r.Agency.AliasList(ctx, convert.AliasFilter(filter), Orders(orderBy))
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, pageArgs(ctx, first, after, last, before, offset), convert.AliasView(r.AsOf(ctx, nil, nil)))
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

func (r agentResolver) Aliases(ctx context.Context, obj *model.Agent, identifier, providerCompany *string, orderBy []*model.AliasOrder, first *int, after *string, last *int, before *string, offset *int) (*model.AliasConnection, error) {
	f, sort := label.AliasFilter{Identifier: identifier, ProviderCompany: providerCompany}, Orders(orderBy)
	n := nested[*label.Alias]{
		relation: "aliases", args: pageArgs(ctx, first, after, last, before, offset), filter: []any{f, sort},
		list: func(ctx context.Context) (listing.List[*label.Alias], error) {
			return r.Agency.AliasList(ctx, f, sort)
		},
	}
	return connection(ctx, n, obj.ID, convert.AliasView(obj.At))
}

func (r aliasResolver) Agent(ctx context.Context, obj *model.Alias) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r aliasResolver) ProviderCompany(ctx context.Context, obj *model.Alias) (*model.ProviderCompany, error) {
	return r.providerCompany(ctx, obj.Alias.ProviderCompany)
}
