package oauth

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

var (
	// errNoGrant is returned for a code or token that does not exist, or no longer.
	errNoGrant = errors.New("oauth: no such grant")
	// errReplayed is returned for one that was used before. Its grant has ended.
	errReplayed     = errors.New("oauth: a code or refresh token was used twice")
	errSessionEnded = errors.New("oauth: the session has ended")
)

// newGrant is a grant to be added, with its code.
type newGrant struct {
	clientID, redirectURI, challenge, nonce     string
	scopes                                      []string
	codeHash                                    []byte
	signedInAt, codeUntil, createdAt, expiresAt time.Time
}

// grant is what a user granted to a client.
type grant struct {
	id, userID                              int64
	clientID, redirectURI, challenge, nonce string
	scopes                                  []string
	codeUntil, expiresAt                    time.Time
	codeUsed                                *time.Time
	// signedInAt is nil for grants from before it was recorded.
	signedInAt *time.Time
}

// refreshToken is a refresh token to be added.
type refreshToken struct {
	hash             []byte
	createdAt, until time.Time
}

// addGrant adds a grant from a session. It locks the session, so that whatever ends the
// session ends the grant, too.
func (s *Tables) addGrant(ctx context.Context, p Person, g newGrant) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		var id int64
		found, err := store.One(ctx, tx, []any{&id}, "SELECT id FROM identity_session WHERE tenant_id = $1 AND id = $2"+tx.ForUpdate(), p.TenantID, p.SessionID)
		if err == nil && !found {
			err = errSessionEnded
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO identity_grant (tenant_id, user_id, client_id, session_id, scopes, redirect_uri, challenge, code_hash, code_until, created_at, expires_at, nonce, signed_in_at, provider_id, provider_sid)
			SELECT $1, $2, c.id, s.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, s.provider_id, s.provider_sid FROM identity_client c, identity_session s
			WHERE c.client_id = $13 AND c.tenant_id = $1 AND s.tenant_id = $1 AND s.id = $3`,
			p.TenantID, p.UserID, p.SessionID, strings.Join(g.scopes, " "), g.redirectURI, g.challenge, g.codeHash, g.codeUntil, g.createdAt, g.expiresAt, g.nonce, g.signedInAt, g.clientID)
		return err
	})
}

const grantColumns = `g.id, g.user_id, c.client_id, g.redirect_uri, g.challenge, g.scopes, g.code_until, g.code_used_at, g.expires_at, g.nonce, g.signed_in_at`

func (g *grant) columns(scopes *string) []any {
	return []any{&g.id, &g.userID, &g.clientID, &g.redirectURI, &g.challenge, scopes, &g.codeUntil, &g.codeUsed, &g.expiresAt, &g.nonce, &g.signedInAt}
}

// lockGrant reads and locks the grant that meets a condition on its first argument.
func lockGrant(ctx context.Context, tx *store.Tx, condition string, value any) (g grant, found bool, err error) {
	lock := ""
	if tx.Postgres() {
		lock = " FOR UPDATE OF g"
	}
	var scopes string
	found, err = store.One(ctx, tx, g.columns(&scopes), "SELECT "+grantColumns+" FROM identity_grant g JOIN identity_client c ON c.id = g.client_id WHERE "+condition+lock, value)
	g.scopes = strings.Fields(scopes)
	return g, found, err
}

func endGrant(ctx context.Context, tx *store.Tx, id int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM identity_grant WHERE id = $1", id)
	return err
}

// redeem uses a code, once. RFC 6749 §4.1.2: "If an authorization code is used more than
// once, the authorization server MUST deny the request and SHOULD revoke (when possible)
// all tokens previously issued based on that authorization code." So the grant ends, and
// its tokens with it; it also ends if fits finds anything wrong.
func (s *Tables) redeem(ctx context.Context, codeHash []byte, now time.Time, first refreshToken, fits func(grant) bool) (g grant, err error) {
	var refused error // the result of a transaction that is committed nevertheless
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		found, err := false, error(nil)
		if g, found, err = lockGrant(ctx, tx, "g.code_hash = $1", codeHash); err != nil {
			return err
		}
		switch {
		case !found:
			return errNoGrant
		case g.codeUsed != nil:
			refused = errReplayed
		case !now.Before(g.codeUntil) || !fits(g):
			refused = errNoGrant
		}
		if refused != nil {
			return endGrant(ctx, tx, g.id)
		}
		if _, err := tx.Exec(ctx, "UPDATE identity_grant SET code_used_at = $1 WHERE id = $2", now, g.id); err != nil {
			return err
		}
		return addRefreshToken(ctx, tx, g, first)
	})
	return g, errors.Join(err, refused)
}

// rotate uses a refresh token and adds the next one. A token that was used before has
// been copied, either by the present or by the former user of it, so its grant ends (RFC
// 9700 §4.14.2). check is called before anything changes.
func (s *Tables) rotate(ctx context.Context, hash []byte, clientID string, next refreshToken, check func(grant) error) (g grant, err error) {
	var refused error
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		found, err := false, error(nil)
		if g, found, err = lockGrant(ctx, tx, "g.id = (SELECT t.grant_id FROM identity_refresh_token t WHERE t.token_hash = $1)", hash); err != nil {
			return err
		}
		if !found || g.clientID != clientID { // RFC 6749 §6: "bound to the client to which it was issued"
			return errNoGrant
		}
		var (
			used  *time.Time
			until time.Time
		)
		if found, err = store.One(ctx, tx, []any{&used, &until}, "SELECT used_at, expires_at FROM identity_refresh_token WHERE token_hash = $1", hash); err != nil {
			return err
		}
		switch {
		case !found || !next.createdAt.Before(until):
			return errNoGrant
		case used != nil:
			refused = errReplayed
			return endGrant(ctx, tx, g.id)
		}
		if err := check(g); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE identity_refresh_token SET used_at = $1 WHERE token_hash = $2", next.createdAt, hash); err != nil {
			return err
		}
		return addRefreshToken(ctx, tx, g, next)
	})
	return g, errors.Join(err, refused)
}

// addRefreshToken adds a token that lasts no longer than its grant. Used tokens are kept
// as long as they could be used again, and are then deleted.
func addRefreshToken(ctx context.Context, tx *store.Tx, g grant, t refreshToken) error {
	if t.until.After(g.expiresAt) {
		t.until = g.expiresAt
	}
	if _, err := tx.Exec(ctx, "DELETE FROM identity_refresh_token WHERE grant_id = $1 AND expires_at <= $2", g.id, t.createdAt); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO identity_refresh_token (token_hash, grant_id, created_at, expires_at) VALUES ($1, $2, $3, $4)", t.hash, g.id, t.createdAt, t.until)
	return err
}

// endGrantOf ends the grant of a client's refresh token, used or not.
func (s *Tables) endGrantOf(ctx context.Context, hash []byte, clientID string) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM identity_grant WHERE id = (SELECT t.grant_id FROM identity_refresh_token t WHERE t.token_hash = $1)
			AND client_id = (SELECT c.id FROM identity_client c WHERE c.client_id = $2)`, hash, clientID)
		return err
	})
}

// grantOf reads the grant of a valid refresh token, with its tenant and the time when the
// token expires.
func (s *Tables) grantOf(ctx context.Context, hash []byte, now time.Time) (g grant, tenantIdentifier string, until time.Time, found bool, err error) {
	var scopes string
	found, err = store.One(ctx, s.store, append(g.columns(&scopes), &tenantIdentifier, &until),
		"SELECT "+grantColumns+`, n.identifier, t.expires_at FROM identity_refresh_token t JOIN identity_grant g ON g.id = t.grant_id
		JOIN identity_client c ON c.id = g.client_id JOIN tenant n ON n.id = g.tenant_id
		WHERE t.token_hash = $1 AND t.used_at IS NULL AND t.expires_at > $2`, hash, now)
	g.scopes = strings.Fields(scopes)
	return g, tenantIdentifier, until, found, err
}

// GrantLives implements Grants.
func (s *Tables) GrantLives(ctx context.Context, id int64) (bool, error) {
	var found int64
	return store.One(ctx, s.store, []any{&found}, "SELECT id FROM identity_grant WHERE id = $1", id)
}
