package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A statement ends with its context, on both databases.
func TestStatementsEndWithTheirContext(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		endless := `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		var n int64
		if _, err := store.One(ctx, s, []any{&n}, endless); err == nil || !dberror.IsTimeout(err) && ctx.Err() == nil {
			t.Errorf("err = %v", err)
		}
		if _, err := store.One(t.Context(), s, []any{&n}, `SELECT 1`); err != nil || n != 1 {
			t.Errorf("afterwards: %d, %v", n, err)
		}
	})
}

// PostgreSQL ends a statement by itself, for a process that no longer can.
func TestStatementTimeout(t *testing.T) {
	url := dbtest.PostgresURL(t)
	for given, want := range map[string]string{url: "200ms", with(url, "statement_timeout=300"): "300ms"} {
		s, err := store.OpenWith(t.Context(), given, store.Options{StatementTimeout: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var set string
		if _, err := store.One(t.Context(), s, []any{&set}, `SELECT current_setting('statement_timeout')`); err != nil || set != want {
			t.Errorf("statement_timeout = %s, %v, want %s", set, err, want)
		}
		var slept string
		if _, err := store.One(t.Context(), s, []any{&slept}, `SELECT pg_sleep(600)::text`); !dberror.IsTimeout(err) {
			t.Errorf("err = %v", err)
		}
		// A migration may take longer.
		if pending, err := s.PendingMigrations(t.Context()); err != nil {
			t.Errorf("pending: %v, %v", pending, err)
		}
	}
}

// with adds a parameter to a URL.
func with(url, parameter string) string {
	for _, c := range url {
		if c == '?' {
			return url + "&" + parameter
		}
	}
	return url + "?" + parameter
}
