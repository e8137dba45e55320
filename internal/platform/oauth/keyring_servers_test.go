package oauth_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// publishAhead is how long a key is published before it takes over.
const publishAhead = 11 * time.Minute

var bothAlgorithms = []string{keyring.EdDSA, keyring.RS256}

// process is one of several servers on one database, with a connection of its own.
type process struct {
	keys     *pausedKeys
	ring     *keyring.Ring
	issuers  map[string]http.Handler // by the algorithm that signs
	verifier *oauth.Verifier
}

// pausedKeys are keys whose next reading, or next key, waits for the test, if it has set
// one of them.
type pausedKeys struct {
	*oauth.Tables
	read, add *pause
}

type pause struct{ reached, goOn chan struct{} }

func (p *pause) wait() {
	if p != nil {
		close(p.reached)
		<-p.goOn
	}
}

func (k *pausedKeys) Keys(ctx context.Context) ([]keyring.StoredKey, error) {
	keys, err := k.Tables.Keys(ctx)
	once := k.read
	k.read = nil
	once.wait()
	return keys, err
}

func (k *pausedKeys) AddKey(ctx context.Context, key keyring.StoredKey, deleteBefore time.Time) error {
	k.add.wait()
	return k.Tables.AddKey(ctx, key, deleteBefore)
}

// eachTwoProcesses runs f with two processes on an empty database.
func eachTwoProcesses(t *testing.T, f func(t *testing.T, c *clock.Fixed, both []process)) {
	t.Helper()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := clock.At(start)
		var both []process
		for n := range 2 {
			s, err := store.Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			if n == 0 {
				addClients(t, s)
			}
			both = append(both, startProcess(t, s, c))
		}
		f(t, c, both)
	})
}

func startProcess(t *testing.T, s *store.Store, c clock.Clock) process {
	t.Helper()
	entities := oauth.NewTables(s)
	keys := &pausedKeys{Tables: entities}
	ring, err := keyring.New(t.Context(), keys, newSealer(t), c)
	if err != nil {
		t.Fatal(err)
	}
	p := process{keys: keys, ring: ring, issuers: map[string]http.Handler{}, verifier: newVerifier(t, ring, c)}
	for _, algorithm := range bothAlgorithms {
		named := config
		named.Algorithm = algorithm
		issuer, err := oauth.NewIssuer(named, entities, ring, c, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		p.issuers[algorithm] = issuer.Handler()
	}
	return p
}

// meetStranger sends tokens of an unknown key, so that the process has just looked for
// one in vain.
func (p process) meetStranger(t *testing.T) {
	t.Helper()
	_, foreign, _ := ed25519.GenerateKey(nil)
	token := sign(t, jwt.SigningMethodEdDSA, foreign, goodHeader(), goodClaims())
	if _, err := p.verifier.Authenticate(t.Context(), withToken(token)); err == nil {
		t.Fatal("a stranger's token is accepted")
	}
}

func kidOf(t *testing.T, token string) string {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Header["kid"].(string)
}

// checkAccepted checks that a process accepts a token, and publishes its key, although it
// has just looked for another in vain.
func (p process) checkAccepted(t *testing.T, algorithm, token string) {
	t.Helper()
	if _, err := p.verifier.Authenticate(t.Context(), withToken(token)); err != nil {
		t.Errorf("%s: the other process refuses the first token: %v", algorithm, err)
	}
	if kids := publishedFor(t, p.issuers[algorithm], algorithm); !slices.Contains(kids, kidOf(t, token)) {
		t.Errorf("%s: the other process publishes %v", algorithm, kids)
	}
}

// In a new database the first token of an algorithm is signed at once, and another process
// accepts it in the same instant.
func TestFirstKeysAreKnownEverywhereAtOnce(t *testing.T) {
	eachTwoProcesses(t, func(t *testing.T, _ *clock.Fixed, both []process) {
		for _, algorithm := range bothAlgorithms {
			both[1].meetStranger(t)
			both[1].checkAccepted(t, algorithm, newToken(t, both[0].issuers[algorithm]))
		}
	})
}

// Of two processes that make a first key at the same time, each accepts the other's:
// whether the slower one made its key after the other, or made it before and stored it
// after.
func TestTwoFirstKeys(t *testing.T) {
	for name, set := range map[string]func(*pausedKeys, *pause){
		"made after":                func(k *pausedKeys, p *pause) { k.read = p },
		"made before, stored after": func(k *pausedKeys, p *pause) { k.add = p },
	} {
		t.Run(name, func(t *testing.T) {
			eachTwoProcesses(t, func(t *testing.T, c *clock.Fixed, both []process) {
				slow, stop := both[1], &pause{make(chan struct{}), make(chan struct{})}
				set(slow.keys, stop)
				rec := httptest.NewRecorder()
				var wg sync.WaitGroup
				wg.Go(func() { slow.issuers[keyring.RS256].ServeHTTP(rec, request()) })
				<-stop.reached // it has found no key
				c.Move(time.Millisecond)
				fast := newToken(t, both[0].issuers[keyring.RS256])
				c.Move(time.Millisecond)
				close(stop.goOn)
				wg.Wait()
				var a answer
				if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
					t.Fatal(err)
				}
				slow.checkAccepted(t, keyring.RS256, fast)
				both[0].checkAccepted(t, keyring.RS256, a.AccessToken)
				if kids := publishedFor(t, slow.issuers[keyring.RS256], keyring.RS256); len(kids) != 2 {
					t.Errorf("published are %v", kids)
				}
			})
		})
	}
}

// A key made by hand, and one made because the other is old, is published by every
// process before one signs with it, so that no token is refused while strangers use up
// the look-ups of unknown keys.
func TestKeysArePublishedBeforeTheySign(t *testing.T) {
	tests := map[string]struct {
		before time.Duration // from the first key's birth to the first step
		rotate bool
	}{
		"by hand":  {publishAhead, true},
		"when old": {89*day - 2*time.Minute, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			eachTwoProcesses(t, func(t *testing.T, c *clock.Fixed, both []process) {
				first := kidOf(t, newToken(t, both[0].issuers[keyring.EdDSA]))
				c.Move(tt.before)
				checkOvertake(t, c, both, tt.rotate)
				if kid := kidOf(t, newToken(t, both[1].issuers[keyring.EdDSA])); kid == first {
					t.Error("the first key still signs")
				}
			})
		})
	}
}

// checkOvertake goes through the minutes in which one key takes over from another.
func checkOvertake(t *testing.T, c *clock.Fixed, both []process, rotate bool) {
	t.Helper()
	var publishedBefore []string
	for minute := range 16 {
		for n, p := range both {
			both[1-n].meetStranger(t)
			if rotate && minute == 1 && n == 0 {
				if err := p.ring.Rotate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			token := newToken(t, p.issuers[keyring.EdDSA])
			if _, err := both[1-n].verifier.Authenticate(t.Context(), withToken(token)); err != nil {
				t.Errorf("minute %d: the other process refuses a token: %v", minute, err)
			}
			// An answer with the keys may be kept for five minutes.
			if minute >= 5 && !slices.Contains(publishedBefore, kidOf(t, token)) {
				t.Errorf("minute %d: the token's key was not published", minute)
			}
		}
		if minute%5 == 4 {
			publishedBefore = published(t, both[0].issuers[keyring.EdDSA])
		}
		c.Move(time.Minute)
	}
}

// While keys are new, strangers with unknown kids make the server read them one after
// the other, each reading for all who wait.
func TestUnknownKidsShareReadingsWhileKeysAreNew(t *testing.T) {
	w := newWorld(t)
	_, foreign, _ := ed25519.GenerateKey(nil)
	token := sign(t, jwt.SigningMethodEdDSA, foreign, goodHeader(), goodClaims())
	before, began := w.keys.reads, time.Now()
	const strangers = 64
	var wg sync.WaitGroup
	for range strangers {
		wg.Go(func() {
			if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err == nil {
				t.Error("accepted")
			}
		})
	}
	wg.Wait()
	reads, most := w.keys.reads-before, int(time.Since(began)/(10*time.Millisecond))
	// Each by itself would be as many as there are strangers. How many more share one
	// depends on how soon the last of them comes.
	if reads == 0 || reads > most || reads >= strangers {
		t.Errorf("%d strangers cause %d readings", strangers, reads)
	}
}

// Nobody keeps the published keys while one may appear that signs at once.
func TestNewKeysAreNotKept(t *testing.T) {
	w := newWorld(t)
	check := func(want string) {
		t.Helper()
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, oauth.KeySetPath, nil))
		if got := rec.Header().Get("Cache-Control"); got != want {
			t.Errorf("Cache-Control is %q, want %q", got, want)
		}
	}
	check("no-cache")
	w.clock.Move(publishAhead)
	check("no-cache") // there is no RSA key yet
	if err := w.ring.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.clock.Move(publishAhead)
	check("public, max-age=300")
}

// A clock that goes back a little, onto a key that was read as too old to sign, does no
// harm.
func TestKeysWhenTheClockGoesBack(t *testing.T) {
	w := newWorld(t)
	w.clock.Move(90 * day)
	newToken(t, w.handler)
	w.clock.Move(-time.Second)
	if _, err := w.verifier.Authenticate(t.Context(), withToken(newToken(t, w.handler))); err != nil {
		t.Error(err)
	}
}
