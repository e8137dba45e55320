package takeback

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// ledgers are how many there are of each promise on each database, and steps how many writes
// one has on average; make soak has many, of 60.
var (
	ledgers = flag.Int("ledgers", 4, "how many ledgers watch each promise on each database")
	steps   = flag.String("steps", "12", "how many steps a ledger has on average")
)

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
				_ = flag.Set("rapid.checks", strconv.Itoa(*ledgers)) // they are numbers
				_ = flag.Set("rapid.steps", *steps)
				rapid.Check(t, func(r *rapid.T) { tell(begin(r, w, watched, tally)) })
				apptest.Sound(t, s, w.Clock)
			})
		})
	}
}
