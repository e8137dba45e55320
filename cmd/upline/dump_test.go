package main

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// What pg_dump wrote, pg_restore brings back into an empty database, as
// docs/operations.md says: the same rows, sound, with values that the key decrypts.
func TestDumpAndRestore(t *testing.T) {
	t.Parallel() // it waits
	from, to := dbtest.OwnerURL(dbtest.PostgresURL(t)), dbtest.OwnerURL(dbtest.PostgresURL(t))
	open := func(url string) *store.Store {
		s, err := store.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	s := open(from)
	w := apptest.New(t, s, apptest.Options{})
	w.LoadDemo(t, apptest.Acme, 40)
	// One entry of the audit trail has its place, one waits for it.
	for _, name := range []string{"Diaz", "Ek"} {
		if err := w.Audit.LinkAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if status, _, body := w.As(apptest.Acme).REST(t, http.MethodPatch, "/agents/A1000", map[string]any{"lastName": name, "initiator": "test"}); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	w.RebuildNow(t, apptest.Umbra)
	empty := open(to)
	inTx(t, empty, "DROP SCHEMA public CASCADE")
	inTx(t, empty, "CREATE SCHEMA public")
	empty.Close()
	dump := filepath.Join(t.TempDir(), "upline.dump")
	for _, c := range [][]string{{"pg_dump", "--format=custom", "--file", dump, from}, {"pg_restore", "--exit-on-error", "--dbname", to, dump}} {
		if out, err := exec.Command(dbtest.Program(t, c[0]), c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", c[0], err, out)
		}
	}
	restored := open(to)
	if pending, err := restored.PendingMigrations(t.Context()); err != nil || pending {
		t.Errorf("migrations are pending: %v %v", pending, err)
	}
	for _, table := range []string{"agency_agent", "agency_certification_period", "agency_w9_period", "hierarchy_closure", "audit_entry", "audit_unlinked", "outbox_event", "agency_agent_count"} {
		if had, has := rowsOf(t, s, table), rowsOf(t, restored, table); had != has || strings.HasPrefix(had, "0 ") {
			t.Errorf("%s: %s rows were dumped, %s came back", table, had, has)
		}
	}
	apptest.Sound(t, restored, w.Clock)
}

// rowsOf is how many rows a table has, and a digest of them.
func rowsOf(t *testing.T, s *store.Store, table string) string {
	t.Helper()
	rows, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, '' ORDER BY x::text)), '') FROM "+table+" x")
	if err != nil {
		t.Fatal(err)
	}
	return rows[0]
}
