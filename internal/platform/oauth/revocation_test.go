package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// revoked keeps revocations in memory: an oauth.Revocations and an oauth.Revoker.
type revoked struct {
	mu      sync.Mutex
	clients clients
	tokens  map[string]bool
	keys    []string
	stored  map[string]oauth.APIKey // the keys that there are, by their hashes
	err     error
	asked   int
}

func (r *revoked) Holder(_ context.Context, token bearer.Claims, now time.Time) (oauth.Holder, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	client := r.clients[token.ClientID]
	return oauth.Holder{Scopes: client.Scopes, Since: client.Since}, !r.tokens[token.ID] && client.MayAct(now), r.err
}

func (r *revoked) RevokeToken(_ context.Context, c bearer.Claims) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens[c.ID] = true
	return r.err
}

func (r *revoked) RevokeAPIKey(_ context.Context, k oauth.APIKey) error {
	r.keys = append(r.keys, k.UID)
	if r.err == nil {
		maps.DeleteFunc(r.stored, func(_ string, stored oauth.APIKey) bool { return stored.UID == k.UID })
	}
	return r.err
}

// refreshTokens are those of a world: of acme, by their text.
type refreshTokens map[string]bool

func (r refreshTokens) Revoke(_ context.Context, token, clientID string) error {
	if r[token] && clientID != "acme" {
		return oauth.ErrForeignToken
	}
	delete(r, token)
	return nil
}

func (r refreshTokens) Introspect(_ context.Context, token string) (bearer.Claims, bool, error) {
	return bearer.Claims{Subject: "ana", ClientID: "acme", Tenant: "acme", Scopes: []string{"read:agents"}, Expires: start.Add(time.Hour)}, r[token], nil
}

// revocable adds revocation and introspection to a world, with an API key of acme
// and a refresh token.
func (w *world) revocable(t testing.TB) (r *revoked, key string) {
	t.Helper()
	r, key = &revoked{clients: w.clients, tokens: map[string]bool{}}, oauth.NewAPIKey()
	keys := &storedKeys{keys: map[string]oauth.APIKey{string(oauth.HashSecret(key)): {ID: 1, UID: "key-1", ClientID: "acme", TenantIdentifier: "acme", Scopes: []string{"read:agents"}}}}
	if err := w.verifier.AcceptAPIKeys(keys, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	r.stored = keys.keys
	w.verifier.HeedRevocations(r)
	w.clients["other"] = oauth.Client{ID: "other", TenantIdentifier: "acme", SecretHash: oauth.HashSecret("p"), Scopes: []string{"read:agents"}}
	w.clients["resource"] = oauth.Client{ID: "resource", TenantIdentifier: "acme", SecretHash: oauth.HashSecret("p"), Scopes: []string{bearer.ReadTokens}}
	w.clients["umbra"] = oauth.Client{ID: "umbra", TenantIdentifier: "umbra", SecretHash: oauth.HashSecret("p"), Scopes: []string{bearer.ReadTokens}}
	w.clients["everywhere"] = oauth.Client{ID: "everywhere", SecretHash: oauth.HashSecret("p"), Scopes: []string{bearer.ReadTokens, bearer.PlatformTenants}}
	w.clients["nowhere"] = oauth.Client{ID: "nowhere", SecretHash: oauth.HashSecret("p"), Scopes: []string{bearer.ReadTokens}}
	issuer, err := oauth.NewIssuer(config, w.clients, w.ring, w.clock, slog.New(slog.NewJSONHandler(&w.logs, nil)))
	if err != nil {
		t.Fatal(err)
	}
	issuer.ServeTokens(oauth.TokenServices{Verifier: w.verifier, Revoker: r, Refresh: refreshTokens{"refresh-1": true}})
	w.handler = issuer.Handler()
	return r, key
}

// about is a request about a token, by a client.
func about(path, token, id, secret string, edits ...edit) *http.Request {
	r := request(append([]edit{client(id, secret), func(r *http.Request, f url.Values) {
		r.URL.Path = path
		f.Del("grant_type")
		f.Set("token", token)
	}}, edits...)...)
	return r
}

func serve(h http.Handler, r *http.Request) (*httptest.ResponseRecorder, map[string]any) {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	var body map[string]any
	_ = json.Unmarshal(rec.Body.Bytes(), &body)
	return rec, body
}

func TestRFC7009_Revocation(t *testing.T) {
	w := newWorld(t)
	r, key := w.revocable(t)
	token := newToken(t, w.handler)
	expired := newToken(t, w.handler)
	const path = oauth.RevocationPath
	tests := []struct {
		name          string
		token, client string
		edits         []edit
		status        int
		error         string
	}{
		{"§2.1: the client authenticates", token, "acme", []edit{set("client_secret", "wrong")}, 401, "invalid_client"},
		{"§2.1: no client", token, "", []edit{set("client_id"), set("client_secret")}, 401, "invalid_client"},
		{"§2.1: a disabled client", token, "asleep", []edit{set("client_secret", "p")}, 401, "invalid_client"},
		{"§2.1: token is required", "", "acme", nil, 400, "invalid_request"},
		{"RFC 6749 §3.2: token once", token, "acme", []edit{set("token", token, token)}, 400, "invalid_request"},
		{"over 8 KiB", strings.Repeat("a", 9000), "acme", nil, 413, "invalid_request"},
		{"§2.1: a token of another client", token, "other", []edit{set("client_secret", "p")}, 400, "invalid_grant"},
		{"§2.1: a key of another client", key, "other", []edit{set("client_secret", "p")}, 400, "invalid_grant"},
		{"§2.1: a refresh token of another client", "refresh-1", "other", []edit{set("client_secret", "p")}, 400, "invalid_grant"},
		{"§2.2: an unknown token", "unknown", "acme", nil, 200, ""},
		{"§2.2: a token of nobody", token[:len(token)-8] + "AAAAAAAA", "acme", nil, 200, ""},
		{"§2.2: a key that was never one", oauth.APIKeyPrefix + "x", "acme", nil, 200, ""},
		{"§2.2: an unknown key", oauth.NewAPIKey(), "acme", nil, 200, ""},
		{"an access token", token, "acme", nil, 200, ""},
		{"§2.2: a token that was revoked", token, "acme", nil, 200, ""},
		{"§2.1: a wrong hint does not matter", expired, "acme", []edit{set("token_type_hint", "refresh_token")}, 200, ""},
		{"§2.2: an unknown hint is ignored", "refresh-1", "acme", []edit{set("token_type_hint", "pat")}, 200, ""},
		{"an API key, with Basic", key, "acme", []edit{basic("acme", acmeSecret)}, 200, ""},
	}
	if _, err := w.verifier.Authenticate(t.Context(), withToken(key)); err != nil { // the server remembers it
		t.Fatal(err)
	}
	for _, tt := range tests {
		secret := acmeSecret
		rec, body := serve(w.handler, about(path, tt.token, tt.client, secret, tt.edits...))
		if got, _ := body["error"].(string); rec.Code != tt.status || got != tt.error {
			t.Errorf("%s: %d %s; want %d %s", tt.name, rec.Code, rec.Body, tt.status, tt.error)
		}
		if rec.Header().Get("Cache-Control") != "no-store" || (rec.Code == 401) != (rec.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("%s: header %v", tt.name, rec.Header())
		}
	}
	if len(r.keys) != 1 || r.keys[0] != "key-1" || len(r.tokens) != 2 {
		t.Errorf("revoked: %v %v", r.keys, r.tokens)
	}
	_, err := w.verifier.Authenticate(t.Context(), withToken(token))
	checkInvalid(t, err, "the token was revoked")
	_, err = w.verifier.Authenticate(t.Context(), withToken(key))
	checkInvalid(t, err, "the API key is not valid")
	if rec, _ := serve(w.handler, httptest.NewRequest(http.MethodGet, path+"?token="+token, nil)); rec.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", rec.Code)
	}
}

// "each server knows of it within ten seconds": the one that revokes at once, the
// others when they ask again; and no request asks more often than that.
func TestRevocationReachesEveryServer(t *testing.T) {
	w := newWorld(t)
	r, _ := w.revocable(t)
	_, _, other := w.server(t)
	other.HeedRevocations(r)
	token := newToken(t, w.handler)
	for range 100 {
		if _, err := other.Authenticate(t.Context(), withToken(token)); err != nil {
			t.Fatal(err)
		}
	}
	if r.asked != 1 {
		t.Errorf("100 requests asked %d times", r.asked)
	}
	w.clock.Move(9 * time.Second)
	if rec, _ := serve(w.handler, about(oauth.RevocationPath, token, "acme", acmeSecret)); rec.Code != http.StatusOK {
		t.Fatal(rec.Code)
	}
	if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err == nil {
		t.Error("the server that revoked it accepts it")
	}
	w.clock.Move(time.Second)
	_, err := other.Authenticate(t.Context(), withToken(token))
	checkInvalid(t, err, "the token was revoked")
}

// A token that is out already loses the scopes that are taken from its client, as soon as
// it is looked at again.
func TestScopesTakenFromAClient(t *testing.T) {
	w := newWorld(t)
	w.revocable(t)
	token := newToken(t, w.handler, set("scope", "read:agents read:users"))
	holds := func(want ...string) {
		t.Helper()
		claims, err := w.verifier.Authenticate(t.Context(), withToken(token))
		if err != nil || !slices.Equal(claims.Scopes, want) {
			t.Errorf("the token holds %v, %v; want %v", claims.Scopes, err, want)
		}
	}
	holds("read:agents", "read:users")
	acme := w.clients["acme"]
	acme.Scopes = []string{"read:users", "write:users"}
	w.clients["acme"] = acme
	w.clock.Move(10 * time.Second)
	holds("read:users")
}

// A database that cannot answer is a fault, not a good or a bad token. RFC 7009
// §2.2.1: 503, and "the client must assume the token still exists".
func TestRFC7009_2_2_1_Unavailable(t *testing.T) {
	w := newWorld(t)
	r, _ := w.revocable(t)
	token := newToken(t, w.handler)
	r.err = errBroken
	for _, path := range []string{oauth.RevocationPath, oauth.IntrospectionPath} {
		rec, body := serve(w.handler, about(path, token, "acme", acmeSecret))
		if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" || body["error"] != "temporarily_unavailable" {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	var refused *problem.Error
	if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err == nil || errors.As(err, &refused) {
		t.Errorf("a fault is %v", err)
	}
	if strings.Contains(w.logs.String(), token) || !strings.Contains(w.logs.String(), "the disk is gone") {
		t.Errorf("log: %s", &w.logs)
	}
}

func TestRFC7662_Introspection(t *testing.T) {
	w := newWorld(t)
	r, key := w.revocable(t)
	token, secret := newToken(t, w.handler, set("scope", "read:agents read:users")), "p"
	ask := func(id, token string) (*httptest.ResponseRecorder, map[string]any) {
		if id == "acme" {
			secret = acmeSecret
		} else {
			secret = "p"
		}
		return serve(w.handler, about(oauth.IntrospectionPath, token, id, secret))
	}
	rec, body := ask("acme", token)
	for name, want := range map[string]any{"active": true, "scope": "read:agents read:users", "client_id": "acme", "token_type": "Bearer", "sub": "acme",
		"iss": config.Issuer, "aud": config.Audience, "tenant": "acme", "exp": float64(start.Add(time.Hour).Unix())} {
		if body[name] != want {
			t.Errorf("§2.2: %s is %v, want %v", name, body[name], want)
		}
	}
	if rec.Header().Get("Content-Type") != "application/json" || rec.Header().Get("Cache-Control") != "no-store" || body["jti"] == "" {
		t.Errorf("§2.2: %v %v", rec.Header(), body)
	}
	for _, tt := range []struct {
		client, token string
		active        bool
	}{
		{"acme", key, true}, {"acme", "refresh-1", true}, {"acme", "unknown", false}, {"acme", oauth.NewAPIKey(), false}, {"acme", token + "x", false},
		{"other", token, false}, {"other", key, false}, {"other", "refresh-1", false},
		{"resource", token, true}, {"resource", key, true}, {"resource", "refresh-1", true},
		{"umbra", token, false}, {"umbra", key, false},
		{"everywhere", token, true}, {"nowhere", token, false},
	} {
		rec, body := ask(tt.client, tt.token)
		if rec.Code != http.StatusOK || body["active"] != tt.active || !tt.active && len(body) != 1 {
			t.Errorf("§2.2: %s asks about %.8s: %d %v", tt.client, tt.token, rec.Code, body)
		}
	}
	if rec, _ := serve(w.handler, about(oauth.IntrospectionPath, token, "acme", "wrong")); rec.Code != http.StatusUnauthorized {
		t.Errorf("§2.1, authorization is required: %d", rec.Code)
	}
	serve(w.handler, about(oauth.RevocationPath, token, "acme", acmeSecret))
	if _, body := ask("acme", token); body["active"] != false {
		t.Errorf("§4, a revoked token: %v", body)
	}
	token = newToken(t, w.handler)
	w.clock.Move(keyring.TokenLifetime + keyring.Leeway)
	if _, body := ask("acme", token); body["active"] != false {
		t.Errorf("§4, an expired token: %v", body)
	}
	for hash, stored := range r.stored {
		stored.Expires = new(w.clock.Now())
		r.stored[hash] = stored
	}
	if _, body := ask("acme", key); body["active"] != false {
		t.Errorf("§4, an expired API key: %v", body)
	}
}

// Revocations are kept until the token has expired everywhere, once each. A token is
// worth what its client is now: nothing if that is disabled, has expired or was deleted,
// even if another has its name.
func TestTablesRevocations(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		addClients(t, s)
		rows, records := oauth.NewTables(s), 0
		record := func(context.Context, *store.Tx, ...string) error { records++; return nil }
		for range 2 {
			if err := rows.RevokeToken(t.Context(), oauth.RevokedToken{ID: "jti-1", ClientID: "acme", Expires: start.Add(time.Hour)}, start, record); err != nil {
				t.Fatal(err)
			}
		}
		acme, err := rows.Client(t.Context(), "acme")
		if err != nil || acme.Row == 0 {
			t.Fatal(acme, err)
		}
		check := func(id string, row int64, want ...string) {
			t.Helper()
			got, counts, err := rows.Holder(t.Context(), bearer.Claims{ID: id, ClientID: "acme", Client: row}, start)
			if err != nil || counts != (want != nil) || !slices.Equal(got.Scopes, want) || counts && !got.Since.Equal(start) {
				t.Errorf("%s of %d: %v, %v, %v; want %v", id, row, got, counts, err, want)
			}
		}
		amend := func(in identity.ClientInput) {
			t.Helper()
			if err := operator(s).AmendClient(t.Context(), "acme", in, start); err != nil {
				t.Fatal(err)
			}
		}
		check("jti-1", acme.Row)
		check("jti-2", acme.Row, "read:agents", "write:agents")
		check("jti-2", 0, "read:agents", "write:agents") // of the version before
		check("jti-2", acme.Row+100)
		if records != 1 {
			t.Errorf("recorded %d times", records)
		}
		amend(identity.ClientInput{ExpiresAt: patch.Set(start.Add(time.Second))})
		check("jti-2", acme.Row, "read:agents", "write:agents")
		amend(identity.ClientInput{ExpiresAt: patch.Set(start)})
		check("jti-2", acme.Row)
		amend(identity.ClientInput{ExpiresAt: patch.Null[time.Time](), IsDisabled: patch.Set(true)})
		check("jti-2", acme.Row)
		amend(identity.ClientInput{IsDisabled: patch.Set(false)})
		for _, step := range []struct {
			at   time.Time
			kept bool
		}{{start.Add(time.Hour), true}, {start.Add(time.Hour + 2*keyring.Leeway), true}, {start.Add(time.Hour + 2*keyring.Leeway + time.Second), false}} {
			if err := rows.SweepRevoked(t.Context(), step.at); err != nil {
				t.Fatal(err)
			}
			if _, counts, err := rows.Holder(t.Context(), bearer.Claims{ID: "jti-1", ClientID: "acme", Client: acme.Row}, start); err != nil || counts == step.kept {
				t.Errorf("at %s the token counts: %v, %v", step.at, counts, err)
			}
		}
	})
}
