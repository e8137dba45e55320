package directory_test

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// An agency changes its own settings: the directory of the process shows that at
// once, another tenant stays as it was, and what is refused changes nothing.
func TestAgencyChangesItsSettings(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		acme, err := w.create(t, valid())
		must(t, err)
		other := valid()
		other.Identifier = "umbra"
		_, err = w.create(t, other)
		must(t, err)
		agencies := directory.New(s, w.clock)
		service := directory.NewService(agencies, w.vault)
		ctx := tenant.WithCaller(tenant.With(t.Context(), acme), tenant.Caller{Subject: "ana"})
		find := func(identifier string) *tenant.Tenant {
			t.Helper()
			found, err := agencies.Find(t.Context(), identifier)
			must(t, err)
			return found
		}
		find("acme")

		name, zone, length := " Acme Life ", "America/New_York", 15
		changed, applied, err := service.Update(ctx, directory.Settings{Name: patch.Set(name), TimeZone: patch.Set(zone), MinPasswordLength: patch.Set(length)})
		must(t, err)
		if found := find("acme"); !applied || found.Name != "Acme Life" || found.Zone.String() != zone || found.MinPasswordLength != length || found.Name != changed.Name {
			t.Errorf("%+v %+v", changed, found)
		}
		if _, applied, err := service.Update(ctx, directory.Settings{TimeZone: patch.Set(zone)}); err != nil || applied {
			t.Errorf("the same again: %t %v", applied, err)
		}
		on, off := true, false
		masked, _, err := service.Update(ctx, directory.Settings{MaskSensitive: patch.Set(on)})
		must(t, err)
		blind := tenant.WithCaller(tenant.With(t.Context(), masked), tenant.Caller{Subject: "eve"})
		if _, _, err := service.Update(blind, directory.Settings{MaskSensitive: patch.Set(off)}); !problem.Has(err, problem.ForbiddenCode) {
			t.Errorf("whoever sees masks ends them: %v", err)
		}
		for _, zone := range []string{"localtime", "right/UTC", "America//Chicago", "Local", ""} {
			if _, _, err := service.Update(ctx, directory.Settings{TimeZone: patch.Set(zone)}); !problem.Has(err, problem.InvalidFormat) {
				t.Errorf("the zone %q: %v", zone, err)
			}
		}
		long, lines := strings.Repeat("n", 256), "Acme\nLife"
		for _, name := range []string{long, lines} {
			if _, _, err := service.Update(ctx, directory.Settings{Name: patch.Set(name)}); len(problem.From(err)) != 1 {
				t.Errorf("the name %q: %v", name, err)
			}
		}
		wrong, most := "Mars/Olympus", 101
		_, _, err = service.Update(ctx, directory.Settings{TimeZone: patch.Set(wrong), MaxPageSize: patch.Set(most)})
		if n := len(problem.From(err)); n != 2 {
			t.Errorf("%d problems: %v", n, err)
		}
		master := "umbra"
		if _, _, err := service.Update(ctx, directory.Settings{Master: patch.Set(master)}); !problem.Has(err, problem.NotApplicable) {
			t.Errorf("the operator's setting: %v", err)
		}
		if acme, umbra := find("acme"), find("umbra"); acme.Zone.String() != zone || acme.MaxPageSize != 100 || acme.MasterID != 0 || umbra.Name != "Acme" {
			t.Errorf("%+v %+v", acme, umbra)
		}
	})
}
