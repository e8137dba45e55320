package oauth_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

// zitadel is the OpenID provider of zitadel/oidc with the storage of its example,
// which gives service users opaque tokens for themselves: here they are JWTs for an
// audience, with the tenant and the roles that an operator would configure.
type zitadel struct {
	*storage.Storage
	audience, tenant string
	roles            []string
}

func (z *zitadel) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	client, err := z.Storage.ClientCredentials(ctx, id, secret)
	return jwtClient{client}, err
}

func (z *zitadel) ClientCredentialsTokenRequest(ctx context.Context, id string, scopes []string) (op.TokenRequest, error) {
	r, err := z.Storage.ClientCredentialsTokenRequest(ctx, id, scopes)
	return forAudience{r, z.audience}, err
}

func (z *zitadel) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return map[string]any{"urn:example:tenant": z.tenant, "urn:example:roles": z.roles}, nil
}

type jwtClient struct{ op.Client }

func (jwtClient) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

type forAudience struct {
	op.TokenRequest
	audience string
}

func (f forAudience) GetAudience() []string { return []string{f.audience} }

// serveZitadel starts the provider on this machine.
func serveZitadel(t *testing.T, z *zitadel) (issuer string) {
	t.Helper()
	var router http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { router.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	z.Storage = storage.NewStorage(storage.NewUserStore(server.URL))
	router = exampleop.SetupServer(server.URL, z, slog.New(slog.DiscardHandler), false)
	return server.URL
}

func (z *zitadel) token(t *testing.T, issuer string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"openid"}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, issuer+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("sid1", "verysecret")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || body.AccessToken == "" {
		t.Fatalf("%d %v", answer.StatusCode, err)
	}
	return body.AccessToken
}

// "external issuers by configuration, tried against a real second issuer": its
// metadata, its keys and its tokens, which are RS256 of typ JWT.
func TestZitadelAsSecondIssuer(t *testing.T) {
	z := &zitadel{audience: "upline", tenant: "acme", roles: []string{"reader", "stranger"}}
	issuer := serveZitadel(t, z)
	w := newWorld(t)
	v := newVerifier(t, w.ring, clock.System{})
	external := oauth.ExternalIssuer{
		Name: "zitadel", Issuer: issuer, Audience: "upline", Algorithms: []string{"RS256"}, Type: "JWT", Tenants: []string{"acme", "demo"},
		Claims: oauth.ExternalClaims{Tenant: "urn:example:tenant", Scope: "urn:example:roles"}, Grants: map[string][]string{"reader": {"read:agents"}},
	}
	if err := v.AcceptIssuers([]oauth.ExternalIssuer{external}, true, clock.System{}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	token := z.token(t, issuer)
	c, err := v.Authenticate(t.Context(), withToken(token))
	if err != nil {
		t.Fatal(err)
	}
	if c.Subject != "zitadel:sid1" || c.ClientID != "zitadel:sid1" || c.Tenant != "acme" || strings.Join(c.Scopes, " ") != "read:agents" || !c.MayActIn("acme") || c.MayActIn("demo") {
		t.Errorf("%+v", c)
	}
	if _, err := v.Authenticate(t.Context(), withToken(token[:len(token)-8]+"AAAAAAAA")); err == nil {
		t.Error("a changed signature is accepted")
	}
	z.tenant = "umbra"
	_, err = v.Authenticate(t.Context(), withToken(z.token(t, issuer)))
	checkInvalid(t, err, "the token is not for a tenant of its issuer")
	z.tenant, z.audience = "acme", "another"
	_, err = v.Authenticate(t.Context(), withToken(z.token(t, issuer)))
	checkInvalid(t, err, "the token is for another audience")
	_, err = v.Authenticate(t.Context(), withToken(z.idToken(t, issuer)))
	checkInvalid(t, err, "the token is not an access token")

	strict := external
	strict.Type = ""
	v = newVerifier(t, w.ring, clock.System{})
	if err := v.AcceptIssuers([]oauth.ExternalIssuer{strict}, true, clock.System{}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	_, err = v.Authenticate(t.Context(), withToken(token))
	checkInvalid(t, err, "the token is not an access token")
}

// idToken is an ID token as the provider signs one at the end of a sign-in, for a
// client that has the name of our audience.
func (z *zitadel) idToken(t *testing.T, issuer string) string {
	t.Helper()
	key, err := z.SigningKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	return sign(t, jwt.SigningMethodRS256, key.Key(), map[string]any{"typ": "JWT", "kid": key.ID()}, jwt.MapClaims{
		"iss": issuer, "aud": "upline", "sub": "id1", "azp": "upline", "client_id": "upline", "nonce": "n-0S6", "at_hash": "x",
		"urn:example:tenant": "acme", "urn:example:roles": []string{"reader"},
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	})
}
