package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Whoever has the database and not the key can change nothing that Verify does
// not find, and it names the first entry that is wrong. The chain of another
// tenant stays whole.
func TestVerifyFindsTampering(t *testing.T) {
	copyOf := func(column string) string {
		return "UPDATE audit_entry SET " + column + " = (SELECT o." + column + " FROM audit_entry o WHERE o.tenant_id = 1 AND o.seq = 2) WHERE tenant_id = 1 AND seq = 3"
	}
	columns := "at, kind, operation, surface, trace_id, initiator, subject, client_id, entity_type, entity_keys, changes, hash, write_id"
	for name, c := range map[string]struct {
		statements []string
		at         int64
		reason     string
	}{
		"initiator":       {[]string{"UPDATE audit_entry SET initiator = 'someone' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"operation":       {[]string{"UPDATE audit_entry SET operation = 'x' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"kind":            {[]string{"UPDATE audit_entry SET kind = 'REVEAL' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"surface":         {[]string{"UPDATE audit_entry SET surface = 'REST' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"trace":           {[]string{"UPDATE audit_entry SET trace_id = '' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"subject":         {[]string{"UPDATE audit_entry SET subject = 'x' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"client":          {[]string{"UPDATE audit_entry SET client_id = 'x' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"type":            {[]string{"UPDATE audit_entry SET entity_type = 'x' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"subject, client": {[]string{"UPDATE audit_entry SET subject = 'patc', client_id = 'rm' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"time":            {[]string{copyOf("at")}, 3, "changed"},
		"keys":            {[]string{copyOf("entity_keys")}, 3, "changed"},
		"changes":         {[]string{"UPDATE audit_entry SET changes = '[]' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"write":           {[]string{copyOf("write_id")}, 3, "changed"},
		"write of none":   {[]string{"UPDATE audit_entry SET write_id = NULL WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"damaged changes": {[]string{"UPDATE audit_entry SET changes = '[' WHERE tenant_id = 1 AND seq = 3"}, 3, "changed"},
		"fingerprint":     {[]string{`UPDATE audit_entry SET changes = '[{"field":"firstName","fingerprint":"00"},{"field":"lastName"}]' WHERE tenant_id = 1 AND seq = 3`}, 3, "changed"},
		"hash":            {[]string{copyOf("hash")}, 3, "changed"},
		"key row changed": {[]string{"UPDATE audit_entry_key SET entity_key = 'A9' WHERE tenant_id = 1 AND seq = 4"}, 4, "audit_entry_key"},
		"key row gone":    {[]string{"DELETE FROM audit_entry_key WHERE tenant_id = 1 AND seq = 4"}, 4, "audit_entry_key"},
		"key row added":   {[]string{"INSERT INTO audit_entry_key VALUES (1, 4, 'Agent', 'A9')"}, 4, "audit_entry_key"},
		"first gone":      {[]string{"DELETE FROM audit_entry_key WHERE tenant_id = 1 AND seq = 1", "DELETE FROM audit_entry WHERE tenant_id = 1 AND seq = 1"}, 1, "missing"},
		"one gone":        {[]string{"DELETE FROM audit_entry_key WHERE tenant_id = 1 AND seq = 3", "DELETE FROM audit_entry WHERE tenant_id = 1 AND seq = 3"}, 3, "missing"},
		"gone, renumbered": {[]string{"DELETE FROM audit_entry_key WHERE tenant_id = 1 AND seq = 3", "DELETE FROM audit_entry WHERE tenant_id = 1 AND seq = 3",
			"UPDATE audit_entry SET seq = 3 WHERE tenant_id = 1 AND seq = 4", "UPDATE audit_entry_key SET seq = 3 WHERE tenant_id = 1 AND seq = 4"}, 3, "changed"},
		"swapped": {[]string{
			"UPDATE audit_entry SET seq = 9 WHERE tenant_id = 1 AND seq = 2", "UPDATE audit_entry_key SET seq = 9 WHERE tenant_id = 1 AND seq = 2",
			"UPDATE audit_entry SET seq = 2 WHERE tenant_id = 1 AND seq = 3", "UPDATE audit_entry_key SET seq = 2 WHERE tenant_id = 1 AND seq = 3",
			"UPDATE audit_entry SET seq = 3 WHERE tenant_id = 1 AND seq = 9", "UPDATE audit_entry_key SET seq = 3 WHERE tenant_id = 1 AND seq = 9"}, 2, "changed"},
		"tail cut":     {[]string{"DELETE FROM audit_entry_key WHERE tenant_id = 1 AND seq > 3", "DELETE FROM audit_entry WHERE tenant_id = 1 AND seq > 3"}, 4, "cut"},
		"all gone":     {[]string{"DELETE FROM audit_entry_key WHERE tenant_id = 1", "DELETE FROM audit_entry WHERE tenant_id = 1"}, 1, "cut"},
		"head back":    {[]string{headTo(3)}, 4, "before this entry"},
		"head's hash":  {[]string{"UPDATE audit_head SET hash = (SELECT hash FROM audit_entry WHERE tenant_id = 1 AND seq = 3) WHERE tenant_id = 1"}, 5, "another hash"},
		"head gone":    {[]string{"DELETE FROM audit_head WHERE tenant_id = 1"}, 1, "before this entry"},
		"forged entry": {[]string{"INSERT INTO audit_entry (tenant_id, seq, " + columns + ") SELECT 1, 6, " + columns + " FROM audit_entry WHERE tenant_id = 1 AND seq = 5"}, 6, "before this entry"},
		"forged number": {[]string{"INSERT INTO audit_entry (tenant_id, seq, " + columns + ") SELECT 1, -1, " + columns + " FROM audit_entry WHERE tenant_id = 1 AND seq = 5"},
			-1, "no chain"},
		"entry of another tenant": {[]string{"DELETE FROM audit_entry_key WHERE tenant_id = 1 AND seq = 1", "DELETE FROM audit_entry WHERE tenant_id = 1 AND seq = 1",
			"INSERT INTO audit_entry (tenant_id, seq, " + columns + ") SELECT 1, 1, " + columns + " FROM audit_entry WHERE tenant_id = 2 AND seq = 1",
			"INSERT INTO audit_entry_key VALUES (1, 1, 'Agent', 'A1')"}, 1, "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			asOwner(t, func(t *testing.T, w *world) {
				w.five()
				w.write(w.other, update("A1", "firstName", "lastName"))
				w.whole(w.ctx, 5)
				w.tamper(c.statements...)
				r := w.verify(w.ctx, audit.Head{})
				if !r.Broken() || r.BrokenAt != c.at || !strings.Contains(r.Reason, c.reason) {
					t.Errorf("broken at %d (%s); want %d (…%s…)", r.BrokenAt, r.Reason, c.at, c.reason)
				}
				w.whole(w.other, 1)
			})
		})
	}
}

// headTo moves the head of the first tenant to an entry, with its hash.
func headTo(seq int) string {
	return fmt.Sprintf("UPDATE audit_head SET seq = %d, hash = (SELECT hash FROM audit_entry WHERE tenant_id = 1 AND seq = %d) WHERE tenant_id = 1", seq, seq)
}

// A chain that was cut together with its head is whole by itself; a head noted
// down earlier tells, also when other entries were written since.
func TestVerifyAgainstAnEarlierHead(t *testing.T) {
	asOwner(t, func(t *testing.T, w *world) {
		w.five()
		if r := w.verifyLinked(w.ctx, audit.Head{Seq: 6, Hash: []byte{1}}); r.BrokenAt != 6 || !strings.Contains(r.Reason, "cut back") {
			t.Errorf("cut back by one: %+v; want it broken at 6", r)
		}
		noted, err := audit.ParseHead(w.whole(w.ctx, 5).String())
		w.must(err)
		w.write(w.ctx, update("A6", "email"))
		if r := w.verifyLinked(w.ctx, noted); r.Broken() || r.Entries != 6 {
			t.Errorf("a chain that grew: %+v", r)
		}
		w.tamper(headTo(3), "DELETE FROM audit_entry_key WHERE tenant_id = 1 AND seq > 3", "DELETE FROM audit_entry WHERE tenant_id = 1 AND seq > 3")
		w.whole(w.ctx, 3)
		if r := w.verifyLinked(w.ctx, noted); r.BrokenAt != 4 || !strings.Contains(r.Reason, "cut back") {
			t.Errorf("cut back: %+v; want it broken at 4", r)
		}
		w.write(w.ctx, update("B4", "email"), update("B5", "email"))
		w.whole(w.ctx, 5)
		if r := w.verifyLinked(w.ctx, noted); r.BrokenAt != 5 || !strings.Contains(r.Reason, "expected head") {
			t.Errorf("cut back and grown again: %+v; want it broken at 5", r)
		}
	})
}

// A chain of several pages is checked while it grows.
func TestVerifyReadsInPages(t *testing.T) {
	asOwner(t, func(t *testing.T, w *world) {
		const entries = 450
		w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			for i := range entries {
				if err := w.Write(ctx, tx, w.clock.Now().Add(time.Duration(i)), update(fmt.Sprintf("A%d", i), "email")); err != nil {
					return err
				}
			}
			return nil
		}))
		w.whole(w.ctx, entries)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					w.write(w.ctx, update("B1", "email"))
				}
			}
		}()
		for range 5 {
			if r := w.verifyLinked(w.ctx, audit.Head{}); r.Broken() || r.Entries < entries {
				t.Errorf("a chain that grows: %+v", r)
			}
		}
		close(stop)
		<-stopped
		w.tamper("UPDATE audit_entry SET trace_id = 'x' WHERE tenant_id = 1 AND seq = 431")
		if r := w.verifyLinked(w.ctx, audit.Head{}); r.BrokenAt != 431 || r.Entries != 430 {
			t.Errorf("changed on the third page: %+v", r)
		}
	})
}

// What waits for its place cannot be changed, forged or taken out unseen either, whether or
// not somebody links the rest.
func TestVerifyLooksAtWhatWaits(t *testing.T) {
	const copied = "SELECT tenant_id, %s, mac FROM audit_unlinked WHERE tenant_id = 1 AND written = (SELECT min(written) FROM audit_unlinked)"
	const other = "(SELECT o.entry FROM audit_unlinked o WHERE o.tenant_id = 1 AND o.written = (SELECT max(written) FROM audit_unlinked))"
	const first = " WHERE tenant_id = 1 AND written = (SELECT min(written) FROM audit_unlinked WHERE tenant_id = 1)"
	const counted = "UPDATE audit_written SET entries = entries + 1 WHERE tenant_id = 1"
	for name, c := range map[string]struct {
		statements []string
		reason     string
		linked     int64 // of five
	}{
		"changed":             {[]string{"UPDATE audit_unlinked SET entry = replace(entry, 'hr-import', 'somebody')" + first}, "changed, or forged", 4},
		"with another's hash": {[]string{"UPDATE audit_unlinked SET entry = " + other + first}, "changed, or forged", 4},
		"damaged":             {[]string{"UPDATE audit_unlinked SET entry = ''" + first}, "changed, or forged", 4},
		"taken out":           {[]string{"DELETE FROM audit_unlinked" + first}, "4 entries wait for their places, and 5 should", 4},
		"all taken out":       {[]string{"DELETE FROM audit_unlinked WHERE tenant_id = 1"}, "0 entries wait for their places, and 5 should", 0},
		"added again":         {[]string{"INSERT INTO audit_unlinked (tenant_id, entry, mac) " + fmt.Sprintf(copied, "entry")}, "6 entries wait for their places, and 5 should", 6},
		"forged and counted":  {[]string{"INSERT INTO audit_unlinked (tenant_id, entry, mac) " + fmt.Sprintf(copied, "replace(entry, 'A1', 'B1')"), counted}, "changed, or forged", 5},
		"of another tenant":   {[]string{"UPDATE audit_unlinked SET tenant_id = 2" + first}, "4 entries wait for their places, and 5 should", 4},
	} {
		t.Run(name, func(t *testing.T) {
			asOwner(t, func(t *testing.T, w *world) {
				w.five()
				if r := w.verify(w.ctx, audit.Head{}); r.Broken() || r.Unlinked != 5 || r.Entries != 0 {
					t.Fatalf("five that wait: %+v", r)
				}
				w.tamperNow(c.statements...)
				if r := w.verify(w.ctx, audit.Head{}); !strings.Contains(r.Reason, c.reason) {
					t.Errorf("%+v; want %q", r, c.reason)
				}
				if r := w.verifyLinked(w.ctx, audit.Head{}); !r.Broken() {
					t.Errorf("when the others have their places: %+v", r)
				}
				if n := w.count("SELECT count(*) FROM audit_entry WHERE tenant_id = 1"); int64(n) != c.linked {
					t.Errorf("%d of the others have their places; want %d", n, c.linked)
				}
			})
		})
	}
}

func TestParseHead(t *testing.T) {
	for _, good := range []string{"0:", "12:00ff"} {
		if h, err := audit.ParseHead(good); err != nil || h.String() != good {
			t.Errorf("ParseHead(%q) = %v, %v", good, h, err)
		}
	}
	for _, bad := range []string{"", ":", "12", "12:", "0:00", "-1:00", "x:00", "1:0", "1:zz"} {
		if _, err := audit.ParseHead(bad); err == nil {
			t.Errorf("ParseHead(%q) is taken", bad)
		}
	}
}

// What the hash of an entry is made over stays as it was when the entry was written, byte by
// byte: of one without a reason, of one with a reason, and of one of a write.
func TestEncodings(t *testing.T) {
	const (
		numbers = "\x00\x00\x00\x00\x00\x00\x00\x07" + "\x00\x00\x00\x00\x00\x00\x00\x02" + "\x00\x00\x00\x00\x00\x0f\x42\x40"
		rest    = "\x02hh\x05WRITE\x0bagentUpdate\x04REST\x02t1\x02hr\x03pat\x03crm\x05Agent" + "\x02\x02A1\x02A2" + "\x02\x05email\x00\x04name\x02f1"
	)
	for _, c := range []struct {
		reason string
		write  int64
		want   string
	}{
		{"", 0, "\x01" + numbers + rest},
		{"why", 0, "\x02" + numbers + rest + "\x03why"},
		{"", 258, "\x03" + numbers + rest + "\x00" + "\x00\x00\x00\x00\x00\x00\x01\x02"},
		{"why", 258, "\x03" + numbers + rest + "\x03why" + "\x00\x00\x00\x00\x00\x00\x01\x02"},
	} {
		r := &audit.Row{Seq: 2, At: time.UnixMicro(1_000_000), Kind: audit.Write, Operation: "agentUpdate", Surface: audit.REST, TraceID: "t1", Initiator: "hr", Reason: c.reason,
			Subject: "pat", ClientID: "crm", EntityType: "Agent", EntityKeys: []string{"A1", "A2"}, Changes: []audit.Change{{Field: "email"}, {Field: "name", Fingerprint: "f1"}}, WriteID: c.write}
		if got := string(audit.Encoded(r, 7, []byte("hh"))); got != c.want {
			t.Errorf("reason %q, write %d: %q; want %q", c.reason, c.write, got, c.want)
		}
	}
}
