package audit_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
)

// What is written tells changes from looks: who only looked at values does not send the
// tenant's next query to the primary, and makes nobody count again.
func TestOnlyChangesCount(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		head := func() (entries, changes int64) {
			_, err := store.One(w.ctx, w.store, []any{&entries, &changes}, "SELECT CAST(sum(entries) AS bigint), CAST(sum(changes) AS bigint) FROM audit_written WHERE tenant_id = $1", id(w.ctx))
			w.must(err)
			return entries, changes
		}
		w.must(w.Reveal(w.ctx, update("A1")))
		if seq, changed := head(); seq != 1 || changed != 0 {
			t.Errorf("after a reveal: %d, changed by %d", seq, changed)
		}
		w.write(w.ctx, update("A1", "lastName"))
		w.must(w.Reveal(w.ctx, update("A2")))
		if seq, changed := head(); seq != 3 || changed != 1 {
			t.Errorf("after a change and a reveal: %d, changed by %d", seq, changed)
		}
		w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			return w.WriteAll(ctx, tx, w.clock.Now(), []audit.Entry{update("A1", "email"), update("A2", "email")})
		}))
		if seq, changed := head(); seq != 5 || changed != 3 {
			t.Errorf("after two changes: %d, changed by %d", seq, changed)
		}
	})
}
