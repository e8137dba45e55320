package ledger_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// childImport is the file that a child process imports, as childURL is its database.
const childImport = "UPLINE_TEST_APP_CHILD_IMPORT"

// importRows is more than one chunk, and the last one is not full.
const importRows = 3*bulkimport.ChunkRows + 500

// importFile writes agents whose uplines come later in the file; some rows are bad.
func importFile(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("agentCode,firstName,lastName,status,startDate,teams.default.directUpline,teams.default.level\n")
	for i := range importRows {
		upline, status := "", "Active"
		if i+7 < importRows {
			upline = fmt.Sprintf("K%05d", i+7)
		}
		switch {
		case i%800 == 13:
			status = "No such"
		case i%900 == 11:
			upline = "NOBODY"
		}
		fmt.Fprintf(&b, "K%05d,Ana,Agent %d,%s,2026-01-01,%s,10\n", i, i, status, upline)
	}
	path := filepath.Join(t.TempDir(), "agents.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An import that is killed, at any moment, and run again, ends with the same data as
// one that was not.
func TestKilledImport(t *testing.T) {
	file := importFile(t)
	for name, newURL := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLiteURL, "postgres": dbtest.PostgresURL} {
		t.Run(name, func(t *testing.T) {
			whole, killed := newURL(t), newURL(t)
			for _, url := range []string{whole, killed} {
				prepareImport(t, url)
			}
			if lines := importChild(t, whole, file, 0); lines < 8 {
				t.Fatalf("the import has %d chunks", lines)
			}
			for _, after := range []int{1, 2, 1, 3} {
				importChild(t, killed, file, after)
			}
			importChild(t, killed, file, 0)
			want, have := imported(t, whole), imported(t, killed)
			for i := range want {
				if !slices.Equal(want[i], have[i]) {
					t.Errorf("%s: %d rows, uninterrupted %d", importedTables[i], len(have[i]), len(want[i]))
				}
			}
			if len(want[0]) < importRows-10 || len(want[1]) < importRows-30 {
				t.Errorf("%d agents, %d uplines", len(want[0]), len(want[1]))
			}
		})
	}
}

func prepareImport(t *testing.T, url string) {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	apptest.New(t, s, apptest.Options{Now: clock.System{}.Now()})
}

// importChild runs the import in a process of its own, which is killed when it has
// told of so many chunks, unless that is 0. It returns of how many it told.
func importChild(t *testing.T, url, file string, after int) (chunks int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childURL+"="+url, childImport+"="+file)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if chunks++; chunks == after {
			_ = cmd.Process.Kill()
			break
		}
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil && after == 0 {
		t.Fatalf("the import: %v", err)
	}
	return chunks
}

// runChildImport is the other process. It does not return.
func runChildImport(url, file string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
	}
	ctx := context.Background()
	s, err := store.Open(ctx, url)
	fail(err)
	v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s))
	fail(err)
	acme, err := directory.New(s, clock.System{}).Find(ctx, apptest.Acme)
	fail(err)
	rows, err := os.Open(file)
	fail(err)
	agents := agency.New(s, clock.System{}, v)
	imports := app.NewImports(s, clock.System{}, v, agents, facts.New(s, clock.System{}, v), past.New(s, clock.System{}, v, agents.Kinds()...))
	_, err = imports.Run(tenant.With(ctx, acme), bulkimport.Import{Entity: bulkimport.Agent, File: rows, Policy: bulkimport.RejectFailedRows, Initiator: "kill",
		Progress: func(p bulkimport.Progress) { fmt.Println(p.Rows) }})
	fail(err)
	s.Close()
	os.Exit(0)
}

// importedTables are what an import of agents leaves, without ids and times.
var importedTables = []string{
	"SELECT code || first_name || last_name FROM agency_agent ORDER BY code",
	`SELECT a.code || '>' || u.code || p.effective_from FROM agency_upline_period p JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id
		JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id ORDER BY a.code`,
	"SELECT a.code || p.level FROM agency_level_period p JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id ORDER BY a.code",
	"SELECT a.code || p.status FROM agency_pay_status_period p JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id ORDER BY a.code",
	"SELECT type || count(*) FROM outbox_event GROUP BY type ORDER BY type",
	"SELECT row_number || row_key || problems FROM bulk_import_rejection ORDER BY row_number",
	"SELECT pass || ' ' || accepted_count || ' ' || created_count || ' ' || updated_count || ' ' || unchanged_count || ' ' || rejected_count FROM bulk_import",
}

func imported(t *testing.T, url string) (all [][]string) {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	apptest.Sound(t, s, clock.System{})
	s = dbtest.Owner(t, s)
	for _, query := range importedTables {
		rows, err := store.Collect(tenant.System(t.Context(), "the test compares two databases"), s, store.ScanOne[string], query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		all = append(all, rows)
	}
	return all
}
