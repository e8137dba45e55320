package admission

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// places is how many operations may run at once: as many as the settings say while
// operations wait for the database, fewer while they wait for the processors. Then
// one more would only make all of them slower, and what is accepted would take a
// multiple of its time. CockroachDB adjusts its admission slots by the same sign:
// goroutines that could run and do not.
type places struct {
	least, most, now int
	// runnable returns how many goroutines wait for a processor.
	runnable func() int
	// enough is how many of these are too many: as many as there are processors.
	enough int
	// spare returns how many more than these may compute at once. When somebody waits
	// besides, they wait for each other.
	spare   func() int
	sampled time.Time
}

// samplePeriod is how often the sign is read; reading costs some 200 ns.
const samplePeriod = 2 * time.Millisecond

// newPlaces: at least so many that the share of one tenant keeps all processors
// busy.
func newPlaces(most int) *places {
	processors := runtime.GOMAXPROCS(0)
	return &places{least: min(most, (4*processors+2)/3), most: most, now: most, runnable: newRunnable(), enough: processors, spare: func() int { return runtime.GOMAXPROCS(0) - processors }}
}

// adjust takes a place away while processors are short, and gives it back when
// they are not.
func (p *places) adjust(now time.Time) {
	if now.Sub(p.sampled) < samplePeriod {
		return
	}
	p.sampled = now
	waiting := p.runnable()
	if waiting > 0 {
		waiting += p.spare()
	}
	if waiting >= p.enough {
		p.now = max(p.least, p.now-1)
	} else {
		p.now = min(p.most, p.now+1)
	}
}

func newRunnable() func() int {
	sample := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	return func() int {
		metrics.Read(sample)
		if sample[0].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return int(sample[0].Value.Uint64())
	}
}
