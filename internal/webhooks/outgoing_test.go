package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/webhooks"
)

// outgoing is a bound on requests whose places a test takes and frees.
type outgoing struct {
	webhooks.Outgoing
	t       *testing.T
	entered chan string
	leaves  map[string]func()
}

// enter has a request of a subscription of a tenant come, and waits until it has
// its place, or waits for it.
func (o *outgoing) enter(name string, tenantID, subscriptionID int64, waits bool) {
	o.t.Helper()
	before := o.Waiting()
	began := make(chan func(), 1)
	go func() {
		leave, err := o.Enter(o.t.Context(), tenantID, subscriptionID)
		if err != nil {
			return
		}
		began <- leave
		o.entered <- name
	}()
	if waits {
		until(o.t, name+" waits", func() bool { return o.Waiting() == before+1 })
	} else {
		o.expect(name)
	}
	o.leaves[name] = func() { (<-began)() }
}

func (o *outgoing) expect(want string) {
	o.t.Helper()
	if got := <-o.entered; got != want {
		o.t.Fatalf("%s was sent, want %s", got, want)
	}
}

// One tenant does not take all requests, and one subscription of it not all of the
// tenant's, however many wait: a place that is freed goes to who has the fewest.
func TestRequestsAreShared(t *testing.T) {
	o := &outgoing{webhooks.NewOutgoing(6, 4), t, make(chan string, 1), map[string]func(){}}
	for i := range 4 {
		o.enter(fmt.Sprint("slow ", i), 1, 1, false)
	}
	o.enter("slow 4", 1, 1, true) // a tenant has four at most
	o.enter("slow 5", 1, 1, true)
	o.enter("quick", 1, 2, true)
	o.enter("other 0", 2, 7, false) // its share is there for another
	o.enter("other 1", 2, 7, false)
	o.enter("other 2", 2, 7, true)
	o.enter("third", 3, 9, true)
	for _, step := range [][2]string{{"slow 0", "third"}, {"slow 1", "quick"}, {"third", "other 2"}, {"quick", "slow 4"}, {"other 0", "slow 5"}} {
		o.leaves[step[0]]()
		o.expect(step[1])
	}
	for _, name := range []string{"slow 2", "slow 3", "slow 4", "slow 5", "other 1", "other 2"} {
		o.leaves[name]()
	}
	for i := range 4 { // every place is free again
		o.enter(fmt.Sprint("again ", i), 1, 1, false)
	}
}

// A request that is cut off while it waits leaves no gap.
func TestRequestsGiveUpTheirTurn(t *testing.T) {
	o := webhooks.NewOutgoing(1, 1)
	leave, err := o.Enter(t.Context(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error)
	go func() {
		_, err := o.Enter(ctx, 1, 2)
		refused <- err
	}()
	until(t, "a request waits", func() bool { return o.Waiting() == 1 })
	cancel()
	if err := <-refused; !errors.Is(err, context.Canceled) || o.Waiting() != 0 {
		t.Errorf("%v, %d wait", err, o.Waiting())
	}
	leave()
	if _, err := o.Enter(t.Context(), 2, 1); err != nil {
		t.Error(err)
	}
}

// A tenant has a hundred subscriptions, the inactive ones among them; no other
// tenant counts.
func TestSubscriptionsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		in := input("https://hooks.example.com", "AgentCreated")
		var all []*webhooks.Subscription
		for range 100 {
			all = append(all, w.subscribe("https://hooks.example.com"))
		}
		_, _, err := w.Create(w.ctx, in)
		if found := problem.From(err); len(found) != 1 || found[0].Code != problem.OutOfRange || found[0].Category != problem.Conflict {
			t.Errorf("one more: %v", err)
		}
		if p, err := w.Subscriptions(w.ctx, true, page.Args{Counted: true}); p.Total != 100 || err != nil {
			t.Errorf("there are %d (%v)", p.Total, err)
		}
		if _, _, err := w.Create(w.otherTenant("umbra"), in); err != nil {
			t.Errorf("another tenant: %v", err)
		}
		if err := w.Delete(w.ctx, all[0].UID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Create(w.ctx, in); err != nil {
			t.Errorf("in the place of one: %v", err)
		}
	})
}
