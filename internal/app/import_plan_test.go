package app_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/bulkimport"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

// An import reads in proportion to its rows, whatever PostgreSQL knows of the tables:
// in one transaction it learns nothing of them until the end, and a plan that was made
// while they were empty stays (decision 23).
func TestImportReadsInProportion(t *testing.T) {
	const rows = 6000
	w := apptest.New(t, dbtest.Postgres(t), apptest.Options{})
	ctx := w.Context(t, apptest.Acme)
	lines := make([]string, rows)
	for i := range lines {
		upline := ""
		if i > 0 {
			upline = fmt.Sprintf("N%06d", (i-1)/8)
		}
		lines[i] = fmt.Sprintf("N%06d,Ada,Lovelace,Active,2020-01-01,%s,10,Boise\n", i, upline)
	}
	shuffle := func() {
		rand.New(rand.NewPCG(1, 1)).Shuffle(rows, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	shuffle()
	bring := func(entity, header string) {
		t.Helper()
		done, err := w.Imports.Run(ctx, bulkimport.Import{Entity: entity, File: strings.NewReader(header + strings.Join(lines, "")), Policy: bulkimport.RejectEverything, Initiator: "test"})
		if err != nil || done.Accepted != rows {
			t.Fatalf("%s: %+v, %v", entity, done, err)
		}
	}
	bring("AGENT", "agentCode,firstName,lastName,status,startDate,teams.default.directUpline,teams.default.level,homeAddress.city\n")
	reads(t, w.Store)
}

func reads(t *testing.T, s *store.Store) {
	type read struct {
		name        string
		scans, rows int64
	}
	all, err := store.Collect(t.Context(), s, func(r store.Scanner) (one read, err error) {
		err = r.Scan(&one.name, &one.scans, &one.rows)
		return one, err
	}, `SELECT indexrelname, idx_scan, idx_tup_read FROM pg_stat_user_indexes WHERE idx_tup_read > 0 UNION ALL
		SELECT relname, seq_scan, seq_tup_read FROM pg_stat_user_tables WHERE seq_tup_read > 0 ORDER BY 3 DESC LIMIT 25`)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		t.Logf("%-50s %8d scans %10d rows", r.name, r.scans, r.rows)
	}
}
