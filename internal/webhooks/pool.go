package webhooks

import "sync"

// pool runs a function for keys: for each at most once at a time, and again
// when the key was woken meanwhile.
type pool[K comparable] struct {
	run func(K)

	mu sync.Mutex
	// running are the keys whose function runs; true for those woken meanwhile.
	running map[K]bool
	stopped bool
	all     sync.WaitGroup
}

func newPool[K comparable](run func(K)) *pool[K] { return &pool[K]{run: run, running: map[K]bool{}} }

// wake has the function run for a key, once more if it runs now.
func (p *pool[K]) wake(k K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if _, runs := p.running[k]; runs {
		p.running[k] = true
		return
	}
	p.running[k] = false
	p.all.Go(func() { p.loop(k) })
}

func (p *pool[K]) loop(k K) {
	for more := true; more; {
		p.run(k)
		p.mu.Lock()
		if more = p.running[k] && !p.stopped; more {
			p.running[k] = false
		} else {
			delete(p.running, k)
		}
		p.mu.Unlock()
	}
}

// stop starts nothing any more and returns a channel that is closed when
// nothing runs.
func (p *pool[K]) stop() <-chan struct{} {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		p.all.Wait()
		close(done)
	}()
	return done
}
