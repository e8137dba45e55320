package oauth_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// addClients stores a client of a tenant and one of the platform.
func addClients(t *testing.T, s *store.Store) {
	t.Helper()
	err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		acme, err := tx.Insert(ctx, "tenant", []string{"identifier", "name", "time_zone", "default_page_size", "max_page_size", "created_at", "last_modified"},
			"acme", "Acme", "UTC", 50, 100, start, start)
		if err != nil {
			return err
		}
		columns := []string{"client_id", "tenant_id", "secret_hash", "scopes", "is_disabled", "created_at", "last_modified"}
		_, err = tx.Insert(ctx, "identity_client", columns, "acme", acme, oauth.HashSecret(acmeSecret), "read:agents write:agents", false, start, start)
		if err != nil {
			return err
		}
		_, err = tx.Insert(ctx, "identity_client", columns, "platform", nil, oauth.HashSecret("p"), bearer.PlatformTenants, true, start, start)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTablesClients(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		addClients(t, s)
		clients := oauth.NewTables(s)
		want := map[string]oauth.Client{
			"acme":     {ID: "acme", TenantIdentifier: "acme", Scopes: []string{"read:agents", "write:agents"}},
			"platform": {ID: "platform", Scopes: []string{bearer.PlatformTenants}, Disabled: true},
		}
		for id, want := range want {
			got, err := clients.Client(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != want.ID || got.TenantIdentifier != want.TenantIdentifier || got.Disabled != want.Disabled ||
				!slices.Equal(got.Scopes, want.Scopes) || len(got.SecretHash) != 32 {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		for _, id := range []string{"nobody", "", "ACME"} {
			if _, err := clients.Client(t.Context(), id); !errors.Is(err, oauth.ErrUnknownClient) {
				t.Errorf("client %q: %v", id, err)
			}
		}
	})
}

// An unknown client must take as long as a known one.
func TestTablesAsksTheSameOfEveryClient(t *testing.T) {
	s := dbtest.SQLite(t)
	addClients(t, s)
	for _, id := range []string{"acme", "platform", "nobody"} {
		ctx, statements := store.CountStatements(t.Context())
		_, _ = oauth.NewTables(s).Client(ctx, id)
		if n := statements.Load(); n != 2 {
			t.Errorf("client %s takes %d statements", id, n)
		}
	}
}

func TestTablesKeys(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		addClients(t, s)
		c := clock.At(start)
		keys := oauth.NewTables(s)
		ring, err := keyring.New(t.Context(), keys, newSealer(t), c)
		if err != nil {
			t.Fatal(err)
		}
		issuer, err := oauth.NewIssuer(config, keys, ring, c, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		token := newToken(t, issuer.Handler())

		// Another server, after a restart, and while the key rotates.
		c.Move(30 * time.Minute)
		again, err := keyring.New(t.Context(), keys, newSealer(t), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := newVerifier(t, again, c).Authenticate(t.Context(), withToken(token)); err != nil {
			t.Fatal(err)
		}
		stored, err := keys.Keys(t.Context())
		if err != nil || len(stored) != 3 { // the first start made no RSA key
			t.Fatalf("%d keys, %v", len(stored), err)
		}

		c.Move(91 * 24 * time.Hour)
		if err := again.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if stored, err = keys.Keys(t.Context()); err != nil || len(stored) != 2 || !stored[0].CreatedAt.Equal(c.Now()) {
			t.Fatalf("%d keys, %v", len(stored), err)
		}
	})
}
