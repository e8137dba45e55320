package audit_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Whatever writes and imports follow each other, in however many transactions, at one instant
// and with one trace: by the number of any entry, the changes of its write are found, all and
// no others. Those of old versions have no id, and are told apart by trace, instant and time.
func TestChangesOfWrites(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		var (
			seq    int64
			writes [][]int64 // numbers of the entries of each
		)
		// add adds the entries of a transaction of the last write.
		add := func(ctx context.Context, ids bool, entries int) {
			w.must(w.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				if !ids {
					ctx = audit.OfWrite(ctx, 0)
				}
				ctx, held := audit.Defer(ctx)
				for range entries {
					seq++
					writes[len(writes)-1] = append(writes[len(writes)-1], seq)
					if err := w.Write(ctx, tx, w.clock.Now(), update("A1", fmt.Sprint(seq))); err != nil {
						return err
					}
				}
				return held.Write(ctx, tx)
			}))
		}
		rapid.Check(t, func(r *rapid.T) {
			for range rapid.IntRange(1, 6).Draw(r, "writes") {
				writes = append(writes, nil)
				origin := audit.Origin{Operation: rapid.SampledFrom([]string{"agentUpdate", audit.Import}).Draw(r, "operation"), Surface: audit.REST, TraceID: "same"}
				hasID := rapid.Bool().Draw(r, "id")
				if !hasID {
					w.clock.Move(time.Second)
				}
				ctx := audit.WithOrigin(w.ctx, origin)
				if origin.Operation != audit.Import {
					add(ctx, hasID, rapid.IntRange(1, 3).Draw(r, "entries"))
					continue
				}
				started := w.clock.Now()
				if hasID {
					ctx = audit.OfWrite(ctx, int64(len(writes)))
				}
				for range rapid.IntRange(1, 4).Draw(r, "chunks") {
					w.clock.Move(time.Duration(rapid.IntRange(0, 1).Draw(r, "between")) * time.Millisecond)
					add(ctx, hasID, rapid.IntRange(1, 3).Draw(r, "entries"))
				}
				finished := w.clock.Now()
				w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
					var write *int64
					if hasID {
						write = new(int64(len(writes)))
					}
					_, err := tx.Exec(ctx, `INSERT INTO bulk_import (tenant_id, key, digest, entity, error_policy, initiator, started_at, finished_at, write_id)
						VALUES ($1, $2, $3, 'AGENT', 'REJECT_FAILED_ROWS', 'hr', $4, $5, $6)`, id(w.ctx), fmt.Sprint(len(writes)), []byte{1}, started, finished, write)
					return err
				}))
				if !hasID {
					w.clock.Move(time.Second)
				}
			}
			var (
				numbers, want []int64
				asked         = map[int]bool{}
			)
			for range rapid.IntRange(1, 3).Draw(r, "asked") {
				i := rapid.IntRange(max(0, len(writes)-8), len(writes)-1).Draw(r, "write")
				numbers = append(numbers, rapid.SampledFrom(writes[i]).Draw(r, "number"))
				if !asked[i] {
					asked[i], want = true, append(want, writes[i]...)
				}
			}
			list, err := w.Changes(w.ctx, audit.Filter{WritesOf: numbers})
			w.must(err)
			list.Max, list.Default = 1000, 1000
			p, err := list.Page(w.ctx, page.Args{})
			w.must(err)
			var got []int64
			for _, c := range p.Items {
				got = append(got, c.Seq)
			}
			slices.Sort(want)
			slices.Reverse(want)
			if !slices.Equal(got, want) {
				r.Fatalf("of %v: %v; want %v", numbers, got, want)
			}
		})
		w.whole(w.ctx, seq)
	})
}
