package webhooks_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
)

// What is sent of an event is read once, whatever the number of subscriptions that
// want it (docs/decisions/0015-webhooks.md).
func TestContentIsReadOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		first, second := w.subscribe(r.URL), w.subscribe(r.URL)
		w.raise("A1")
		if err := w.FanOut(w.ctx); err != nil {
			t.Fatal(err)
		}
		var asked [2]int64
		for i, sub := range []int64{first.ID, second.ID} {
			ctx, n := store.CountStatements(w.ctx)
			if _, err := w.Drain(ctx, sub, nil); err != nil {
				t.Fatal(err)
			}
			asked[i] = n.Load()
		}
		if all := r.received(); len(all) != 2 || string(all[0].body) != string(all[1].body) || asked[1] != asked[0]-1 {
			t.Errorf("%d requests; the first subscription took %d statements, the second %d", len(all), asked[0], asked[1])
		}
	})
}
