package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// cost are the parameters of argon2id. Each hash contains its own, so that they can be
// raised: a password is hashed again at the next sign-in.
type cost struct {
	// memory is in KiB.
	memory, time uint32
	threads      uint8
}

// recommended is the first recommendation of the OWASP Password Storage Cheat
// Sheet: 19 MiB, two passes, one thread. With more memory, fewer people could sign in at
// a time.
var recommended = cost{memory: 19 << 10, time: 2, threads: 1}

// currentCost is what a hash costs that is made now.
var currentCost = recommended

// CheapPasswords has passwords hashed in next to no time, of all services: for tests that
// make users. Nothing else may call it (TestDoors).
func CheapPasswords() { currentCost = cost{memory: 8, time: 1, threads: 1} }

const (
	saltSize = 16
	hashSize = 32
)

// How many requests may wait for a hash, in all and of one tenant. A hash takes tens of
// milliseconds: a request at the end of a longer queue is better told to come again, and
// one tenant's queue must not delay the others.
const (
	maxWaiting         = 64
	maxWaitingOfTenant = 16
)

// hasher hashes passwords, a few at a time: each takes tens of milliseconds of a
// processor and 19 MiB, and requests that only read must not wait for that.
type hasher struct {
	slots chan struct{}

	mu sync.Mutex
	// waiting counts the requests that hash or wait for it, by tenant; 0 for none.
	waiting map[int64]int
	total   int
	// derived counts the derived keys, for tests: a way to fail that derives none would
	// be recognisable by its time.
	derived atomic.Int64
}

// newHasher returns a hasher that leaves half of the processors to everything else.
func newHasher() *hasher {
	return &hasher{slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), waiting: map[int64]int{}}
}

// enter lets a request wait for a hash, unless too many already do. leave ends it.
func (h *hasher) enter(tenantID int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.total >= maxWaiting || h.waiting[tenantID] >= maxWaitingOfTenant {
		return &problem.Error{Category: problem.Unavailable, Code: problem.UnavailableCode,
			Message: "Too many passwords are being checked or set at the moment; try again"}
	}
	h.total++
	h.waiting[tenantID]++
	return nil
}

func (h *hasher) leave(tenantID int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total--
	if h.waiting[tenantID]--; h.waiting[tenantID] == 0 {
		delete(h.waiting, tenantID)
	}
}

// key derives the key of a password when there is a free slot. It returns a problem if
// too many requests wait for one.
func (h *hasher) key(ctx context.Context, password vault.Secret, salt []byte, c cost, size uint32) ([]byte, error) {
	var tenantID int64
	if t := tenant.From(ctx); t != nil {
		tenantID = t.ID
	}
	if err := h.enter(tenantID); err != nil {
		return nil, err
	}
	defer h.leave(tenantID)
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h.derived.Add(1)
	return argon2.IDKey([]byte(normalised(password)), salt, c.time, c.memory, c.threads, size), nil
}

// normalised makes different ways to type the same password equal (NIST SP 800-63B-4
// §3.1.1.2).
func normalised(password vault.Secret) string { return norm.NFKC.String(password.Reveal()) }

// hash returns the stored form of a password: a PHC string.
func (h *hasher) hash(ctx context.Context, password vault.Secret) (string, error) {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // it never fails
	c := currentCost
	key, err := h.key(ctx, password, salt, c, hashSize)
	if err != nil {
		return "", err
	}
	return c.phc(salt, key), nil
}

// phc writes a hash in PHC form.
func (c cost) phc(salt, key []byte) string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.threads, encode(salt), encode(key))
}

// verify compares a password with a stored hash. outdated reports whether the hash was
// made with other parameters than the current ones.
func (h *hasher) verify(ctx context.Context, stored string, password vault.Secret) (right, outdated bool, err error) {
	c, salt, want, err := parseHash(stored)
	if err != nil {
		return false, false, err
	}
	key, err := h.key(ctx, password, salt, c, uint32(len(want)))
	if err != nil {
		return false, false, err
	}
	return subtle.ConstantTimeCompare(key, want) == 1, c != currentCost, nil
}

// parseHash parses a PHC string. Errors do not contain it: with time, it is as good as
// the password.
func parseHash(stored string) (c cost, salt, key []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, fmt.Errorf("identity: the stored hash is not argon2id of version %d", argon2.Version)
	}
	if n, _ := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads); n != 3 || c.time == 0 || c.threads == 0 {
		return c, nil, nil, fmt.Errorf("identity: the parameters of the stored hash cannot be read")
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(key) == 0 {
		return c, nil, nil, fmt.Errorf("identity: the stored hash cannot be read")
	}
	return c, salt, key, nil
}
