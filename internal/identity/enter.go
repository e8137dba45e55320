package identity

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Entry is an attempt to sign in.
type Entry struct {
	// Username is the username or the e-mail address.
	Username string
	Password vault.Secret
	// Address is where it comes from: an IP address, or a network.
	Address string
	// Device is the text that Enter gave the browser earlier, Previous the secret of the
	// browser's session; both may be empty.
	Device, Previous string
}

// Entered is what the browser gets after a sign-in.
type Entered struct {
	Session *Session
	// Secret is the secret of the session, new each time, so that a session planted in
	// the browser before becomes worthless.
	Secret string
	// Device shows at the next sign-in that this user has signed in with this browser
	// before.
	Device string
}

// The operations of the audit trail that are no fields of the schema.
const (
	signedInOperation  = "signIn"
	refusedOperation   = "signInRefused"
	lockedOperation    = "signInLocked"
	signedOutOperation = "signOut"
)

const sessionEntity = "Session"

// Enter signs in a user of the context's tenant. It refuses with ErrRefused, whatever is
// wrong, or with a *LockedError if too many attempts have failed before. The caller of
// the context is the client that the user signs in to.
func (s *Service) Enter(ctx context.Context, e Entry) (*Entered, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	if err := s.Vault.Prepare(ctx, t.ID); err != nil { // keys of the audit trail, created outside its transaction
		return nil, err
	}
	named, err := s.named(ctx, t.ID, e.Username)
	if err != nil {
		return nil, err
	}
	e.Username = named
	counts := s.countedFor(t.Identifier, e, s.knownDevice(t.Identifier, e))
	locks, err := s.claim(ctx, counts)
	if err != nil {
		return nil, err
	}
	entered := new(Entered)
	_, err = s.signIn(ctx, e.Username, e.Password, func(ctx context.Context, tx *store.Tx, user *User) error {
		if err := passwordsCount(ctx, tx, t.ID); err != nil {
			return err
		}
		if err := release(ctx, tx, counts); err != nil {
			return err
		}
		if _, err := endSession(ctx, tx, t.ID, s.HashSecret(e.Previous)); err != nil {
			return err
		}
		if entered.Session, entered.Secret, err = s.startSession(ctx, tx, user, begunBy{}); err != nil {
			return err
		}
		entered.Device = s.newDevice(t.Identifier, user.Username)
		return s.recordEntry(ctx, tx, signedInOperation, sessionEntity, user.Username)
	})
	switch {
	case errors.Is(err, ErrRefused):
		return nil, errors.Join(err, s.recordRefusal(ctx, e.Username, locks))
	case problem.Has(err, problem.UnavailableCode): // the password was not checked
		return nil, errors.Join(err, s.giveBack(ctx, counts))
	}
	return entered, err
}

// named returns the username of who is called by a text: a username, or else an e-mail
// address; the text itself for nobody. So attempts by either name count for one account.
func (s *Service) named(ctx context.Context, tenantID int64, text string) (string, error) {
	found, err := store.Collect(ctx, s.Store, store.ScanOne[string],
		"SELECT username FROM identity_user WHERE tenant_id = $1 AND (username_key = $2 OR email_key = $2) ORDER BY CASE WHEN username_key = $2 THEN 0 ELSE 1 END", tenantID, searchKey(text))
	if err != nil || len(found) == 0 {
		return text, err
	}
	return found[0], nil
}

// passwordsCount refuses a password where only providers count. What it has read stays so
// until the session is there, which then ends when passwords do.
func passwordsCount(ctx context.Context, tx *store.Tx, tenantID int64) error {
	var one int
	found, err := store.One(ctx, tx, []any{&one}, "SELECT 1 FROM tenant WHERE id = $1 AND password_sign_in = $2"+tx.ForShare(), tenantID, true)
	if err == nil && !found {
		err = ErrRefused
	}
	return err
}

// EnterNowhere does the same work as Enter for a tenant that does not exist, so that the
// time does not reveal which tenants do.
func (s *Service) EnterNowhere(ctx context.Context, tenantIdentifier string, e Entry) error {
	counts := s.countedFor(tenantIdentifier, e, s.knownDevice(tenantIdentifier, e))
	if _, err := s.claim(ctx, counts); err != nil {
		return err
	}
	_, _, err := s.verify(ctx, absent(), e.Password)
	if problem.Has(err, problem.UnavailableCode) {
		err = errors.Join(err, s.giveBack(ctx, counts))
	}
	if err != nil {
		return err
	}
	return ErrRefused
}

// recordRefusal writes an audit entry for a refused attempt. It names the user only if
// there is one: any other text that was typed may be a password.
func (s *Service) recordRefusal(ctx context.Context, username string, locks bool) error {
	user, err := s.User(ctx, username)
	if err != nil {
		return err
	}
	var names []string
	if user != nil {
		names = append(names, user.Username)
	}
	return s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		err := s.recordEntry(ctx, tx, refusedOperation, userEntity, names...)
		if err == nil && locks {
			err = s.recordEntry(ctx, tx, lockedOperation, userEntity, names...)
		}
		return err
	})
}

// recordEntry writes an audit entry for a sign-in, a refusal or a sign-out.
func (s *Service) recordEntry(ctx context.Context, tx *store.Tx, operation, entity string, usernames ...string) error {
	caller, _ := tenant.CallerFrom(ctx)
	var initiator string
	if len(usernames) > 0 {
		initiator = usernames[0]
	}
	if operation == signedInOperation || operation == signedOutOperation {
		caller.Subject = initiator
	}
	origin := audit.OriginFrom(ctx)
	origin.Operation, origin.Surface = operation, audit.SignIn
	ctx = audit.WithOrigin(tenant.WithCaller(ctx, caller), origin)
	return s.writer.WriteIn(ctx, tx, initiator, func(_ context.Context, w *change.Writing) error {
		w.Record(audit.Entry{EntityType: entity, EntityKeys: usernames})
		return nil
	})
}

// DeviceLifetime is how long a browser is recognised.
const DeviceLifetime = 90 * 24 * time.Hour

// newDevice returns a text that only this service can make, for one user.
func (s *Service) newDevice(tenantIdentifier, username string) string {
	nonce := s.NewSecret()
	return nonce + "." + s.deviceMark(nonce, tenantIdentifier, username)
}

func (s *Service) deviceMark(nonce, tenantIdentifier, username string) string {
	return base64.RawURLEncoding.EncodeToString(s.mac("device", nonce, tenantIdentifier, searchKey(username)))
}

// knownDevice returns a key for the browser of an attempt; empty if this user has not
// signed in with it before.
func (s *Service) knownDevice(tenantIdentifier string, e Entry) string {
	nonce, mark, _ := strings.Cut(e.Device, ".")
	if !hmac.Equal([]byte(mark), []byte(s.deviceMark(nonce, tenantIdentifier, e.Username))) {
		return ""
	}
	return nonce
}
