package oauth_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/oauth"
)

// storedKeys are API keys in memory, by the hash of the key.
type storedKeys struct {
	keys         map[string]oauth.APIKey
	asked, noted int
	unavailable  error
	notesAreLost bool
}

func (s *storedKeys) APIKey(_ context.Context, hash []byte) (oauth.APIKey, error) {
	s.asked++
	if s.unavailable != nil {
		return oauth.APIKey{}, s.unavailable
	}
	k, ok := s.keys[string(hash)]
	if !ok {
		return oauth.APIKey{}, oauth.ErrUnknownKey
	}
	return k, nil
}

func (s *storedKeys) APIKeyUsed(_ context.Context, _ int64, at time.Time) error {
	s.noted++
	for hash, k := range s.keys {
		k.LastUsed = &at
		s.keys[hash] = k
	}
	if s.notesAreLost {
		return context.DeadlineExceeded
	}
	return nil
}

// API keys are bearer tokens: prefixed, found by their hash, with the scopes and
// the tenant that are stored; a revoked one is refused within ten seconds, and
// what was never a key does not reach the database.
func TestAPIKeys(t *testing.T) {
	w := newWorld(t)
	key := oauth.NewAPIKey()
	stored := &storedKeys{keys: map[string]oauth.APIKey{
		string(oauth.HashSecret(key)): {ID: 1, ClientID: "acme.crm", TenantIdentifier: "acme", Scopes: []string{"read:agents"}},
	}}
	if err := w.verifier.AcceptAPIKeys(stored, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	claims, err := w.verifier.Authenticate(withToken(key))
	if err != nil || claims.Subject != "acme.crm" || claims.Tenant != "acme" || len(claims.Scopes) != 1 || !claims.Expires.Equal(w.clock.Now().Add(oauth.TokenLifetime)) {
		t.Fatalf("%+v %v", claims, err)
	}
	if claims.MayActIn("umbra") {
		t.Error("a key of acme may act in umbra")
	}
	for range 50 {
		if _, err := w.verifier.Authenticate(withToken(key)); err != nil {
			t.Fatal(err)
		}
	}
	if stored.asked != 1 || stored.noted != 1 {
		t.Errorf("51 requests: %d look-ups, %d notes of use; want 1 and 1", stored.asked, stored.noted)
	}
	// Every 11 seconds for 7 minutes: a look-up each, a note every 5 minutes.
	for range 40 {
		w.clock.Move(11 * time.Second)
		if _, err := w.verifier.Authenticate(withToken(key)); err != nil {
			t.Fatal(err)
		}
	}
	if stored.noted != 2 {
		t.Errorf("7 minutes of use left %d notes; want 2", stored.noted)
	}

	stored.keys = nil // revoked
	w.clock.Move(10 * time.Second)
	if _, err := w.verifier.Authenticate(withToken(key)); err == nil {
		t.Error("a revoked key is accepted after ten seconds")
	}
	asked := stored.asked
	flipped := []byte(key)
	flipped[10] ^= 1
	for name, wrong := range map[string]string{
		"only the prefix": oauth.APIKeyPrefix, "one character changed": string(flipped), "too long": key + "A", "too short": key[:len(key)-1], "upper case": strings.ToUpper(key),
	} {
		if _, err := w.verifier.Authenticate(withToken(wrong)); err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), wrong) && len(wrong) > 4 {
			t.Errorf("%s: the error repeats the key", name)
		}
	}
	if stored.asked != asked {
		t.Errorf("what was never a key was looked up %d times", stored.asked-asked)
	}
}

// A key expires, with its stream at the latest; a note of its use that is lost
// refuses nobody; a database that cannot answer is a fault, not a wrong key.
func TestAPIKeyExpiryAndFaults(t *testing.T) {
	w := newWorld(t)
	key, soon := oauth.NewAPIKey(), w.clock.Now().Add(time.Minute)
	stored := &storedKeys{notesAreLost: true, keys: map[string]oauth.APIKey{
		string(oauth.HashSecret(key)): {ID: 1, ClientID: "c", TenantIdentifier: "acme", Expires: &soon},
	}}
	if err := w.verifier.AcceptAPIKeys(stored, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	claims, err := w.verifier.Authenticate(withToken(key))
	if err != nil || !claims.Expires.Equal(soon) {
		t.Fatalf("%+v %v", claims, err)
	}
	w.clock.Move(time.Minute)
	if _, err := w.verifier.Authenticate(withToken(key)); err == nil {
		t.Error("an expired key is accepted")
	}
	stored.unavailable = context.DeadlineExceeded
	w.clock.Move(time.Minute)
	var refused *oauth.Error
	if _, err := w.verifier.Authenticate(withToken(key)); err == nil || errors.As(err, &refused) {
		t.Errorf("a fault of the store is %v", err)
	}
}
