package webhooks_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/webhooks"
)

// stuck is an endpoint whose requests hang until they are released; then they
// get the status.
type stuck struct {
	*receiver
	release chan struct{}
}

func hang(t testing.TB, code int) *stuck {
	s := &stuck{release: make(chan struct{})}
	s.receiver = receive(t, func(w http.ResponseWriter, _ int) {
		<-s.release
		w.WriteHeader(code)
	})
	t.Cleanup(s.let) // before the server is closed, which waits for its requests
	return s
}

// let ends the requests that hang, and those to come do not.
func (s *stuck) let() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.release:
	default:
		close(s.release)
	}
}

// drained delivers for a subscription beside the test, whose clock stands still;
// the function it returns waits for the end.
func (w *world) drained(sub *webhooks.Subscription) (wait func()) {
	w.t.Helper()
	if err := w.FanOut(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := w.Drain(w.ctx, sub.ID, nil)
		done <- err
	}()
	return func() {
		w.t.Helper()
		select {
		case err := <-done:
			if err != nil {
				w.t.Error(err)
			}
		case <-time.After(time.Minute):
			w.t.Fatal("delivering does not end")
		}
	}
}

func (w *world) update(sub *webhooks.Subscription, in webhooks.Input) {
	w.t.Helper()
	if _, _, err := w.Update(w.ctx, sub.UID, in); err != nil {
		w.t.Fatal(err)
	}
}

// noticed waits until a delivering process has noticed what was changed: it has looked
// twice, the first time of which may have begun before.
func (w *world) noticed() {
	w.t.Helper()
	before := w.looks.Load()
	until(w.t, "a delivering process looks again", func() bool { return w.looks.Load() >= before+2 })
}

// "Setting isActive to false pauses deliveries" (Webhooks): also those that a
// process has read already, while a slow endpoint holds them up. The same goes
// for another URL.
func TestChangeWhileDelivering(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const all, underWay = 80, 32
		elsewhere := receive(t, nil)
		for name, change := range map[string]webhooks.Input{
			"paused": {IsActive: patch.Set(false)},
			"moved":  {URL: patch.Set(elsewhere.URL)},
		} {
			slow := hang(t, http.StatusNoContent)
			sub := w.subscribe(slow.URL)
			for i := range all {
				w.raise(fmt.Sprintf("A%d", i))
			}
			wait := w.drained(sub)
			until(t, "requests hang", func() bool { return len(slow.received()) == underWay })
			w.update(sub, change)
			w.noticed()
			slow.let()
			wait()
			if n := len(slow.received()); n != underWay {
				t.Errorf("%s: the URL of before got %d requests; %d were under way", name, n, underWay)
			}
			if n := len(elsewhere.received()); name == "moved" && n != all-underWay {
				t.Errorf("the new URL got %d requests, not %d", n, all-underWay)
			}
			if err := w.Delete(w.ctx, sub.UID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// "Resend by hand = a new attempt with the next number" (api "Webhook
// deliveries"), also when it is asked for while an attempt is under way, and
// whatever comes of that one.
func TestResendWhileUnderWay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, code := range []int{http.StatusInternalServerError, http.StatusNoContent} {
			release := make(chan struct{})
			r := receive(t, func(rw http.ResponseWriter, n int) {
				switch n {
				case 1:
					rw.WriteHeader(http.StatusInternalServerError)
				case 2:
					<-release
					rw.WriteHeader(code)
				}
			})
			sub := w.subscribe(r.URL)
			w.raise("A1")
			w.deliver(sub)
			w.clock.Move(2 * time.Minute)
			wait := w.drained(sub)
			until(t, "the second attempt", func() bool { return len(r.received()) == 2 })
			w.clock.Move(time.Second)
			if _, err := w.Retry(w.ctx, w.deliveries(sub)[0].UID); err != nil {
				t.Fatal(err)
			}
			close(release)
			wait()
			history := w.deliveries(sub)
			if len(history) != 3 || history[2].AttemptNumber != 3 || !history[2].IsSuccessful || *history[2].State != "DELIVERED" {
				t.Errorf("%d: %d attempts, the last %+v", code, len(history), history[len(history)-1])
			}
			if err := w.Delete(w.ctx, sub.UID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// "Changing anything of a subscription lets it try again at once"
// (docs/webhooks.md): failures of attempts that were begun before the change do
// not count against what it is now.
func TestChangeForgetsFailures(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		broken, mended := hang(t, http.StatusInternalServerError), receive(t, nil)
		sub := w.subscribe(broken.URL)
		for i := range 12 {
			w.raise(fmt.Sprintf("A%d", i))
		}
		wait := w.drained(sub)
		until(t, "requests hang", func() bool { return len(broken.received()) == 12 })
		w.clock.Move(time.Second)
		w.update(sub, webhooks.Input{URL: patch.Set(mended.URL)})
		broken.let()
		wait()
		if now, err := w.Subscription(w.ctx, sub.UID); err != nil || now.Failures != 0 {
			t.Errorf("%d failures count (%v)", now.Failures, err)
		}
		w.raise("A13")
		w.deliver(sub)
		if n := len(mended.received()); n != 1 {
			t.Errorf("the endpoint that was mended got %d requests", n)
		}
	})
}

// "every attempt is recorded in the delivery history" (Events, 2): also that of a
// test whose caller does not wait for it.
func TestTestIsRecordedWithoutItsCaller(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		slow := hang(t, http.StatusNoContent)
		sub := w.subscribe(slow.URL)
		ctx, leave := context.WithCancel(w.ctx)
		done := make(chan struct{})
		go func() {
			_, _ = w.Test(ctx, sub.UID)
			close(done)
		}()
		until(t, "the request", func() bool { return len(slow.received()) == 1 })
		leave()
		slow.let()
		<-done
		if all := w.deliveries(sub); len(all) != 1 || !all[0].IsSuccessful || all[0].UID != slow.received()[0].header.Get("X-Webhook-Id") {
			t.Errorf("recorded: %+v", all)
		}
	})
}

// A lease is renewed as long as a request is under way.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		slow := hang(t, http.StatusNoContent)
		sub := w.subscribe(slow.URL)
		w.raise("A1")
		wait := w.drained(sub)
		until(t, "the request", func() bool { return len(slow.received()) == 1 })
		w.clock.Move(time.Hour)
		until(t, "a renewal", func() bool {
			var held time.Time
			_, err := store.One(w.ctx, w.store, []any{&held}, "SELECT held_until FROM webhook_subscription WHERE tenant_id = $1 AND id = $2", w.tenant.ID, sub.ID)
			return err == nil && held.After(w.clock.Now())
		})
		slow.let()
		wait()
		if all := w.deliveries(sub); len(all) != 1 {
			t.Errorf("%d deliveries", len(all))
		}
	})
}

// A process that lost the lease ends: its requests are cut off, nothing is
// recorded of them, and it is no failure of its own.
func TestLostLeaseEndsDelivering(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		slow := hang(t, http.StatusNoContent)
		sub := w.subscribe(slow.URL)
		w.raise("A1")
		wait := w.drained(sub)
		until(t, "the request", func() bool { return len(slow.received()) == 1 })
		err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE webhook_subscription SET holder = 'another' WHERE tenant_id = $1 AND id = $2", w.tenant.ID, sub.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		wait()
		if all := w.deliveries(sub); len(all) != 0 {
			t.Errorf("recorded without the lease: %+v", all)
		}
	})
}

// A process whose lease is gone when the answer arrives records nothing: whoever has the
// lease delivers again.
func TestNothingIsRecordedWithoutTheLease(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var sub *webhooks.Subscription
		taken := receive(t, func(rw http.ResponseWriter, _ int) {
			err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, "UPDATE webhook_subscription SET holder = 'another' WHERE tenant_id = $1 AND id = $2", w.tenant.ID, sub.ID)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			rw.WriteHeader(http.StatusNoContent)
		})
		sub = w.subscribe(taken.URL)
		w.raise("A1")
		w.drained(sub)()
		if all := w.deliveries(sub); len(all) != 0 {
			t.Errorf("recorded without the lease: %+v", all)
		}
	})
}
