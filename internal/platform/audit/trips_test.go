package audit_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
)

// An entry goes with the commit of its change, and waits for nothing.
func TestEntryGoesWithTheCommit(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.five()
		want := int64(0)
		if w.store.Postgres() {
			want = 1
		}
		ctx, trips := store.CountTrips(w.ctx)
		w.write(ctx, update("A1", "email"))
		if n := trips.Load(); n != want {
			t.Errorf("%d round trips of a write; want %d", n, want)
		}
		ctx, trips = store.CountTrips(w.ctx)
		if err := w.Reveal(ctx, update("A1", "birthDate")); err != nil {
			t.Fatal(err)
		}
		if n := trips.Load(); n != want {
			t.Errorf("%d round trips of a reveal; want %d", n, want)
		}
	})
}
