package oauth_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

type edit = func(*http.Request, url.Values)

func body(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }

func set(name string, values ...string) edit {
	return func(_ *http.Request, f url.Values) { f[name] = values }
}

func header(name, value string) edit {
	return func(r *http.Request, _ url.Values) { r.Header.Add(name, value) }
}

func raw(s string) edit {
	return func(r *http.Request, _ url.Values) { r.Body = body(s) }
}

// basic moves the credentials to the header, form-encoded as RFC 6749 §2.3.1 says.
func basic(id, secret string) edit {
	return func(r *http.Request, f url.Values) {
		f.Del("client_id")
		f.Del("client_secret")
		r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	}
}

func client(id, secret string) edit {
	return func(_ *http.Request, f url.Values) { f.Set("client_id", id); f.Set("client_secret", secret) }
}

func TestTokenRequests(t *testing.T) {
	const ok, bad, unauthorized = http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized
	tests := []struct {
		name   string
		edits  []edit
		status int
		error  string
		scope  string
	}{
		{"RFC 6749 §2.3.1: credentials in the body", nil, ok, "", "read:agents write:agents read:users"},
		{"RFC 6749 §2.3.1: the header is form-encoded", []edit{basic("acme", acmeSecret)}, ok, "", "read:agents write:agents read:users"},
		{"RFC 6749 §2.3.1: an encoding that is not well-formed", []edit{basic("", ""), func(r *http.Request, _ url.Values) { r.SetBasicAuth("acme", "%zz") }}, unauthorized, "invalid_client", ""},
		{"RFC 6749 §2.3.1: credentials in the URI are not taken", []edit{func(r *http.Request, f url.Values) {
			r.URL.RawQuery = url.Values{"client_id": {"acme"}, "client_secret": {acmeSecret}}.Encode()
			f.Del("client_id")
			f.Del("client_secret")
		}}, unauthorized, "invalid_client", ""},
		{"RFC 6749 §2.3: both ways at once", []edit{basic("acme", acmeSecret), set("client_secret", acmeSecret)}, bad, "invalid_request", ""},
		{"RFC 6749 §2.3: two headers", []edit{basic("acme", acmeSecret), header("Authorization", "Basic YTpi")}, bad, "invalid_request", ""},
		{"RFC 6749 §2.3: the same client_id beside the header", []edit{basic("acme", acmeSecret), set("client_id", "acme")}, ok, "", "read:agents write:agents read:users"},
		{"RFC 6749 §2.3: another client_id beside the header", []edit{basic("acme", acmeSecret), set("client_id", "platform")}, bad, "invalid_request", ""},

		{"RFC 6749 §3.2: an unknown parameter is ignored", []edit{set("colour", "red", "blue")}, ok, "", "read:agents write:agents read:users"},
		{"RFC 6749 §3.2: a parameter without a value counts as omitted", []edit{set("scope", "")}, ok, "", "read:agents write:agents read:users"},
		{"RFC 6749 §3.2: a repeated grant_type", []edit{set("grant_type", "client_credentials", "client_credentials")}, bad, "invalid_request", ""},
		{"RFC 6749 §3.2: a repeated scope", []edit{set("scope", "read:agents", "read:users")}, bad, "invalid_request", ""},
		{"RFC 6749 §3.2: a repeated secret", []edit{set("client_secret", acmeSecret, acmeSecret)}, bad, "invalid_request", ""},

		{"RFC 6749 §3.3: scope narrows, in the client's order, once each", []edit{set("scope", "read:users read:agents read:users")}, ok, "", "read:agents read:users"},
		{"RFC 6749 §3.3: a scope the client does not hold", []edit{set("scope", "read:agents delete:agents")}, bad, "invalid_scope", ""},
		{"RFC 6749 §3.3: scope tokens are case-sensitive", []edit{set("scope", "Read:agents")}, bad, "invalid_scope", ""},
		{"RFC 6749 §3.3: one space between scopes", []edit{set("scope", "read:agents  read:users")}, bad, "invalid_scope", ""},
		{"RFC 6749 §3.3: no scope asked for, and none held", []edit{client("idle", "p")}, bad, "invalid_scope", ""},

		{"RFC 6749 §4.4.2: grant_type is required", []edit{set("grant_type")}, bad, "invalid_request", ""},
		{"RFC 6749 §4.4.2: the body is a form", []edit{func(r *http.Request, _ url.Values) { r.Header.Set("Content-Type", "application/json") }}, bad, "invalid_request", ""},
		{"RFC 6749 §4.4.2: a parameter of the media type", []edit{func(r *http.Request, _ url.Values) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
		}}, ok, "", "read:agents write:agents read:users"},
		{"RFC 6749 §5.2: a form that is not well-formed", []edit{raw("grant_type=client_credentials&scope=%zz")}, bad, "invalid_request", ""},
		{"RFC 6749 §5.2: password grant", []edit{set("grant_type", "password")}, bad, "unsupported_grant_type", ""},
		{"RFC 6749 §5.2: unknown grant", []edit{set("grant_type", "magic")}, bad, "unsupported_grant_type", ""},
		{"RFC 6749 §5.2: wrong secret", []edit{client("acme", "wrong")}, unauthorized, "invalid_client", ""},
		{"RFC 6749 §5.2: wrong secret in the header", []edit{basic("acme", "wrong")}, unauthorized, "invalid_client", ""},
		{"RFC 6749 §5.2: no credentials", []edit{client("", "")}, unauthorized, "invalid_client", ""},
		{"RFC 6749 §5.2: another scheme", []edit{set("client_secret"), header("Authorization", "Bearer abc")}, unauthorized, "invalid_client", ""},
		{"unknown client", []edit{client("nobody", acmeSecret)}, unauthorized, "invalid_client", ""},
		{"disabled client with the right secret", []edit{client("asleep", "p")}, unauthorized, "invalid_client", ""},
		{"a client without a hash has no right secret", []edit{client("hashless", "")}, unauthorized, "invalid_client", ""},
		{"RFC 9110 §15.5.14: a body over 8 KiB", []edit{set("padding", strings.Repeat("x", 9000))}, http.StatusRequestEntityTooLarge, "invalid_request", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			rec, a := send(t, w.handler, request(tt.edits...))
			if rec.Code != tt.status || a.Error != tt.error || a.Scope != tt.scope {
				t.Fatalf("got %d %q scope %q (%s), want %d %q scope %q",
					rec.Code, a.Error, a.Scope, a.Description, tt.status, tt.error, tt.scope)
			}
			if (a.AccessToken == "") != (tt.status != ok) {
				t.Error("a token comes with success, and only with it")
			}
			checkTokenHeaders(t, rec)
			if w.logs.Len() > 0 {
				t.Errorf("a refusal is not a fault of the server: %s", &w.logs)
			}
		})
	}
}

// checkTokenHeaders checks what holds for every answer: RFC 6749 §5.1 and §5.2.
func checkTokenHeaders(t *testing.T, rec *httptest.ResponseRecorder) {
	t.Helper()
	h := rec.Header()
	if h.Get("Cache-Control") != "no-store" || h.Get("Pragma") != "no-cache" {
		t.Error("RFC 6749 §5.1: the answer must not be cached")
	}
	if h.Get("Content-Type") != "application/json" {
		t.Errorf("RFC 6749 §5.2: Content-Type %q", h.Get("Content-Type"))
	}
	want := ""
	if rec.Code == http.StatusUnauthorized {
		want = `Basic realm="upline"`
	}
	if got := h.Get("WWW-Authenticate"); got != want {
		t.Errorf("RFC 6749 §5.2: WWW-Authenticate %q, want %q", got, want)
	}
}

func TestRFC6749_3_2_OnlyPost(t *testing.T) {
	w := newWorld(t)
	r := request()
	r.Method = http.MethodGet
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if rec.Code != http.StatusMethodNotAllowed || rec.Header().Get("Allow") != "POST" {
		t.Fatalf("got %d, Allow %q", rec.Code, rec.Header().Get("Allow"))
	}
}

func TestRFC6749_5_1_Response(t *testing.T) {
	w := newWorld(t)
	_, a := send(t, w.handler, request())
	if a.TokenType != "Bearer" || a.ExpiresIn != 3600 {
		t.Fatalf("got %q, %d seconds", a.TokenType, a.ExpiresIn)
	}
}

func TestRFC9068_2_TokenContents(t *testing.T) {
	w := newWorld(t)
	parse := func(edits ...edit) (*jwt.Token, jwt.MapClaims) {
		claims := jwt.MapClaims{}
		token, _, err := jwt.NewParser().ParseUnverified(newToken(t, w.handler, edits...), claims)
		if err != nil {
			t.Fatal(err)
		}
		return token, claims
	}
	token, claims := parse(set("scope", "read:agents read:users"))
	header := map[string]any{"typ": "at+jwt", "alg": "EdDSA", "kid": published(t, w.handler)[0]}
	for name, want := range header {
		if token.Header[name] != want {
			t.Errorf("§2.1: header %s is %v, want %v", name, token.Header[name], want)
		}
	}
	issued := float64(start.Unix())
	for name, want := range map[string]any{
		"iss": config.Issuer, "sub": "acme", "client_id": "acme", "tenant": "acme",
		"scope": "read:agents read:users", "iat": issued, "exp": issued + 3600,
	} {
		if claims[name] != want {
			t.Errorf("§2.2: claim %s is %v, want %v", name, claims[name], want)
		}
	}
	if aud, _ := claims.GetAudience(); len(aud) != 1 || aud[0] != config.Audience {
		t.Errorf("§3: aud is %v", aud)
	}
	_, second := parse()
	if claims["jti"] == "" || claims["jti"] == second["jti"] {
		t.Error("§2.2: jti must be unique")
	}
	_, platform := parse(client("platform", "p"))
	if tenant, ok := platform["tenant"]; ok {
		t.Errorf("a client of the platform has the tenant %v", tenant)
	}
}

// descriptionText is what RFC 6749 §5.2 and RFC 6750 §3 allow in descriptions.
var descriptionText = regexp.MustCompile(`^[\x20-\x21\x23-\x5B\x5D-\x7E]+$`)

func TestSecretsAreNeverRepeated(t *testing.T) {
	const secret = "Tr0ub4dor"
	requests := map[string]*http.Request{
		"wrong secret":    request(client("acme", secret)),
		"secret as id":    request(client(secret, "x")),
		"in the header":   request(basic(secret, secret)),
		"bad encoding":    request(basic("", ""), func(r *http.Request, _ url.Values) { r.SetBasicAuth("acme", secret+"%zz") }),
		"as grant type":   request(set("grant_type", secret)),
		"as scope":        request(set("scope", secret)),
		"bad form":        request(raw("client_secret=" + secret + "%zz")),
		"both ways":       request(basic("acme", secret), set("client_secret", secret)),
		"repeated":        request(set("client_secret", secret, secret)),
		"storage failure": request(client("acme", secret)),
	}
	for name, r := range requests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			handler := w.handler
			if name == "storage failure" {
				handler = brokenIssuer(t, w)
			}
			rec, a := send(t, handler, r)
			if a.Error == "" || !descriptionText.MatchString(a.Description) {
				t.Errorf("error %q, description %q", a.Error, a.Description)
			}
			if strings.Contains(rec.Body.String(), secret) || strings.Contains(w.logs.String(), secret) {
				t.Errorf("the secret is repeated: %s\n%s", rec.Body, &w.logs)
			}
		})
	}
}

var errBroken = errors.New("the disk is gone")

type brokenClients struct{}

func (brokenClients) ClientUsed(context.Context, string, time.Time) error { return nil }

func (brokenClients) Client(context.Context, string) (oauth.Client, error) {
	return oauth.Client{}, errBroken
}

func brokenIssuer(t *testing.T, w *world) http.Handler {
	t.Helper()
	issuer, err := oauth.NewIssuer(config, brokenClients{}, w.ring, w.clock, slog.New(slog.NewJSONHandler(&w.logs, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return issuer.Handler()
}

func TestStorageFailureIsLoggedNotShown(t *testing.T) {
	w := newWorld(t)
	rec, a := send(t, brokenIssuer(t, w), request())
	if rec.Code != http.StatusInternalServerError || a.Error != "server_error" {
		t.Fatalf("got %d %q", rec.Code, a.Error)
	}
	if strings.Contains(rec.Body.String(), "disk") || !strings.Contains(w.logs.String(), "disk") {
		t.Errorf("body %s, log %s", rec.Body, &w.logs)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []oauth.Config{
		{Issuer: "", Audience: "a"},
		{Issuer: "https://id.example", Audience: ""},
		{Issuer: "id.example", Audience: "a"},
		{Issuer: "ftp://id.example", Audience: "a"},
		{Issuer: "https://id.example/", Audience: "a"},
		{Issuer: "https://id.example?a=b", Audience: "a"},
		{Issuer: "https://id.example#", Audience: "a"},
		{Issuer: "https://user:secret@id.example", Audience: "a"},
		{Issuer: "https://id.example/%zz", Audience: "a"},
	} {
		if _, err := oauth.NewIssuer(c, clients{}, nil, clock.At(start), slog.Default()); err == nil {
			t.Errorf("NewIssuer took %+v", c)
		}
		if _, err := oauth.NewVerifier(c, nil, clock.At(start)); err == nil {
			t.Errorf("NewVerifier took %+v", c)
		}
	}
}

func TestSecrets(t *testing.T) {
	a, b := oauth.NewSecret(), oauth.NewSecret()
	if a == b || len(a) != 43 || url.QueryEscape(a) != a {
		t.Errorf("two secrets must differ, have 43 characters, and need no encoding")
	}
	if len(oauth.HashSecret(a)) != 32 || string(oauth.HashSecret(a)) == string(oauth.HashSecret(b)) {
		t.Error("hashes must have 32 bytes and differ")
	}
}
