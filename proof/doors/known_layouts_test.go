package doors_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/exchange/bulk"
)

// A layout that is known from the start is found by its heads, in whatever order, case and company,
// and says what becomes of each of them; what the caller says counts more.
func TestKnownLayouts(t *testing.T) {
	const understand = `mutation($input: BulkUnderstandInput!) { bulkUnderstand(input: $input) { entity isEntityCertain columns { header column isLeftOut near } remarks { message } userErrors { message } } }`
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, "write:agents", "write:production")
		for _, k := range bulk.KnownLayouts() {
			for round := range 20 {
				heads := slices.Concat(k.Has, slices.DeleteFunc(slices.Concat(slices.Sorted(maps.Keys(k.Headers)), k.Skip), func(string) bool { return rand.N(2) == 0 }))
				rand.Shuffle(len(heads), func(i, j int) { heads[i], heads[j] = heads[j], heads[i] })
				taken, cells := map[string]bool{}, []string(nil)
				for _, head := range heads { // two heads of one column are not in one file
					column := k.Headers[head]
					if taken[head] || column != "" && taken["column "+column] {
						continue
					}
					taken[head], taken["column "+column] = true, true
					cells = append(cells, head)
				}
				own := cells[rand.N(len(cells))]
				file := strings.Join(cells, ",") + "\n" + strings.Repeat("1,", len(cells)-1) + "1\n"
				sent, wanted := object{}, ""
				if round%2 == 1 {
					sent, wanted = object{"skipColumns": []any{own}}, own
				}
				got := apptest.At(c.Upload(t, understand, sent, file).Data, "bulkUnderstand")
				if apptest.At(got, "entity") != k.Entity || apptest.At(got, "isEntityCertain") != true || !strings.Contains(fmt.Sprint(apptest.At(got, "remarks")), k.Title) {
					t.Errorf("%s, %v: %v", k.Name, cells, got)
					continue
				}
				for i, is := range apptest.At(got, "columns").([]any) {
					column, isMapped := k.Headers[cells[i]]
					leftOut := !isMapped || cells[i] == wanted
					if leftOut != (apptest.At(is, "isLeftOut") == true) || !leftOut && apptest.At(is, "column") != column {
						t.Errorf("%s: %s is %v, want %q", k.Name, cells[i], is, column)
					}
				}
			}
		}
	})
}
