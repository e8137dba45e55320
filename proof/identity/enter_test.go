package identity_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// people adds ana, who is Approved, peter, who is Pending, and cleo, who has no
// password.
func (w *world) people(t *testing.T) {
	t.Helper()
	w.user(t, identity.UserInput{Username: "ana", Email: patch.Set("Ana@acme.example"), Password: patch.Set(good), Status: patch.Set(identity.Approved)})
	w.user(t, identity.UserInput{Username: "peter", Password: patch.Set(good), Status: patch.Set(identity.Pending)})
	w.user(t, identity.UserInput{Username: "cleo", Status: patch.Set(identity.Approved)})
}

func entry(username string, password vault.Secret) identity.Entry {
	return identity.Entry{Username: username, Password: password, Address: "192.0.2.1"}
}

// A wait that a process with a wrong clock wrote down keeps nobody out until then.
func TestLockOfAClockThatWasAhead(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.people(t)
		if _, err := w.Enter(w.ctx, entry("ana", "wrong")); !errors.Is(err, identity.ErrRefused) {
			t.Fatal(err)
		}
		for i, ahead := range []time.Duration{10 * time.Minute, time.Hour} {
			if err := w.Store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, "UPDATE identity_attempt SET blocked_until = $1", w.Clock.Now().Add(ahead))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			var lock *identity.LockedError
			if _, err := w.Enter(w.ctx, entry("ana", "wrong")); errors.As(err, &lock) != (i == 0) {
				t.Errorf("blocked for %v from now: %v", ahead, err)
			}
		}
	})
}

// A sign-in, a refusal, a lock and a sign-out leave an audit entry each; what was
// typed as the name of a user is in none, unless there is such a user.
func TestSignInIsAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.people(t)
		ctx := tenant.WithCaller(w.ctx, tenant.Caller{ClientID: "web"})
		first := w.count(t, "audit_entry")
		entered, err := w.Enter(ctx, entry("ANA", good))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.SignOut(ctx, entered.Secret); err != nil {
			t.Fatal(err)
		}
		if err := w.SignOut(ctx, entered.Secret); err != nil {
			t.Error(err)
		}
		_, _ = w.Enter(ctx, entry(string(good), "wrong"))
		for range 8 {
			_, _ = w.Enter(ctx, entry("ana", "wrong"))
		}
		if err := w.Audit.Link(w.ctx); err != nil {
			t.Fatal(err)
		}
		got, err := store.Collect(w.ctx, w.Store, func(r store.Scanner) (string, error) {
			var operation, surface, subject, client, entity, keys string
			err := r.Scan(&operation, &surface, &subject, &client, &entity, &keys)
			return strings.Join([]string{operation, surface, subject, client, entity, strings.ReplaceAll(keys, " ", "")}, "|"), err
		}, w.keysAsText("SELECT operation, surface, subject, client_id, entity_type, %s FROM audit_entry WHERE tenant_id = $1 AND seq > $2 ORDER BY seq"), w.World.Tenants[apptest.Acme].ID, first)
		if err != nil {
			t.Fatal(err)
		}
		refused := `signInRefused|SIGN_IN||web|User|["ana"]`
		want := []string{`signIn|SIGN_IN|ana|web|Session|["ana"]`, `signOut|SIGN_IN|ana|web|Session|["ana"]`, `signInRefused|SIGN_IN||web|User|[]`,
			refused, refused, refused, refused, refused, refused, `signInLocked|SIGN_IN||web|User|["ana"]`}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("entries\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if result, err := w.Audit.Verify(w.ctx, audit.Head{}); err != nil {
			t.Errorf("the chain: %v %v", result, err)
		}
	})
}

func (w *world) keysAsText(query string) string {
	if w.Store.Postgres() {
		return fmt.Sprintf(query, "entity_keys::text")
	}
	return fmt.Sprintf(query, "entity_keys")
}

// What is over is deleted: sessions, grants, codes that nobody came for, counts of
// attempts.
func TestSweepOfSignIns(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.people(t)
		if _, err := w.Enter(w.ctx, entry("ana", good)); err != nil {
			t.Fatal(err)
		}
		attempts := func() (n int) {
			if _, err := store.One(w.ctx, w.Store, []any{&n}, "SELECT count(*) FROM identity_attempt"); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for n := range 10 {
			w.Clock.Move(time.Second)
			_, _ = w.Enter(w.ctx, identity.Entry{Username: fmt.Sprint("user", n), Password: "wrong", Address: fmt.Sprint("192.0.2.", n)})
		}
		if n := attempts(); n < 20 {
			t.Fatalf("%d counts", n)
		}
		for _, test := range []struct {
			after    time.Duration
			sessions int
		}{{0, 1}, {identity.SessionIdle - time.Minute, 1}, {time.Minute, 0}} {
			w.Clock.Move(test.after)
			if err := w.SweepSessions(w.ctx); err != nil || w.count(t, "identity_session") != test.sessions {
				t.Errorf("%d sessions stay, %v", w.count(t, "identity_session"), err)
			}
		}
		w.Clock.Move(24 * time.Hour)
		if err := w.SweepAttempts(w.ctx); err != nil || attempts() != 0 {
			t.Errorf("%d counts stay, %v", attempts(), err)
		}
	})
}

// The e-mail address that the page asks for signs in, whatever the case of its letters; a
// username goes first; and guesses by either name are guesses at one account.
func TestPeopleSignInWithTheirAddress(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.people(t)
		for _, name := range []string{"ana", "ana@ACME.example", " Ana@acme.example "} {
			if entered, err := w.Enter(w.ctx, entry(name, good)); err != nil || entered.Session.Username != "ana" {
				t.Errorf("%q: %+v %v", name, entered, err)
			}
		}
		var locked *identity.LockedError
		for i := range 6 {
			if _, err := w.Enter(w.ctx, entry([]string{"ana", "ana@acme.example"}[i%2], "wrong")); !errors.Is(err, identity.ErrRefused) {
				t.Fatalf("guess %d: %v", i, err)
			}
		}
		for _, name := range []string{"ana", "ana@acme.example"} {
			if _, err := w.Enter(w.ctx, entry(name, good)); !errors.As(err, &locked) {
				t.Errorf("after guesses by both names, %s: %v", name, err)
			}
		}
		const other = vault.Secret("Cedar-window-402")
		w.user(t, identity.UserInput{Username: "ana@acme.example", Password: patch.Set(other), Status: patch.Set(identity.Approved)})
		if entered, err := w.Enter(w.ctx, entry("ana@acme.example", other)); err != nil || entered.Session.Username != "ana@acme.example" {
			t.Errorf("a username that is an address: %+v %v", entered, err)
		}
	})
}
