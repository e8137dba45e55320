package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// "an initiator string recorded for auditing" (Common conventions): an entry
// says who, when and what, and is read back as it was hashed, whatever its texts
// hold.
func TestEntrySaysWhoWhenWhat(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		at := time.Date(2026, time.June, 15, 14, 30, 0, 123456789, time.FixedZone("", 7200))
		odd := update("A\x00\xff1", "firstName")
		odd.EntityKeys = append(odd.EntityKeys, "B2", "<é\u2028>", "B2")
		odd.Initiator = "hr \"import\"\n\x00"
		w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error { return w.Write(ctx, tx, at, odd) }))
		w.write(tenant.With(t.Context(), tenant.From(w.ctx)), audit.Entry{EntityType: "Agent"})

		w.link()
		var got [7]string
		_, err := store.One(w.ctx, w.store, []any{&got[0], &got[1], &got[2], &got[3], &got[4], &got[5], &got[6]},
			`SELECT kind, operation, surface, trace_id, subject, client_id, entity_type FROM audit_entry WHERE tenant_id = $1 AND seq = 1`, id(w.ctx))
		w.must(err)
		if want := [7]string{"WRITE", "agentUpdate", "GRAPHQL", "trace-1", "pat", "crm", "Agent"}; got != want {
			t.Errorf("stored %q; want %q", got, want)
		}
		var stored time.Time
		_, err = store.One(w.ctx, w.store, []any{&stored}, "SELECT at FROM audit_entry WHERE tenant_id = $1 AND seq = 1", id(w.ctx))
		w.must(err)
		if want := at.Truncate(time.Microsecond); !stored.Equal(want) {
			t.Errorf("at %v; want %v", stored, want)
		}
		if n := w.count("SELECT count(*) FROM audit_entry_key WHERE tenant_id = $1 AND entity_type = 'Agent' AND entity_key = 'B2'", id(w.ctx)); n != 1 {
			t.Errorf("%d entries are found by their second key; want 1", n)
		}
		if n := w.count("SELECT count(*) FROM audit_entry WHERE tenant_id = $1 AND seq = 2 AND surface = 'SYSTEM' AND subject = ''", id(w.ctx)); n != 1 {
			t.Error("work that no request asked for is not of the system")
		}
		w.whole(w.ctx, 2)
	})
}

// Writers at once, in two tenants, make one chain without gaps in each, whoever links what
// they wrote.
func TestConcurrentWritersMakeOneChain(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		const writers, each = 8, 5
		var wg sync.WaitGroup
		for i := range writers {
			ctx := w.ctx
			if i%2 == 1 {
				ctx = w.other
			}
			wg.Go(func() {
				for n := range each {
					if err := w.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
						return w.Write(ctx, tx, w.clock.Now(), update(fmt.Sprintf("A%d-%d", i, n), "email"))
					}); err != nil {
						t.Error(err)
					}
					if err := w.LinkAll(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		w.whole(w.ctx, writers*each/2)
		w.whole(w.other, writers*each/2)
	})
}

// An entry exists exactly when its change does.
func TestRolledBackLeavesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		refused := errors.New("refused")
		err := w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			if err := w.Write(ctx, tx, w.clock.Now(), update("A1", "email")); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatalf("err = %v", err)
		}
		for _, table := range []string{"audit_unlinked", "audit_written", "audit_entry", "audit_entry_key", "audit_head"} {
			if n := w.count("SELECT count(*) FROM " + table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		w.five()
		w.whole(w.ctx, 5)
	})
}

// A write costs its transaction few statements.
func TestWriteIsFewStatements(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.five()
		ctx, statements := store.CountStatements(w.ctx)
		w.write(ctx, update("A1", "email"))
		if n := statements.Load(); n != 2 { // add the entry, count it
			t.Errorf("%d statements; want 2", n)
		}
	})
}

func TestWriteNeedsATenant(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		err := w.inTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return w.Write(ctx, tx, w.clock.Now(), update("A1"))
		})
		if !errors.Is(err, tenant.ErrNone) {
			t.Errorf("Write without a tenant: %v; want ErrNone", err)
		}
		if err := w.Reveal(t.Context(), update("A1")); !errors.Is(err, tenant.ErrNone) {
			t.Errorf("Reveal without a tenant: %v; want ErrNone", err)
		}
	})
}

// The database refuses to change or remove an entry.
func TestEntriesAreAppendOnly(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.five()
		w.link()
		for _, statement := range []string{
			"UPDATE audit_entry SET initiator = 'x'", "DELETE FROM audit_entry WHERE seq = 5",
			"UPDATE audit_entry_key SET entity_key = 'x'", "DELETE FROM audit_entry_key WHERE seq = 5",
		} {
			err := w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, statement)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Errorf("%s: %v; want a refusal", statement, err)
			}
		}
		w.whole(w.ctx, 5)
	})
}

// Of a sensitive value the trail holds a fingerprint: equal for equal values,
// different by field and tenant, and the value in no column.
func TestFingerprints(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		const value = "523456781"
		fingerprint := func(tenantID int64, field, value string) string {
			f, err := w.Fingerprint(w.ctx, tenantID, field, value)
			w.must(err)
			return f
		}
		first := fingerprint(id(w.ctx), "governmentIdentifier", value)
		if len(first) != 12 || strings.Trim(first, "0123456789abcdef") != "" {
			t.Errorf("fingerprint %q; want 12 hexadecimal digits", first)
		}
		if fingerprint(id(w.ctx), "governmentIdentifier", value) != first {
			t.Error("equal values have different fingerprints")
		}
		others := []string{fingerprint(id(w.ctx), "governmentIdentifier", "523456782"), fingerprint(id(w.ctx), "ein", value),
			fingerprint(id(w.other), "governmentIdentifier", value), fingerprint(id(w.ctx), "governmentIdentifier5", value[1:])}
		if slices.Contains(others, first) {
			t.Errorf("another value, field or tenant has the same fingerprint: %q among %q", first, others)
		}
		if empty := fingerprint(id(w.ctx), "governmentIdentifier", ""); empty != "" {
			t.Errorf("the fingerprint of nothing is %q", empty)
		}

		e := update("A1", "firstName")
		e.Changes = append(e.Changes, audit.Change{Field: "governmentIdentifier", Fingerprint: first})
		w.write(w.ctx, e)
		var rows strings.Builder
		rows.WriteString(strings.Join(w.dump("audit_unlinked"), "\n"))
		w.link()
		for _, table := range []string{"audit_entry", "audit_entry_key", "audit_head"} {
			rows.WriteString(strings.Join(w.dump(table), "\n"))
		}
		if text := rows.String(); strings.Contains(text, value) || !strings.Contains(text, first) {
			t.Errorf("want the fingerprint and not the value in:\n%s", text)
		}
	})
}

// dump returns the rows of a table as text.
func (w *world) dump(table string) []string {
	w.t.Helper()
	row := table + "::text"
	if !w.store.Postgres() {
		columns, err := store.Collect(w.ctx, w.store, store.ScanOne[string], "SELECT 'quote('||name||')' FROM pragma_table_info('"+table+"')")
		w.must(err)
		row = strings.Join(columns, "||','||")
	}
	rows, err := store.Collect(w.ctx, w.store, store.ScanOne[string], "SELECT "+row+" FROM "+table)
	w.must(err)
	return rows
}
