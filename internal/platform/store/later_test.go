package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

const addNumber = "INSERT INTO tenant_agent_code (tenant_id, last_number) VALUES ($1, $2)"

func numberOf(t *testing.T, s *store.Store, ctx context.Context) (n int) {
	t.Helper()
	if _, err := store.One(ctx, s, []any{&n}, "SELECT coalesce(sum(last_number), 0) FROM tenant_agent_code WHERE tenant_id = $1", tenant.From(ctx).ID); err != nil {
		t.Fatal(err)
	}
	return n
}

// What is put off is there for whatever comes next, in order, whether that is a
// statement whose result is needed, or the commit; with PostgreSQL it costs no round trip
// of its own.
func TestLaterIsInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		id := tenant.From(ctx).ID
		counted, trips := store.CountTrips(ctx)
		var first, second int
		err := s.InTx(counted, func(ctx context.Context, tx *store.Tx) error {
			none, err1 := tx.Ask(ctx, []any{&first}, "SELECT last_number FROM tenant_agent_code WHERE tenant_id = $1", id)
			err2 := tx.Later(ctx, addNumber, id, 7)
			found, err3 := tx.Ask(ctx, []any{&first}, "SELECT last_number FROM tenant_agent_code WHERE tenant_id = $1", id)
			if err := errors.Join(err1, err2, err3, tx.Flush(ctx), tx.Flush(ctx)); err != nil || *none || !*found || first != 7 {
				t.Errorf("%v; found %t, then %t: %d", err, *none, *found, first)
			}
			if err := tx.Later(ctx, "UPDATE tenant_agent_code SET last_number = 8 WHERE tenant_id = $1", id); err != nil {
				return err
			}
			if _, err := store.One(ctx, tx, []any{&second}, "SELECT last_number FROM tenant_agent_code WHERE tenant_id = $1", id); err != nil || second != 8 {
				t.Errorf("%v; %d", err, second)
			}
			if err := tx.Later(ctx, "UPDATE tenant_agent_code SET last_number = 9 WHERE tenant_id = $1", id); err != nil {
				return err
			}
			return addRole(ctx, tx, "LIFE")
		})
		if n := numberOf(t, s, ctx); err != nil || n != 9 {
			t.Errorf("%v; %d is stored", err, n)
		}
		want := int64(0)
		if s.Postgres() {
			want = 4 // with BEGIN; before the read; before the insertion; COMMIT
		}
		if n := trips.Load(); n != want {
			t.Errorf("%d round trips; want %d", n, want)
		}
	})
}

// A statement that was put off and is refused takes the transaction along: at the next
// statement, or at the commit.
func TestLaterIsRefused(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		id := tenant.From(ctx).ID
		for _, atCommit := range []bool{true, false} {
			err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				if err := tx.Later(ctx, addNumber, id, 1); err != nil {
					return err
				}
				if err := tx.Later(ctx, addNumber, int64(999999), 1); err != nil || atCommit {
					return err
				}
				var n int
				_, err := store.One(ctx, tx, []any{&n}, "SELECT count(*) FROM tenant_agent_code WHERE tenant_id = $1", id)
				return err
			})
			if n := numberOf(t, s, ctx); !dberror.IsForeignKeyViolation(err) || n != 0 {
				t.Errorf("at the commit %t: %v; %d is stored", atCommit, err, n)
			}
		}
		// Nothing was sent, and nothing has to be taken back.
		counted, trips := store.CountTrips(ctx)
		undo := errors.New("undo")
		for _, outcome := range []error{nil, undo} {
			if err := s.InTx(counted, func(context.Context, *store.Tx) error { return outcome }); !errors.Is(err, outcome) || trips.Load() != 0 {
				t.Errorf("a transaction of nothing: %v, %d round trips", err, trips.Load())
			}
		}
	})
}

// What is asked for with a lock is read when the lock was got: it sees what the one who
// had it wrote.
func TestAskSeesWhatTheLockWaitedFor(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		id := tenant.From(ctx).ID
		if err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error { return tx.Later(ctx, addNumber, id, 1) }); err != nil {
			t.Fatal(err)
		}
		has, done := make(chan bool), make(chan error)
		go func() {
			done <- s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, "UPDATE tenant_agent_code SET last_number = 2 WHERE tenant_id = $1", id)
				close(has)
				time.Sleep(100 * time.Millisecond)
				return errors.Join(err, addRole(ctx, tx, "LIFE"))
			})
		}()
		<-has
		roles := 0
		err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			locked, err1 := tx.Ask(ctx, []any{new(int)}, "SELECT last_number FROM tenant_agent_code WHERE tenant_id = $1"+tx.ForUpdate(), id)
			_, err2 := tx.Ask(ctx, []any{&roles}, "SELECT count(*) FROM identity_role WHERE tenant_id = $1", id)
			err := errors.Join(err1, err2, tx.Flush(ctx))
			if err == nil && !*locked {
				err = errors.New("nothing was locked")
			}
			return err
		})
		if err := errors.Join(err, <-done); err != nil || roles != 1 {
			t.Errorf("%v; sees %d roles of the one that had the lock", err, roles)
		}
	})
}
