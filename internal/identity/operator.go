package identity

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Operator administers the clients of every tenant, and those of the platform, for the
// operator of the server, whose scopes nobody checks. A command passes a function that
// records its change in the same transaction; it is not called if nothing changes.
type Operator struct {
	Store *store.Store
	Issuer
	// TenantScopes are the scopes that a client of a tenant can hold, PlatformScopes
	// those that a client of the platform can hold, in the order in which they are shown.
	TenantScopes, PlatformScopes []string
}

// NewClient is a client to be added.
type NewClient struct {
	ID string
	// TenantID is nil for a client of the platform.
	TenantID *int64
	Secret   string
	Scopes   []string
	// Expires is when it expires; nil for never.
	Expires *time.Time
	// Public clients have RedirectURIs, and no Secret.
	Public       bool
	RedirectURIs []string
	// PublicKeys take the place of the Secret; empty for none.
	PublicKeys string
}

// clientIDPattern allows ids that fit into HTTP Basic and logs.
var clientIDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// AddClient stores a client, with only the hash of its secret.
func (o *Operator) AddClient(ctx context.Context, c NewClient, now time.Time, record ...store.Record) error {
	var check inputCheck
	if !clientIDPattern.MatchString(c.ID) {
		check.Refuse(problem.InvalidFormat, "must consist of letters, digits, dots, dashes and underscores", "id")
	}
	known := o.TenantScopes
	if c.TenantID == nil {
		known = o.PlatformScopes
		if c.Public || len(c.RedirectURIs) > 0 {
			check.Refuse(problem.Required, "is required: people sign in to a tenant", "tenant")
		}
	}
	row := clientRow{id: c.ID, tenantID: c.TenantID, scopes: check.someScopes(known, c.Scopes), expires: c.Expires, public: c.Public, uris: c.RedirectURIs, keys: c.PublicKeys, created: now}
	check.redirectURIs(o.RedirectProblem, c.Public, c.RedirectURIs)
	check.publicKeys(o.PublicKeysProblem, c.Public, &c.PublicKeys)
	if err := check.Err(); err != nil {
		return err
	}
	if !c.Public && c.PublicKeys == "" {
		row.hash = o.HashSecret(c.Secret)
	}
	return o.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := row.insert(ctx, tx, "id"); err != nil {
			return err
		}
		sent := ClientInput{ExpiresAt: patch.Field[time.Time]{Value: c.Expires}, IsPublic: c.Public, RedirectURIs: patch.Set(c.RedirectURIs), PublicKeys: patch.Set(c.PublicKeys)}
		return store.RecordAll(ctx, tx, record, sent.sent()...)
	})
}

// AmendClient changes the properties of a client that are sent.
func (o *Operator) AmendClient(ctx context.Context, clientID string, in ClientInput, now time.Time, record ...store.Record) error {
	return o.locked(ctx, clientID, func(ctx context.Context, tx *store.Tx, c *Client) error {
		fields := c.revise(in)
		if len(fields) == 0 {
			return nil
		}
		if err := c.save(ctx, tx, now); err != nil {
			return err
		}
		return store.RecordAll(ctx, tx, record, fields...)
	})
}

// SetClientSecret gives a client a new secret; see Client.rotate.
func (o *Operator) SetClientSecret(ctx context.Context, clientID, secret string, overlap time.Duration, now time.Time, record ...store.Record) error {
	return o.locked(ctx, clientID, func(ctx context.Context, tx *store.Tx, c *Client) error {
		if err := c.rotate(ctx, tx, o.HashSecret(secret), overlap, now); err != nil {
			return err
		}
		return store.RecordAll(ctx, tx, record, "secret")
	})
}

// locked calls f in a transaction that has locked a client, of any tenant.
func (o *Operator) locked(ctx context.Context, clientID string, f func(context.Context, *store.Tx, *Client) error) error {
	return o.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		found, err := store.Collect(ctx, tx, scanClient, "SELECT "+clientColumns+" FROM identity_client c WHERE c.client_id = $1"+tx.ForDelete(), clientID)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return unknownClient()
		}
		return f(ctx, tx, found[0])
	})
}

// OwnedClient is a client and the identifier of its tenant, which is empty for the
// platform.
type OwnedClient struct {
	*Client
	Tenant string
}

// AllClients reads every client, in the order of their ids.
func (o *Operator) AllClients(ctx context.Context) ([]OwnedClient, error) {
	type owner struct {
		id         int64
		identifier string
	}
	owners, err := store.Collect(ctx, o.Store, func(row store.Scanner) (t owner, err error) {
		err = row.Scan(&t.id, &t.identifier)
		return t, err
	}, "SELECT id, identifier FROM tenant")
	if err != nil {
		return nil, err
	}
	found, err := store.Collect(ctx, o.Store, scanClient, "SELECT "+clientColumns+" FROM identity_client c ORDER BY c.client_id")
	all := make([]OwnedClient, len(found))
	for i, c := range found {
		all[i].Client = c
		if of := slices.IndexFunc(owners, func(t owner) bool { return c.tenantID != nil && *c.tenantID == t.id }); of >= 0 {
			all[i].Tenant = owners[of].identifier
		}
	}
	return all, err
}

// AddClientDocuments is Service.AddDocuments for the client of any tenant.
func (o *Operator) AddClientDocuments(ctx context.Context, clientID string, all []Document, now time.Time, record ...store.Record) (added int, err error) {
	err = o.locked(ctx, clientID, func(ctx context.Context, tx *store.Tx, c *Client) error {
		if added, err = c.addDocuments(ctx, tx, all, now); err != nil || added == 0 {
			return err
		}
		return store.RecordAll(ctx, tx, record, "documents")
	})
	return added, err
}
