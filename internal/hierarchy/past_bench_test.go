package hierarchy_test

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// BenchmarkPastDays asks the same of today and of a day a year ago, in turns, and says how
// many times as long the past takes: at once, and right after somebody was moved, when
// what the process keeps is brought up to date. Medians, in microseconds of this process
// and the database together ("-µs"), and of a processor of this process ("-cpu").
func BenchmarkPastDays(b *testing.B) {
	for _, database := range []struct {
		name string
		open func(testing.TB) *store.Store
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		for _, agents := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", database.name, agents), func(b *testing.B) {
				w := newWorld(b, database.open(b), 0)
				w.populate(b, agents, func(i int) int { return (i+4)/5 - 1 })
				w.rebuild(b)
				w.exec(b, "ANALYZE")
				for _, of := range []struct {
					name string
					root int
				}{{"of 30", agents / 30}, {"of 1000", 24}, {"of all", 0}} {
					for name, ask := range asked() {
						b.Run(name+" "+of.name, func(b *testing.B) { w.comparePast(b, w.agents[of.root], ask) })
					}
				}
			})
		}
	}
}

// asked are questions about the agents below one.
func asked() map[string]func(w *world, v hierarchy.View, agent int64) error {
	hundred := page.Args{First: new(100), Counted: true}
	return map[string]func(w *world, v hierarchy.View, agent int64) error{
		"downline": func(w *world, v hierarchy.View, agent int64) error {
			_, err := downlines(w.ctx, v, w.store, []int64{agent}, hierarchy.Range{}, hundred)
			return err
		},
		"members": func(w *world, v hierarchy.View, agent int64) error {
			c := code(agent)
			_, err := memberPage(w.ctx, v, w.store, false, hierarchy.MemberFilter{AgentCode: &c}, hundred)
			return err
		},
		"tree": func(w *world, v hierarchy.View, agent int64) error {
			_, err := v.Trees(w.ctx, w.store, []int64{agent}, 3, 200)
			return err
		},
		"summary": func(w *world, v hierarchy.View, agent int64) error {
			_, err := v.Summaries(w.ctx, w.store, []int64{agent}, 64)
			return err
		},
	}
}

func (w *world) comparePast(b *testing.B, agent int64, ask func(w *world, v hierarchy.View, agent int64) error) {
	var took, used [3][]float64
	measure := func(i int, v hierarchy.View) {
		began, cpu := time.Now(), cpuTime()
		must(b, ask(w, v, agent))
		took[i] = append(took[i], float64(time.Since(began).Microseconds()))
		used[i] = append(used[i], float64((cpuTime() - cpu).Microseconds()))
	}
	past := w.on(day0.AddDays(-365))
	_, err := past.MemberCount(w.ctx, w.store) // the periods are kept
	must(b, err)
	for n := 0; b.Loop(); n++ {
		measure(0, w.on(day0))
		measure(1, past)
		if n%4 == 0 {
			w.inTx(b, func(ctx context.Context, tx *store.Tx) error {
				return w.tell(ctx, tx, w.agents[len(w.agents)-1])
			})
			measure(2, past)
			w.rebuild(b)
			_, err := past.MemberCount(w.ctx, w.store)
			must(b, err)
		}
	}
	for i, name := range []string{"today", "past", "changed"} {
		b.ReportMetric(middle(took[i]), name+"-µs")
		b.ReportMetric(middle(used[i]), name+"-cpu")
	}
	b.ReportMetric(middle(took[1])/middle(took[0]), "ratio")
	b.ReportMetric(0, "ns/op")
}

func middle(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
