package oauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
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

// remoteKeys are the published keys of an external issuer.
//
// The package keyfunc and the client of jwkset are not used: for an unknown kid they
// fetch with the context of the request, each request by itself; they read answers of any
// size, accept an empty set as an answer, and make requests wait for the rate limit.
// jwkset only parses keys here.
type remoteKeys struct {
	issuer ExternalIssuer
	client *http.Client
	secure func(url string) bool
	clock  clock.Clock
	log    *slog.Logger

	current atomic.Pointer[remoteSet]

	mu       sync.Mutex // guards what follows
	fetching chan struct{}
	triedAt  time.Time
}

// remoteSet is one answer of an issuer. It never changes.
type remoteSet struct {
	readAt time.Time
	byID   map[string]remoteKey
}

type remoteKey struct {
	algorithm string
	key       crypto.PublicKey
}

func newRemoteKeys(e ExternalIssuer, loopback bool, c clock.Clock, log *slog.Logger) *remoteKeys {
	return &remoteKeys{issuer: e, clock: c, log: log,
		secure: func(url string) bool { return isSecureURL(url, loopback) },
		client: &http.Client{
			Transport: http.DefaultTransport.(*http.Transport).Clone(),
			// A redirect could lead away from https, or from the issuer.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// errExternalUnavailable is the answer while an issuer's keys are not known. It is not
// invalid_token, since the token may be good.
var errExternalUnavailable = problem.Refused(http.StatusServiceUnavailable, "the keys of the token's issuer are not available")

func (k *remoteKeys) keyfunc(ctx context.Context) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		key, err := k.find(ctx, kid)
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
func (k *remoteKeys) find(ctx context.Context, kid string) (remoteKey, error) {
	now := k.clock.Now()
	set := k.counting(now)
	if set != nil {
		if key, ok := set.byID[kid]; ok {
			if now.Sub(set.readAt) >= remoteFresh {
				k.refresh(ctx, now)
			}
			return key, nil
		}
	}
	select {
	case <-k.refresh(ctx, now):
	case <-ctx.Done():
		return remoteKey{}, errExternalUnavailable
	}
	if set = k.counting(now); set == nil {
		return remoteKey{}, errExternalUnavailable
	}
	if key, ok := set.byID[kid]; ok {
		return key, nil
	}
	return remoteKey{}, keyring.ErrUnknown
}

// counting returns the keys that were read last, nil if they are too old.
func (k *remoteKeys) counting(now time.Time) *remoteSet {
	if set := k.current.Load(); set != nil && now.Sub(set.readAt) < remoteKept {
		return set
	}
	return nil
}

// refresh asks the issuer for its keys unless that was done just now. It returns a
// channel that closes when there is nothing more to wait for.
func (k *remoteKeys) refresh(ctx context.Context, now time.Time) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fetching != nil {
		return k.fetching
	}
	done := make(chan struct{})
	if !k.triedAt.IsZero() && now.Sub(k.triedAt) < remotePause {
		close(done)
		return done
	}
	k.triedAt, k.fetching = now, done
	// All requests share the answer, so the end of the request that asks must not stop
	// it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), remoteTimeout)
	go func() {
		defer cancel()
		set, err := k.fetch(ctx, now)
		if err == nil {
			k.current.Store(set)
		} else {
			k.log.WarnContext(ctx, "cannot fetch the keys of an issuer", slog.String("issuer", k.issuer.Name), slog.Any("error", err))
		}
		k.mu.Lock()
		k.fetching = nil
		k.mu.Unlock()
		close(done)
	}()
	return done
}

// fetch asks the issuer for its keys. An answer without a usable key counts as no answer.
func (k *remoteKeys) fetch(ctx context.Context, now time.Time) (*remoteSet, error) {
	address := k.issuer.JWKSURI
	if address == "" {
		var err error
		if address, err = k.discover(ctx); err != nil {
			return nil, err
		}
	}
	var published struct {
		Keys []jwkset.JWKMarshal `json:"keys"`
	}
	if err := k.get(ctx, address, &published); err != nil {
		return nil, err
	}
	set := &remoteSet{readAt: now, byID: map[string]remoteKey{}}
	for _, one := range published.Keys {
		key, ok := k.usable(one)
		if _, taken := set.byID[one.KID]; ok && !taken && len(set.byID) < maxRemoteKeys {
			set.byID[one.KID] = key
		}
	}
	if len(set.byID) == 0 {
		return nil, errors.New("the issuer publishes no usable key")
	}
	return set, nil
}

// usable parses a published key. It leaves out keys for encryption, symmetric and weak
// ones, keys of algorithms that are not configured, and private halves.
func (k *remoteKeys) usable(published jwkset.JWKMarshal) (key remoteKey, ok bool) {
	if published.KID == "" || published.USE != "" && published.USE != jwkset.UseSig || published.KTY == jwkset.KtyOct {
		return key, false
	}
	read, err := jwkset.NewJWKFromMarshal(published, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil {
		return key, false
	}
	key.key = read.Key()
	for _, name := range k.issuer.Algorithms {
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
