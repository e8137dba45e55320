// Package remote knows other issuers by what they publish: their metadata and keys, fetched
// with bounds on time, size and number, and kept while an issuer does not answer.
package remote

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/problem"
)

const (
	// remoteFresh is the age at which an issuer's keys are fetched again; requests
	// meanwhile use the keys there are.
	remoteFresh = 15 * time.Minute
	// remotePause is the least time between two requests to an issuer, whatever tokens
	// arrive, since anyone can send tokens with unknown kids. It is also how long a new
	// key of an issuer may be refused at worst.
	remotePause = 30 * time.Second
	// remoteKept is how long the keys of an issuer count that no longer answers:
	// afterwards a key that the issuer has withdrawn could still be in use.
	remoteKept = 24 * time.Hour
	// remoteTimeout limits the time to fetch metadata and keys, and so how long a request
	// waits that needs a key which is not known yet.
	remoteTimeout = 5 * time.Second
	// maxRemoteKeys limits the keys of an issuer.
	maxRemoteKeys = 64
)

// Config names an issuer.
type Config struct {
	// Name stands for it in the log.
	Name string
	// Issuer is its iss, compared exactly.
	Issuer string
	// JWKSURI is the address of its keys. Without it, the address is taken from its
	// metadata.
	JWKSURI string
	// Algorithms are those it may sign with; the first that fits a key is the key's.
	Algorithms []string
	// Loopback allows addresses on this machine without https.
	Loopback bool
	// Pause is the least time between two requests to it; remotePause if it is 0.
	Pause time.Duration
	// Client fetches; it follows no redirect, which could lead away from https, or from
	// the issuer.
	Client *http.Client
	Clock  clock.Clock
	Log    *slog.Logger
}

// Issuer is another issuer, with its published metadata and keys.
//
// The package keyfunc and the client of jwkset are not used: for an unknown kid they
// fetch with the context of the request, each request by itself; they read answers of any
// size, accept an empty set as an answer, and make requests wait for the rate limit.
// jwkset only parses keys here.
type Issuer struct {
	Config

	current atomic.Pointer[remoteSet]

	mu       sync.Mutex // guards what follows
	fetching chan struct{}
	triedAt  time.Time
	failed   error // of the last attempt
}

// New returns an issuer, of which nothing is known yet.
func New(c Config) *Issuer { return &Issuer{Config: c} }

// remoteSet is one answer of an issuer. It never changes.
type remoteSet struct {
	readAt   time.Time
	metadata Metadata
	byID     map[string]remoteKey
}

type remoteKey struct {
	algorithm string
	key       crypto.PublicKey
}

// ErrUnavailable is the answer of keys while an issuer's keys are not known. It is not
// invalid_token, since the token may be good.
var ErrUnavailable = problem.Refused(http.StatusServiceUnavailable, "the keys of the token's issuer are not available")

// Keyfunc returns the function that finds the keys of one request.
func (i *Issuer) Keyfunc(ctx context.Context) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		key, err := i.find(ctx, kid)
		// RFC 8725 §3.1: "Each key MUST be used with exactly one algorithm".
		if err == nil && key.algorithm != t.Method.Alg() {
			err = keyring.ErrUnknown
		}
		if err != nil {
			return nil, err
		}
		return key.key, nil
	}
}

// find returns the key with an id. If the key is missing, it asks the issuer, at most
// every 30 seconds and once for all requests, and waits for the answer; it does not wait
// to replace keys that are merely old.
func (i *Issuer) find(ctx context.Context, kid string) (remoteKey, error) {
	now := i.Clock.Now()
	set := i.counting(now)
	if set != nil {
		if key, ok := set.byID[kid]; ok {
			if now.Sub(set.readAt) >= remoteFresh {
				i.refresh(ctx, now)
			}
			return key, nil
		}
	}
	select {
	case <-i.refresh(ctx, now):
	case <-ctx.Done():
		return remoteKey{}, ErrUnavailable
	}
	if set = i.counting(now); set == nil {
		return remoteKey{}, ErrUnavailable
	}
	if key, ok := set.byID[kid]; ok {
		return key, nil
	}
	return remoteKey{}, keyring.ErrUnknown
}

// counting returns the keys that were read last, nil if they are too old.
func (i *Issuer) counting(now time.Time) *remoteSet {
	if set := i.current.Load(); set != nil && now.Sub(set.readAt) < remoteKept {
		return set
	}
	return nil
}

// refresh asks the issuer for its keys unless that was done just now. It returns a
// channel that closes when there is nothing more to wait for.
func (i *Issuer) refresh(ctx context.Context, now time.Time) <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fetching != nil {
		return i.fetching
	}
	done := make(chan struct{})
	if !i.triedAt.IsZero() && now.Sub(i.triedAt) < cmp.Or(i.Pause, remotePause) {
		close(done)
		return done
	}
	i.triedAt, i.fetching = now, done
	// All requests share the answer, so the end of the request that asks must not stop
	// it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), remoteTimeout)
	go func() {
		defer cancel()
		set, err := i.fetch(ctx, now)
		if err == nil {
			i.current.Store(set)
		} else {
			i.Log.WarnContext(ctx, "cannot fetch the keys of an issuer", slog.String("issuer", i.Name), slog.Any("error", err))
		}
		i.mu.Lock()
		i.fetching, i.failed = nil, err
		i.mu.Unlock()
		close(done)
	}()
	return done
}

// fetch asks the issuer for its keys. An answer without a usable key counts as no answer.
func (i *Issuer) fetch(ctx context.Context, now time.Time) (*remoteSet, error) {
	set := &remoteSet{readAt: now}
	if set.metadata.JWKSURI = i.JWKSURI; i.JWKSURI == "" {
		var err error
		if set.metadata, err = i.discover(ctx); err != nil {
			return nil, err
		}
	}
	var published struct {
		Keys []jwkset.JWKMarshal `json:"keys"`
	}
	if err := i.get(ctx, set.metadata.JWKSURI, &published); err != nil {
		return nil, err
	}
	if set.byID = usableKeys(published.Keys, i.Algorithms); len(set.byID) == 0 {
		return nil, errNoKey
	}
	return set, nil
}

// KeySet returns a function that finds the keys of a JSON Web Key Set (RFC 7517 §5), which
// has at least one that can be used with one of some algorithms.
func KeySet(text []byte, algorithms []string) (jwt.Keyfunc, error) {
	var published struct {
		Keys []jwkset.JWKMarshal `json:"keys"`
	}
	if err := json.Unmarshal(text, &published); err != nil {
		return nil, err
	}
	keys := usableKeys(published.Keys, algorithms)
	if len(keys) == 0 || len(keys) < len(published.Keys) {
		return nil, errNoKey
	}
	return func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		if key, ok := keys[kid]; ok && key.algorithm == t.Method.Alg() {
			return key.key, nil
		}
		return nil, keyring.ErrUnknown
	}, nil
}

func usableKeys(published []jwkset.JWKMarshal, algorithms []string) map[string]remoteKey {
	all := map[string]remoteKey{}
	for _, one := range published {
		key, ok := usable(one, algorithms)
		if _, taken := all[one.KID]; ok && !taken && len(all) < maxRemoteKeys {
			all[one.KID] = key
		}
	}
	return all
}

var errNoKey = errors.New("the issuer publishes no usable key")

// usable parses a published key. It leaves out keys for encryption, symmetric and weak
// ones, keys of algorithms that are not configured, and private halves.
func usable(published jwkset.JWKMarshal, algorithms []string) (key remoteKey, ok bool) {
	if published.KID == "" || published.USE != "" && published.USE != jwkset.UseSig || published.KTY == jwkset.KtyOct {
		return key, false
	}
	read, err := jwkset.NewJWKFromMarshal(published, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil {
		return key, false
	}
	key.key = read.Key()
	for _, name := range algorithms {
		if fits(key.key, name) && (published.ALG == "" || string(published.ALG) == name) {
			key.algorithm = name
			return key, true
		}
	}
	return key, false
}

// fits reports whether a key fits an algorithm (RFC 7518 §3.3 to §3.5: RSA keys of 2048
// bits or more; RFC 8037 §3.1).
func fits(key any, algorithm string) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return key.N.BitLen() >= keyring.RSABits && slices.Contains([]string{keyring.RS256, "PS256"}, algorithm)
	case *ecdsa.PublicKey:
		return algorithm == "ES256" && key.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return algorithm == keyring.EdDSA
	}
	return false
}
