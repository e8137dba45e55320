package takeback

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A ledger has so many steps on average, unless a flag says otherwise.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.steps", "12") // it is a number
	dbtest.Main(m)
}

// TestLedgers writes random ledgers, and watches one promise of the trail in each: what is told of
// changes, why a value is what it is, that dry runs leave nothing, what undo sets back.
func TestLedgers(t *testing.T) {
	for _, watched := range []string{"changes", "explain", "undo", "known"} {
		t.Run(watched, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, s *store.Store) {
				w := apptest.New(t, s, apptest.Options{Now: now, Development: true})
				tally := map[string]int{}
				defer func() {
					for _, name := range slices.Sorted(maps.Keys(tally)) {
						t.Log(fmt.Sprint(name, ": ", tally[name]))
					}
				}()
				rapid.Check(t, func(r *rapid.T) { tell(begin(r, w, watched, tally)) })
				apptest.Sound(t, s, w.Clock)
			})
		})
	}
}
