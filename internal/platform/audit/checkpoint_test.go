package audit_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/audit"
)

// Whoever has the public key of a trail and an earlier checkpoint of it can check that
// nothing of it was rewritten, and that it holds an entry, without the database and the
// tenant's key.
func TestCheckpoints(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		key, err := w.VerifierKey(w.ctx)
		w.must(err)
		empty, err := w.Checkpoint(w.ctx)
		w.must(err)
		w.five()
		earlier, err := w.Checkpoint(w.ctx)
		w.must(err)
		w.write(w.ctx, update("A7", "lastName"), update("A8", "lastName"))
		w.write(w.other, update("A1", "firstName"))
		for _, since := range [][]byte{empty, earlier} {
			proof, err := w.ProveSince(w.ctx, since)
			w.must(err)
			if p, err := audit.CheckProof(proof, key, since); err != nil || p.Entries != 7 || bytes.Equal(since, earlier) != (p.Since == 5) || p.Entry != "" {
				t.Errorf("%+v, %v", p, err)
			}
			if _, err := audit.CheckProof(proof, key, nil); err == nil {
				t.Error("a proof holds without the earlier checkpoint")
			}
		}
		for seq := int64(1); seq <= 7; seq++ {
			proof, err := w.ProveEntry(w.ctx, seq)
			w.must(err)
			if p, err := audit.CheckProof(proof, key, nil); err != nil || p.Entries != 7 || !strings.HasPrefix(p.Entry, fmt.Sprintf(`{"seq":%d,"at":"2026-06-15T12:0%d:00Z",`, seq, min(seq-1, 5))) {
				t.Errorf("entry %d: %+v, %v", seq, p, err)
			}
		}
		if _, err := w.ProveEntry(w.ctx, 8); err == nil {
			t.Error("there is a proof of an entry that is not there")
		}
		if proof, err := w.ProveSince(w.other, earlier); err == nil {
			t.Errorf("another trail goes on from the checkpoint: %s", proof)
		}
	})
}

// A proof that was changed in any place does not hold, or shows the same: base64 has bits to
// spare.
func TestForgedProofs(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.five()
		key, err := w.VerifierKey(w.ctx)
		w.must(err)
		foreign, err := w.VerifierKey(w.other)
		w.must(err)
		earlier, err := w.Checkpoint(w.ctx)
		w.must(err)
		w.write(w.ctx, update("A7", "lastName"))
		entry, err := w.ProveEntry(w.ctx, 3)
		w.must(err)
		since, err := w.ProveSince(w.ctx, earlier)
		w.must(err)
		for _, proof := range [][]byte{entry, since} {
			genuine, err := audit.CheckProof(proof, key, earlier)
			w.must(err)
			if p, err := audit.CheckProof(proof, foreign, earlier); err == nil {
				t.Errorf("with the key of another tenant: %+v", p)
			}
			for at := range proof {
				forged := bytes.Clone(proof)
				forged[at] ^= 1
				if p, err := audit.CheckProof(forged, key, earlier); err == nil && p != genuine {
					t.Fatalf("byte %d: %+v of %q", at, p, forged)
				}
			}
		}
		record, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.Split(string(entry), "\n")[1], "extra "))
		other := bytes.ReplaceAll(record, []byte("hr-import"), []byte("somebody!"))
		forged := bytes.ReplaceAll(entry, []byte(base64.StdEncoding.EncodeToString(record)), []byte(base64.StdEncoding.EncodeToString(other)))
		if p, err := audit.CheckProof(forged, key, nil); err == nil || bytes.Equal(forged, entry) {
			t.Errorf("another initiator: %+v", p)
		}
	})
}

// A trail that was rewritten whole, by somebody who has the tenant's key, verifies; the
// checkpoint of an hour ago shows it.
func TestRewrittenTrail(t *testing.T) {
	asOwner(t, func(t *testing.T, w *world) {
		w.five()
		earlier, err := w.Checkpoint(w.ctx)
		w.must(err)
		w.tamper("DELETE FROM audit_entry_key WHERE tenant_id = 1", "DELETE FROM audit_entry WHERE tenant_id = 1", "DELETE FROM audit_head WHERE tenant_id = 1", "DELETE FROM audit_written WHERE tenant_id = 1")
		if _, err := w.ProveSince(w.ctx, earlier); !errors.Is(err, audit.ErrRewritten) {
			t.Errorf("the trail was cut: %v", err)
		}
		for range 6 {
			w.write(w.ctx, update("A1", "phoneNumber"))
		}
		w.whole(w.ctx, 6)
		if _, err := w.ProveSince(w.ctx, earlier); !errors.Is(err, audit.ErrRewritten) {
			t.Errorf("the trail was rewritten: %v", err)
		}
	})
}

// What was proven once is proven for ever: the record of an entry never changes.
func TestRecordOfAnEntryStays(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.write(audit.OfWrite(w.ctx, 0), update("A1", "firstName", "lastName"))
		w.write(audit.OfWrite(w.ctx, math.MaxInt64), update("A1", "firstName", "lastName"))
		w.link()
		key, err := w.VerifierKey(w.ctx)
		w.must(err)
		const (
			of   = `"at":"2026-06-15T12:00:00Z","kind":"WRITE","operation":"agentUpdate","surface":"GRAPHQL","traceId":"trace-1","initiator":"hr-import",`
			what = `"subject":"pat","clientId":"crm","entityType":"Agent","entityKeys":["A1"],"changes":[{"field":"firstName"},{"field":"lastName"}]`
		)
		for i, want := range []string{`{"seq":1,` + of + what, `{"seq":2,` + of + what + `,"writeId":"9223372036854775807"`} {
			proof, err := w.ProveEntry(w.ctx, int64(i+1))
			w.must(err)
			p, err := audit.CheckProof(proof, key, nil)
			w.must(err)
			if record, _, _ := strings.Cut(p.Entry, `,"hash":`); record != want {
				t.Errorf("the record is\n%s, want\n%s", record, want)
			}
		}
	})
}
