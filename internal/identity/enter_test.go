package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) {
	CheapPasswords()
	dbtest.MainAsRole(m)
}

// signIns is the area with a tenant whose people sign in.
type signIns struct {
	*Service
	clock *clock.Fixed
	ctx   context.Context
}

func onEachSignIns(t *testing.T, f func(t *testing.T, w *signIns)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
		if err != nil {
			t.Fatal(err)
		}
		at := clock.At(time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC))
		acme, err := directory.Create(t.Context(), s, v, at, directory.NewTenant{Identifier: "acme", Name: "acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		service := New(Config{Store: s, Clock: at, Vault: v, Issuer: Issuer{HashSecret: func(secret string) []byte { return []byte(secret) }}, SignInKey: []byte("key"), Forget: func() {}})
		f(t, &signIns{service, at, tenant.With(t.Context(), acme)})
	})
}

const good = vault.Secret("Tulip-bucket-91")

// people adds ana, who is Approved, peter, who is Pending, and cleo, who has no password.
func (w *signIns) people(t *testing.T) {
	t.Helper()
	for _, in := range []UserInput{
		{Username: "ana", Password: patch.Set(good), Status: patch.Set(Approved)},
		{Username: "peter", Password: patch.Set(good), Status: patch.Set(Pending)},
		{Username: "cleo", Status: patch.Set(Approved)},
	} {
		if _, err := w.CreateUser(w.ctx, in); err != nil {
			t.Fatal(err)
		}
	}
}

func entry(username string, password vault.Secret) Entry {
	return Entry{Username: username, Password: password, Address: "192.0.2.1"}
}

// Every refusal derives one key, and runs as many statements before the answer of
// the password is known: the time tells nobody which users or tenants there are.
func TestEveryRefusalCostsTheSame(t *testing.T) {
	onEachSignIns(t, func(t *testing.T, w *signIns) {
		w.people(t)
		for name, e := range map[string]Entry{"a wrong password": entry("ana", "wrong"), "nobody": entry("nobody", good), "Pending": entry("peter", good),
			"no password": entry("cleo", good), "an empty one": entry("ana", ""), "a long one": entry("ana", vault.Secret(strings.Repeat("x", 10_000)))} {
			before := w.entrance.hasher.derived.Load()
			if _, err := w.Enter(w.ctx, e); !errors.Is(err, ErrRefused) {
				t.Errorf("%s: %v", name, err)
			}
			if n := w.entrance.hasher.derived.Load() - before; n != 1 {
				t.Errorf("%s derives %d keys", name, n)
			}
		}
		before := w.entrance.hasher.derived.Load()
		if err := w.EnterNowhere(t.Context(), "nowhere", entry("ana", good)); !errors.Is(err, ErrRefused) || w.entrance.hasher.derived.Load() != before+1 {
			t.Errorf("no such tenant: %v, %d keys", err, w.entrance.hasher.derived.Load()-before)
		}
	})
}

// Of many guesses at once, no more are checked than one after the other.
func TestGuessesAtOnce(t *testing.T) {
	onEachSignIns(t, func(t *testing.T, w *signIns) {
		w.people(t)
		before := w.entrance.hasher.derived.Load()
		var refused, locked atomic.Int64
		var all sync.WaitGroup
		for n := range 24 {
			all.Go(func() {
				e := entry("ana", "wrong")
				e.Address = fmt.Sprintf("192.0.2.%d", n)
				_, err := w.Enter(w.ctx, e)
				var lock *LockedError
				switch {
				case errors.As(err, &lock):
					locked.Add(1)
				case errors.Is(err, ErrRefused):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if refused.Load() != 6 || locked.Load() != 18 || w.entrance.hasher.derived.Load() != before+6 {
			t.Errorf("%d refused, %d locked, %d keys", refused.Load(), locked.Load(), w.entrance.hasher.derived.Load()-before)
		}
	})
}

// No more counts of attempts stay than there is room for.
func TestNewestAttemptsStay(t *testing.T) {
	onEachSignIns(t, func(t *testing.T, w *signIns) {
		attempts := func() (n int) {
			if _, err := store.One(w.ctx, w.Store, []any{&n}, "SELECT count(*) FROM identity_attempt"); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for n := range 10 {
			w.clock.Move(time.Second)
			_, _ = w.Enter(w.ctx, Entry{Username: fmt.Sprint("user", n), Password: "wrong", Address: fmt.Sprint("192.0.2.", n)})
		}
		if n := attempts(); n < 20 {
			t.Fatalf("%d counts", n)
		}
		if err := w.sweepAttempts(w.ctx, 6); err != nil || attempts() != 6 {
			t.Errorf("%d counts stay, %v", attempts(), err)
		}
	})
}

// While every slot and every place in the queue is taken by sign-ins that never end, one
// more is refused at once, and counts as no attempt; a user without a password is made.
func TestSignInsBeyondTheQueueAreRefused(t *testing.T) {
	onEachSignIns(t, func(t *testing.T, w *signIns) {
		for range cap(w.entrance.hasher.slots) {
			w.entrance.hasher.slots <- struct{}{}
		}
		w.entrance.hasher.total = maxWaiting
		for range 20 { // attempts that nobody looks at lock nobody out
			if _, err := w.Enter(w.ctx, entry("ana", good)); !problem.Has(err, problem.UnavailableCode) {
				t.Fatalf("one more sign-in: %v", err)
			}
		}
		if _, err := w.CreateUser(w.ctx, UserInput{Username: "ben"}); err != nil {
			t.Errorf("a user without a password: %v", err)
		}
	})
}
