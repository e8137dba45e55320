package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/vault"
)

func (r queryResolver) Clients(ctx context.Context) ([]*model.Client, error) {
	rows, err := r.Identity.Clients(ctx)
	return views(rows, clientView), err
}

func (r queryResolver) Client(ctx context.Context, clientID string) (*model.Client, error) {
	client, err := r.Identity.Client(ctx, clientID)
	return found(client, err, clientView)
}

func (r clientResolver) Keys(ctx context.Context, obj *model.Client) ([]*model.APIKey, error) {
	rows, err := loader.Get(ctx, loader.Key{Relation: "apiKeys"}, r.Identity.APIKeysOf).Load(ctx, obj.ID)
	return views(rows, apiKeyView), err
}

func (r mutationResolver) ClientCreate(ctx context.Context, input model.ClientCreateInput) (*model.ClientPayload, error) {
	client, secret, err := r.Identity.CreateClient(ctx, identity.ClientInput{
		Name: input.Name, Description: convert.Field(input.Description), Scopes: patch.Set(input.Scopes), ExpiresAt: convert.Field(input.ExpiresAt),
		IsPublic: input.IsPublic, RedirectURIs: names(input.RedirectUris)})
	return clientPayload(client, secret, true, err)
}

func (r mutationResolver) ClientUpdate(ctx context.Context, input model.ClientUpdateInput) (*model.ClientPayload, error) {
	client, changed, err := r.Identity.UpdateClient(ctx, input.ClientID, identity.ClientInput{
		Description: convert.Field(input.Description), Scopes: names(input.Scopes), ExpiresAt: convert.Field(input.ExpiresAt), IsDisabled: convert.Field(input.IsDisabled), RedirectURIs: names(input.RedirectUris),
		TrustedDocuments: convert.Field(input.TrustedDocuments)})
	return clientPayload(client, "", changed, err)
}

func (r mutationResolver) ClientRotateSecret(ctx context.Context, input model.ClientRotateSecretInput) (*model.ClientPayload, error) {
	client, secret, err := r.Identity.RotateClientSecret(ctx, input.ClientID, input.EndPrevious)
	return clientPayload(client, secret, true, err)
}

func clientPayload(client *identity.Client, secret vault.Secret, changed bool, err error) (*model.ClientPayload, error) {
	shown, err := found(client, err, clientView)
	return &model.ClientPayload{Client: shown, Secret: shownOnce(secret), Outcome: model.Outcome{Applied: changed}}, err
}

func (r mutationResolver) ClientDelete(ctx context.Context, input model.ClientDeleteInput) (*model.DeletePayload, error) {
	return convert.DeletedID(input.ClientID), r.Identity.DeleteClient(ctx, input.ClientID)
}

func (r mutationResolver) APIKeyCreate(ctx context.Context, input model.APIKeyCreateInput) (*model.APIKeyPayload, error) {
	key, secret, err := r.Identity.CreateAPIKey(ctx, input.ClientID, identity.APIKeyInput{Name: input.Name, Scopes: input.Scopes, ExpiresAt: convert.Value(input.ExpiresAt)})
	shown, err := found(key, err, apiKeyView)
	return &model.APIKeyPayload{APIKey: shown, Secret: shownOnce(secret), Outcome: model.Outcome{Applied: true}}, err
}

func (r mutationResolver) APIKeyRevoke(ctx context.Context, input model.APIKeyRevokeInput) (*model.APIKeyPayload, error) {
	key, changed, err := r.Identity.RevokeAPIKey(ctx, input.ID)
	shown, err := found(key, err, apiKeyView)
	return &model.APIKeyPayload{APIKey: shown, Outcome: model.Outcome{Applied: changed}}, err
}

// shownOnce returns a new secret for the one answer that shows it, nil for none.
func shownOnce(secret vault.Secret) *string {
	if secret == "" {
		return nil
	}
	text := secret.Reveal()
	return &text
}

func clientView(c *identity.Client) *model.Client { return &model.Client{Client: c} }

func apiKeyView(k *identity.APIKey) *model.APIKey { return &model.APIKey{APIKey: k} }
