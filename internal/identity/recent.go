package identity

import (
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/clock"
)

// recentKept is how long a server may act on what it last read.
const recentKept = 10 * time.Second

// recent remembers what was read lately.
type recent[K comparable, V any] struct {
	clock clock.Clock
	known *lru.Cache[K, recently[V]]
	// forgotten counts how often all was forgotten: what was read before is not remembered
	// after.
	forgotten *atomic.Int64
}

type recently[V any] struct {
	value V
	until time.Time
}

// newRecent returns one that remembers at most so many values.
func newRecent[K comparable, V any](c clock.Clock, most int) recent[K, V] {
	known, err := lru.New[K, recently[V]](most)
	if err != nil {
		panic(err) // only for a size below one
	}
	return recent[K, V]{c, known, new(atomic.Int64)}
}

// get returns what was read lately, or else reads it; an error is not remembered.
func (r recent[K, V]) get(key K, read func() (V, error)) (V, error) {
	now := r.clock.Now()
	if seen, ok := r.known.Get(key); ok && now.Before(seen.until) {
		return seen.value, nil
	}
	forgotten := r.forgotten.Load()
	value, err := read()
	if err == nil && forgotten == r.forgotten.Load() {
		r.known.Add(key, recently[V]{value, now.Add(recentKept)})
	}
	return value, err
}

// forget forgets everything, after a change by this process.
func (r recent[K, V]) forget() {
	r.forgotten.Add(1)
	r.known.Purge()
}
