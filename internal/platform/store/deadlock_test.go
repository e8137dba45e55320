package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// A migration locks one table after the other, and so do queries that go on meanwhile.
// PostgreSQL may end a deadlock of the two by an error of the query, which is sent again.
func TestQueriesRunAgainAfterADeadlock(t *testing.T) {
	t.Parallel() // it waits
	s := dbtest.PostgresOwner(t)
	ctx := newTenant(t, s, "a")
	const query = "SELECT count(*) FROM agency_certification_type c JOIN agency_agent a ON a.tenant_id = c.tenant_id"
	queries := []func(ctx context.Context) error{
		func(ctx context.Context) error {
			_, err := store.Collect(ctx, s, store.ScanOne[int64], query)
			return err
		},
		func(ctx context.Context) error { // several at once
			one := store.Statement{SQL: new(store.SQL).Write(query), Kinds: []rowset.Kind{rowset.Int}}
			found, err := s.Read(ctx, []store.Statement{one, one})
			for _, cells := range found {
				cells.Release()
			}
			return err
		},
	}
	for i, query := range queries {
		failed := make(chan error, 1)
		waiting, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		must(t, s.InTx(waiting, func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.Exec(ctx, "LOCK TABLE agency_agent"); err != nil {
				return err
			}
			go func() { failed <- query(waiting) }()
			for n := 0; n == 0; time.Sleep(5 * time.Millisecond) {
				if _, err := store.One(ctx, tx, []any{&n}, "SELECT count(*) FROM pg_locks WHERE relation = 'agency_agent'::regclass AND NOT granted"); err != nil {
					return err
				}
			}
			// The query has the lock of the other table, and looks for a deadlock before this does.
			_, err := tx.Exec(ctx, "LOCK TABLE agency_certification_type")
			return err
		}))
		if err := <-failed; err != nil {
			t.Errorf("query %d: %v", i, err)
		}
	}
}
