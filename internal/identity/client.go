package identity

import (
	"context"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Client is a program of the tenant that can ask for tokens. Reading one reads nothing of
// its secret.
type Client struct {
	// ID is the id of the row, ClientID the client's own id.
	ID          int64
	tenantID    *int64 // nil for the platform's
	ClientID    string
	Description *string
	Scopes      []string
	IsDisabled  bool
	// IsPublic clients have no secret. People sign in through clients with RedirectURIs,
	// and are sent back to one of them.
	IsPublic     bool
	RedirectURIs []string
	// PublicKeys check its assertions, a JSON Web Key Set; empty for a client without.
	PublicKeys string
	// TrustedDocuments says what happens to GraphQL that it sends as a text.
	TrustedDocuments DocumentMode
	// ExpiresAt is when it expires, LastUsedAt when it last got a token, accurate to some
	// minutes, and PreviousSecretUntil when the previous secret expires.
	ExpiresAt, LastUsedAt, PreviousSecretUntil *time.Time
	CreatedAt, LastModified                    time.Time
}

const clientColumns = `c.id, c.tenant_id, c.client_id, c.description, c.scopes, c.is_disabled, c.expires_at, c.last_used_at, c.previous_secret_until, c.created_at, c.last_modified, c.is_public, c.redirect_uris, c.trusted_documents, c.public_keys`

func scanClient(row store.Scanner) (*Client, error) {
	var (
		c      Client
		scopes string
		uris   string
	)
	err := row.Scan(&c.ID, &c.tenantID, &c.ClientID, &c.Description, &scopes, &c.IsDisabled, &c.ExpiresAt, &c.LastUsedAt, &c.PreviousSecretUntil, &c.CreatedAt, &c.LastModified, &c.IsPublic, &uris, &c.TrustedDocuments, &c.PublicKeys)
	c.Scopes = strings.Fields(scopes)
	c.RedirectURIs = strings.Fields(uris)
	c.PublicKeys = publicPart(c.PublicKeys) // private parts were taken once
	return &c, err
}

// APIKey is a bearer token of a client. Reading one does not read the key itself.
type APIKey struct {
	ID int64
	// UID is the id that callers use.
	UID, Name string
	// Hint is the beginning of the key, to recognise it by.
	Hint                             string
	Scopes                           []string
	ExpiresAt, LastUsedAt, RevokedAt *time.Time
	CreatedAt                        time.Time
	CreatedBy                        string
}

const apiKeyColumns = `k.id, k.uid, k.name, k.hint, k.scopes, k.expires_at, k.last_used_at, k.revoked_at, k.created_at, k.created_by`

func (k *APIKey) scan(row store.Scanner, first ...any) error {
	var scopes string
	err := row.Scan(append(first, &k.ID, &k.UID, &k.Name, &k.Hint, &scopes, &k.ExpiresAt, &k.LastUsedAt, &k.RevokedAt, &k.CreatedAt, &k.CreatedBy)...)
	k.Scopes = strings.Fields(scopes)
	return err
}

// Both lists are read as a whole.
const (
	// MaxClients is the maximum number of clients of a tenant.
	MaxClients = 100
	// maxAPIKeys is the maximum number of valid keys of a client, and of invalid ones
	// that are kept.
	maxAPIKeys = 20
)

// clients keeps the API clients of tenants, with their keys and documents. It is safe for
// concurrent use.
type clients struct {
	*changes
	Issuer
	store  *store.Store
	clock  clock.Clock
	scopes []string
}

// Clients reads the clients of the tenant, by their ids.
func (s *clients) Clients(ctx context.Context) ([]*Client, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return store.Collect(ctx, s.store, scanClient, "SELECT "+clientColumns+" FROM identity_client c WHERE c.tenant_id = $1 ORDER BY c.client_id", tenantID)
}

// Client returns the client with an id; nil if the tenant has none.
func (s *clients) Client(ctx context.Context, clientID string) (*Client, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return readClient(ctx, s.store, tenantID, clientID, "")
}

func readClient(ctx context.Context, q store.Querier, tenantID int64, clientID, lock string) (*Client, error) {
	found, err := store.Collect(ctx, q, scanClient,
		"SELECT "+clientColumns+" FROM identity_client c WHERE c.tenant_id = $1 AND c.client_id = $2"+lock, tenantID, clientID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// APIKeysOf reads the keys of clients, by the clients' rows, oldest first.
func (s *clients) APIKeysOf(ctx context.Context, clientIDs []int64) (map[int64][]*APIKey, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[int64][]*APIKey, len(clientIDs))
	_, err = store.Collect(ctx, s.store, func(row store.Scanner) (struct{}, error) {
		var (
			clientID int64
			k        APIKey
		)
		err := k.scan(row, &clientID)
		of[clientID] = append(of[clientID], &k)
		return struct{}{}, err
	}, "SELECT k.client_id, "+apiKeyColumns+" FROM identity_api_key k WHERE k.tenant_id = $1 AND "+s.store.In("k.client_id", "$2")+" ORDER BY k.id",
		tenantID, s.store.List(clientIDs))
	return of, err
}

func unknownClient() error {
	return problem.Missing(problem.NotFoundCode, "No client has this id", "clientId")
}

func (w *writing) lockClient(ctx context.Context, clientID string) (*Client, error) {
	client, err := readClient(ctx, w, w.Tenant.ID, clientID, w.ForDelete())
	if err == nil && client == nil {
		err = unknownClient()
	}
	if err != nil {
		return nil, err
	}
	return client, w.CheckVersion(ctx, client.LastModified)
}
