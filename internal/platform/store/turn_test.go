package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// However many transactions want the same turns, some of them inside joint ones, some of which
// fail or are given up: one has each at a time, all get theirs, and none stays taken.
func TestTurns(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(r *rapid.T) {
			var inside [2]atomic.Int64
			var done atomic.Int64
			var wg sync.WaitGroup
			all := rapid.IntRange(2, 12).Draw(r, "transactions")
			failing := errors.New("on purpose")
			for i := range all {
				name := rapid.IntRange(0, 1).Draw(r, "turn")
				joint, fails, kept := rapid.Bool().Draw(r, "joint"), rapid.Bool().Draw(r, "fails"), rapid.Bool().Draw(r, "kept")
				within := time.Duration(rapid.IntRange(1, 200).Draw(r, "within")) * time.Millisecond
				wg.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), within)
					defer cancel()
					if kept {
						ctx = t.Context()
					}
					change := func(ctx context.Context) error {
						return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
							if err := tx.Turn(fmt.Sprint("turn ", name)); err != nil {
								return err
							}
							if n := inside[name].Add(1); n != 1 && s.Postgres() {
								t.Errorf("transaction %d: %d have the turn", i, n)
							}
							time.Sleep(time.Millisecond)
							inside[name].Add(-1)
							if fails {
								return failing
							}
							return nil
						})
					}
					if joint {
						one := change
						change = func(ctx context.Context) error { return s.Together(ctx, one) }
					}
					switch err := change(ctx); {
					case err == nil || errors.Is(err, failing):
						done.Add(1)
					case kept || ctx.Err() == nil:
						t.Errorf("transaction %d: %v", i, err)
					default:
						done.Add(1)
					}
				})
			}
			wg.Wait()
			if n := store.TurnsTaken(s); n != 0 || int(done.Load()) != all {
				r.Fatalf("%d of %d have ended, %d turns are still taken", done.Load(), all, n)
			}
		})
	})
}

// Who waits for a turn has no connection meanwhile.
func TestWhoWaitsForATurnHasNoConnection(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		if !s.Postgres() {
			t.Skip("SQLite has one writer at a time, in a queue of its own")
		}
		var wg sync.WaitGroup
		err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if err := tx.Turn("uplines"); err != nil {
				return err
			}
			change := func(ctx context.Context) error {
				return s.InTx(ctx, func(_ context.Context, tx *store.Tx) error { return tx.Turn("uplines") })
			}
			for i := range 20 {
				wg.Go(func() {
					err := error(nil)
					if i%2 == 0 {
						err = change(t.Context())
					} else {
						err = s.Together(t.Context(), change)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			for store.TurnsWaiting(s) < 20 {
				time.Sleep(time.Millisecond)
			}
			if taken, waiting := s.Connections(); taken != 1 || waiting != 0 {
				t.Errorf("%d connections are taken, %d wait", taken, waiting)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}
