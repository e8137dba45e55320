package webhooks_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
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
		case <-time.After(15 * time.Second):
			w.t.Fatal("delivering does not end")
		}
	}
}

func (w *world) update(sub *webhooks.Subscription, in webhooks.Input) {
	w.t.Helper()
	if _, err := w.Update(w.ctx, sub.UID, in); err != nil {
		w.t.Fatal(err)
	}
}

// noticing is longer than it takes until a delivering process notices a change.
const noticing = 600 * time.Millisecond

// "Setting isActive to false pauses deliveries" (Webhooks): also those that a
// process has read already, while a slow endpoint holds them up. The same goes
// for another URL.
func TestChangeWhileDelivering(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const all, underWay = 80, 32
		elsewhere := receive(t, nil)
		for name, c := range map[string]struct {
			change webhooks.Input
			moved  int
		}{
			"paused": {webhooks.Input{IsActive: patch.Set(false)}, 0},
			"moved":  {webhooks.Input{URL: patch.Set(elsewhere.URL)}, all - underWay},
		} {
			slow := hang(t, http.StatusNoContent)
			sub := w.subscribe(slow.URL)
			for i := range all {
				w.raise(fmt.Sprintf("A%d", i))
			}
			wait := w.drained(sub)
			until(t, "requests hang", func() bool { return len(slow.received()) == underWay })
			w.update(sub, c.change)
			time.Sleep(noticing)
			slow.let()
			wait()
			if n := len(slow.received()); n != underWay {
				t.Errorf("%s: the URL of before got %d requests; %d were under way", name, n, underWay)
			}
			if n := len(elsewhere.received()); n != c.moved {
				t.Errorf("%s: the new URL got %d requests, not %d", name, n, c.moved)
			}
			if err := w.Delete(w.ctx, sub.UID); err != nil {
				t.Fatal(err)
			}
		}
	})
}
