package webhooks_test

import (
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/webhooks"
)

// kept counts the secrets of before a rotation that are stored.
func (w *world) kept() (n int) {
	w.t.Helper()
	if _, err := store.One(w.ctx, w.store, []any{&n}, "SELECT count(*) FROM webhook_subscription WHERE previous_secret IS NOT NULL OR previous_secret_until IS NOT NULL"); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// After a rotation both secrets sign for a day, whatever comes: another rotation is
// refused until then, unless it is to end both. What signs no more is neither shown
// nor kept.
func TestRotations(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		sub, first := w.subscribeWithSecret(r.URL)
		rotate := func(endPrevious bool) (string, *webhooks.Subscription) {
			t.Helper()
			got, secret, err := w.RotateSecret(w.ctx, sub.UID, endPrevious)
			if err != nil {
				t.Fatal(err)
			}
			return secret.Reveal(), got
		}
		signs := func(when string, want bool, secrets ...string) {
			t.Helper()
			w.raise("A1")
			w.deliver(sub)
			all := r.received()
			for i, secret := range secrets {
				verifier, err := standardwebhooks.NewWebhook(secret)
				if err != nil {
					t.Fatal(err)
				}
				last := all[len(all)-1]
				if got := verifier.VerifyIgnoringTimestamp(last.body, last.header) == nil; got != want {
					t.Errorf("%s: secret %d signs: %t", when, i, got)
				}
			}
		}
		second, got := rotate(false)
		if until := got.PreviousSecretUntil; until == nil || !until.Equal(start.Add(24*time.Hour)) {
			t.Errorf("until %v", until)
		}
		signs("after a rotation", true, first, second)
		w.clock.Move(24*time.Hour - 1)
		if _, _, err := w.RotateSecret(w.ctx, sub.UID, false); !problem.Has(err, problem.PreviousSecretCounts) {
			t.Errorf("another: %v", err)
		}
		signs("after one that was refused", true, first, second)
		w.clock.Move(1)
		if got, err := w.Subscription(w.ctx, sub.UID); err != nil || got.PreviousSecretUntil != nil {
			t.Errorf("a day later: %v %v", got.PreviousSecretUntil, err)
		}
		signs("a day later", false, first)
		signs("a day later", true, second)
		if n := w.kept(); n != 1 {
			t.Fatalf("%d secrets of before", n)
		}
		if err := w.DeleteOld(w.ctx); err != nil || w.kept() != 0 {
			t.Errorf("%d are kept (%v)", w.kept(), err)
		}
		third, _ := rotate(false)
		w.clock.Move(time.Hour)
		if err := w.DeleteOld(w.ctx); err != nil || w.kept() != 1 {
			t.Errorf("one that signs is gone (%v)", err)
		}
		fourth, got := rotate(true)
		if got.PreviousSecretUntil != nil || w.kept() != 0 {
			t.Errorf("both were to end: %v", got.PreviousSecretUntil)
		}
		signs("both have ended", false, second, third)
		signs("the only one", true, fourth)
	})
}

// The secret of before a rotation can still be read, and is encrypted again with the
// others after the keys of a tenant were rotated.
func TestPreviousSecretIsReencrypted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		sub, _ := w.subscribeWithSecret(r.URL)
		if _, _, err := w.RotateSecret(w.ctx, sub.UID, false); err != nil {
			t.Fatal(err)
		}
		if err := w.vault.Rotate(w.ctx, w.tenant.ID); err != nil {
			t.Fatal(err)
		}
		if n, err := reencryption.Run(w.ctx, w.store, w.vault, webhooks.SealedColumns(), func(int, int) {}); err != nil || n != 2 {
			t.Errorf("%d values were encrypted again, %v; want the secret and the one before it", n, err)
		}
		w.raise("A1")
		w.deliver(sub)
		if got := r.received(); len(got) != 1 {
			t.Errorf("%d deliveries", len(got))
		}
	})
}
