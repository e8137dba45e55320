package identity

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/uplinehq/upline/ent/db/identityuser"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// ErrRefused is the one answer of Enter to an unknown username, a wrong
// password, a user without one and a user who is not Approved: it tells nobody
// which users there are.
var ErrRefused = errors.New("identity: the username or the password is wrong, or the user may not sign in")

// absent returns what a password is compared with where there is no hash, so that
// every way to fail takes the time of a hash. No password has it.
func absent() string { return currentCost.phc(make([]byte, saltSize), make([]byte, hashSize)) }

// maxSent bounds what is looked at as a password, in bytes. Characters are counted
// after normalisation, which makes some of several code points one.
const maxSent = 4 << 10

// signIn checks the password of a user and returns the user: "Pending (…; cannot
// sign in), Approved (active; can sign in)" (User statuses). It notes the time,
// and hashes the password again when the parameters have changed. then is called
// in that transaction, which has the user locked. It returns ErrRefused, and a
// problem of category Unavailable when too many wait.
func (s *Service) signIn(ctx context.Context, username string, password vault.Secret, then func(context.Context, *store.Tx, *User) error) (*User, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var (
		id     int64
		hash   *string
		status string
	)
	found, err := store.One(ctx, s.Store, []any{&id, &hash, &status},
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

// verify refuses what is too long to be a password before it is hashed.
func (s *Service) verify(ctx context.Context, stored string, password vault.Secret) (right, outdated bool, err error) {
	if len(password) > maxSent || utf8.RuneCountInString(normalised(password)) > maxPasswordLength {
		password = ""
	}
	return s.hasher.verify(ctx, stored, password)
}

// signedIn notes the time of a sign-in, which is no change of the user's record:
// its version stays. It is refused when the password was changed, or the user
// made Pending, while it was checked.
func (s *Service) signedIn(ctx context.Context, tenantID, id int64, stored string, password vault.Secret, outdated bool,
	then func(context.Context, *store.Tx, *User) error) (user *User, err error) {
	hash := stored
	if outdated {
		if hash, err = s.hasher.hash(ctx, password); err != nil {
			return nil, err
		}
	}
	err = s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.IdentityUser.Update().Where(identityuser.ID(id), identityuser.PasswordHash(stored), identityuser.Status(Approved)).
			SetLastSignInAt(s.Clock.Now()).SetPasswordHash(hash).Save(ctx)
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
