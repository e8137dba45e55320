package identity

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// How long a session lasts: NIST SP 800-63B-4 §2.2.3 asks for at most a day, and an hour
// without a request, if sensitive data is at stake.
const (
	// SessionLifetime is the maximum, however much the session is used.
	SessionLifetime = 12 * time.Hour
	// SessionIdle is how long it lasts without a request.
	SessionIdle = time.Hour
	// noteUseEvery is how often its use is written down at most.
	noteUseEvery = time.Minute
)

// Session is a sign-in of a user in a browser.
type Session struct {
	ID, TenantID, UserID       int64
	TenantIdentifier, Username string
	// Scopes are the scopes of the user's roles, in the order in which scopes are shown.
	Scopes []string
	// ExpiresAt is when it ends at the latest, SignedInAt when it began.
	ExpiresAt, SignedInAt time.Time
	// Email is only set by Holder; nil for none.
	Email *string
}

// begunBy is the provider that began a session, and its name for the session; nil for a
// password, and for a provider that names no sessions.
type begunBy struct {
	providerID *int64
	sid        *string
}

// sessions keeps the sessions of users. It is safe for concurrent use.
type sessions struct {
	*changes
	Issuer
	store  *store.Store
	clock  clock.Clock
	scopes []string
}

// startSession adds a session of a user, whose row is locked.
func (s *sessions) startSession(ctx context.Context, tx *store.Tx, user *User, by begunBy) (session *Session, secret string, err error) {
	t, now := tenant.From(ctx), s.clock.Now()
	secret = s.NewSecret()
	session = &Session{TenantID: t.ID, UserID: user.ID, TenantIdentifier: t.Identifier, Username: user.Username, SignedInAt: now, ExpiresAt: now.Add(SessionLifetime)}
	_, err = store.One(ctx, tx, []any{&session.ID}, `INSERT INTO identity_session (tenant_id, user_id, secret_hash, created_at, last_used_at, expires_at, provider_id, provider_sid)
		VALUES ($1, $2, $3, $4, $4, $5, $6, $7) RETURNING id`, t.ID, user.ID, s.HashSecret(secret), now, session.ExpiresAt, by.providerID, by.sid)
	if err != nil {
		return nil, "", err
	}
	session.Scopes, err = s.userScopes(ctx, tx, t.ID, user.ID)
	return session, secret, err
}

// SessionOf returns the session with a secret, and notes that it is used; nil if there is
// none, or it has ended. Failed attempts to sign in do not affect it.
func (s *sessions) SessionOf(ctx context.Context, secret string) (*Session, error) {
	found, lastUsed, err := s.findSession(ctx, secret)
	if now := s.clock.Now(); err == nil && found != nil && now.Sub(lastUsed) >= noteUseEvery {
		err = s.sessionUsed(ctx, found.ID, now)
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// StillSession is SessionOf for work that outlasts its request, such as a stream: it does
// not keep the session alive.
func (s *sessions) StillSession(ctx context.Context, secret string) (*Session, error) {
	found, _, err := s.findSession(ctx, secret)
	return found, err
}

func (s *sessions) findSession(ctx context.Context, secret string) (session *Session, lastUsed time.Time, err error) {
	if secret == "" {
		return nil, lastUsed, nil
	}
	now := s.clock.Now()
	var found Session
	ok, err := store.One(ctx, s.store, []any{&found.ID, &found.TenantID, &found.UserID, &found.ExpiresAt, &found.SignedInAt, &lastUsed, &found.TenantIdentifier},
		`SELECT s.id, s.tenant_id, s.user_id, s.expires_at, s.created_at, s.last_used_at, t.identifier FROM identity_session s
		JOIN tenant t ON t.id = s.tenant_id WHERE s.secret_hash = $1`, s.HashSecret(secret))
	if err != nil || !ok || !now.Before(found.ExpiresAt) || now.Sub(lastUsed) >= SessionIdle {
		return nil, lastUsed, err
	}
	ctx = tenant.With(ctx, &tenant.Tenant{ID: found.TenantID, Identifier: found.TenantIdentifier})
	ok, err = store.One(ctx, s.store, []any{&found.Username}, "SELECT username FROM identity_user WHERE tenant_id = $1 AND id = $2 AND status = $3",
		found.TenantID, found.UserID, Approved)
	if err != nil || !ok {
		return nil, lastUsed, err
	}
	found.Scopes, err = s.userScopes(ctx, s.store, found.TenantID, found.UserID)
	return &found, lastUsed, err
}

func (s *sessions) sessionUsed(ctx context.Context, id int64, now time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE identity_session SET last_used_at = $1 WHERE id = $2", now, id)
		return err
	})
}

// Holder returns a user of the context's tenant with the scopes of the user's roles; nil
// if there is no such user, or one who cannot sign in.
func (s *sessions) Holder(ctx context.Context, userID int64) (*Session, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	user, err := readUser(ctx, s.store, "u.id = $2", t.ID, userID)
	if err != nil || user == nil || user.Status != Approved {
		return nil, err
	}
	scopes, err := s.userScopes(ctx, s.store, t.ID, userID)
	return &Session{TenantID: t.ID, TenantIdentifier: t.Identifier, UserID: userID, Username: user.Username, Scopes: scopes, Email: user.Email}, err
}

// userScopes are the scopes of all roles of a user together.
func (s *sessions) userScopes(ctx context.Context, q store.Querier, tenantID, userID int64) ([]string, error) {
	roles, err := store.Collect(ctx, q, scanRole, "SELECT "+roleColumns+` FROM identity_user_role x
		JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id WHERE x.tenant_id = $1 AND x.user_id = $2`, tenantID, userID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(s.scopes), func(scope string) bool {
		return !slices.ContainsFunc(roles, func(r *Role) bool { return slices.Contains(r.Scopes, scope) })
	}), nil
}

// endSession deletes the session with a hash and its grants, and returns the name of its
// user; empty for none.
func endSession(ctx context.Context, tx *store.Tx, tenantID int64, hash []byte) (username string, err error) {
	var id, userID int64
	found, err := store.One(ctx, tx, []any{&id, &userID}, "DELETE FROM identity_session WHERE tenant_id = $1 AND secret_hash = $2 RETURNING id, user_id", tenantID, hash)
	if err != nil || !found {
		return "", err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM identity_grant WHERE tenant_id = $1 AND session_id = $2", tenantID, id); err != nil {
		return "", err
	}
	_, err = store.One(ctx, tx, []any{&username}, "SELECT username FROM identity_user WHERE tenant_id = $1 AND id = $2", tenantID, userID)
	return username, err
}

// EndSessions signs a user out everywhere: every session ends, and everything granted to
// clients. ended is false if there was neither.
func (s *sessions) EndSessions(ctx context.Context, username string) (ended bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		user, err := w.lockUser(ctx, username)
		if err != nil {
			return err
		}
		if ended, err = w.endSessions(ctx, user.ID); ended {
			w.changed(sessionEntity, user.Username)
		}
		return err
	})
	return ended, err
}

// EndOwnSessions is EndSessions for the calling user.
func (s *sessions) EndOwnSessions(ctx context.Context) (ended bool, err error) {
	caller, _ := tenant.CallerFrom(ctx)
	if caller.UserID == 0 {
		return false, problem.Invalid(problem.NotApplicable, "The caller has no sessions here")
	}
	return s.EndSessions(tenant.Whole(ctx, "a caller ends its own sessions, and names nobody"), caller.Subject)
}

// SweepSessions deletes the sessions and grants of the context's tenant that have
// expired, codes that were never exchanged, and sign-ins that did not come back from a
// provider.
func (s *sessions) SweepSessions(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM identity_session WHERE tenant_id = $1 AND (expires_at <= $2 OR last_used_at <= $3)", tenantID, now, now.Add(-SessionIdle))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM identity_grant WHERE tenant_id = $1 AND (expires_at <= $2 OR code_used_at IS NULL AND code_until <= $2)", tenantID, now)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM identity_provider_request WHERE tenant_id = $1 AND expires_at <= $2", tenantID, now)
		return err
	})
}
