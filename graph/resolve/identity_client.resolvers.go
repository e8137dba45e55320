package resolve

import (
	"context"
	"encoding/json"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/manifest"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
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
		IsPublic: input.IsPublic, RedirectURIs: names(input.RedirectUris), PublicKeys: convert.Field(input.PublicKeys)})
	return clientPayload(client, secret, true, err)
}

func (r mutationResolver) ClientUpdate(ctx context.Context, input model.ClientUpdateInput) (*model.ClientPayload, error) {
	client, changed, err := r.Identity.UpdateClient(ctx, input.ClientID, identity.ClientInput{
		Description: convert.Field(input.Description), Scopes: names(input.Scopes), ExpiresAt: convert.Field(input.ExpiresAt), IsDisabled: convert.Field(input.IsDisabled), RedirectURIs: names(input.RedirectUris), PublicKeys: convert.Field(input.PublicKeys),
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

func (r queryResolver) ClientDocuments(ctx context.Context, clientID string, first *int, after *string, last *int, before *string, offset *int) (*model.ClientDocumentConnection, error) {
	list, err := r.Identity.Documents(ctx, clientID)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, func(d *identity.Document) *model.ClientDocument { return &model.ClientDocument{Document: d} })
}

func (r queryResolver) SchemaUses(ctx context.Context, filter *model.SchemaUseFilter, first *int, after *string, last *int, before *string, offset *int) (*model.SchemaUseConnection, error) {
	var f identity.UseFilter
	if filter != nil {
		f = identity.UseFilter{ClientID: filter.ClientID.Value(), Coordinate: filter.Coordinate.Value(), From: filter.From.Value(), Through: filter.Through.Value()}
	}
	list, err := r.Identity.Uses(ctx, f)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, func(u *identity.UsedCoordinate) *model.SchemaUse { return &model.SchemaUse{UsedCoordinate: u} })
}

func (r mutationResolver) ClientDocumentsAdd(ctx context.Context, input model.ClientDocumentsAddInput) (*model.ClientPayload, error) {
	text, err := json.Marshal(input.Manifest)
	if err != nil {
		return nil, err
	}
	all, err := manifest.Parse(text, r.Schema)
	if err != nil {
		return &model.ClientPayload{}, err
	}
	client, added, err := r.Identity.AddDocuments(ctx, input.ClientID, all)
	p, err := clientPayload(client, "", added > 0, err)
	p.Added = added
	return p, err
}

// documentsAtOnce is how many documents one request removes at most.
const documentsAtOnce = 1000

func (r mutationResolver) ClientDocumentsRemove(ctx context.Context, input model.ClientDocumentsRemoveInput) (*model.ClientPayload, error) {
	if n := len(input.DocumentIds); n == 0 || n > documentsAtOnce {
		return &model.ClientPayload{}, problem.Invalid(problem.OutOfRange, "must have 1 to 1000 ids", "documentIds")
	}
	client, err := r.Identity.RemoveDocuments(ctx, input.ClientID, input.DocumentIds)
	return clientPayload(client, "", true, err)
}
