package webhooks

import "sync"

// pool runs a function for keys: at most once at a time for each key, and again if the
// key was woken meanwhile and the function has not noticed that.
type pool[K comparable] struct {
	// run is called with a channel that tells it when its key is woken.
	run func(k K, woken <-chan struct{})

	mu sync.Mutex
	// running are the keys for which the function is running.
	running map[K]chan struct{}
	stopped bool
	all     sync.WaitGroup
}

func newPool[K comparable](run func(k K, woken <-chan struct{})) *pool[K] {
	return &pool[K]{run: run, running: map[K]chan struct{}{}}
}

// wake runs the function for a key, or tells it if it is running.
func (p *pool[K]) wake(k K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if woken, runs := p.running[k]; runs {
		tell(woken)
		return
	}
	woken := make(chan struct{}, 1)
	p.running[k] = woken
	p.all.Go(func() { p.loop(k, woken) })
}

// wakeRunning is wake for those of some keys whose function is running.
func (p *pool[K]) wakeRunning(is func(K) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, woken := range p.running {
		if is(k) {
			tell(woken)
		}
	}
}

func tell(woken chan<- struct{}) {
	select {
	case woken <- struct{}{}:
	default: // it has not noticed the last time yet
	}
}

func (p *pool[K]) loop(k K, woken chan struct{}) {
	for more := true; more; {
		p.run(k, woken)
		more = p.again(k, woken)
	}
}

// again reports whether a key was woken while its function ran; if not, the key is no
// longer running.
func (p *pool[K]) again(k K, woken <-chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-woken:
		if !p.stopped {
			return true
		}
	default:
	}
	delete(p.running, k)
	return false
}

// stop prevents new runs and returns a channel that is closed when none is left.
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
