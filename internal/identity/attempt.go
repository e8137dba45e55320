package identity

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Attempts to sign in are counted for the named account, whether it exists or not, and
// for the address that they come from. The counts are rows, so processes share them and
// they survive a restart.
//
// An attempt is counted before the password is checked, and the count is taken back if
// the password was right. So concurrent attempts get no more tries than attempts one
// after the other.

// limit says when attempts of a kind have to wait.
type limit struct {
	// free is how many may fail before the first wait.
	free int
	// first is the wait after the next failure. It doubles with each, up to most.
	first, most time.Duration
}

var (
	// accountLimit allows some 100 guesses a day.
	accountLimit = limit{free: 5, first: 30 * time.Second, most: 15 * time.Minute}
	// addressLimit is wider, since an office may share an address.
	addressLimit = limit{free: 30, first: 10 * time.Second, most: 15 * time.Minute}
)

// forgottenAfter is how long after its last failure a count starts anew.
const forgottenAfter = 24 * time.Hour

// maxAttempts limits the counts that a sweep leaves: the newest.
const maxAttempts = 100_000

// wait is how long to wait after a number of failures in a row.
func (l limit) wait(failures int) time.Duration {
	wait := l.first
	for n := l.free + 1; n < failures && wait < l.most; n++ {
		wait *= 2
	}
	if failures <= l.free {
		return 0
	}
	return min(wait, l.most)
}

// counted is a count of attempts.
type counted struct {
	key   []byte
	limit limit
}

// attempts counts attempts to sign in. It is safe for concurrent use.
type attempts struct {
	store *store.Store
	clock clock.Clock
	key   []byte // of the hashes
}

// countedFor returns the counts of an attempt. If the browser has shown that this user
// has signed in with it before, it has a count of its own, so nobody who drives the
// account's count up can lock the user out there.
func (s *attempts) countedFor(tenantIdentifier string, e Entry, device string) []counted {
	account := counted{s.attemptKey("account", tenantIdentifier, searchKey(e.Username)), accountLimit}
	if device != "" {
		account.key = s.attemptKey("device", device, tenantIdentifier, searchKey(e.Username))
	}
	return []counted{{s.attemptKey("address", e.Address), addressLimit}, account}
}

// attemptKey identifies a count without revealing what it counts.
func (s *attempts) attemptKey(parts ...string) []byte { return s.mac("attempt", parts...) }

// mac is a keyed hash of texts, for a purpose.
func (s *attempts) mac(purpose string, parts ...string) []byte {
	h := hmac.New(sha256.New, s.key)
	fmt.Fprintf(h, "%q", append([]string{purpose}, parts...))
	return h.Sum(nil)
}

// LockedError refuses an attempt to sign in because of earlier failures, whether the
// account exists or not.
type LockedError struct {
	// Wait is how long until the next attempt is allowed.
	Wait time.Duration
}

func (e *LockedError) Error() string { return "identity: too many attempts to sign in" }

// claim counts an attempt, unless one of its counts has to wait. locks reports whether a
// failure of this attempt will make the next one wait, for the first time.
func (s *attempts) claim(ctx context.Context, all []counted) (locks bool, err error) {
	now := s.clock.Now()
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		var wait time.Duration
		failures := make([]int, len(all))
		for i, c := range all { // in the same order for everybody, to avoid deadlocks
			n, until, err := lockAttempts(ctx, tx, c.key, now)
			if err != nil {
				return err
			}
			// A wait longer than the longest was written by a clock that was ahead.
			if failures[i] = n + 1; until != nil && until.Sub(now) <= c.limit.most {
				wait = max(wait, until.Sub(now))
			}
		}
		if wait > 0 {
			return &LockedError{wait}
		}
		for i, c := range all {
			var until *time.Time
			if wait := c.limit.wait(failures[i]); wait > 0 {
				until = new(now.Add(wait))
			}
			locks = locks || failures[i] == c.limit.free+1
			if _, err := tx.Exec(ctx, "UPDATE identity_attempt SET failures = $1, last_at = $2, blocked_until = $3 WHERE key_hash = $4", failures[i], now, until, c.key); err != nil {
				return err
			}
		}
		return nil
	})
	return locks, err
}

// lockAttempts returns a count, locked: 0 if it is new or forgotten.
func lockAttempts(ctx context.Context, tx *store.Tx, key []byte, now time.Time) (failures int, until *time.Time, err error) {
	_, err = tx.Exec(ctx, "INSERT INTO identity_attempt (key_hash, failures, last_at) VALUES ($1, 0, $2) ON CONFLICT (key_hash) DO NOTHING", key, now)
	if err != nil {
		return 0, nil, err
	}
	var last time.Time
	_, err = store.One(ctx, tx, []any{&failures, &last, &until}, "SELECT failures, last_at, blocked_until FROM identity_attempt WHERE key_hash = $1"+tx.ForUpdate(), key)
	if now.Sub(last) >= forgottenAfter {
		failures = 0
	}
	return failures, until, err
}

// giveBack takes back an attempt whose password was not checked.
func (s *attempts) giveBack(ctx context.Context, all []counted) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, c := range all {
			if _, err := tx.Exec(ctx, uncount, c.key); err != nil {
				return err
			}
		}
		return nil
	})
}

const uncount = "UPDATE identity_attempt SET failures = failures - 1, blocked_until = NULL WHERE key_hash = $1 AND failures > 0"

// release takes back an attempt whose password was right: the account's count starts
// anew, the address's count is only reduced by one. Otherwise the owner of an account
// could clear the address's count between guesses at others.
func release(ctx context.Context, tx *store.Tx, all []counted) error {
	for i, c := range all {
		statement := "DELETE FROM identity_attempt WHERE key_hash = $1"
		if i == 0 {
			statement = uncount
		}
		if _, err := tx.Exec(ctx, statement, c.key); err != nil {
			return err
		}
	}
	return nil
}

// SweepAttempts deletes forgotten counts, and all but the newest maxAttempts of the
// others.
func (s *attempts) SweepAttempts(ctx context.Context) error {
	return s.sweepAttempts(ctx, maxAttempts)
}

func (s *attempts) sweepAttempts(ctx context.Context, keep int) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM identity_attempt WHERE last_at <= $1", s.clock.Now().Add(-forgottenAfter)); err != nil {
			return err
		}
		var oldest *time.Time
		found, err := store.One(ctx, tx, []any{&oldest}, "SELECT last_at FROM identity_attempt ORDER BY last_at DESC LIMIT 1 OFFSET $1", keep)
		if err != nil || !found {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM identity_attempt WHERE last_at <= $1", *oldest)
		return err
	})
}

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
