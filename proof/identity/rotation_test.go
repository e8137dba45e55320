package identity_test

import (
	"sync"
	"testing"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

// While two secrets count there is no third: another rotation would end the one
// that most holders still use. Who needs one says that the others end.
func TestOneRotationAtATime(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		_, first, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents"})})
		if err != nil {
			t.Fatal(err)
		}
		_, second, err := w.RotateClientSecret(w.ctx, "acme.crm", false)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = w.RotateClientSecret(w.ctx, "acme.crm", false)
		if p := problem.From(err); len(p) != 1 || p[0].Category != problem.Conflict || p[0].Code != problem.PreviousSecretCounts {
			t.Errorf("a second rotation: %v", err)
		}
		if err := app.Operator(w.Store).SetClientSecret(t.Context(), "acme.crm", "third", identity.SecretOverlap, w.Clock.Now()); !problem.Has(err, problem.PreviousSecretCounts) {
			t.Errorf("at the command line: %v", err)
		}
		if a, b := w.token(t, "acme.crm", first), w.token(t, "acme.crm", second); a != 200 || b != 200 {
			t.Errorf("after what was refused: %d and %d", a, b)
		}
		c, third, err := w.RotateClientSecret(w.ctx, "acme.crm", true)
		if err != nil || c.PreviousSecretUntil != nil {
			t.Fatalf("%+v %v", c, err)
		}
		for secret, want := range map[vault.Secret]int{first: 401, second: 401, third: 200} {
			if got := w.token(t, "acme.crm", secret); got != want {
				t.Errorf("after all others ended: %d; want %d", got, want)
			}
		}
		if _, _, err := w.RotateClientSecret(w.ctx, "acme.crm", false); err != nil {
			t.Errorf("the next one: %v", err)
		}
		w.Clock.Move(identity.SecretOverlap)
		if _, _, err := w.RotateClientSecret(w.ctx, "acme.crm", false); err != nil {
			t.Errorf("when the overlap is over: %v", err)
		}
	})
}

// Of rotations at once one is made, and the secret in use counts with it.
func TestRotationsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		_, first, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents"})})
		if err != nil {
			t.Fatal(err)
		}
		errs, secrets := make([]error, 6), make([]vault.Secret, 6)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, secrets[i], errs[i] = w.RotateClientSecret(w.ctx, "acme.crm", false) })
		}
		all.Wait()
		made := 0
		for i, err := range errs {
			switch {
			case err == nil:
				made++
				if got := w.token(t, "acme.crm", secrets[i]); got != 200 {
					t.Errorf("the new secret: %d", got)
				}
			case !problem.Has(err, problem.PreviousSecretCounts):
				t.Error(err)
			}
		}
		if got := w.token(t, "acme.crm", first); made != 1 || got != 200 {
			t.Errorf("%d rotations; the first secret: %d", made, got)
		}
	})
}
