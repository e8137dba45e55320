package store_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func newTenant(t *testing.T, s *store.Store, identifier string) context.Context {
	t.Helper()
	var id int64
	err := s.InTx(context.Background(), func(ctx context.Context, tx *store.Tx) (err error) {
		id, err = tx.Insert(ctx, "tenant", []string{"identifier", "name", "time_zone", "default_page_size", "max_page_size", "created_at", "last_modified"},
			identifier, identifier, "UTC", 50, 100, now, now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tenant.With(context.Background(), &tenant.Tenant{ID: id, Identifier: identifier, Zone: time.UTC})
}

func addRole(ctx context.Context, tx *store.Tx, name string) error {
	_, err := tx.Insert(ctx, "identity_role", []string{"tenant_id", "name", "name_key", "scopes", "is_system", "created_at", "created_by", "last_modified", "last_modified_by"},
		tenant.From(ctx).ID, name, name, "", false, now, "t", now, "t")
	return err
}

func addAgent(ctx context.Context, tx *store.Tx, code string) (id int64, err error) {
	return tx.Insert(ctx, "agency_agent", []string{"tenant_id", "code", "first_name", "last_name", "first_name_key", "last_name_key", "common_name_key", "email_key",
		"is_dedicated", "start_date", "created_at", "created_by", "last_modified", "last_modified_by"},
		tenant.From(ctx).ID, code, "Ana", "Diaz", "ana", "diaz", "", "", false, now, now, "t", now, "t")
}

func count(t *testing.T, ctx context.Context, s *store.Store, table string) (n int) {
	t.Helper()
	_, err := store.One(ctx, s, []any{&n}, "SELECT count(*) FROM "+table+" WHERE tenant_id = $1", tenant.From(ctx).ID)
	must(t, err)
	return n
}

func TestTransactionKeepsAllOrNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		boom := errors.New("boom")
		err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			if err := addRole(ctx, tx, "LIFE"); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO tenant_agent_code (tenant_id, last_number) VALUES ($1, $2)", tenant.From(ctx).ID, 7); err != nil {
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			t.Fatalf("InTx: %v", err)
		}
		for _, table := range []string{"identity_role", "tenant_agent_code"} {
			if n := count(t, ctx, s, table); n != 0 {
				t.Errorf("%d rows of %s survive the rollback", n, table)
			}
		}
	})
}

// What a request that is gone meanwhile was about to commit is not kept.
func TestCancelledTransactionIsNotKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		leaving, leave := context.WithCancel(ctx)
		defer leave()
		err := s.InTx(leaving, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO tenant_agent_code (tenant_id, last_number) VALUES ($1, $2)", tenant.From(ctx).ID, 7)
			leave()
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		var n int
		if _, err := store.One(ctx, s, []any{&n}, "SELECT count(*) FROM tenant_agent_code WHERE tenant_id = $1", tenant.From(ctx).ID); err != nil || n != 0 {
			t.Errorf("%d rows are kept (%v)", n, err)
		}
	})
}

func TestTimesAndDatesComeBackEqual(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		must(t, s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := addAgent(ctx, tx, "A1")
			return err
		}))
		var start time.Time
		_, err := store.One(ctx, s, []any{&start}, "SELECT start_date FROM agency_agent WHERE tenant_id = $1", tenant.From(ctx).ID)
		if must(t, err); !start.Equal(now) {
			t.Errorf("start date %v, want %v", start, now)
		}
		for instant, want := range map[time.Time]int{now: 1, now.Add(time.Microsecond): 0, now.Add(-time.Microsecond): 1} {
			got, err := store.Collect(ctx, s, store.ScanOne[int64], "SELECT id FROM agency_agent WHERE tenant_id = $1 AND start_date >= $2", tenant.From(ctx).ID, instant)
			if err != nil || len(got) != want {
				t.Errorf("start_date >= %v finds %d rows, want %d (%v)", instant, len(got), want, err)
			}
		}
	})
}

func TestUniqueAndForeignKeyErrors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			if _, err := addAgent(ctx, tx, "A1"); err != nil {
				return err
			}
			_, err := addAgent(ctx, tx, "A1")
			return err
		})
		if !dberror.IsUniqueViolation(err, "agency_agent_tenant_id_code_key", "agency_agent.tenant_id, agency_agent.code") {
			t.Errorf("second agent with the code: %v", err)
		}
		err = s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return addPayStatus(ctx, tx, 99, "none", 1, 2)
		})
		if !dberror.IsForeignKeyViolation(err) {
			t.Errorf("period of an agent that is not there: %v", err)
		}
	})
}

// "A history is a list of non-overlapping periods" (Effective-dated history
// rules): the database itself refuses an overlap.
func TestDatabaseRefusesOverlap(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		var id int64
		must(t, s.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if id, err = addAgent(ctx, tx, "A1"); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `INSERT INTO agency_pay_status (tenant_id, name, is_active, can_be_paid, sort_order, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, 'Active', true, true, 1, $2, 't', $2, 't')`, tenant.From(ctx).ID, now)
			return err
		}))
		add := func(from int32, through int32) error {
			return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				return addPayStatus(ctx, tx, id, "Active", day(from), day(through))
			})
		}
		must(t, add(10, 20))
		must(t, add(21, 30))
		for _, p := range [][2]int32{{20, 20}, {15, 16}, {1, 10}, {1, 40}} {
			if add(p[0], p[1]) == nil {
				t.Errorf("period %v was stored over 10..20", p)
			}
		}
	})
}

func addPayStatus(ctx context.Context, tx *store.Tx, agentID int64, status string, from, through date.Date) error {
	_, err := tx.Exec(ctx, `INSERT INTO agency_pay_status_period (tenant_id, agent_id, status, effective_from, effective_through, recorded_at, recorded_by)
		VALUES ($1, $2, $3, $4, $5, $6, 't')`, tenant.From(ctx).ID, agentID, status, from, through, now)
	return err
}

func day(n int32) date.Date { return date.Date(20000 + n) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Two transactions that lock the same rows in opposite order deadlock on
// PostgreSQL; one of them is then run again, and both succeed.
func TestRefusedTransactionsRunAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		must(t, s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(addRole(ctx, tx, "X"), addRole(ctx, tx, "Y"))
		}))
		touch := func(ctx context.Context, tx *store.Tx, code string) error {
			_, err := tx.Exec(ctx, "UPDATE identity_role SET description = coalesce(description, '') || $1 WHERE tenant_id = $2 AND name = $3", "+", tenant.From(ctx).ID, code)
			return err
		}
		var both sync.WaitGroup // the first attempts hold one row each before they want the other
		if s.Postgres() {
			both.Add(2)
		}
		run := func(first, second string) error {
			attempt := 0
			return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				if err := touch(ctx, tx, first); err != nil {
					return err
				}
				if attempt++; attempt == 1 && s.Postgres() {
					both.Done()
					both.Wait()
				}
				return touch(ctx, tx, second)
			})
		}
		failed := make(chan error, 2)
		go func() { failed <- run("X", "Y") }()
		go func() { failed <- run("Y", "X") }()
		must(t, errors.Join(<-failed, <-failed))
		described, err := store.Collect(ctx, s, store.ScanOne[string], "SELECT coalesce(description, '') FROM identity_role WHERE tenant_id = $1", tenant.From(ctx).ID)
		if must(t, err); !slices.Equal(described, []string{"++", "++"}) {
			t.Errorf("after two updates of each role: %q", described)
		}
	})
}

// A job is part of the transaction: it is there after a commit only.
func TestJobsAreInTheTransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "a")
		boom := errors.New("boom")
		for _, outcome := range []error{nil, boom} {
			err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				return errors.Join(tx.Enqueue(ctx, noticeArgs{}), outcome)
			})
			if !errors.Is(err, outcome) {
				t.Fatalf("InTx: %v", err)
			}
		}
		var n int
		if _, err := store.One(ctx, s, []any{&n}, "SELECT count(*) FROM river_job WHERE kind = $1", noticeArgs{}.Kind()); err != nil || n != 1 {
			t.Errorf("%d jobs after one commit and one rollback (%v)", n, err)
		}
	})
}

type noticeArgs struct{}

func (noticeArgs) Kind() string { return "notice" }
