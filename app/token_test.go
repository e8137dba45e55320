package app_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// askIssuer sends a form to a path of the issuer as a client.
func askIssuer(t *testing.T, w *apptest.World, c *apptest.Caller, path, token string) (int, map[string]any) {
	t.Helper()
	id, secret := c.Credentials(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(url.Values{"token": {token}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	var body map[string]any
	_ = json.Unmarshal(rec.Body.Bytes(), &body)
	return rec.Code, body
}

// A token that its client revokes is refused at both doors, and the trail of the
// tenant says so once; other clients can neither see it nor revoke it.
func TestRevokedTokenOnBothDoors(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		token, kept := c.Token(t), c.Token(t)
		check := func(token string, want int) {
			t.Helper()
			for door, send := range doors {
				if r := send(t, w.WithToken(apptest.Acme, token)); r.Code != want {
					t.Errorf("%s: %d; want %d", door, r.Code, want)
				}
			}
		}
		check(token, http.StatusOK)
		for _, other := range []*apptest.Caller{w.As(apptest.Acme, "read:agents"), w.As(apptest.Umbra), w.As(apptest.Umbra, "read:tokens")} {
			if status, body := askIssuer(t, w, other, oauth.RevocationPath, token); status != http.StatusBadRequest || body["error"] != "invalid_grant" {
				t.Errorf("another client revokes: %d %v", status, body)
			}
			if _, body := askIssuer(t, w, other, oauth.IntrospectionPath, token); body["active"] != false || len(body) != 1 {
				t.Errorf("another client asks: %v", body)
			}
		}
		for _, own := range []*apptest.Caller{c, w.As(apptest.Acme, "read:tokens")} {
			if status, body := askIssuer(t, w, own, oauth.IntrospectionPath, token); status != http.StatusOK || body["active"] != true || body["tenant"] != apptest.Acme {
				t.Errorf("introspection: %d %v", status, body)
			}
		}
		for range 2 {
			if status, _ := askIssuer(t, w, c, oauth.RevocationPath, token); status != http.StatusOK {
				t.Errorf("revocation: %d", status)
			}
		}
		check(token, http.StatusUnauthorized)
		check(kept, http.StatusOK)
		data := w.As(apptest.Acme, "read:agents", "read:clients").Query(t, `{ auditLog(filter: {entityType: "AccessToken"}) { nodes { operation surface initiator changes { field } } } }`, nil)
		if nodes, _ := apptest.At(data, "auditLog.nodes").([]any); len(nodes) != 1 || apptest.At(nodes[0], "operation") != "oauth2/revoke" {
			t.Errorf("the trail has %v", nodes)
		}
		if strings.Contains(w.Logged(), token) {
			t.Error("the log has the token")
		}
	})
}

// A client that is disabled loses the tokens that it has, within ten seconds.
func TestTokensOfADisabledClient(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		known := w.WithToken(apptest.Acme, c.Token(t))
		id, _ := c.Credentials(t)
		for _, step := range []struct {
			disabled bool
			want     int
		}{{false, 200}, {true, 401}, {false, 200}} {
			if err := app.Operator(w.Store).AmendClient(t.Context(), id, identity.ClientInput{IsDisabled: patch.Set(step.disabled)}, w.Clock.Now()); err != nil {
				t.Fatal(err)
			}
			w.Clock.Move(10 * time.Second)
			for door, send := range doors {
				if r := send(t, known); r.Code != step.want {
					t.Errorf("disabled %v, %s: %d", step.disabled, door, r.Code)
				}
			}
		}
	})
}

// RFC 8414 §2: what the metadata names is served, and all that is served is named;
// OpenID Connect Discovery §4 has the same document.
func TestRFC8414_2_MetadataNamesWhatIsServed(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		nobody := w.WithToken("", "none")
		document := nobody.Send(t, http.MethodGet, oauth.MetadataPath, nil, nil).Body.Bytes()
		if other := nobody.Send(t, http.MethodGet, oauth.OpenIDPath, nil, nil).Body.Bytes(); string(other) != string(document) {
			t.Errorf("two documents: %s and %s", document, other)
		}
		var members map[string]any
		if err := json.Unmarshal(document, &members); err != nil {
			t.Fatal(err)
		}
		var named []string
		for name, value := range members {
			if !strings.HasSuffix(name, "_endpoint") && name != "jwks_uri" {
				continue
			}
			path, ok := strings.CutPrefix(value.(string), apptest.Issuer)
			named = append(named, path)
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				if r := nobody.Send(t, method, path, nil, nil); !ok || r.Code == http.StatusNotFound {
					t.Errorf("%s is named, and answers %d", name, r.Code)
				}
			}
		}
		for _, path := range []string{oauth.TokenPath, oauth.RevocationPath, oauth.IntrospectionPath, oauth.KeySetPath, oauth.UserInfoPath, oauth.SignOutPath} {
			if !slices.Contains(named, path) {
				t.Errorf("%s is served, and not named", path)
			}
		}
		grants, _ := members["grant_types_supported"].([]any)
		for _, grant := range grants {
			r := httptest.NewRequest(http.MethodPost, oauth.TokenPath, strings.NewReader(url.Values{"grant_type": {grant.(string)}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, r)
			if strings.Contains(rec.Body.String(), "unsupported_grant_type") {
				t.Errorf("the grant %v is named, and not served", grant)
			}
		}
	})
}

// The tokens of another issuer pass both doors in the tenant it speaks for, with
// the scopes it grants; while its keys are not there the answer is 503.
func TestExternalIssuerOnBothDoors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		public, private, _ := ed25519.GenerateKey(nil)
		down := true
		issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if down {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
				"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": base64.RawURLEncoding.EncodeToString(public)}}})
		}))
		defer issuer.Close()
		w := apptest.New(t, s, apptest.Options{Development: true, ExternalIssuers: []oauth.ExternalIssuer{{
			Name: "idp", Issuer: issuer.URL, JWKSURI: issuer.URL, Audience: "upline", Algorithms: []string{"EdDSA"}, Tenants: []string{apptest.Acme}}}})
		now := w.Clock.Now()
		token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{"iss": issuer.URL, "aud": "upline", "sub": "ana", "client_id": "portal",
			"scope": "read:agents", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()})
		token.Header["kid"], token.Header["typ"] = "k", "at+jwt"
		signed, err := token.SignedString(private)
		if err != nil {
			t.Fatal(err)
		}
		c := w.WithToken(apptest.Acme, signed)
		check := func(tenant string, want int) {
			t.Helper()
			for door, send := range doors {
				if r := send(t, c.In(tenant)); r.Code != want {
					t.Errorf("%s in %s: %d %s; want %d", door, tenant, r.Code, r.Body, want)
				}
			}
		}
		check(apptest.Acme, http.StatusServiceUnavailable)
		down = false
		w.Clock.Move(time.Minute)
		check(apptest.Acme, http.StatusOK)
		check(apptest.Umbra, http.StatusForbidden)
		if status, _, body := c.REST(t, http.MethodDelete, "/agents/A1", nil); status != http.StatusForbidden {
			t.Errorf("a write: %d %s", status, body)
		}
	})
}
