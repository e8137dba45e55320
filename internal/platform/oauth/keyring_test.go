package oauth_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/problem"
)

const day = 24 * time.Hour

func TestKeyIsMadeOnFirstStartAndKept(t *testing.T) {
	w := newWorld(t)
	kids := published(t, w.handler)
	if len(kids) != 1 {
		t.Fatalf("%d keys after the first start", len(kids))
	}
	token := newToken(t, w.handler)
	_, handler, verifier := w.server(t)
	if again := published(t, handler); !slices.Equal(again, kids) {
		t.Fatalf("keys %v became %v", kids, again)
	}
	if _, err := verifier.Authenticate(t.Context(), withToken(token)); err != nil {
		t.Fatal(err)
	}
}

// A key signs for 90 days at most, and has its successor a day earlier; an old one is
// published until its last token is over.
func TestKeysRotateWithOverlap(t *testing.T) {
	w := newWorld(t)
	first := published(t, w.handler)[0]

	w.clock.Move(89*day - time.Second)
	newToken(t, w.handler)
	if kids := published(t, w.handler); !slices.Equal(kids, []string{first}) {
		t.Fatalf("before 89 days: %v", kids)
	}

	// Nobody asks until just before the end, so that the first key is all there is.
	w.clock.Move(day)
	last := newToken(t, w.handler) // the last token of the first key
	w.clock.Move(time.Second)
	next := newToken(t, w.handler)
	kids := published(t, w.handler)
	if len(kids) != 2 || kids[1] != first || kidOf(t, last) != first || kidOf(t, next) != kids[0] {
		t.Fatalf("after 90 days: %v", kids)
	}

	// Cold verifiers, so that only the keys decide.
	w.clock.Move(keyring.TokenLifetime + keyring.Leeway - 2*time.Second)
	_, handler, verifier := w.server(t)
	for _, token := range []string{last, next} {
		if _, err := verifier.Authenticate(t.Context(), withToken(token)); err != nil {
			t.Fatal(err)
		}
	}
	if got := published(t, handler); !slices.Equal(got, kids) {
		t.Fatalf("while the last token is valid: %v", got)
	}

	w.clock.Move(2 * time.Second)
	_, handler, verifier = w.server(t)
	if got := published(t, handler); !slices.Equal(got, kids[:1]) {
		t.Fatalf("after the last token: %v", got)
	}
	_, err := verifier.Authenticate(t.Context(), withToken(last))
	checkInvalid(t, err, "the token is not valid")
}

func TestOldPrivateKeysAreDeleted(t *testing.T) {
	w := newWorld(t)
	for range 4 {
		newToken(t, w.handler)
		w.clock.Move(91 * day)
	}
	newToken(t, w.handler)
	if n := len(w.keys.keys); n > 2 {
		t.Fatalf("%d keys are kept", n)
	}
}

func TestRotateKeepsTheOldKeys(t *testing.T) {
	w := newWorld(t)
	w.clock.Move(publishAhead)
	old := newToken(t, w.handler)
	if err := w.ring.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	kids := published(t, w.handler)
	w.clock.Move(publishAhead - time.Microsecond)
	before := newToken(t, w.handler)
	w.clock.Move(time.Microsecond)
	after := newToken(t, w.handler)
	if len(kids) != 2 || kidOf(t, before) != kids[1] || kidOf(t, after) != kids[0] {
		t.Fatalf("signed with %s and then %s of %v", kidOf(t, before), kidOf(t, after), kids)
	}
	for _, token := range []string{old, before, after} {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err != nil {
			t.Fatal(err)
		}
	}
}

// Anyone can send tokens with unknown kids; they must not keep the database busy,
// least of all one that fails.
func TestUnknownKidsDoNotFloodTheStore(t *testing.T) {
	tests := map[string]struct {
		age     time.Duration // of the keys
		failure error
	}{
		"good store":                 {publishAhead, nil},
		"failing store":              {publishAhead, errBroken},
		"failing store and new keys": {0, errBroken},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.clock.Move(tt.age)
			_, foreign, _ := ed25519.GenerateKey(nil)
			token := sign(t, jwt.SigningMethodEdDSA, foreign, goodHeader(), goodClaims())
			before := w.keys.reads
			w.keys.err = tt.failure
			for range 100 {
				if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err == nil {
					t.Fatal("accepted")
				}
				w.clock.Move(100 * time.Millisecond)
			}
			if n := w.keys.reads - before; n == 0 || n > 10 {
				t.Fatalf("%d reads in 10 seconds", n)
			}
		})
	}
}

func TestStoreFailure(t *testing.T) {
	w := newWorld(t)
	token := newToken(t, w.handler)
	w.clock.Move(11 * time.Minute)
	w.keys.err = errBroken

	if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err != nil {
		t.Errorf("a good token of a known key: %v", err)
	}
	if len(published(t, w.handler)) != 1 {
		t.Error("the known key is no longer published")
	}
	_, foreign, _ := ed25519.GenerateKey(nil)
	_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, foreign, goodHeader(), goodClaims())))
	if refused := (*problem.Error)(nil); !errors.Is(err, errBroken) || errors.As(err, &refused) {
		t.Errorf("an unknown kid must be a fault of the server now, not a refusal: %v", err)
	}
	if rec, a := send(t, w.handler, request()); rec.Code != http.StatusInternalServerError || a.Error != "server_error" {
		t.Errorf("a new token: %d %q", rec.Code, a.Error)
	}

	w.keys.err = nil
	w.clock.Move(time.Second)
	if _, err := w.verifier.Authenticate(t.Context(), withToken(newToken(t, w.handler))); err != nil {
		t.Errorf("after the failure: %v", err)
	}
}

// The request that reads the keys for all must not spoil it by going away.
func TestCancelledRequestDoesNotSpoilTheKeys(t *testing.T) {
	w := newWorld(t)
	token := newToken(t, w.handler)
	w.clock.Move(11 * time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	reads := w.keys.reads
	if _, err := newVerifier(t, w.ring, w.clock).Authenticate(ctx, withToken(token)); err != nil || w.keys.reads != reads+1 {
		t.Fatalf("%v after %d reads", err, w.keys.reads-reads)
	}
	if rec, _ := send(t, w.handler, request()); rec.Code != http.StatusOK {
		t.Fatalf("the next request gets %d", rec.Code)
	}
}

func TestStoredKeysAreChecked(t *testing.T) {
	tests := map[string]struct {
		spoil func(k *keyring.StoredKey)
		text  string
	}{
		"sealed key of another row": {func(k *keyring.StoredKey) { k.ID = "other" }, "open key other"},
		"sealed key changed":        {func(k *keyring.StoredKey) { k.SealedPrivate[20] ^= 1 }, "open key"},
		"public key replaced": {func(k *keyring.StoredKey) {
			k.PublicKey, _, _ = ed25519.GenerateKey(nil)
		}, "do not belong together"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.spoil(&w.keys.keys[0])
			_, err := keyring.New(t.Context(), w.keys, newSealer(t), w.clock)
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestKeysOfALaterVersionAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.keys.keys = append(w.keys.keys, keyring.StoredKey{ID: "later", Algorithm: "ML-DSA-65", CreatedAt: start.Add(time.Hour)})
	_, handler, _ := w.server(t)
	if slices.Contains(published(t, handler), "later") {
		t.Error("a key of an unknown algorithm is published")
	}
	newToken(t, handler)
}

func TestPrivateKeysLeaveOnlySealed(t *testing.T) {
	w := newWorld(t)
	k := w.keys.keys[0]
	seed, err := newSealer(t).Open(t.Context(), k.SealedPrivate, []byte("oauth signing key "+k.ID))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(k.SealedPrivate, seed) || bytes.Contains(k.PublicKey, seed) {
		t.Error("the private key is stored in the clear")
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, oauth.KeySetPath, nil))
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal(rec.Body.Bytes(), &set); err != nil {
		t.Fatal(err)
	}
	for name := range set.Keys[0] {
		if !slices.Contains([]string{"kty", "crv", "x", "kid", "use", "alg"}, name) {
			t.Errorf("RFC 7517 §9.2: the key set has %q", name)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	w := newWorld(t)
	w.clock.Move(90 * day)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, request())
				var a answer
				if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
					t.Error(err)
				}
				if _, err := w.verifier.Authenticate(t.Context(), withToken(a.AccessToken)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(published(t, w.handler)); n != 2 {
		t.Fatalf("one rotation made %d keys", n)
	}
}
