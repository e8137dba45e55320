package directory_test

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// contentTables are the tables of what an agency publishes for its recruits,
// those that refer to others first.
var contentTables = []string{"onboarding_contract_covenant", "onboarding_contract_version", "onboarding_background_question", "onboarding_app_configuration"}

// withoutContent makes a tenant as an earlier version of the service did.
func (w world) withoutContent(t *testing.T, identifier string) int64 {
	t.Helper()
	in := valid()
	in.Identifier = identifier
	created, err := w.create(t, in)
	must(t, err)
	w.forget(t, created.ID, contentTables...)
	return created.ID
}

func (w world) forget(t *testing.T, tenantID int64, names ...string) {
	t.Helper()
	must(t, w.store.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, name := range names {
			if _, err := tx.Exec(ctx, "DELETE FROM "+name+" WHERE tenant_id = $1", tenantID); err != nil {
				return err
			}
		}
		return nil
	}))
}

// content counts the rows of a tenant in each of the tables.
func (w world) content(t *testing.T, tenantID int64) string {
	t.Helper()
	counts := make([]int, len(contentTables))
	for i, name := range contentTables {
		_, err := store.One(t.Context(), w.store, []any{&counts[i]}, "SELECT count(*) FROM "+name+" WHERE tenant_id = $1", tenantID)
		must(t, err)
	}
	return fmt.Sprint(counts)
}

// Tenants that were there before get the same content as new ones, also when
// several processes migrate at once, and once.
func TestCompleteGivesOldTenantsContent(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		fresh, err := w.create(t, valid())
		must(t, err)
		want := w.content(t, fresh.ID)
		if want != "[5 1 9 1]" {
			t.Errorf("a new tenant has %s", want)
		}
		old := []int64{w.withoutContent(t, "old"), w.withoutContent(t, "older")}
		var group errgroup.Group
		for range 4 {
			group.Go(func() error { return directory.Complete(t.Context(), s, w.clock) })
		}
		must(t, group.Wait())
		must(t, directory.Complete(t.Context(), s, w.clock))
		for _, id := range append(old, fresh.ID) {
			if got := w.content(t, id); got != want {
				t.Errorf("tenant %d has %s, want %s", id, got, want)
			}
		}
	})
}

// Whoever published anything decides what else there is.
func TestCompleteLeavesWhatIsPublished(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for i, forgotten := range [][]string{contentTables[:3], {contentTables[3], contentTables[0], contentTables[1]}, contentTables[2:]} {
			in := valid()
			in.Identifier = fmt.Sprint("tenant-", i)
			created, err := w.create(t, in)
			must(t, err)
			w.forget(t, created.ID, forgotten...)
			before := w.content(t, created.ID)
			must(t, directory.Complete(t.Context(), s, w.clock))
			if after := w.content(t, created.ID); after != before {
				t.Errorf("without %v: %s became %s", forgotten, before, after)
			}
		}
	})
}

// A new agent begins with what the tenant has: reference data that it took out
// is no default.
func TestCompleteKnowsTheReferenceData(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		id := w.withoutContent(t, "old")
		w.forget(t, id, "agency_pay_status", "agency_agent_level")
		must(t, directory.Complete(t.Context(), s, w.clock))
		var status *string
		var level *int
		_, err := store.One(t.Context(), s, []any{&status, &level}, "SELECT default_pay_status, default_agent_level FROM onboarding_app_configuration WHERE tenant_id = $1", id)
		must(t, err)
		if status != nil || level != nil {
			t.Errorf("defaults %v, %v", status, level)
		}
	})
}

func TestStarterOnboarding(t *testing.T) {
	o := directory.StarterOnboarding()
	different(t, "questions", o.Questions, func(q directory.Question) any { return q.Text }, 9)
	different(t, "covenants", o.Covenants, func(c directory.Covenant) any { return c.Title }, 5)
	o.Questions[0].Text = "changed"
	if directory.StarterOnboarding().Questions[0].Text == "changed" {
		t.Error("the starter content is shared")
	}
}
