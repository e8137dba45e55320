package audit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// holding runs f while nobody else can add to the trail, so that what is revealed
// meanwhile has to wait.
func (w *world) holding(f func()) {
	w.t.Helper()
	w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := w.Write(ctx, tx, w.clock.Now(), update("A1", "email")); err != nil {
			return err
		}
		if tx.Postgres() { // on SQLite, a transaction is alone
			if _, err := tx.Exec(ctx, "LOCK TABLE audit_unlinked IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
		}
		f()
		return nil
	}))
}

// soon waits for what other goroutines are about to do.
func soon(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 12_000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("not within a minute: %s", what)
}

// "one audit entry per revealing request": many at once are written in a few
// transactions, and each has its own entry when it returns.
func TestRevealsAreWrittenTogether(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		const callers = 50
		ctx, statements := store.CountStatements(w.ctx)
		var wg sync.WaitGroup
		w.holding(func() {
			for i := range callers {
				wg.Go(func() {
					e := audit.Entry{EntityType: "Agent", EntityKeys: []string{fmt.Sprintf("A%d", i), "Z"}, Changes: []audit.Change{{Field: "governmentIdentifier"}}}
					if err := w.Reveal(ctx, e); err != nil {
						t.Error(err)
					}
					if n := w.count("SELECT count(*) FROM audit_entry_key WHERE tenant_id = $1 AND entity_key = $2", id(ctx), e.EntityKeys[0]); n == 0 {
						t.Errorf("%s is revealed and its entry not committed", e.EntityKeys[0])
					}
				})
			}
			soon(t, "every caller waits", func() bool { return w.Waiting() == callers })
		})
		wg.Wait()
		w.whole(w.ctx, callers+1)
		if n := w.count("SELECT count(*) FROM audit_entry WHERE tenant_id = $1 AND kind = 'REVEAL' AND initiator = ''", id(ctx)); n != callers {
			t.Errorf("%d entries of %d reveals", n, callers)
		}
		if n := statements.Load(); n > 4 {
			t.Errorf("%d statements for %d reveals; want those of two transactions", n, callers)
		}
		soon(t, "nothing is left behind", func() bool { return w.Idle() })
	})
}

// A caller that gives up does not take the others' entries along, the first one
// neither, whose goroutine writes for all.
func TestRevealGivenUp(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		impatient, giveUp := context.WithCancel(w.ctx)
		first, second := make(chan error, 1), make(chan error, 1)
		w.holding(func() {
			go func() { first <- w.Reveal(impatient, update("A1")) }()
			soon(t, "the first waits", func() bool { return w.Waiting() == 1 })
			go func() { second <- w.Reveal(w.ctx, update("A2")) }()
			soon(t, "both wait", func() bool { return w.Waiting() == 2 })
			giveUp()
			if err := <-first; !errors.Is(err, context.Canceled) {
				t.Errorf("the one that gave up: %v", err)
			}
		})
		if err := <-second; err != nil {
			t.Errorf("the other: %v", err)
		}
		w.whole(w.ctx, 3)
	})
}

// When the entries cannot be written, every caller learns it, so that none
// answers with what it read; another tenant's go on.
func TestRevealFailsClosed(t *testing.T) {
	asOwner(t, func(t *testing.T, w *world) {
		w.must(w.Reveal(w.ctx, update("A1")))
		w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			refuse := "ALTER TABLE audit_unlinked ADD CHECK (tenant_id <> 999)"
			if !tx.Postgres() {
				refuse = "CREATE TRIGGER refused BEFORE INSERT ON audit_unlinked WHEN NEW.tenant_id = 999 BEGIN SELECT RAISE(ABORT, 'refused'); END"
			}
			_, err := tx.Exec(ctx, refuse)
			return err
		}))
		broken := tenant.With(w.ctx, &tenant.Tenant{ID: 999})
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if err := w.Reveal(broken, update(fmt.Sprintf("A%d", i))); err == nil {
					t.Errorf("caller %d learned nothing of the entry that could not be written", i)
				}
				if err := w.Reveal(w.ctx, update("A1")); err != nil {
					t.Errorf("caller %d, of another tenant: %v", i, err)
				}
			})
		}
		wg.Wait()
		w.whole(w.ctx, 21)
		w.whole(broken, 0)
	})
}

// Inside a transaction nothing is revealed: its entry would wait for the transaction, or
// vanish with it.
func TestNothingIsRevealedInsideATransaction(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		refused := func(ctx context.Context) {
			t.Helper()
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			if err := w.Reveal(ctx, update("A1")); err == nil || ctx.Err() != nil {
				t.Errorf("it is not refused at once: %v", err)
			}
		}
		w.must(w.inTx(w.ctx, func(ctx context.Context, _ *store.Tx) error { refused(ctx); return nil }))
		w.must(w.store.Together(w.ctx, func(ctx context.Context) error {
			return w.store.InTx(ctx, func(ctx context.Context, _ *store.Tx) error { refused(ctx); return nil })
		}))
		w.whole(w.ctx, 0)
	})
}
