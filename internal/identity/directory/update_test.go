package directory_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// several creates tenants, each by its identifier and that of its master.
func (w world) several(t *testing.T, identifiers ...[2]string) {
	t.Helper()
	for _, i := range identifiers {
		in := valid()
		in.Identifier, in.Master = i[0], i[1]
		_, err := w.create(t, in)
		must(t, err)
	}
}

// What is given changes, and what is not stays.
func TestUpdate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.several(t, [2]string{"acme"}, [2]string{"head"}, [2]string{"beta"})
		updated, err := directory.Update(t.Context(), s, w.clock, "acme", directory.Settings{DefaultPageSize: patch.Set(20), Master: patch.Set("head"), MaskSensitive: patch.Set(true)})
		must(t, err)
		found, err := directory.New(s, w.clock).Find(t.Context(), "acme")
		must(t, err)
		head, err := directory.New(s, w.clock).Find(t.Context(), "head")
		must(t, err)
		if fmt.Sprintf("%+v", found) != fmt.Sprintf("%+v", updated) {
			t.Errorf("updated %+v, stored %+v", updated, found)
		}
		if found.DefaultPageSize != 20 || found.MaxPageSize != 100 || found.MasterID != head.ID || !found.MaskSensitive || found.Zone.String() != "America/Chicago" {
			t.Errorf("updated %+v", found)
		}
		updated, err = directory.Update(t.Context(), s, w.clock, "acme", directory.Settings{TimeZone: patch.Set("UTC"), MaskSensitive: patch.Set(false)})
		must(t, err)
		if updated.Zone.String() != "UTC" || updated.MaskSensitive || updated.MasterID != head.ID || updated.DefaultPageSize != 20 {
			t.Errorf("updated again %+v", updated)
		}
		updated, err = directory.Update(t.Context(), s, w.clock, "acme", directory.Settings{Master: patch.Set("")})
		must(t, err)
		beta, err := directory.New(s, w.clock).Find(t.Context(), "beta")
		must(t, err)
		if !found.LastModified.After(w.clock.Now()) || !updated.LastModified.After(found.LastModified) || !beta.LastModified.Equal(w.clock.Now()) {
			t.Errorf("changed at %s and %s, and another tenant at %s", found.LastModified, updated.LastModified, beta.LastModified)
		}
		if updated.MasterID != 0 || beta.DefaultPageSize != 50 || beta.MasterID != 0 {
			t.Errorf("without a master %+v, and another tenant %+v", updated, beta)
		}
	})
}

// The settings together are checked, all of them, and nothing is changed.
func TestUpdateRefuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.several(t, [2]string{"head"}, [2]string{"acme", "head"}, [2]string{"beta"})
		for _, c := range []struct {
			name, identifier string
			in               directory.Settings
			want             []string
		}{
			{"blank name", "acme", directory.Settings{Name: patch.Set(" ")}, []string{"REQUIRED name"}},
			{"zone of the machine", "acme", directory.Settings{TimeZone: patch.Set("Local")}, []string{"INVALID_FORMAT timeZone"}},
			// "never more than 100" (specification, Limits).
			{"maximum of 101", "acme", directory.Settings{MaxPageSize: patch.Set(101)}, []string{"OUT_OF_RANGE maxPageSize"}},
			{"maximum below the default there is", "acme", directory.Settings{MaxPageSize: patch.Set(49)}, []string{"OUT_OF_RANGE defaultPageSize"}},
			{"its own master", "beta", directory.Settings{Master: patch.Set("beta")}, []string{"NOT_APPLICABLE master"}},
			{"a master with a master", "beta", directory.Settings{Master: patch.Set("acme")}, []string{"NOT_APPLICABLE master"}},
			{"a master for a master", "head", directory.Settings{Master: patch.Set("beta")}, []string{"NOT_APPLICABLE master"}},
			{"an unknown master", "beta", directory.Settings{Master: patch.Set("nobody")}, []string{"NOT_FOUND master"}},
			{"all together", "beta", directory.Settings{Name: patch.Set(""), TimeZone: patch.Set(""), MaxPageSize: patch.Set(0), Master: patch.Set("nobody"), MaskSensitive: patch.Set(true)},
				[]string{"REQUIRED name", "INVALID_FORMAT timeZone", "OUT_OF_RANGE maxPageSize", "NOT_FOUND master"}},
		} {
			before := rows(t, s)
			_, err := directory.Update(t.Context(), s, w.clock, c.identifier, c.in)
			if got := lines(err); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
			if after := rows(t, s); after != before {
				t.Errorf("%s changed a tenant", c.name)
			}
		}
		if _, err := directory.Update(t.Context(), s, w.clock, "nobody", directory.Settings{}); !errors.Is(err, directory.ErrUnknown) {
			t.Errorf("an unknown tenant: %v", err)
		}
		in := valid()
		in.Identifier, in.Master = "gamma", "acme"
		if _, err := w.create(t, in); !slices.Equal(lines(err), []string{"NOT_APPLICABLE master"}) {
			t.Errorf("created below a tenant with a master: %v", err)
		}
	})
}

func lines(err error) (all []string) {
	for _, p := range problem.From(err) {
		all = append(all, string(p.Code)+" "+p.Field[0])
	}
	return all
}

// Two changes at once make no master of one that has a master.
func TestUpdatesAtOnceKeepMastersOneStepUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.several(t, [2]string{"a"}, [2]string{"b"})
		for round := range 8 {
			var both sync.WaitGroup
			errs := make([]error, 2)
			for i, pair := range [][2]string{{"a", "b"}, {"b", "a"}} {
				both.Go(func() {
					_, errs[i] = directory.Update(t.Context(), s, w.clock, pair[0], directory.Settings{Master: patch.Set(pair[1])})
				})
			}
			both.Wait()
			if (errs[0] == nil) == (errs[1] == nil) || len(lines(errors.Join(errs...))) != 1 {
				t.Errorf("round %d: %v and %v", round, errs[0], errs[1])
			}
			for _, identifier := range []string{"a", "b"} {
				_, err := directory.Update(t.Context(), s, w.clock, identifier, directory.Settings{Master: patch.Set("")})
				must(t, err)
			}
		}
	})
}
