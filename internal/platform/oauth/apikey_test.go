package oauth_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/problem"
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
	claims, err := w.verifier.Authenticate(t.Context(), withToken(key))
	if err != nil || claims.Subject != "acme.crm" || claims.Tenant != "acme" || len(claims.Scopes) != 1 || !claims.Expires.Equal(w.clock.Now().Add(10*time.Second)) || !claims.Renewable {
		t.Fatalf("%+v %v", claims, err)
	}
	if claims.MayActIn("umbra") {
		t.Error("a key of acme may act in umbra")
	}
	for range 50 {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(key)); err != nil {
			t.Fatal(err)
		}
	}
	if stored.asked != 1 || stored.noted != 1 {
		t.Errorf("51 requests: %d look-ups, %d notes of use; want 1 and 1", stored.asked, stored.noted)
	}
	// Every 11 seconds for 7 minutes: a look-up each, a note every 5 minutes.
	for range 40 {
		w.clock.Move(11 * time.Second)
		if _, err := w.verifier.Authenticate(t.Context(), withToken(key)); err != nil {
			t.Fatal(err)
		}
	}
	if stored.noted != 2 {
		t.Errorf("7 minutes of use left %d notes; want 2", stored.noted)
	}

	stored.keys = nil // revoked
	w.clock.Move(10 * time.Second)
	if _, err := w.verifier.Authenticate(t.Context(), withToken(key)); err == nil {
		t.Error("a revoked key is accepted after ten seconds")
	}
	asked := stored.asked
	flipped := []byte(key)
	flipped[10] ^= 1
	for name, wrong := range map[string]string{
		"only the prefix": oauth.APIKeyPrefix, "one character changed": string(flipped), "too long": key + "A", "too short": key[:len(key)-1], "upper case": strings.ToUpper(key),
	} {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(wrong)); err == nil {
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
	key, soon := oauth.NewAPIKey(), w.clock.Now().Add(5*time.Second)
	stored := &storedKeys{notesAreLost: true, keys: map[string]oauth.APIKey{
		string(oauth.HashSecret(key)): {ID: 1, ClientID: "c", TenantIdentifier: "acme", Expires: &soon},
	}}
	if err := w.verifier.AcceptAPIKeys(stored, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	claims, err := w.verifier.Authenticate(t.Context(), withToken(key))
	if err != nil || !claims.Expires.Equal(soon) {
		t.Fatalf("%+v %v", claims, err)
	}
	w.clock.Move(time.Minute)
	if _, err := w.verifier.Authenticate(t.Context(), withToken(key)); err == nil {
		t.Error("an expired key is accepted")
	}
	if stored.noted != 1 {
		t.Errorf("an expired key was noted as used: %d notes", stored.noted)
	}
	stored.unavailable = context.DeadlineExceeded
	w.clock.Move(time.Minute)
	var refused *problem.Error
	if _, err := w.verifier.Authenticate(t.Context(), withToken(key)); err == nil || errors.As(err, &refused) {
		t.Errorf("a fault of the store is %v", err)
	}
}

// A made-up key with a right checksum is looked for once in ten seconds, and does
// not push out those that count; requests with one key share a look-up.
func TestLookUpsOfAPIKeysAreShared(t *testing.T) {
	w := newWorld(t)
	key, release := oauth.NewAPIKey(), make(chan struct{})
	stored := &storedKeys{keys: map[string]oauth.APIKey{string(oauth.HashSecret(key)): {ID: 1, ClientID: "c", TenantIdentifier: "acme"}}}
	slow := &slowKeys{storedKeys: stored, release: release, begun: make(chan struct{}, 100)}
	if err := w.verifier.AcceptAPIKeys(slow, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := w.verifier.Authenticate(t.Context(), withToken(key)); err != nil {
				t.Error(err)
			}
		})
	}
	<-slow.begun
	close(release)
	all.Wait()
	if stored.asked != 1 {
		t.Errorf("20 requests at once made %d look-ups", stored.asked)
	}
	madeUp := oauth.NewAPIKey()
	for range 20 {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(madeUp)); err == nil {
			t.Fatal("a made-up key is accepted")
		}
	}
	if stored.asked != 2 {
		t.Errorf("a made-up key sent 20 times made %d look-ups", stored.asked-1)
	}
	stored.keys[string(oauth.HashSecret(madeUp))] = oauth.APIKey{ID: 2, ClientID: "c", TenantIdentifier: "acme"}
	w.clock.Move(10 * time.Second)
	if _, err := w.verifier.Authenticate(t.Context(), withToken(madeUp)); err != nil {
		t.Errorf("a key that counts again, after ten seconds: %v", err)
	}
}

// slowKeys answer when they are released.
type slowKeys struct {
	*storedKeys
	release, begun chan struct{}
}

func (s *slowKeys) APIKey(ctx context.Context, hash []byte) (oauth.APIKey, error) {
	s.begun <- struct{}{}
	<-s.release
	return s.storedKeys.APIKey(ctx, hash)
}
