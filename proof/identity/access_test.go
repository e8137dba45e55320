package identity_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

func (w *world) token(t *testing.T, id string, secret vault.Secret) int {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret.Reveal()}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, oauth.TokenPath, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	w.World.ServeHTTP(rec, r)
	return rec.Code
}

// A client's life: it gets tokens with its secret, for a day with both after a
// rotation, and none when it is disabled, has expired or is gone.
func TestClientLife(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		end := w.Clock.Now().Add(100 * time.Hour)
		_, first, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents"}), ExpiresAt: patch.Set(end)})
		if err != nil {
			t.Fatal(err)
		}
		rotated, second, err := w.RotateClientSecret(w.ctx, "acme.crm", false)
		if err != nil {
			t.Fatal(err)
		}
		check := func(when string, old, current int) {
			t.Helper()
			if a, b := w.token(t, "acme.crm", first), w.token(t, "acme.crm", second); a != old || b != current {
				t.Errorf("%s: %d and %d; want %d and %d", when, a, b, old, current)
			}
		}
		check("after the rotation", 200, 200)
		if c, err := w.Client(w.ctx, "acme.crm"); err != nil || c.LastUsedAt == nil || !c.LastUsedAt.Equal(w.Clock.Now()) || !c.LastModified.Equal(rotated.LastModified) {
			t.Errorf("last used: %+v %v", c, err)
		}
		w.Clock.Move(identity.SecretOverlap)
		check("a day later", 401, 200)
		for _, disabled := range []bool{true, false} {
			if _, _, err := w.UpdateClient(w.ctx, "acme.crm", identity.ClientInput{IsDisabled: patch.Set(disabled)}); err != nil {
				t.Fatal(err)
			}
			check("disabled and enabled", 401, map[bool]int{true: 401, false: 200}[disabled])
		}
		w.Clock.Move(76 * time.Hour)
		check("expired", 401, 401)
		if _, _, err := w.UpdateClient(w.ctx, "acme.crm", identity.ClientInput{ExpiresAt: patch.Null[time.Time]()}); err != nil {
			t.Fatal(err)
		}
		check("not any more", 401, 200)
		if err := w.DeleteClient(w.ctx, "acme.crm"); err != nil {
			t.Fatal(err)
		}
		check("gone", 401, 401)
	})
}

// An API key is a bearer token on both doors, in its own tenant, with its own
// scopes; it is refused once it is revoked, and once its client is disabled. No
// table holds it.
func TestAPIKeyOnBothDoors(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if _, _, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents", "read:users"})}); err != nil {
			t.Fatal(err)
		}
		key, secret, err := w.CreateAPIKey(w.ctx, "acme.crm", identity.APIKeyInput{Name: "nightly", Scopes: []string{"read:agents"}})
		if err != nil || !strings.HasPrefix(secret.Reveal(), "upl_") || !strings.HasPrefix(secret.Reveal(), key.Hint) || len(key.Hint) != 8 {
			t.Fatalf("%+v %v", key, err)
		}
		both := func(tenant, path string) (rest, graphQL int) {
			t.Helper()
			c := w.WithToken(tenant, secret.Reveal())
			rest = c.Send(t, http.MethodGet, path, nil, nil).Code
			graphQL = c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(`{"query": "{ agents { totalCount } }"}`)).Code
			return rest, graphQL
		}
		check := func(when, tenant, path string, wantREST, wantGraphQL int) {
			t.Helper()
			if rest, graphQL := both(tenant, path); rest != wantREST || graphQL != wantGraphQL {
				t.Errorf("%s: %d and %d; want %d and %d", when, rest, graphQL, wantREST, wantGraphQL)
			}
		}
		agents := "/agency-management/{tenant}/agents"
		check("its own", apptest.Acme, agents, 200, 200)
		check("another tenant", apptest.Umbra, agents, 403, 403)
		check("another scope", apptest.Acme, "/identity-management/{tenant}/users", 403, 200)
		for _, disabled := range []bool{true, false} {
			if _, _, err := w.UpdateClient(w.ctx, "acme.crm", identity.ClientInput{IsDisabled: patch.Set(disabled)}); err != nil {
				t.Fatal(err)
			}
			w.Clock.Move(10 * time.Second)
			want := map[bool]int{true: 401, false: 200}[disabled]
			check("its client disabled, and enabled", apptest.Acme, agents, want, want)
		}
		if _, changed, err := w.Identity.RevokeAPIKey(w.ctx, key.UID); err != nil || !changed {
			t.Fatal(err)
		}
		w.Clock.Move(10 * time.Second)
		check("revoked", apptest.Acme, agents, 401, 401)
		if _, changed, err := w.Identity.RevokeAPIKey(w.ctx, key.UID); err != nil || changed {
			t.Errorf("revoked twice: %v", err)
		}
		if strings.Contains(w.Logged(), secret.Reveal()) {
			t.Error("the log has the key")
		}
	})
}

// "the token endpoint does not let argon2id starve the API": while sign-ins whose
// hashes take long wait for each other, tokens are issued and both doors answer.
func TestSignInsDoNotStarveTheAPI(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		const places = 16 // of a tenant
		for n := range places {
			w.user(t, identity.UserInput{Username: fmt.Sprint("slow", n), Password: patch.Set(good), Status: patch.Set(identity.Approved)})
		}
		if err := w.Store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE identity_user SET password_hash = $1 WHERE tenant_id = $2 AND username LIKE 'slow%'",
				"$argon2id$v=19$m=8,t=20000,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", w.World.Tenants[apptest.Acme].ID)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(w.ctx)
		var people sync.WaitGroup
		defer people.Wait()
		defer end()
		var over atomic.Int64
		for n := range places {
			people.Go(func() {
				_, _ = w.Enter(ctx, identity.Entry{Username: fmt.Sprint("slow", n), Password: good, Address: fmt.Sprint("198.51.100.", n)})
				over.Add(1)
			})
		}
		c := w.As(apptest.Acme) // a new token for each request
		if r := c.Send(t, http.MethodGet, "/agency-management/{tenant}/agents", nil, nil); r.Code != http.StatusOK {
			t.Errorf("REST: %d %s", r.Code, r.Body)
		}
		c.Query(t, `{ agents { totalCount } }`, nil)
		if n := over.Load(); n == places {
			t.Error("the sign-ins were over before the doors answered")
		}
	})
}
