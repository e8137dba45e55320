package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

func (r queryResolver) SignInProviders(ctx context.Context) ([]*model.SignInProvider, error) {
	rows, err := r.Identity.Providers(ctx)
	return views(rows, r.providerView(ctx)), err
}

func (r queryResolver) SignInProvider(ctx context.Context, name string) (*model.SignInProvider, error) {
	p, err := r.Identity.Provider(ctx, name)
	return found(p, err, r.providerView(ctx))
}

func (r queryResolver) SignInProviderCheck(ctx context.Context, name string) ([]*identity.ProviderFinding, error) {
	return r.Identity.CheckProvider(ctx, name)
}

func (r mutationResolver) SignInProviderCreate(ctx context.Context, input model.SignInProviderCreateInput) (*model.SignInProviderPayload, error) {
	in := identity.ProviderInput{Name: input.Name, Issuer: input.Issuer, ClientID: input.ClientID, Label: convert.Field(input.Label),
		Domains: patch.Set(input.Domains), GroupsClaim: patch.Set(input.GroupsClaim), Roles: patch.Set(groupRoles(input.Roles)),
		CreatesUsers: patch.Set(input.CreatesUsers), IsDisabled: patch.Set(input.IsDisabled)}
	if secret := convert.Value(input.ClientSecret); secret != nil {
		in.ClientSecret = patch.Set(vault.Secret(*secret))
	}
	p, err := r.Identity.CreateProvider(ctx, in)
	return r.providerPayload(ctx, p, true, err)
}

func (r mutationResolver) SignInProviderUpdate(ctx context.Context, input model.SignInProviderUpdateInput) (*model.SignInProviderPayload, error) {
	in := identity.ProviderInput{Label: convert.Field(input.Label), Domains: names(input.Domains), GroupsClaim: convert.Field(input.GroupsClaim),
		CreatesUsers: convert.Field(input.CreatesUsers), IsDisabled: convert.Field(input.IsDisabled)}
	if in.ClientSecret.Sent = input.ClientSecret.IsSet(); convert.Value(input.ClientSecret) != nil {
		in.ClientSecret = patch.Set(vault.Secret(*convert.Value(input.ClientSecret)))
	}
	if in.Roles.Sent = input.Roles.IsSet(); input.Roles.Value() != nil {
		in.Roles = patch.Set(groupRoles(input.Roles.Value()))
	}
	p, changed, err := r.Identity.UpdateProvider(ctx, input.Name, in)
	return r.providerPayload(ctx, p, changed, err)
}

func (r mutationResolver) SignInProviderDelete(ctx context.Context, input model.SignInProviderDeleteInput) (*model.DeletePayload, error) {
	return convert.DeletedID(input.Name), r.Identity.DeleteProvider(ctx, input.Name)
}

func (r *Resolver) providerPayload(ctx context.Context, p *identity.Provider, changed bool, err error) (*model.SignInProviderPayload, error) {
	shown, err := found(p, err, r.providerView(ctx))
	return &model.SignInProviderPayload{SignInProvider: shown, Outcome: model.Outcome{Applied: changed}}, err
}

func (r *Resolver) providerView(ctx context.Context) func(*identity.Provider) *model.SignInProvider {
	return func(p *identity.Provider) *model.SignInProvider {
		redirect, logout := r.Identity.Party.Addresses(tenant.From(ctx).Identifier, p.Name)
		return &model.SignInProvider{Provider: p, RedirectURI: redirect, LogoutURI: logout}
	}
}

func groupRoles(sent []*identity.GroupRole) []identity.GroupRole {
	roles := make([]identity.GroupRole, len(sent))
	for i, g := range sent {
		roles[i] = *g
	}
	return roles
}
