package doors_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// An import reads in proportion to its rows, whatever PostgreSQL knew of the tables:
// in one transaction it learns nothing of them by itself, and a plan that was made
// while they were empty stays (decision 11).
func TestImportReadsInProportion(t *testing.T) {
	for _, policy := range []bulkimport.Policy{bulkimport.RejectEverything, bulkimport.RejectFailedRows} {
		few, many := pagesOfARow(t, policy, 500), pagesOfARow(t, policy, 3000)
		if t.Logf("%s: a row reads %.0f pages of 500, %.0f of 3,000", policy, few, many); many > 1.5*few {
			t.Errorf("%s: a row of a file six times as long reads %.1f times as many pages", policy, many/few)
		}
	}
}

// pagesOfARow imports agents into an empty database and returns how many pages of
// tables and indexes that read, for each row.
func pagesOfARow(t *testing.T, policy bulkimport.Policy, rows int) float64 {
	t.Helper()
	url := dbtest.PostgresURL(t)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	w := apptest.New(t, s, apptest.Options{})
	done, err := w.Imports.Run(w.Context(t, apptest.Acme), bulkimport.Import{Entity: bulkimport.Agent, File: strings.NewReader(newAgents(rows)), Policy: policy, Initiator: "test"})
	if err != nil || done.Created != rows || done.Rejected != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	s.Close() // connections tell what they read when they end, which takes a moment
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	others := 1
	for ; others > 0; time.Sleep(10 * time.Millisecond) {
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()").Scan(&others); err != nil {
			t.Fatal(err)
		}
	}
	var pages float64
	if err := conn.QueryRow(t.Context(), `SELECT sum(coalesce(heap_blks_hit + heap_blks_read, 0) + coalesce(idx_blks_hit + idx_blks_read, 0))::float FROM pg_statio_user_tables`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	return pages / float64(rows)
}

// newAgents is a file of agents in any order, each below one that may come later.
func newAgents(rows int) string {
	lines := make([]string, rows)
	for i := range lines {
		upline := ""
		if i > 0 {
			upline = fmt.Sprintf("N%06d", (i-1)/8)
		}
		lines[i] = fmt.Sprintf("N%06d,Ada,Lovelace,Active,2020-01-01,%s,10,Boise\n", i, upline)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(rows, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return "agentCode,firstName,lastName,status,startDate,teams.default.directUpline,teams.default.level,homeAddress.city\n" + strings.Join(lines, "")
}
