package main

import (
	"testing"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

// A server told to have row-level security starts where it holds only; what looks at all
// rows runs where it does not.
func TestRowLevelSecurityIsDemanded(t *testing.T) {
	serve := serveCommand{RowLevelSecurity: true}
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		if err := serve.prepare(t.Context(), s); (err == nil) != s.Postgres() {
			t.Errorf("as a role of its own: %v", err)
		}
		if err := refuseHidden(s); (err == nil) == s.Postgres() {
			t.Errorf("the doctor as this role: %v", err)
		}
	})
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		if err := serve.prepare(t.Context(), s); err == nil {
			t.Error("starts as the owner, whom no policy holds")
		}
		if err := (&serveCommand{}).prepare(t.Context(), s); err != nil {
			t.Errorf("without the flag: %v", err)
		}
		if err := refuseHidden(s); err != nil {
			t.Error(err)
		}
	})
}
