package events_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// An event exists exactly when the change it tells of does.
func TestEventIsStoredWithItsChange(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		var id int64
		err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := store.One(ctx, tx, []any{&id}, `INSERT INTO tenant (identifier, name, time_zone, default_page_size, max_page_size, created_at)
				VALUES ('acme', 'Acme', 'UTC', 50, 100, $1) RETURNING id`, now)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := tenant.With(t.Context(), &tenant.Tenant{ID: id})
		write := func(ctx context.Context, fail error) error {
			return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				return errors.Join(events.Write(ctx, tx, now, events.Event{Type: events.HierarchyBuildCompleted, Data: map[string]int{"version": 7}}), fail)
			})
		}
		boom := errors.New("boom")
		if err := write(ctx, boom); !errors.Is(err, boom) {
			t.Errorf("a change that fails: %v", err)
		}
		if err := write(t.Context(), nil); !errors.Is(err, tenant.ErrNone) {
			t.Errorf("without a tenant: %v", err)
		}
		if err := write(ctx, nil); err != nil {
			t.Fatal(err)
		}
		type row struct {
			kind, data string
			at         time.Time
		}
		rows, err := store.Collect(ctx, s, func(r store.Scanner) (e row, err error) {
			err = r.Scan(&e.kind, &e.data, &e.at)
			return e, err
		}, "SELECT type, data, occurred_at FROM outbox_event WHERE tenant_id = $1", id)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d events, want 1 (%v)", len(rows), err)
		}
		e := rows[0]
		if e.kind != "Platform.AgencyManagement.Events.HierarchyBuildCompleted" || !e.at.Equal(now) || (e.data != `{"version":7}` && e.data != `{"version": 7}`) {
			t.Errorf("event %+v", e)
		}
	})
}
