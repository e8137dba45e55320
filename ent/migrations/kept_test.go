package migrations_test

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/uplinehq/upline/internal/store/dbtest"
)

// Applications that were there before they outlived their agents stay as they are, with
// the steps that they took; no id is given twice.
func TestApplicationsOfExistingRows(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		file := (&url.URL{Path: filepath.Join(t.TempDir(), "upline.db")}).EscapedPath()
		keepApplications(t, "sqlite", "file:"+file+"?_pragma=foreign_keys(1)", goose.DialectSQLite3)
	})
	t.Run("postgres", func(t *testing.T) { keepApplications(t, "pgx", dbtest.PostgresURL(t), goose.DialectPostgres) })
}

func keepApplications(t *testing.T, driver, dsn string, dialect goose.Dialect) {
	db, p := migrated(t, driver, dsn, dialect)
	exec := executing(t, db)
	if _, err := p.DownTo(t.Context(), 47); err != nil {
		t.Fatal(err)
	}
	const application = `INSERT INTO onboarding_application (tenant_id, uid, status, recruiter_agent_code, first_name, last_name, email_address, first_name_key, last_name_key, email_key, document,
		created_at, created_by, last_modified, last_modified_by) VALUES (1, $1, 'ACTIVE', 'A1', 'Rosa', 'Ibarra', 'r@x', 'rosa', 'ibarra', 'r@x', $2, '2026-01-01 00:00:00+00:00', 'x', '2026-01-01 00:00:00+00:00', 'x')`
	exec("INSERT INTO tenant (id, identifier, name, time_zone, default_page_size, max_page_size, created_at) VALUES (1, 'acme', 'Acme', 'UTC', 50, 100, '2026-01-01 00:00:00+00:00')")
	for _, uid := range []string{"0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70", "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e71", "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e72"} {
		exec(application, uid, []byte("sealed "+uid))
	}
	exec(`INSERT INTO onboarding_application_status_change (tenant_id, application_id, to_status, changed_at, changed_by) SELECT tenant_id, id, 'ACTIVE', created_at, 'x' FROM onboarding_application`)
	exec(`DELETE FROM onboarding_application WHERE uid = '0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e72'`)
	for _, to := range []int64{48, 47, 48} { // there, back, and there again
		if _, err := p.UpTo(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		if _, err := p.DownTo(t.Context(), to); err != nil {
			t.Fatal(err)
		}
	}
	exec(application, "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e73", []byte("sealed"))
	for query, want := range map[string]int{
		"SELECT count(*) FROM onboarding_application": 3,
		"SELECT count(*) FROM onboarding_application_status_change c JOIN onboarding_application a ON a.id = c.application_id": 2,
		"SELECT max(id) FROM onboarding_application": 4,
	} {
		var got int
		if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d %v; want %d", query, got, err, want)
		}
	}
	exec("UPDATE onboarding_application SET status = 'PROCESSED'") // without an agent
}
