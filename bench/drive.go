package main

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// round is what one round of requests to one server showed.
type round struct {
	requests int
	took     time.Duration
	times    []time.Duration // of each request, not sorted
}

func (r round) perSecond() float64 { return float64(r.requests) / r.took.Seconds() }

// drive sends requests over so many connections for so long.
func drive(e envelope, s *sample, connections int, length time.Duration, seed uint64) (round, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		total round
		first error
	)
	started := time.Now()
	end := started.Add(length)
	for i := range connections {
		wg.Go(func() {
			times, err := driveOne(e, s, end, rand.New(rand.NewPCG(seed, uint64(i))))
			mu.Lock()
			defer mu.Unlock()
			total.requests += len(times)
			total.times = append(total.times, times...)
			if first == nil {
				first = err
			}
		})
	}
	wg.Wait()
	total.took = time.Since(started)
	return total, first
}

func driveOne(e envelope, s *sample, end time.Time, r *rand.Rand) (times []time.Duration, err error) {
	c, err := dial(e.server.address)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	for {
		request, err := e.bytes(e.question.ask(s, r))
		if err != nil {
			return times, err
		}
		sent := time.Now()
		if sent.After(end) {
			return times, nil
		}
		if _, err := c.roundTrip(request, e.question.proof); err != nil {
			return times, err
		}
		times = append(times, time.Since(sent))
	}
}

// quantile returns a quantile of sorted times.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
