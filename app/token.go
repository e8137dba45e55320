package app

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// revokeOperation names the revocation endpoint in the audit trail.
const revokeOperation = "oauth2/revoke"

// RevokeToken implements oauth.Revoker. The entry names the token by its jti, which
// grants nothing. The platform has no trail.
func (a *App) RevokeToken(ctx context.Context, token bearer.Claims) error {
	revoked := oauth.RevokedToken{ID: token.ID, ClientID: token.ClientID, Expires: token.Expires}
	now := a.Clock.Now()
	if token.Tenant == "" {
		return a.entities.RevokeToken(ctx, revoked, now)
	}
	ctx, err := a.asClient(ctx, token.Tenant, token.ClientID, nil)
	if err != nil {
		return err
	}
	return a.entities.RevokeToken(ctx, revoked, now, func(ctx context.Context, tx *store.Tx, fields ...string) error {
		e := audit.Entry{EntityType: "AccessToken", EntityKeys: []string{token.ID}, Initiator: token.ClientID}
		for _, f := range fields {
			e.Changes = append(e.Changes, audit.Change{Field: f})
		}
		return a.Audit.Write(ctx, tx, now, e)
	})
}

// RevokeAPIKey implements oauth.Revoker; it does the same as the mutation apiKeyRevoke.
func (a *App) RevokeAPIKey(ctx context.Context, key oauth.APIKey) error {
	ctx, err := a.asClient(ctx, key.TenantIdentifier, key.ClientID, key.Scopes)
	if err != nil {
		return err
	}
	_, _, err = a.Identity.RevokeAPIKey(ctx, key.UID)
	return err
}

// asClient returns the context of a request by a client of a tenant to the issuer.
func (a *App) asClient(ctx context.Context, tenantIdentifier, clientID string, scopes []string) (context.Context, error) {
	t, err := a.Tenants.Find(ctx, tenantIdentifier)
	if err != nil {
		return nil, err
	}
	// Keys are read before the transaction, not inside it.
	if err := a.Vault.Prepare(ctx, t.ID); err != nil {
		return nil, err
	}
	ctx = tenant.WithCaller(tenant.With(ctx, t), tenant.Caller{Subject: clientID, ClientID: clientID, Scopes: scopes})
	return audit.WithOrigin(ctx, audit.Origin{Operation: revokeOperation, Surface: audit.REST, TraceID: traceID(ctx)}), nil
}

// TokenOf issues an access token to a user of a tenant who acts through a client, with at
// most these scopes: what sign-in does once the user is known.
func (a *App) TokenOf(ctx context.Context, clientID, username string, userID int64, scopes []string) (string, error) {
	client, err := a.entities.Client(ctx, clientID)
	if err != nil {
		return "", err
	}
	return a.issuer.IssueToUser(ctx, client, username, userID, 0, scopes)
}
