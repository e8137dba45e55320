package identity

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

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

// entrance signs users in and out. It is safe for concurrent use.
type entrance struct {
	*sessions
	*attempts
	store  *store.Store
	clock  clock.Clock
	vault  *vault.Vault
	hasher *hasher
}

// Enter signs in a user of the context's tenant. It refuses with ErrRefused, whatever is
// wrong, or with a *LockedError if too many attempts have failed before. The caller of
// the context is the client that the user signs in to.
func (s *entrance) Enter(ctx context.Context, e Entry) (*Entered, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	if err := s.vault.Prepare(ctx, t.ID); err != nil { // keys of the audit trail, created outside its transaction
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
func (s *entrance) named(ctx context.Context, tenantID int64, text string) (string, error) {
	found, err := store.Collect(ctx, s.store, store.ScanOne[string],
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
func (s *entrance) EnterNowhere(ctx context.Context, tenantIdentifier string, e Entry) error {
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
func (s *entrance) recordRefusal(ctx context.Context, username string, locks bool) error {
	user, err := readUser(ctx, s.store, "u.username_key = $2", tenant.From(ctx).ID, searchKey(username))
	if err != nil {
		return err
	}
	var names []string
	if user != nil {
		names = append(names, user.Username)
	}
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		err := s.recordEntry(ctx, tx, refusedOperation, userEntity, names...)
		if err == nil && locks {
			err = s.recordEntry(ctx, tx, lockedOperation, userEntity, names...)
		}
		return err
	})
}

// DeviceLifetime is how long a browser is recognised.
const DeviceLifetime = 90 * 24 * time.Hour

// newDevice returns a text that only this service can make, for one user.
func (s *entrance) newDevice(tenantIdentifier, username string) string {
	nonce := s.NewSecret()
	return nonce + "." + s.deviceMark(nonce, tenantIdentifier, username)
}

func (s *entrance) deviceMark(nonce, tenantIdentifier, username string) string {
	return base64.RawURLEncoding.EncodeToString(s.mac("device", nonce, tenantIdentifier, searchKey(username)))
}

// knownDevice returns a key for the browser of an attempt; empty if this user has not
// signed in with it before.
func (s *entrance) knownDevice(tenantIdentifier string, e Entry) string {
	nonce, mark, _ := strings.Cut(e.Device, ".")
	if !hmac.Equal([]byte(mark), []byte(s.deviceMark(nonce, tenantIdentifier, e.Username))) {
		return ""
	}
	return nonce
}

// ErrRefused is the one error of Enter for an unknown username, a wrong password, a user
// without a password and a user who is not Approved, so that it does not reveal which
// users exist.
var ErrRefused = errors.New("identity: the username or the password is wrong, or the user may not sign in")

// absent is the hash that a password is compared with if there is no other, so that every
// way to fail takes the time of a hash. No password has it.
func absent() string { return currentCost.phc(make([]byte, saltSize), make([]byte, hashSize)) }

// signIn checks the password of a user and returns the user: "Pending (…; cannot sign
// in), Approved (active; can sign in)" (User statuses). It notes the time, and hashes the
// password again if the parameters have changed. then is called in that transaction, with
// the user locked. It returns ErrRefused, or a problem of category Unavailable if too
// many requests wait.
func (s *entrance) signIn(ctx context.Context, username string, password vault.Secret, then func(context.Context, *store.Tx, *User) error) (*User, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var (
		id     int64
		hash   *string
		status string
	)
	found, err := store.One(ctx, s.store, []any{&id, &hash, &status},
		"SELECT u.id, u.password_hash, u.status FROM identity_user u WHERE u.tenant_id = $1 AND u.username_key = $2", tenantID, searchKey(username))
	if err != nil {
		return nil, err
	}
	stored := absent()
	if found && hash != nil {
		stored = *hash
	}
	right, outdated, err := s.verify(ctx, stored, password)
	if err != nil {
		return nil, err
	}
	if !right || status != Approved {
		return nil, ErrRefused
	}
	return s.signedIn(ctx, tenantID, id, stored, password, outdated, then)
}

// verify refuses a text that is too long to be a password, before it is hashed.
func (s *entrance) verify(ctx context.Context, stored string, password vault.Secret) (right, outdated bool, err error) {
	if len(password) > maxSent || utf8.RuneCountInString(normalised(password)) > maxPasswordLength {
		password = ""
	}
	return s.hasher.verify(ctx, stored, password)
}

// signedIn notes the time of a sign-in, which does not change the version of the user's
// record. It refuses if the password was changed, or the user made Pending, while the
// password was checked.
func (s *entrance) signedIn(ctx context.Context, tenantID, id int64, stored string, password vault.Secret, outdated bool,
	then func(context.Context, *store.Tx, *User) error) (user *User, err error) {
	hash := stored
	if outdated {
		if hash, err = s.hasher.hash(ctx, password); err != nil {
			return nil, err
		}
	}
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE identity_user SET last_sign_in_at = $1, password_hash = $2
			WHERE tenant_id = $3 AND id = $4 AND password_hash = $5 AND status = $6`, s.clock.Now(), hash, tenantID, id, stored, Approved)
		if err == nil && n == 0 {
			err = ErrRefused
		}
		if err != nil {
			return err
		}
		if user, err = readUser(ctx, tx, "u.id = $2", tenantID, id); err != nil {
			return err
		}
		return then(ctx, tx, user)
	})
	return user, err
}

// SignOut ends the session with a secret, and everything that was granted to clients from
// it. It changes nothing if there is none.
func (s *entrance) SignOut(ctx context.Context, secret string) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	if err := s.vault.Prepare(ctx, t.ID); err != nil {
		return err
	}
	defer s.Reread()
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		username, err := endSession(ctx, tx, t.ID, s.HashSecret(secret))
		if err != nil || username == "" {
			return err
		}
		return s.recordEntry(ctx, tx, signedOutOperation, sessionEntity, username)
	})
}
