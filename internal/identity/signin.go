package identity

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// ErrRefused is the one error of Enter for an unknown username, a wrong password, a user
// without a password and a user who is not Approved, so that it does not reveal which
// users exist.
var ErrRefused = errors.New("identity: the username or the password is wrong, or the user may not sign in")

// absent is the hash that a password is compared with if there is no other, so that every
// way to fail takes the time of a hash. No password has it.
func absent() string { return currentCost.phc(make([]byte, saltSize), make([]byte, hashSize)) }

// maxSent limits a password before it is looked at, in bytes. Characters are counted
// after normalisation, which can turn several code points into one.
const maxSent = 4 << 10

// signIn checks the password of a user and returns the user: "Pending (…; cannot sign
// in), Approved (active; can sign in)" (User statuses). It notes the time, and hashes the
// password again if the parameters have changed. then is called in that transaction, with
// the user locked. It returns ErrRefused, or a problem of category Unavailable if too
// many requests wait.
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

// verify refuses a text that is too long to be a password, before it is hashed.
func (s *Service) verify(ctx context.Context, stored string, password vault.Secret) (right, outdated bool, err error) {
	if len(password) > maxSent || utf8.RuneCountInString(normalised(password)) > maxPasswordLength {
		password = ""
	}
	return s.hasher.verify(ctx, stored, password)
}

// signedIn notes the time of a sign-in, which does not change the version of the user's
// record. It refuses if the password was changed, or the user made Pending, while the
// password was checked.
func (s *Service) signedIn(ctx context.Context, tenantID, id int64, stored string, password vault.Secret, outdated bool,
	then func(context.Context, *store.Tx, *User) error) (user *User, err error) {
	hash := stored
	if outdated {
		if hash, err = s.hasher.hash(ctx, password); err != nil {
			return nil, err
		}
	}
	err = s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE identity_user SET last_sign_in_at = $1, password_hash = $2
			WHERE tenant_id = $3 AND id = $4 AND password_hash = $5 AND status = $6`, s.Clock.Now(), hash, tenantID, id, stored, Approved)
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
