package oauth_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

var (
	start  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	config = oauth.Config{Issuer: "https://id.example", Audience: "https://api.example"}
)

// The secret has the characters that form-encoding changes.
const acmeSecret = "a+b/c=d %:e"

// world is an issuer and a verifier over memory, with a clock that stands still.
type world struct {
	clock    *clock.Fixed
	clients  clients
	keys     *memoryKeys
	ring     *keyring.Ring
	handler  http.Handler
	verifier *oauth.Verifier
	logs     bytes.Buffer
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{clock: clock.At(start), keys: &memoryKeys{}, clients: clients{
		"acme":     {ID: "acme", TenantIdentifier: "acme", SecretHash: oauth.HashSecret(acmeSecret), Scopes: []string{"read:agents", "write:agents", "read:users"}},
		"platform": {ID: "platform", SecretHash: oauth.HashSecret("p"), Scopes: []string{bearer.PlatformTenants}},
		"asleep":   {ID: "asleep", TenantIdentifier: "acme", SecretHash: oauth.HashSecret("p"), Scopes: []string{"read:agents"}, Disabled: true},
		"idle":     {ID: "idle", TenantIdentifier: "acme", SecretHash: oauth.HashSecret("p")},
		"hashless": {ID: "hashless", TenantIdentifier: "acme", Scopes: []string{"read:agents"}},
	}}
	w.ring, w.handler, w.verifier = w.server(t)
	return w
}

// server starts another server on the same stored keys.
func (w *world) server(t testing.TB) (*keyring.Ring, http.Handler, *oauth.Verifier) {
	t.Helper()
	ring, err := keyring.New(t.Context(), w.keys, newSealer(t), w.clock)
	if err != nil {
		t.Fatal(err)
	}
	issuer, err := oauth.NewIssuer(config, w.clients, ring, w.clock, slog.New(slog.NewJSONHandler(&w.logs, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return ring, issuer.Handler(), newVerifier(t, ring, w.clock)
}

func newVerifier(t testing.TB, keys oauth.VerificationKeys, c clock.Clock) *oauth.Verifier {
	t.Helper()
	v, err := oauth.NewVerifier(config, keys, c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// request is a request for a token as acme would send it, changed by edits.
func request(edits ...func(*http.Request, url.Values)) *http.Request {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"acme"}, "client_secret": {acmeSecret}}
	r := httptest.NewRequest(http.MethodPost, oauth.TokenPath, nil)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, edit := range edits {
		edit(r, form)
	}
	if r.Body == http.NoBody {
		r.Body = body(form.Encode())
	}
	return r
}

// answer is either answer of the token endpoint.
type answer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
	Scope       string `json:"scope"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

func send(t testing.TB, h http.Handler, r *http.Request) (*httptest.ResponseRecorder, answer) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	var a answer
	if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
		t.Fatalf("status %d, not JSON: %v", rec.Code, err)
	}
	return rec, a
}

// newToken asks for a token.
func newToken(t testing.TB, h http.Handler, edits ...func(*http.Request, url.Values)) string {
	t.Helper()
	rec, a := send(t, h, request(edits...))
	if rec.Code != http.StatusOK {
		t.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
	return a.AccessToken
}

// withToken is a request for a resource.
func withToken(token string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/graphql/acme", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// published returns the kids of the EdDSA keys of the key set, in its order.
func published(t testing.TB, h http.Handler) []string { return publishedFor(t, h, keyring.EdDSA) }

func publishedFor(t testing.TB, h http.Handler, algorithm string) []string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, oauth.KeySetPath, nil))
	var set struct{ Keys []struct{ Kid, Alg string } }
	if err := json.Unmarshal(rec.Body.Bytes(), &set); err != nil {
		t.Fatal(err)
	}
	var kids []string
	for _, k := range set.Keys {
		if k.Alg == algorithm {
			kids = append(kids, k.Kid)
		}
	}
	return kids
}

type clients map[string]oauth.Client

func (c clients) ClientUsed(context.Context, string, time.Time) error { return nil }

func (c clients) Client(_ context.Context, id string) (oauth.Client, error) {
	if client, ok := c[id]; ok {
		return client, nil
	}
	return oauth.Client{}, oauth.ErrUnknownClient
}

type memoryKeys struct {
	mu    sync.Mutex
	keys  []keyring.StoredKey
	err   error // of the next reads
	reads int
}

func (m *memoryKeys) Keys(ctx context.Context) ([]keyring.StoredKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return slices.Clone(m.keys), m.err
}

func (m *memoryKeys) AddKey(_ context.Context, key keyring.StoredKey, deleteBefore time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys = slices.DeleteFunc(m.keys, func(k keyring.StoredKey) bool { return k.CreatedAt.Before(deleteBefore) })
	m.keys = append(m.keys, key)
	return nil
}

type sealer struct{ cipher.AEAD }

func newSealer(t testing.TB) sealer {
	t.Helper()
	block, err := aes.NewCipher([]byte(strings.Repeat("k", 16)))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	return sealer{aead}
}

func (s sealer) Seal(_ context.Context, plaintext, associatedData []byte) ([]byte, error) {
	return s.AEAD.Seal(nil, nil, plaintext, associatedData), nil
}

func (s sealer) Open(_ context.Context, sealed, associatedData []byte) ([]byte, error) {
	return s.AEAD.Open(nil, nil, sealed, associatedData)
}
