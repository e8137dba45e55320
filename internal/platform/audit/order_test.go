package audit_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
)

// However single writes, imports, which link their own entries, and readers follow each other:
// the entries of an object are numbered in the order in which it was changed.
func TestNumbersFollowTheChangesOfAnObject(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		var all int64
		rapid.Check(t, func(r *rapid.T) {
			for range rapid.IntRange(2, 12).Draw(r, "steps") {
				w.clock.Move(10 * time.Millisecond)
				keys := rapid.SliceOfNDistinct(rapid.IntRange(1, 3), 1, 3, rapid.ID[int]).Draw(r, "objects")
				entries := make([]audit.Entry, len(keys))
				for i, key := range keys {
					entries[i] = update(fmt.Sprintf("A%d", key), "email")
				}
				switch rapid.IntRange(0, 4).Draw(r, "step") {
				case 0:
					w.link()
				case 1, 2:
					w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
						return w.WriteAll(ctx, tx, w.clock.Now(), entries)
					}))
					all += int64(len(keys))
				default:
					w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
						ctx, held := audit.Defer(audit.WithOrigin(ctx, audit.Origin{Operation: audit.Import, Surface: audit.System}))
						if err := w.WriteAll(ctx, tx, w.clock.Now(), entries); err != nil {
							return err
						}
						return held.Write(ctx, tx)
					}))
					all += int64(len(keys))
				}
			}
			w.link()
			if m, err := w.Misordered(w.ctx); err != nil || m.Times > 0 {
				r.Fatalf("%d entries are numbered against the order of changes, the first is %d (%v)", m.Times, m.First, err)
			}
		})
		w.whole(w.ctx, all)
	})
}

// Entries that an old version numbered in another order are found, and listed in the order of
// the changes where that is asked for.
func TestMisorderedEntriesAreFound(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		at := w.clock.Now()
		for i, field := range []string{"second", "third", "first"} {
			instant := at.Add([]time.Duration{2, 3, 1}[i] * time.Second)
			importing := audit.WithOrigin(w.ctx, audit.Origin{Operation: audit.Import, Surface: audit.System})
			w.must(w.inTx(importing, func(ctx context.Context, tx *store.Tx) error { return w.Write(ctx, tx, instant, update("A1", field)) }))
		}
		w.link()
		if m, err := w.Misordered(w.ctx); err != nil || m != (audit.Misordered{Times: 1, First: 3}) {
			t.Errorf("%+v, %v; want one, entry 3", m, err)
		}
	})
}
