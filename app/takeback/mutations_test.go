package takeback

import (
	"flag"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Every mutation of the schema is drawn by ledgers and changes something in them, or is named
// with the reason why not.
func TestEveryMutationIsMade(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{Now: now, Development: true})
	made := map[string]int{}
	_ = flag.Set("rapid.checks", "20") // it is a number; most of them find nothing left to make
	rapid.Check(t, func(r *rapid.T) {
		l := begin(r, w, "none", made)
		for range 300 {
			missing := slices.DeleteFunc(l.mutations(), func(m string) bool { return made[m] > 0 })
			if len(missing) == 0 {
				return
			}
			l.draw(oneOf(r, "of", [][]string{missing, l.mutations()}))
		}
	})
	for _, f := range w.Graph.Schema().Mutation.Fields {
		if made[f.Name] == 0 && unmade[f.Name] == "" && f.Name[0] != '_' {
			t.Errorf("no ledger makes %s, refused %d times: add values to pools, or a reason to unmade", f.Name, made["refused "+f.Name])
		}
		delete(unmade, f.Name)
	}
	for name := range unmade {
		t.Errorf("there is no mutation %s", name)
	}
}
