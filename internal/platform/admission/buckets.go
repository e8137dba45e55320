package admission

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/uplinehq/upline/internal/clock"
)

// keptBuckets limits the memory of buckets to a few MiB. The bucket that was idle longest
// is dropped first: it is full by then, so a new one in its place is the same.
const keptBuckets = 16_384

// Buckets holds a bucket of tokens for each key. Nil means no limit.
type Buckets struct {
	size   int
	second float64 // tokens in a second
	clock  clock.Clock
	known  *lru.Cache[string, *rate.Limiter]
}

// NewBuckets returns buckets that fill with perMinute tokens a minute, and hold what
// flows back in a period; nil if perMinute is 0.
func NewBuckets(perMinute int, period time.Duration, c clock.Clock) *Buckets {
	if perMinute == 0 {
		return nil
	}
	known, err := lru.New[string, *rate.Limiter](keptBuckets)
	if err != nil {
		panic(err) // only for a size below one
	}
	second := float64(perMinute) / 60
	return &Buckets{size: max(1, int(second*period.Seconds())), second: second, clock: c, known: known}
}

// Level is how full a bucket is.
type Level struct {
	// Limit is how many tokens the bucket holds at most, Remaining how many it holds.
	Limit, Remaining int
	// Second is how many tokens flow back in a second.
	Second float64
	// Full is when the bucket is full again, Next when it will hold what was asked for.
	Full, Next time.Duration
}

// Window is the time in which an empty bucket fills.
func (l Level) Window() time.Duration { return l.fills(float64(l.Limit)) }

// fills is how long that many tokens take to flow back.
func (l Level) fills(tokens float64) time.Duration {
	return time.Duration(max(0, tokens) / l.Second * float64(time.Second))
}

// Take takes n tokens from a key's bucket, all or none.
func (b *Buckets) Take(key string, n int) (Level, bool) {
	if b == nil {
		return Level{}, true
	}
	now, bucket := b.clock.Now(), b.of(key)
	taken := bucket.AllowN(now, n)
	return b.level(bucket.TokensAt(now), n), taken
}

// Owe takes n tokens from a key's bucket even if it does not hold them: then it is empty
// until they have flowed back. It takes no more than the bucket can hold.
func (b *Buckets) Owe(key string, n int) {
	if b != nil && n > 0 {
		b.of(key).ReserveN(b.clock.Now(), min(n, b.size))
	}
}

// Level returns how full a key's bucket is; ok is false if there is no limit.
func (b *Buckets) Level(key string, n int) (l Level, ok bool) {
	if b == nil {
		return Level{}, false
	}
	return b.level(b.of(key).TokensAt(b.clock.Now()), n), true
}

func (b *Buckets) level(tokens float64, n int) Level {
	l := Level{Limit: b.size, Remaining: max(0, int(tokens)), Second: b.second}
	l.Full, l.Next = l.fills(float64(b.size)-tokens), l.fills(float64(n)-tokens)
	return l
}

func (b *Buckets) of(key string) *rate.Limiter {
	if bucket, ok := b.known.Get(key); ok {
		return bucket
	}
	bucket := rate.NewLimiter(rate.Limit(b.second), b.size)
	if earlier, ok, _ := b.known.PeekOrAdd(key, bucket); ok {
		return earlier
	}
	return bucket
}
