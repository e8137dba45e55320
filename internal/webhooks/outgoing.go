package webhooks

import (
	"context"
	"slices"
	"sync"
)

const (
	// requestsAtOnce limits the requests under way in this process, and so its
	// connections; requestsOfTenant limits those of one tenant. Endpoints may take 15
	// seconds to answer: without a limit, those of one tenant could take every file
	// descriptor.
	requestsAtOnce   = 1024
	requestsOfTenant = requestsAtOnce / 4
)

// outgoing limits the requests under way. A slot that becomes free goes to the tenant
// with the fewest requests, and to its subscription with the fewest: so a slow endpoint
// hardly delays the others, however many messages wait for it.
type outgoing struct {
	most, ofTenant int

	mu            sync.Mutex
	all           int
	tenants       map[int64]int
	subscriptions map[key]int
	waiting       []*waits
}

// waits is a request that waits for a slot.
type waits struct {
	key
	begin chan struct{}
}

func newOutgoing(most, ofTenant int) *outgoing {
	return &outgoing{most: most, ofTenant: ofTenant, tenants: map[int64]int{}, subscriptions: map[key]int{}}
}

// enter waits until a request of a subscription may be sent, and returns the function
// that frees its slot; if the context ends before, it returns its error.
func (o *outgoing) enter(ctx context.Context, k key) (leave func(), err error) {
	w := &waits{k, make(chan struct{})}
	o.mu.Lock()
	o.waiting = append(o.waiting, w)
	o.begin()
	o.mu.Unlock()
	leave = func() { o.leave(k) }
	select {
	case <-w.begin:
		return leave, nil
	case <-ctx.Done():
	}
	o.mu.Lock()
	i := slices.Index(o.waiting, w)
	if i >= 0 {
		o.waiting = slices.Delete(o.waiting, i, i+1)
	}
	o.mu.Unlock()
	if i < 0 { // it got its place just then
		leave()
	}
	return nil, ctx.Err()
}

func (o *outgoing) leave(k key) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count(k, -1)
	o.begin()
}

// begin gives free slots to waiting requests. The caller holds the lock.
func (o *outgoing) begin() {
	for o.all < o.most {
		next := -1
		for i, w := range o.waiting {
			if o.tenants[w.tenantID] < o.ofTenant && (next < 0 || o.before(w, o.waiting[next])) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		w := o.waiting[next]
		o.waiting = slices.Delete(o.waiting, next, next+1)
		o.count(w.key, 1)
		close(w.begin)
	}
}

// before reports whether a is served before b, which has waited longer.
func (o *outgoing) before(a, b *waits) bool {
	if one, other := o.tenants[a.tenantID], o.tenants[b.tenantID]; one != other {
		return one < other
	}
	return o.subscriptions[a.key] < o.subscriptions[b.key]
}

func (o *outgoing) count(k key, n int) {
	o.all += n
	if o.tenants[k.tenantID] += n; o.tenants[k.tenantID] == 0 {
		delete(o.tenants, k.tenantID)
	}
	if o.subscriptions[k] += n; o.subscriptions[k] == 0 {
		delete(o.subscriptions, k)
	}
}
