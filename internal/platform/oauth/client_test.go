package oauth_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// After a rotation both secrets count until the overlap ends, then the new one
// alone; a client that has expired gets the answer of one with a wrong secret.
func TestRotationOverlapsAndClientsExpire(t *testing.T) {
	w := newWorld(t)
	until, end := start.Add(time.Hour), start.Add(2*time.Hour)
	w.clients["acme"] = oauth.Client{ID: "acme", TenantIdentifier: "acme", SecretHash: oauth.HashSecret("new"), PreviousSecretHash: oauth.HashSecret(acmeSecret),
		PreviousUntil: &until, Expires: &end, Scopes: []string{"read:agents"}}
	for _, step := range []struct {
		after       time.Duration
		before, now bool
	}{{0, true, true}, {time.Hour - time.Second, true, true}, {time.Hour, false, true}, {2*time.Hour - time.Second, false, true}, {2 * time.Hour, false, false}} {
		w.clock.Move(start.Add(step.after).Sub(w.clock.Now()))
		for secret, want := range map[string]bool{acmeSecret: step.before, "new": step.now, "": false} {
			rec, a := send(t, w.handler, request(set("client_secret", secret)))
			if (rec.Code == http.StatusOK) != want || !want && a.Error != "invalid_client" {
				t.Errorf("%s after the rotation: %d %s; want a token: %v", step.after, rec.Code, a.Error, want)
			}
		}
	}
}

// The use of a client is noted, at most every five minutes; the rows keep the
// hash of a secret and never the secret.
func TestTablesRotatesAndNotesUse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		addClients(t, s)
		w, rows, clients := newWorld(t), oauth.NewTables(s), operator(s)
		noted := &countingClients{Tables: rows}
		issuer, err := oauth.NewIssuer(config, noted, w.ring, w.clock, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			newToken(t, issuer.Handler())
			w.clock.Move(2 * time.Minute)
		}
		if noted.uses != 1 {
			t.Errorf("three tokens in four minutes left %d notes", noted.uses)
		}
		newToken(t, issuer.Handler())
		if noted.uses != 2 {
			t.Errorf("a token after six minutes: %d notes; want 2", noted.uses)
		}
		if err := clients.SetClientSecret(t.Context(), "acme", "second", time.Hour, w.clock.Now()); err != nil {
			t.Fatal(err)
		}
		newToken(t, issuer.Handler())
		newToken(t, issuer.Handler(), set("client_secret", "second"))
		if err := clients.AmendClient(t.Context(), "acme", identity.ClientInput{ExpiresAt: patch.Set(w.clock.Now())}, w.clock.Now()); err != nil {
			t.Fatal(err)
		}
		if rec, a := send(t, issuer.Handler(), request(set("client_secret", "second"))); rec.Code != http.StatusUnauthorized || a.Error != "invalid_client" {
			t.Errorf("an expired client: %d %+v", rec.Code, a)
		}
		all, err := clients.AllClients(t.Context())
		if err != nil || all[0].LastUsedAt == nil || all[0].ExpiresAt == nil || all[0].Tenant != "acme" || !all[0].LastModified.After(w.clock.Now()) {
			t.Errorf("%+v %v", all, err)
		}
	})
}

// operator administers the clients of a database, as far as the tests here go.
func operator(s *store.Store) *identity.Operator {
	return &identity.Operator{Store: s, Issuer: identity.Issuer{HashSecret: oauth.HashSecret}}
}

type countingClients struct {
	*oauth.Tables
	uses int
}

func (c *countingClients) ClientUsed(ctx context.Context, id string, at time.Time) error {
	c.uses++
	return c.Tables.ClientUsed(ctx, id, at)
}
