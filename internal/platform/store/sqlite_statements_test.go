package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Statements are kept prepared. One whose rows are read is not used for a second
// reading, nor closed when others push it out.
func TestStatementInUseIsLeftAlone(t *testing.T) {
	s := dbtest.SQLite(t)
	ctx := newTenant(t, s, "a")
	const numbers = "SELECT value FROM json_each($1) ORDER BY value"
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for range 3 { // the second time it was pushed out
			var inner []int64
			outer, err := store.Collect(ctx, tx, func(row store.Scanner) (n int64, err error) {
				if err := row.Scan(&n); err != nil {
					return 0, err
				}
				again, err := store.Collect(ctx, tx, store.ScanOne[int64], numbers, tx.List([]int64{n * 10}))
				inner = append(inner, again...)
				for i := range 300 {
					var one int
					if _, err := store.One(ctx, tx, []any{&one}, fmt.Sprintf("SELECT %d", i)); err != nil || one != i {
						return 0, fmt.Errorf("SELECT %d gave %d: %w", i, one, err)
					}
				}
				return n, err
			}, numbers, tx.List([]int64{1, 2, 3}))
			if err != nil {
				return err
			}
			if fmt.Sprint(outer, inner) != "[1 2 3] [10 20 30]" {
				t.Errorf("read %v and, meanwhile, %v", outer, inner)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A kept statement sees what the schema has become, and one that failed, or whose
// caller left, can be used again.
func TestKeptStatementIsUsedAgain(t *testing.T) {
	s := dbtest.SQLite(t)
	ctx := newTenant(t, s, "a")
	exec := func(ctx context.Context, query string, args ...any) error {
		return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, query, args...)
			return err
		})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(exec(ctx, "CREATE TABLE kept (n integer PRIMARY KEY)"))
	must(exec(ctx, "INSERT INTO kept (n) VALUES ($1)", 1))
	if err := exec(ctx, "INSERT INTO kept (n) VALUES ($1)", 1); err == nil {
		t.Error("the same key twice")
	}
	must(exec(ctx, "INSERT INTO kept (n) VALUES ($1)", 2))
	read := func(ctx context.Context) (rows []int64, err error) {
		return store.Collect(ctx, s, store.ScanOne[int64], "SELECT n FROM kept ORDER BY 1")
	}
	left, leave := context.WithCancel(ctx)
	leave()
	if _, err := read(left); err == nil {
		t.Error("a query of nobody was answered")
	}
	if rows, err := read(ctx); err != nil || fmt.Sprint(rows) != "[1 2]" {
		t.Errorf("read %v (%v)", rows, err)
	}
	must(exec(ctx, "DROP TABLE kept"))
	must(exec(ctx, "CREATE TABLE kept (m text, n integer)"))
	must(exec(ctx, "INSERT INTO kept (n) VALUES ($1)", 3))
	if rows, err := read(ctx); err != nil || fmt.Sprint(rows) != "[3]" {
		t.Errorf("after the table was made anew: %v (%v)", rows, err)
	}
	const forever = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n WHERE i < $1"
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := store.Collect(short, s, store.ScanOne[int64], forever, 0); err == nil {
		t.Error("a query without an end ended")
	}
	if rows, err := read(ctx); err != nil || fmt.Sprint(rows) != "[3]" {
		t.Errorf("after a query was cut off: %v (%v)", rows, err)
	}
}
