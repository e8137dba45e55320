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
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Entry is an attempt to sign in.
type Entry struct {
	Username string
	Password vault.Secret
	// Address is where it comes from: an IP address, or a network of them.
	Address string
	// Device is the text that Enter gave the browser at an earlier time, Previous
	// the secret of the session it has; both may be empty.
	Device, Previous string
}

// Entered is what a sign-in gives to the browser.
type Entered struct {
	Session *Session
	// Secret is that of the session, new each time: one that somebody planted in
	// the browser before is worth nothing after.
	Secret string
	// Device tells at the next sign-in that this user signed in here before.
	Device string
}

// The operations of the audit trail. They are no fields of the schema.
const (
	signedInOperation  = "signIn"
	refusedOperation   = "signInRefused"
	lockedOperation    = "signInLocked"
	signedOutOperation = "signOut"
)

const sessionEntity = "Session"

// Enter signs a user of the context's tenant in. It is refused with ErrRefused,
// whatever is wrong, or with a *LockedError when too many attempts failed before.
// The caller of the context is the client that is signed in to.
func (s *Service) Enter(ctx context.Context, e Entry) (*Entered, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	if err := s.Vault.Prepare(ctx, t.ID); err != nil { // keys of the audit trail, outside of its transaction
		return nil, err
	}
	counts := s.countedFor(t.Identifier, e, s.knownDevice(t.Identifier, e))
	locks, err := s.claim(ctx, counts)
	if err != nil {
		return nil, err
	}
	entered := new(Entered)
	_, err = s.signIn(ctx, e.Username, e.Password, func(ctx context.Context, tx *store.Tx, user *User) error {
		if err := release(ctx, tx, counts); err != nil {
			return err
		}
		if _, err := endSession(ctx, tx, t.ID, s.HashSecret(e.Previous)); err != nil {
			return err
		}
		if entered.Session, entered.Secret, err = s.startSession(ctx, tx, user); err != nil {
			return err
		}
		entered.Device = s.newDevice(t.Identifier, user.Username)
		return s.recordEntry(ctx, tx, signedInOperation, sessionEntity, user.Username)
	})
	switch {
	case errors.Is(err, ErrRefused):
		return nil, errors.Join(err, s.recordRefusal(ctx, e.Username, locks))
	case problem.Has(err, problem.UnavailableCode): // the password was not looked at
		return nil, errors.Join(err, s.giveBack(ctx, counts))
	}
	return entered, err
}

// EnterNowhere does what Enter does where there is no such tenant, so that the
// time tells nobody which tenants there are.
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

// recordRefusal leaves an audit entry of a refused attempt. It names the user
// only when there is one: what else was typed may be a password.
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

// recordEntry leaves an audit entry of what happens at the door.
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

// DeviceLifetime is how long a browser is known.
const DeviceLifetime = 90 * 24 * time.Hour

// newDevice returns a text that only this service can make, for one user.
func (s *Service) newDevice(tenantIdentifier, username string) string {
	nonce := s.NewSecret()
	return nonce + "." + s.deviceMark(nonce, tenantIdentifier, username)
}

func (s *Service) deviceMark(nonce, tenantIdentifier, username string) string {
	return base64.RawURLEncoding.EncodeToString(s.mac("device", nonce, tenantIdentifier, searchKey(username)))
}

// knownDevice returns what tells the browser of an attempt from others, empty
// where this user did not sign in with it before.
func (s *Service) knownDevice(tenantIdentifier string, e Entry) string {
	nonce, mark, _ := strings.Cut(e.Device, ".")
	if !hmac.Equal([]byte(mark), []byte(s.deviceMark(nonce, tenantIdentifier, e.Username))) {
		return ""
	}
	return nonce
}
