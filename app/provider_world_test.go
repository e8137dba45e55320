package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
)

const (
	idpClient = "upline-at-idp"
	idpSecret = "a secret of ours there"
)

// idp is an OpenID provider that does what it is told, wrong things among them.
type idp struct {
	*httptest.Server
	w    *signInWorld
	kid  string
	key  *ecdsa.PrivateKey
	mu   sync.Mutex
	keys []map[string]any
	// codes are what the sign-ins of codes asked for; each is exchanged once, unless
	// replays is set.
	codes   map[string]url.Values
	replays bool
	// metadata changes what is published, claims an ID token, sign makes one; serve answers
	// instead, if it returns true.
	metadata func(map[string]any)
	claims   func(jwt.MapClaims)
	sign     func(jwt.MapClaims) string
	serve    func(http.ResponseWriter, *http.Request) bool
	userInfo map[string]any
	asked    []string
}

func newIDP(t *testing.T, w *signInWorld) *idp {
	t.Helper()
	p := &idp{w: w, codes: map[string]url.Values{}}
	p.rotate("k1")
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// rotate begins to sign with another key, the only one that is published then.
func (p *idp) rotate(kid string) {
	p.kid, p.key = kid, newECKey()
	p.keys = []map[string]any{ecSet(kid, p.key)}
}

func newECKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

func ecSet(kid string, key *ecdsa.PrivateKey) map[string]any {
	point, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{"kty": "EC", "crv": "P-256", "kid": kid, "use": "sig", "alg": "ES256", "x": encode(point[1:33]), "y": encode(point[33:])}
}

func (p *idp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.URL.Path)
	if p.serve != nil && p.serve(w, r) {
		return
	}
	var answer any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		m := map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"userinfo_endpoint": p.URL + "/userinfo", "code_challenge_methods_supported": []string{"S256"}, "backchannel_logout_supported": true}
		if p.metadata != nil {
			p.metadata(m)
		}
		answer = m
	case "/keys":
		answer = map[string]any{"keys": p.keys}
	case "/token":
		answer = p.exchange(w, r)
	case "/userinfo":
		answer = p.userInfo
	}
	if answer == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// exchange is a token endpoint that checks what a provider should.
func (p *idp) exchange(w http.ResponseWriter, r *http.Request) any {
	refuse := func(code string) any {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		return map[string]any{"error": code}
	}
	id, secret, _ := r.BasicAuth()
	if secret, _ = url.QueryUnescape(secret); id != idpClient || secret != idpSecret {
		return refuse("invalid_client")
	}
	asked, ok := p.codes[r.PostFormValue("code")]
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") {
		return refuse("invalid_grant")
	}
	if !p.replays {
		delete(p.codes, r.PostFormValue("code"))
	}
	return map[string]any{"access_token": "an access token", "token_type": "Bearer", "expires_in": 60, "id_token": p.token(asked.Get("nonce"))}
}

// token is an ID token of ana at the provider.
func (p *idp) token(nonce string) string {
	now := p.w.Clock.Now()
	c := jwt.MapClaims{"iss": p.URL, "sub": "00u1", "aud": idpClient, "exp": now.Add(5 * time.Minute).Unix(), "iat": now.Unix(), "nonce": nonce,
		"email": "ana@acme.example", "email_verified": true, "preferred_username": "ana.idp", "sid": "s1"}
	if p.claims != nil {
		p.claims(c)
	}
	if p.sign != nil {
		return p.sign(c)
	}
	return p.signed(c, p.key, p.kid)
}

func (p *idp) signed(c jwt.MapClaims, key *ecdsa.PrivateKey, kid string) string {
	token := jwt.NewWithClaims(jwt.SigningMethodES256, c)
	token.Header["kid"] = kid
	text, err := token.SignedString(key)
	if err != nil {
		panic(err)
	}
	return text
}

// set changes what the provider does.
func (p *idp) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// times is how often the provider was asked for a path.
func (p *idp) times(path string) (n int) {
	p.set(func() {
		for _, asked := range p.asked {
			if asked == path {
				n++
			}
		}
	})
	return n
}

// awaits returns when the provider was asked for a path so many times, and a little later.
func (p *idp) awaits(t *testing.T, path string, times int) {
	t.Helper()
	for range 1000 {
		n := p.times(path)
		time.Sleep(10 * time.Millisecond)
		if n >= times {
			return
		}
	}
	t.Fatalf("%s was not asked for %d times", path, times)
}

// signs is the answer with which the provider sends a browser back that asked it to sign
// somebody in.
func (p *idp) signs(code string, asked url.Values) url.Values {
	p.set(func() { p.codes[code] = asked })
	return url.Values{"code": {code}, "state": {asked.Get("state")}}
}

// provide adds the provider to acme under a name.
func (w *signInWorld) provide(t *testing.T, p *idp, name string, edits ...func(*identity.ProviderInput)) {
	t.Helper()
	in := identity.ProviderInput{Name: name, Issuer: p.URL, ClientID: idpClient, Label: patch.Set("Provider " + name), ClientSecret: patch.Set(vault.Secret(idpSecret))}
	for _, edit := range edits {
		edit(&in)
	}
	if _, err := w.Identity.CreateProvider(w.Context(t, apptest.Acme, bearer.TenantScopes()...), in); err != nil {
		t.Fatal(err)
	}
}

var continueAt = regexp.MustCompile(`<a href="([^"]*)">Continue</a>`)

// leave presses the button of a provider on the page at a path, and returns what the
// provider is asked.
func (b *browser) leave(t *testing.T, path, name string) url.Values {
	t.Helper()
	page := b.get(t, path)
	answer := b.post(t, path, url.Values{"form_token": {page.token()}, "tenant": {apptest.Acme}, "do": {"provider " + name}})
	found := continueAt.FindStringSubmatch(answer.text)
	if answer.StatusCode != http.StatusOK || found == nil {
		t.Fatalf("not sent to the provider: %d %s", answer.StatusCode, answer.text)
	}
	to, err := url.Parse(html.UnescapeString(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return to.Query()
}

// arrive comes back from the provider to acme.
func (b *browser) arrive(t *testing.T, name string, back url.Values) seen {
	t.Helper()
	return b.get(t, oauth.ArrivalPath+apptest.Acme+"/"+name+"?"+back.Encode())
}

// enters signs in with a provider from the page at a path.
func (b *browser) enters(t *testing.T, p *idp, name, path string) seen {
	t.Helper()
	return b.arrive(t, name, p.signs("c-"+rand.Text(), b.leave(t, path, name)))
}

func onEachProvider(t *testing.T, f func(t *testing.T, w *signInWorld, p *idp)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := &signInWorld{apptest.New(t, s, apptest.Options{Development: true})}
		w.addPerson(t, "ana")
		if _, _, err := w.Identity.UpdateUser(w.Context(t, apptest.Acme, bearer.TenantScopes()...), "ana", identity.UserInput{Email: patch.Set("ana@acme.example")}); err != nil {
			t.Fatal(err)
		}
		w.public(t, "web", apptest.Acme, []string{"read:agents", "read:users"}, webCallback)
		f(t, w, newIDP(t, w))
	})
}

// rolesOf are the names of a user's roles.
func (w *signInWorld) rolesOf(t *testing.T, username string) string {
	t.Helper()
	ctx := w.Context(t, apptest.Acme)
	user, err := w.Identity.User(ctx, username)
	if err != nil || user == nil {
		t.Fatal(username, err)
	}
	of, err := w.Identity.RolesOf(ctx, []int64{user.ID})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range of[user.ID] {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
