package main

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A server told to have row-level security starts where it holds only; what looks at all
// rows runs where it does not.
func TestRowLevelSecurityIsDemanded(t *testing.T) {
	for name, c := range map[string]struct {
		open func(testing.TB) *store.Store
		held bool
	}{"sqlite": {dbtest.SQLite, false}, "owner": {dbtest.PostgresOwner, false}, "role": {dbtest.PostgresRole, true}} {
		t.Run(name, func(t *testing.T) {
			s := c.open(t)
			if err := (&serveCommand{RowLevelSecurity: true}).prepare(t.Context(), s); (err == nil) != c.held {
				t.Errorf("with the flag: %v", err)
			}
			if err := (&serveCommand{}).prepare(t.Context(), s); err != nil {
				t.Errorf("without the flag: %v", err)
			}
			if err := refuseHidden(s); (err == nil) == c.held {
				t.Errorf("the doctor: %v", err)
			}
		})
	}
}
