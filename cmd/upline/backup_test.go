package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/doctor"
	"github.com/uplinehq/upline/internal/platform/store"
)

// A backup that is made beside a writer holds what was committed at one moment; it is
// for its owner only and is checked; restored, it has the same rows, and opens with
// the key, which is kept apart.
func TestBackupAndRestore(t *testing.T) {
	folder := t.TempDir()
	if err := loadDemo(t.Context(), folder, ""); err != nil {
		t.Fatal(err)
	}
	source, kept, restored := filepath.Join(folder, "upline.db"), filepath.Join(folder, "kept"), filepath.Join(folder, "again.db")
	s, err := store.Open(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	inTx(t, s, "CREATE TABLE pairs (half text)")
	ctx, stop := context.WithCancel(t.Context())
	wrote := make(chan error, 1)
	go func() { wrote <- writePairs(ctx, s) }()
	code, out, errs := lineOf(t, "backup", "--database", source, kept)
	stop()
	if err := <-wrote; err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	if code != 0 || !strings.Contains(out, "It does not hold the key") {
		t.Fatalf("backup: %d, %q, %q", code, out, errs)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has the mode %v, %v", info.Mode(), err)
	}
	if code, out, errs = lineOf(t, "restore", "--database", restored, kept); code != 0 || !strings.Contains(out, "Put its key into "+restored+".key") {
		t.Fatalf("restore: %d, %q, %q", code, out, errs)
	}
	key, err := os.ReadFile(filepath.Join(folder, "upline.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(restored+".key", key, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs = lineOf(t, "doctor", "--database", restored, "--json"); code != 0 || strings.TrimSpace(out) != "[]" {
		t.Errorf("doctor: %d, %q, %q", code, out, errs)
	}
	again, err := store.Open(t.Context(), restored)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	want, got := contents(t, s), contents(t, again)
	if len(want) < 40 {
		t.Errorf("only %d tables were compared", len(want))
	}
	for table, rows := range want {
		if table != "pairs" && got[table] != rows {
			t.Errorf("%s is not what it was", table)
		}
	}
	var unpaired int
	if _, err := store.One(t.Context(), again, []any{&unpaired}, "SELECT count(*) % 2 FROM pairs"); err != nil || unpaired != 0 {
		t.Errorf("the backup holds a part of a transaction: %d, %v", unpaired, err)
	}
}

func inTx(t *testing.T, s *store.Store, statement string) {
	t.Helper()
	if err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, statement)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// writePairs commits two rows at a time.
func writePairs(ctx context.Context, s *store.Store) error {
	for i := 0; ctx.Err() == nil; i++ {
		if err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			for half := range 2 {
				if _, err := tx.Exec(ctx, "INSERT INTO pairs (half) VALUES ($1)", fmt.Sprintf("%d %d", i, half)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// contents are all rows of all tables, by table.
func contents(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	tables, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		columns, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT 'quote(' || name || ')' FROM pragma_table_info($1)", table)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT "+strings.Join(columns, " || ',' || ")+" FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(rows)
		all[table] = strings.Join(rows, "\n")
	}
	return all
}

// Nothing is overwritten, and what is no whole database of ours is not restored.
func TestBackupRefuses(t *testing.T) {
	d, _ := twoTenants(t)
	folder := filepath.Dir(d.Database)
	spoilt := filepath.Join(folder, "spoilt")
	if err := os.WriteFile(spoilt, []byte("no database at all, but a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"over another file":  {[]string{"backup", "--database", d.Database, spoilt}, "is there already"},
		"over a database":    {[]string{"restore", "--database", d.Database, spoilt}, "is there already"},
		"of a text":          {[]string{"restore", "--database", filepath.Join(folder, "new.db"), spoilt}, "spoilt"},
		"of nothing":         {[]string{"restore", "--database", filepath.Join(folder, "new.db"), filepath.Join(folder, "none")}, "no such file"},
		"onto PostgreSQL":    {[]string{"restore", "--database", "postgres://127.0.0.1:1/upline", spoilt}, "pg_dump"},
		"a database of none": {[]string{"backup", "--database", filepath.Join(folder, "none.db"), filepath.Join(folder, "copy")}, "there is no database"},
	} {
		if code, _, errs := lineOf(t, c.args...); code != 1 || !strings.Contains(errs, c.says) {
			t.Errorf("%s: %d, %q; want %q", name, code, errs, c.says)
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	hidden, _ := filepath.Glob(filepath.Join(folder, ".upline-*"))
	if err != nil || len(hidden) > 0 || slices.Contains(left, filepath.Join(folder, "new.db")) {
		t.Errorf("files are left: %v %v, %v", left, hidden, err)
	}
}

// "doctor" says what is wrong by its exit code, as text and as JSON, and repairs it.
func TestDoctorCommand(t *testing.T) {
	d, s := twoTenants(t)
	if code, out, errs := lineOf(t, "doctor", "--database", d.Database); code != 0 || strings.TrimSpace(out) != nothingWrong {
		t.Errorf("nothing is wrong: %d, %q, %q", code, out, errs)
	}
	inTx(t, s, "DROP INDEX agency_agent_npn")
	code, out, errs := lineOf(t, "doctor", "--database", d.Database)
	if code != 1 || !strings.Contains(out, "agency_agent_npn: the index is missing [--repair mends it]") || !strings.Contains(errs, "wrong in the database: 1") {
		t.Errorf("an index is missing: %d, %q, %q", code, out, errs)
	}
	code, out, _ = lineOf(t, "doctor", "--database", d.Database, "--json", "--repair")
	var findings []doctor.Finding
	if err := json.Unmarshal([]byte(out), &findings); err != nil || code != 0 || len(findings) != 1 || !findings[0].Repaired {
		t.Errorf("repaired: %d, %q, %v", code, out, err)
	}
	if code, out, _ := lineOf(t, "doctor", "--database", d.Database); code != 0 || strings.TrimSpace(out) != nothingWrong {
		t.Errorf("after the repair: %d, %q", code, out)
	}
}
