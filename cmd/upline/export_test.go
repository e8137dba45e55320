package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
)

// "upline export" writes a file that is there once it is complete, leaves an audit
// entry, and refuses what a request would be refused.
func TestExportCommand(t *testing.T) {
	d, s := twoTenants(t)
	folder := t.TempDir()
	query := filepath.Join(folder, "q.graphql")
	if err := os.WriteFile(query, []byte(`query($codes: [String!]) { types: certificationPeriods { nodes { id } } agents(filter: {agentCodes: $codes}) { nodes { agentCode displayName } } }`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exportCommand{ofTenant: ofTenant{database: d, Tenant: "acme"}, initiated: initiated{"pat"}, exportFlags: exportFlags{10, 1, 60e9},
		Query: query, Path: "agents", Format: "csv", Variables: `{"codes": ["A1"]}`, Output: filepath.Join(folder, "agents.csv")}
	run := func(ctx context.Context) error { return c.Run(ctx, slog.New(slog.DiscardHandler)) }
	out, err := printed(t, run)
	if err != nil || !strings.Contains(out, "exported 0 rows") {
		t.Fatalf("printed %q, %v", out, err)
	}
	got, err := os.ReadFile(c.Output)
	if want := "\ufeffagentCode,displayName\r\n"; err != nil || string(got) != want {
		t.Errorf("the file is %q, %v; want %q", got, err, want)
	}
	linkTrails(t, d, s)
	entries, err := store.Collect(t.Context(), s, store.ScanOne[string], `SELECT operation || ' ' || surface || ' ' || initiator || ' ' || entity_type || ' ' || entity_keys FROM audit_entry`)
	if want := `export COMMAND_LINE pat Export ["agents"]`; err != nil || len(entries) != 1 || entries[0] != want {
		t.Errorf("the entries are %q, %v; want %q", entries, err, want)
	}

	c.Path, c.Output = "agent", filepath.Join(folder, "other.csv")
	if _, err := printed(t, run); err == nil || !strings.Contains(explain(err), "must lead to a connection") {
		t.Errorf("another path: %v", err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v; want the query and the file", left, err)
	}
}
