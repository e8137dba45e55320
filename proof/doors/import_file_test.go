package doors_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Of two payments that say the same the second is refused, also when a thousand rows
// are between them: it would be taken for the first, and be lost. The file may be
// brought in again.
func TestPaymentsOfOneFile(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := newTrail(t, w, "GRAPHQL").Caller
		bring(t, c, "AGENT", importedFiles[0].csv, false, nil)
		file := "agentCode,paidOn,amount,reference\nI1,2026-02-01,12.50,\n"
		for i := range 1000 {
			file += fmt.Sprintf("I1,2026-02-01,12.50,line %d\n", i)
		}
		file += "I1,2026-02-01, 12.5 ,\nI2,2026-02-01,12.5,\n"
		for _, dryRun := range []bool{true, false} {
			if have := outcome(bring(t, c, "COMMISSION_PAYMENT", file, dryRun, nil)); have != "0/1/0/0/0 applied false" {
				t.Errorf("everything, dry run %t: %s", dryRun, have)
			}
		}
		p := bring(t, c, "COMMISSION_PAYMENT", file, false, object{"errorPolicy": "REJECT_FAILED_ROWS"})
		rows := fmt.Sprint(p["rows"])
		if outcome(p) != "1002/1/1002/0/0 applied true" || !strings.Contains(rows, "rowNumber:1003") || !strings.Contains(rows, "DUPLICATE_KEY") {
			t.Errorf("%s, %s", outcome(p), rows)
		}
		if have := outcome(bring(t, c, "COMMISSION_PAYMENT", file, false, object{"key": "second", "errorPolicy": "REJECT_FAILED_ROWS"})); have != "1002/1/0/0/1002 applied false" {
			t.Errorf("again: %s", have)
		}
	})
}

// "The row, put right and imported again, completes it": the agent gets its place, and
// who is above whom is rebuilt, also where that is all that the import changed.
func TestAgentIsCompleted(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := newTrail(t, w, "GRAPHQL").Caller
		const header, top, low = "agentCode,firstName,lastName,status,startDate,teams.default.directUpline\n", "P1,Ann,Lee,%s,2026-01-01,\n", "P2,Bob,Ray,Active,2026-01-01,P1\n"
		p := bring(t, c, "AGENT", header+low+fmt.Sprintf(top, "No such"), false, object{"errorPolicy": "REJECT_FAILED_ROWS"})
		if have := outcome(p); have != "0/2/1/0/0 applied true" {
			t.Fatalf("%s of %v", have, p["rows"])
		}
		bring(t, c, "AGENT", header+fmt.Sprintf(top, "Active"), false, nil)
		w.RebuildNow(t, apptest.Acme)
		for _, dryRun := range []bool{true, false} {
			p := bring(t, c, "AGENT", header+low, dryRun, nil)
			if have := outcome(p); have != fmt.Sprintf("1/0/0/1/0 applied %t", !dryRun) {
				t.Errorf("dry run %t: %s of %v", dryRun, have, p["rows"])
			}
		}
		behind, err := store.Collect(w.Context(t, apptest.Acme), w.Store, store.ScanOne[string], "SELECT status FROM hierarchy_build WHERE changed_version > built_version AND tenant_id = (SELECT id FROM tenant WHERE identifier = 'acme')")
		if err != nil || !slices.Equal(behind, []string{"QUEUED"}) {
			t.Errorf("the hierarchy is %q, %v; want a rebuild", behind, err)
		}
		if have := outcome(bring(t, c, "AGENT", header+low, false, object{"key": "again"})); have != "1/0/0/0/1 applied false" {
			t.Errorf("again: %s", have)
		}
	})
}

// A level that somebody deletes between the look-up of an import and its write is one
// that there is not: the row is refused, as in a single operation, and nothing fails.
func TestLevelIsDeletedMeanwhile(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		if !w.Store.Postgres() {
			t.Skip("SQLite has one writer at a time")
		}
		c := newTrail(t, w, "GRAPHQL").Caller
		for _, policy := range []string{"REJECT_EVERYTHING", "REJECT_FAILED_ROWS"} {
			c.Query(t, `mutation { agentLevelCreate(input: {value: 77, name: "L77", initiator: "hr"}) { applied } }`, nil)
			begun, done := make(chan struct{}), make(chan error, 1)
			go func() {
				done <- w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
					if _, err := tx.Exec(ctx, "DELETE FROM agency_agent_level WHERE value = 77"); err != nil {
						return err
					}
					close(begun)
					return untilSomebodyWaits(ctx, w.Store)
				})
			}()
			<-begun
			p := bring(t, c, "AGENT", "agentCode,firstName,lastName,status,teams.default.level\nL1,Ann,Lee,Active,77\n", false, object{"errorPolicy": policy})
			if err := <-done; err != nil || outcome(p) != "0/1/0/0/0 applied false" || !strings.Contains(fmt.Sprint(p["rows"]), "UNKNOWN_LEVEL") {
				t.Errorf("%s: %v, %s of %v", policy, err, outcome(p), p["rows"])
			}
		}
	})
}

// untilSomebodyWaits returns when a transaction waits for a lock.
func untilSomebodyWaits(ctx context.Context, s *store.Store) error {
	for range 6000 {
		var n int
		if _, err := store.One(ctx, s, []any{&n}, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"); err != nil || n > 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return errors.New("nobody waits")
}

// A row whose upline neither the file nor the agency has is refused before anything
// is written of it; that of an upline that comes later is not.
func TestUplinesOfOneFile(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := newTrail(t, w, "GRAPHQL").Caller
		file := "agentCode,firstName,lastName,status,teams.default.directUpline\nU1,Ann,Lee,Active,U2\nU3,Eve,Poe,Active,NOBODY\nU2,Bob,Ray,Active,\n"
		for _, dryRun := range []bool{true, false} {
			p := bring(t, c, "AGENT", file, dryRun, object{"errorPolicy": "REJECT_FAILED_ROWS"})
			if have := outcome(p); have != fmt.Sprintf("2/1/2/0/0 applied %t", !dryRun) || !strings.Contains(fmt.Sprint(p["rows"]), "UNKNOWN_UPLINE") {
				t.Errorf("dry run %t: %s of %v", dryRun, have, p["rows"])
			}
		}
		const query = `{ u1: agent(agentCode: "U1") { upline { agentCode } } u3: agent(agentCode: "U3") { agentCode } }`
		if data := c.Query(t, query, nil); apptest.At(data, "u1.upline.agentCode") != "U2" || apptest.At(data, "u3") != nil {
			t.Errorf("there are %v", data)
		}
	})
}
