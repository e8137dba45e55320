package bulkimport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// record writes an audit entry, as every write of the tenant does.
func (w *world) record(ctx context.Context, tx *store.Tx) error {
	return w.trail.Write(ctx, tx, time.Unix(0, 0), audit.Entry{EntityType: "Agent", EntityKeys: []string{"A1"}, Initiator: "hr"})
}

// Between the chunks of one transaction others write: the import does not hold the
// end of the audit chain until it ends. Its entries are there afterwards, and of what
// was not kept there are none.
func TestOthersWriteMeanwhile(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		others := 0
		write := func(ctx context.Context, tx *store.Tx) error {
			if tx.Postgres() {
				if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '2s'"); err != nil {
					return err
				}
			}
			return w.record(ctx, tx)
		}
		for _, test := range []struct {
			file    string
			dryRun  bool
			entries int
		}{{file(2500), false, 0}, {goodFile(2500), true, 0}, {goodFile(2500), false, 3}} {
			if !w.store.Postgres() && !test.dryRun {
				continue // SQLite has one writer at a time
			}
			before := len(w.texts(t, "SELECT entity_type FROM audit_entry"))
			others = 0
			_, err := w.Run(w.ctx, bulkimport.Import{Entity: "TAG", File: strings.NewReader(test.file), Policy: bulkimport.RejectEverything, Initiator: "test", DryRun: test.dryRun,
				Progress: func(bulkimport.Progress) {
					others++
					soon, cancel := context.WithTimeout(w.ctx, 30*time.Second)
					defer cancel()
					if err := w.store.InTx(soon, write); err != nil {
						t.Errorf("a write meanwhile: %v", err)
					}
					if w.stored(t) != "" {
						t.Error("others read what is not kept")
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			if have := len(w.texts(t, "SELECT entity_type FROM audit_entry")) - before; others == 0 || have != others+test.entries {
				t.Errorf("dry run %t: %d entries, of which %d are of others; want %d of the import", test.dryRun, have, others, test.entries)
			}
		}
		if r, err := w.trail.Verify(w.ctx, audit.Head{}); err != nil || r.Broken() {
			t.Errorf("the chain: %+v, %v", r, err)
		}
	})
}

// goodFile has rows of which none is refused.
func goodFile(rows int) string {
	var b strings.Builder
	b.WriteString("code,value,other\n")
	for i := range rows {
		fmt.Fprintf(&b, "G%05d,%d,\n", i, i)
	}
	return b.String()
}

// A chunk locks the build of the hierarchy before the audit chain, as a registration
// does: with both at once, neither has to be run again.
func TestLocksInTheOrderOfARegistration(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if !w.store.Postgres() {
			t.Skip("SQLite has one writer at a time")
		}
		var team int64
		if _, err := store.One(w.ctx, w.store, []any{&team}, "SELECT id FROM agency_team"); err != nil {
			t.Fatal(err)
		}
		chunks, attempts := 0, 0
		locked, done := make(chan struct{}), make(chan error, 1)
		go func() {
			done <- w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				attempts++
				if err := hierarchy.ChangedSome(ctx, tx, team, time.Unix(0, 0)); err != nil {
					return err
				}
				if attempts == 1 {
					close(locked)
					w.somebodyWaits(t)
				}
				return w.record(ctx, tx)
			})
		}()
		<-locked
		w.fail = func([]bulk.Row) error { chunks++; return nil }
		if _, have := w.bring(t, good, bulkimport.RejectFailedRows, false); !strings.HasPrefix(have, "accepted 2 created 2 ") {
			t.Error(have)
		}
		if err := <-done; err != nil || attempts != 1 || chunks != 2 {
			t.Errorf("%v; the other transaction ran %d times, and %d chunks were applied in the two passes", err, attempts, chunks)
		}
	})
}

// somebodyWaits returns when a transaction of the database waits for another one.
func (w *world) somebodyWaits(t *testing.T) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var n int
		_, err := store.One(w.ctx, w.store, []any{&n}, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		if err != nil || n > 0 {
			return
		}
	}
	t.Error("nobody waits")
}

// SQLite's one writer is held for so many rows, and no more; in chunks, and in a dry
// run of them, a file may have any number.
func TestRowsOfOneTransaction(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if w.store.Postgres() {
			t.Skip("others write beside a transaction of PostgreSQL")
		}
		long := goodFile(bulkimport.MaxAsOne + 1)
		for _, dryRun := range []bool{true, false} {
			_, err := w.Run(w.ctx, bulkimport.Import{Entity: "TAG", File: strings.NewReader(long), Policy: bulkimport.RejectEverything, Initiator: "test", DryRun: dryRun})
			if !problem.Has(err, problem.OutOfRange) || !strings.Contains(err.Error(), "50000") {
				t.Errorf("dry run %t: %v", dryRun, err)
			}
		}
	})
}

// A thousand equal errors are one, with the first of its rows.
func TestRefusalsAreCounted(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		var b strings.Builder
		b.WriteString("code,value,other\n")
		for i := range 2000 {
			fmt.Fprintf(&b, "B%d,bad,\nC%d,good,%s\n", i, i, map[bool]string{true: "NOBODY"}[i < 3])
		}
		for _, dryRun := range []bool{true, false} {
			r, _ := w.bring(t, b.String(), bulkimport.RejectFailedRows, dryRun)
			if len(r.Rejections) != bulkimport.MaxRejections || len(r.Refusals) != 2 {
				t.Fatalf("dry run %t: %d rejections, %d refusals", dryRun, len(r.Rejections), len(r.Refusals))
			}
			have := fmt.Sprint(r.Refusals[0].Problem.Message, r.Refusals[0].Rows, r.Refusals[0].First, r.Refusals[1].Problem.Message, r.Refusals[1].Rows, r.Refusals[1].First)
			if want := "must not be bad2000 [2 4 6 8 10]there is none3 [3 5 7]"; have != want {
				t.Errorf("dry run %t: %s, want %s", dryRun, have, want)
			}
		}
	})
}
