package directory_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestDirectoryFinds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		d := directory.New(s, w.clock)
		if _, err := d.Find(t.Context(), "acme"); !errors.Is(err, directory.ErrUnknown) {
			t.Errorf("find before create: %v", err)
		}
		created, err := w.create(t, valid())
		must(t, err)
		found, err := d.Find(t.Context(), "acme")
		must(t, err)
		same, err := d.ByID(t.Context(), created.ID)
		must(t, err)
		if *found != *same || found.ID != created.ID || found.Zone.String() != "America/Chicago" || found.MaxPageSize != 100 {
			t.Errorf("found %+v and %+v; want %+v", found, same, created)
		}
		if _, err := d.ByID(t.Context(), created.ID+1); !errors.Is(err, directory.ErrUnknown) {
			t.Errorf("an id that no tenant has: %v", err)
		}
	})
}

// A change shows after ten seconds; until then no query is made.
func TestDirectoryRemembersForAWhile(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	created, err := w.create(t, valid())
	must(t, err)
	d := directory.New(w.store, w.clock)
	ctx, statements := store.CountStatements(t.Context())
	size := func() int {
		found, err := d.Find(ctx, "acme")
		must(t, err)
		byID, err := d.ByID(ctx, created.ID)
		must(t, err)
		if byID.DefaultPageSize != found.DefaultPageSize {
			t.Errorf("by id %d, by identifier %d", byID.DefaultPageSize, found.DefaultPageSize)
		}
		return found.DefaultPageSize
	}
	size()
	must(t, w.store.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE tenant SET default_page_size = 20")
		return err
	}))
	w.clock.Move(10*time.Second - time.Microsecond)
	if n := size(); n != 50 || statements.Load() != 1 {
		t.Errorf("within ten seconds: page size %d after %d statements", n, statements.Load())
	}
	w.clock.Move(time.Microsecond)
	if n := size(); n != 20 || statements.Load() != 2 {
		t.Errorf("after ten seconds: page size %d after %d statements", n, statements.Load())
	}
}

func TestListIsInOrder(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	for _, identifier := range []string{"beta", "acme"} {
		in := valid()
		in.Identifier = identifier
		_, err := w.create(t, in)
		must(t, err)
	}
	all, err := directory.New(w.store, w.clock).List(t.Context())
	must(t, err)
	if len(all) != 2 || all[0].Identifier != "acme" || all[1].Identifier != "beta" {
		t.Errorf("%d tenants: %+v", len(all), all)
	}
}
