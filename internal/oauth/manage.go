package oauth

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/ent/db/identityclient"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// clientIDPattern keeps ids fit for HTTP Basic and for logs.
var clientIDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// NewClient is a client to be added.
type NewClient struct {
	ID string
	// TenantID is nil for a client of the platform.
	TenantID *int64
	Secret   string
	Scopes   []string
	// Expires is when it gets no more tokens; nil for never.
	Expires *time.Time
	// AtMost is how many clients its tenant may have; 0 for any number.
	AtMost int
	// Public clients have no Secret, but RedirectURIs.
	Public       bool
	RedirectURIs []string
}

// AddClient stores a client; of its secret only the hash, and its scopes in the
// order of Scopes, each once. It returns a problem for an id that is in use, by a
// client or as the username of somebody in its tenant, and for scopes that do not
// exist or are not for clients of a tenant.
//
// Here and below, record is called in the transaction of the change, unless
// nothing changes.
func (s *EntStore) AddClient(ctx context.Context, c NewClient, now time.Time, record ...store.Record) error {
	var refused problem.List
	if !clientIDPattern.MatchString(c.ID) {
		refused.Add(problem.Invalid(problem.InvalidFormat, "must consist of letters, digits, dots, dashes and underscores", "id"))
	}
	for _, scope := range c.Scopes {
		switch {
		case !slices.Contains(scopeNames(), scope):
			refused.Add(problem.Invalid(problem.InvalidFormat, "There is no scope "+scope, "scopes"))
		case scope == PlatformTenants && c.TenantID != nil:
			refused.Add(problem.Invalid(problem.InvalidFormat, "is for clients of the platform only: "+scope, "scopes"))
		}
	}
	if len(c.Scopes) == 0 {
		refused.Add(problem.Invalid(problem.Required, "is required", "scopes"))
	}
	c.checkPublic(&refused)
	if err := refused.Err(); err != nil {
		return err
	}
	secret := HashSecret(c.Secret)
	if c.Public {
		secret = []byte{} // the hash of nothing
	}
	err := s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := c.room(ctx, tx); err != nil {
			return err
		}
		err := tx.IdentityClient.Create().SetClientID(c.ID).SetNillableTenantID(c.TenantID).SetSecretHash(secret).SetIsPublic(c.Public).SetRedirectUris(strings.Join(c.RedirectURIs, " ")).
			SetScopes(strings.Join(inOrder(c.Scopes), " ")).SetIsDisabled(false).SetNillableExpiresAt(c.Expires).SetCreatedAt(now).Exec(ctx)
		if err != nil {
			return err
		}
		fields := []string{"scopes", "secret"}
		if c.Public {
			fields = []string{"isPublic", "redirectUris", "scopes"}
		}
		if c.Expires != nil {
			fields = append(fields, "expiresAt")
		}
		return store.RecordAll(ctx, tx, record, fields...)
	})
	if store.IsUniqueViolation(err, "identity_client_client_id_key", "identity_client.client_id") {
		return problem.Clash(problem.DuplicateKey, "A client with this id exists", "id")
	}
	return err
}

// room refuses a client more than its tenant may have, and one whose id is a
// username where it may act: both are the subject of a token (RFC 9068, 5). The
// tenant is locked, so that neither is added meanwhile.
func (c NewClient) room(ctx context.Context, tx *store.Tx) error {
	var n int
	if c.TenantID != nil {
		if _, err := store.One(ctx, tx, []any{&n}, "SELECT 1 FROM tenant WHERE id = $1"+tx.ForDelete(), *c.TenantID); err != nil {
			return err
		}
		if _, err := store.One(ctx, tx, []any{&n}, "SELECT count(*) FROM identity_client WHERE tenant_id = $1", *c.TenantID); err != nil {
			return err
		}
		if c.AtMost > 0 && n >= c.AtMost {
			return problem.Clash(problem.OutOfRange, "The tenant has as many clients as it may have").With("max", c.AtMost)
		}
	}
	var tenantID int64 // no tenant has 0
	if c.TenantID != nil {
		tenantID = *c.TenantID
	}
	tenants, err := store.Collect(ctx, tx, store.ScanOne[int64], "SELECT t.id FROM tenant t WHERE CAST($1 AS bigint) = 0 OR t.id = $1", tenantID)
	for _, id := range tenants {
		taken, err := store.One(tenant.With(ctx, &tenant.Tenant{ID: id}), tx, []any{&n},
			"SELECT 1 FROM identity_user WHERE tenant_id = $1 AND username_key = $2", id, strings.ToLower(c.ID))
		if err != nil {
			return err
		}
		if taken {
			return problem.Clash(problem.DuplicateKey, "A user has this id as the username", "id")
		}
	}
	return err
}

// inOrder returns scopes in the order of Scopes, each once.
func inOrder(scopes []string) []string {
	return slices.DeleteFunc(scopeNames(), func(name string) bool { return !slices.Contains(scopes, name) })
}

// checkPublic looks for what is wrong with a public client.
func (c NewClient) checkPublic(refused *problem.List) {
	switch {
	case !c.Public && len(c.RedirectURIs) > 0:
		refused.Add(problem.Invalid(problem.InvalidFormat, "is for public clients only", "redirect-uri"))
	case !c.Public:
		return
	case c.TenantID == nil:
		refused.Add(problem.Invalid(problem.Required, "is required: people sign in to a tenant", "tenant"))
	case len(c.RedirectURIs) == 0 || len(c.RedirectURIs) > MaxRedirectURIs:
		refused.Add(problem.Invalid(problem.Required, "must be given, 10 times at most", "redirect-uri"))
	}
	for _, uri := range c.RedirectURIs {
		if text := RedirectProblem(uri); text != "" {
			refused.Add(problem.Invalid(problem.InvalidFormat, text, "redirect-uri"))
		}
	}
}

// SetClientDisabled stops a client from getting tokens, or lets it again. The
// tokens it holds run out within TokenLifetime. It returns ErrUnknownClient.
func (s *EntStore) SetClientDisabled(ctx context.Context, clientID string, disabled bool, record ...store.Record) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.IdentityClient.Update().Where(identityclient.ClientID(clientID), identityclient.IsDisabled(!disabled)).SetIsDisabled(disabled).Save(ctx)
		return recordKnown(ctx, tx, clientID, int64(n), err, record, "disabled")
	})
}

// SetClientSecret gives a client another secret. The one it has counts for an
// overlap more, so that its holders can change over one by one. Only one such can:
// while it does, a rotation is refused with a problem, unless the overlap is 0,
// which ends both. It returns ErrUnknownClient.
func (s *EntStore) SetClientSecret(ctx context.Context, clientID, secret string, overlap time.Duration, now time.Time, record ...store.Record) error {
	until, ended := now.Add(overlap), overlap <= 0
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE identity_client SET previous_secret_hash = secret_hash, previous_secret_until = $1, secret_hash = $2
			WHERE client_id = $3 AND NOT is_public AND ($4 OR previous_secret_until IS NULL OR previous_secret_until <= $5)`, until, HashSecret(secret), clientID, ended, now)
		switch {
		case err != nil:
			return err
		case n == 0:
			known, err := tx.IdentityClient.Query().Where(identityclient.ClientID(clientID), identityclient.IsPublic(false)).Exist(ctx)
			if err == nil && known {
				err = problem.Clash(problem.PreviousSecretCounts, "Another secret before the current one counts still; wait until it does not, or end both with an overlap of 0")
			} else if err == nil {
				err = ErrUnknownClient
			}
			return err
		}
		return store.RecordAll(ctx, tx, record, "secret")
	})
}

// SetClientExpiry sets when a client gets no more tokens; nil for never. It
// returns ErrUnknownClient.
func (s *EntStore) SetClientExpiry(ctx context.Context, clientID string, at *time.Time, record ...store.Record) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.Exec(ctx, "UPDATE identity_client SET expires_at = $1 WHERE client_id = $2 AND expires_at IS DISTINCT FROM $1", at, clientID)
		return recordKnown(ctx, tx, clientID, n, err, record, "expiresAt")
	})
}

// recordKnown records a change of n rows of a client. Where nothing changed, the
// client must be known all the same.
func recordKnown(ctx context.Context, tx *store.Tx, clientID string, n int64, err error, record []store.Record, field string) error {
	switch {
	case err != nil:
		return err
	case n > 0:
		return store.RecordAll(ctx, tx, record, field)
	}
	known, err := tx.IdentityClient.Query().Where(identityclient.ClientID(clientID)).Exist(ctx)
	if err == nil && !known {
		err = ErrUnknownClient
	}
	return err
}

// AllClients reads every client, in the order of their ids, without what
// belongs to their secrets.
func (s *EntStore) AllClients(ctx context.Context) ([]Client, error) {
	return store.Collect(ctx, s.store, func(r store.Scanner) (c Client, err error) {
		var scopes string
		err = r.Scan(&c.ID, &c.TenantIdentifier, &scopes, &c.Disabled, &c.Expires, &c.LastUsed)
		c.Scopes = strings.Fields(scopes)
		return c, err
	}, `SELECT c.client_id, coalesce(t.identifier, ''), c.scopes, c.is_disabled, c.expires_at, c.last_used_at
		FROM identity_client c LEFT JOIN tenant t ON t.id = c.tenant_id ORDER BY c.client_id`)
}
