package takeback

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"unicode"

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
			related := slices.DeleteFunc(l.mutations(), func(m string) bool { return area(m) != area(missing[0]) })
			l.draw(oneOf(r, "of", [][]string{missing, related, l.mutations()}))
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

// area is the first word of a mutation: what it needs is mostly made by others with the same.
func area(mutation string) string {
	return mutation[:strings.IndexFunc(mutation+"A", unicode.IsUpper)]
}
