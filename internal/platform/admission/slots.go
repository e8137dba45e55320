package admission

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// slots is how many operations may run at once: as many as the settings say while
// operations wait for the database, fewer while they wait for the processors. In the
// latter case one more would only slow all of them down, and accepted operations would
// take a multiple of their time. CockroachDB adjusts its admission slots by the same
// sign: goroutines that could run but do not.
type slots struct {
	least, most, now int
	// runnable returns how many goroutines wait for a processor.
	runnable func() int
	// enough is how many runnable goroutines are too many: as many as there are
	// processors.
	enough int
	// spare returns how many goroutines beyond these may compute at once (decision 12). If
	// some wait even so, they wait for each other.
	spare   func() int
	sampled time.Time
}

// samplePeriod is how often the number of runnable goroutines is read; reading it costs
// some 200 ns.
const samplePeriod = 2 * time.Millisecond

// newSlots returns the slots. Their least number lets one tenant's share keep all
// processors busy.
func newSlots(most int) *slots {
	processors := runtime.GOMAXPROCS(0)
	return &slots{least: min(most, (4*processors+2)/3), most: most, now: most, runnable: newRunnable(), enough: processors, spare: func() int { return runtime.GOMAXPROCS(0) - processors }}
}

// adjust removes a slot while the processors are fully busy, and adds it again when they
// are not.
func (p *slots) adjust(now time.Time) {
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
