package store_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// PostgreSQL keeps one plan of a statement for all arguments, and makes a new one for
// these where it is told to.
func TestPlannedAnew(t *testing.T) {
	url := dbtest.PostgresURL(t)
	for role, url := range map[string]string{"owner": dbtest.OwnerURL(url), "role": dbtest.RoleURL(url)} {
		s, err := store.Open(t.Context(), with(url, "pool_max_conns=1"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		asked := func(ctx context.Context, text string, anew ...bool) {
			t.Helper()
			statements := make([]store.Statement, len(anew))
			for i := range anew {
				statements[i] = store.Statement{SQL: new(store.SQL).Write(text+" WHERE id = ?", 1), Kinds: []rowset.Kind{rowset.Int}, PlannedAnew: anew[i]}
			}
			found, err := s.Read(ctx, statements)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				c.Release()
			}
		}
		for _, c := range []struct {
			text          string
			ask           func(text string)
			kept, planned int64
		}{
			{"SELECT id + 1 FROM tenant", func(text string) { asked(t.Context(), text, false) }, 1, 0},
			{"SELECT id + 2 FROM tenant", func(text string) { asked(t.Context(), text, true) }, 0, 1},
			{"SELECT id + 3 FROM tenant", func(text string) { asked(t.Context(), text, false, true) }, 0, 2},
			{"SELECT id + 4 FROM tenant", func(text string) { asked(store.PlannedAnew(t.Context()), text, false) }, 0, 1},
			{"SELECT id + 5 FROM tenant", func(text string) {
				if _, err := store.Collect(store.PlannedAnew(t.Context()), s, store.ScanOne[int64], text+" WHERE id = $1", 1); err != nil {
					t.Fatal(err)
				}
			}, 0, 1},
		} {
			c.ask(c.text)
			var kept, planned int64
			if _, err := store.One(t.Context(), s, []any{&kept, &planned},
				"SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1", c.text+" WHERE id = $1"); err != nil {
				t.Fatal(err)
			}
			if kept != c.kept || planned != c.planned {
				t.Errorf("%s: %s: %d by the plan that is kept, %d by a new one; want %d and %d", role, c.text, kept, planned, c.kept, c.planned)
			}
		}
	}
}
