package resolve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

func (r queryResolver) Roles(ctx context.Context, first *int, after *string, last *int, before *string, offset *int) (*model.RoleConnection, error) {
	list, err := r.Identity.Roles(ctx)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, roleView)
}

func (r queryResolver) Role(ctx context.Context, name string) (*model.Role, error) {
	role, err := r.Identity.Role(ctx, name)
	return found(role, err, roleView)
}

func (r queryResolver) User(ctx context.Context, username string) (*model.User, error) {
	user, err := r.Identity.User(ctx, username)
	return found(user, err, userView)
}

func (r queryResolver) Users(ctx context.Context, filter *identity.UserFilter, orderBy []*model.Order, first *int, after *string, last *int, before *string, offset *int) (*model.UserConnection, error) {
	list, err := r.Identity.Users(ctx, convert.Given(filter), lists.Orders(orderBy))
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, userView)
}

func (r mutationResolver) UserCreate(ctx context.Context, input model.UserCreateInput) (*model.UserPayload, error) {
	in := identity.UserInput{Username: input.Username, Email: convert.Field(input.Email), AgentCode: convert.Field(input.AgentCode), Roles: names(input.Roles)}
	if v := convert.Value(input.Password); v != nil {
		in.Password = patch.Set(vault.Secret(*v))
	}
	if v := convert.Value(input.Status); v != nil {
		in.Status = patch.Set(string(*v))
	}
	user, err := r.Identity.CreateUser(ctx, in)
	return userPayload(user, true, err)
}

func (r mutationResolver) UserUpdate(ctx context.Context, input model.UserUpdateInput) (*model.UserPayload, error) {
	in := identity.UserInput{Email: convert.Field(input.Email), AgentCode: convert.Field(input.AgentCode), Status: convert.Field(input.Status), Roles: names(input.Roles)}
	if in.Password.Sent = input.Password.IsSet(); convert.Value(input.Password) != nil {
		in.Password = patch.Set(vault.Secret(*convert.Value(input.Password)))
	}
	user, changed, err := r.Identity.UpdateUser(ctx, input.Username, in)
	return userPayload(user, changed, err)
}

func userPayload(user *identity.User, changed bool, err error) (*model.UserPayload, error) {
	shown, err := found(user, err, userView)
	return &model.UserPayload{User: shown, Outcome: model.Outcome{Applied: changed}}, err
}

func (r mutationResolver) UserSessionsEnd(ctx context.Context, input model.UserSessionsEndInput) (*model.Outcome, error) {
	ended, err := r.Identity.EndSessions(ctx, input.Username)
	return &model.Outcome{Applied: ended}, err
}

func (r mutationResolver) ViewerSessionsEnd(ctx context.Context) (*model.Outcome, error) {
	ended, err := r.Identity.EndOwnSessions(ctx)
	return &model.Outcome{Applied: ended}, err
}

func (r mutationResolver) RoleCreate(ctx context.Context, input model.RoleCreateInput) (*model.RolePayload, error) {
	role, err := r.Identity.CreateRole(ctx, identity.RoleInput{Name: input.Name, Description: convert.Field(input.Description), Scopes: patch.Set(input.Scopes),
		LimitedToDownline: patch.Set(input.LimitedToDownline)})
	return rolePayload(role, true, err)
}

func (r mutationResolver) RoleUpdate(ctx context.Context, input model.RoleUpdateInput) (*model.RolePayload, error) {
	role, changed, err := r.Identity.UpdateRole(ctx, input.Name, identity.RoleInput{Description: convert.Field(input.Description), Scopes: names(input.Scopes), LimitedToDownline: convert.Field(input.LimitedToDownline)})
	return rolePayload(role, changed, err)
}

func rolePayload(role *identity.Role, changed bool, err error) (*model.RolePayload, error) {
	shown, err := found(role, err, roleView)
	return &model.RolePayload{Role: shown, Outcome: model.Outcome{Applied: changed}}, err
}

func (r mutationResolver) RoleDelete(ctx context.Context, input model.RoleDeleteInput) (*model.DeletePayload, error) {
	id, err := r.Identity.DeleteRole(ctx, input.Name)
	return convert.Deleted(model.RoleNode, id), err
}

func (r userResolver) Agent(ctx context.Context, obj *model.User) (*model.Object, error) {
	if obj.AgentID == nil {
		return nil, nil
	}
	return model.Agent(*obj.AgentID, r.Read.AsOf(ctx, nil, nil)), nil
}

func (r userResolver) Roles(ctx context.Context, obj *model.User) ([]*model.Role, error) {
	rows, err := loader.Get(ctx, loader.Key{Relation: "userRoles"}, r.Identity.RolesOf).Load(ctx, obj.ID)
	return views(rows, roleView), err
}

func (r roleResolver) UserCount(ctx context.Context, obj *model.Role) (int, error) {
	return loader.Get(ctx, loader.Key{Relation: "userCount"}, r.Identity.UserCounts).Load(ctx, obj.ID)
}

func (r agentResolver) Users(ctx context.Context, obj *model.Object) ([]*model.User, error) {
	rows, err := loader.Get(ctx, loader.Key{Relation: "agentUsers"}, r.Identity.UsersOf).Load(ctx, obj.ID)
	return views(rows, userView), err
}

// User is the user that the token belongs to; null for a client's token. The subject of a
// client's token is the client, which may have the same name as a user.
func (r viewerResolver) User(ctx context.Context, _ *model.Viewer) (*model.User, error) {
	caller, _ := tenant.CallerFrom(ctx)
	if caller.Subject == caller.ClientID {
		return nil, nil
	}
	user, err := r.Identity.User(ctx, caller.Subject)
	return found(user, err, userView)
}

// userByID and roleByID read an object by its global id if the caller may read such
// objects; for other callers there is none.
func (r *Resolver) userByID(ctx context.Context, id int64) (*model.User, error) {
	if caller, _ := tenant.CallerFrom(ctx); !caller.HasScope("read:users") {
		return nil, nil
	}
	user, err := loader.Get(ctx, loader.Key{Relation: "user"}, r.Identity.UsersByID).Load(ctx, id)
	return found(user, err, userView)
}

func (r *Resolver) roleByID(ctx context.Context, id int64) (*model.Role, error) {
	if caller, _ := tenant.CallerFrom(ctx); !caller.HasScope("read:roles") {
		return nil, nil
	}
	role, err := loader.Get(ctx, loader.Key{Relation: "role"}, r.Identity.RolesByID).Load(ctx, id)
	return found(role, err, roleView)
}

func userView(u *identity.User) *model.User { return &model.User{User: u} }

func roleView(r *identity.Role) *model.Role { return &model.Role{Role: r} }

// names keeps the three states of a list of a partial update.
func names(o graphql.Omittable[[]string]) patch.Field[[]string] {
	if v := o.Value(); v != nil {
		return patch.Set(v)
	}
	return patch.Field[[]string]{Sent: o.IsSet()}
}

func (r queryResolver) Viewer(ctx context.Context) (*model.Viewer, error) {
	t := tenant.From(ctx)
	caller, _ := tenant.CallerFrom(ctx)
	return &model.Viewer{
		Subject: caller.Subject, TenantIdentifier: t.Identifier, Scopes: caller.Scopes, TimeZone: t.Zone.String(),
		Today: r.Read.Today(ctx), DefaultPageSize: t.DefaultPageSize, MaxPageSize: t.MaxPageSize, IsLimited: caller.IsLimited(),
	}, nil
}

func (r queryResolver) Scopes(context.Context) ([]*model.Scope, error) {
	all := make([]*model.Scope, len(bearer.Scopes))
	for i, s := range bearer.Scopes {
		all[i] = &model.Scope{Name: s.Name, Description: s.Description}
	}
	return all, nil
}
