package audit_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/tenant"
)

func (w *world) note() {
	w.t.Helper()
	w.must(w.NoteHeads(w.t.Context()))
}

func (w *world) lost() map[string]audit.Lost {
	w.t.Helper()
	lost, err := w.LostHeads(w.t.Context())
	w.must(err)
	return lost
}

// A tenant whose whole trail was erased has a whole one, of no entries, and then of
// the new ones: what the platform's trail noted shows it, however far it grows.
func TestErasedTrailShows(t *testing.T) {
	asOwner(t, func(t *testing.T, w *world) {
		w.five()
		w.write(w.other, update("B1", "email"))
		w.note()
		w.note() // nothing moved: nothing to note
		w.write(w.ctx, update("A6", "email"))
		w.note()
		platform := tenant.With(t.Context(), tenant.Platform)
		w.whole(platform, 2)
		if lost := w.lost(); len(lost) != 0 {
			t.Errorf("lost %v, of trails that are whole", lost)
		}
		w.tamper("DELETE FROM audit_entry WHERE tenant_id = 1", "DELETE FROM audit_entry_key WHERE tenant_id = 1", "DELETE FROM audit_head WHERE tenant_id = 1", "DELETE FROM audit_written WHERE tenant_id = 1")
		for entries := range int64(8) {
			w.whole(w.ctx, entries)
			if lost := w.lost(); len(lost) != 1 || lost["acme"].Head.Seq != 5 {
				t.Errorf("after %d new entries: lost %v", entries, lost)
			}
			w.write(w.ctx, update("A1", "email"))
			w.note()
		}
	})
}
