package demo_test

import (
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// BenchmarkLoad loads 2,000 agents, and on PostgreSQL without -short 100,000.
func BenchmarkLoad(b *testing.B) {
	b.Run("sqlite/2000", func(b *testing.B) { benchmarkLoad(b, 2000, dbtest.SQLite) })
	b.Run("postgres/2000", func(b *testing.B) { benchmarkLoad(b, 2000, dbtest.Postgres) })
	if !testing.Short() {
		b.Run("postgres/100000", func(b *testing.B) { benchmarkLoad(b, 100_000, dbtest.Postgres) })
	}
}

func benchmarkLoad(b *testing.B, agents int, open func(testing.TB) *store.Store) {
	agency := &demo.Agency{Options: demo.Options{Agents: agents, Seed: 1, Today: today}}
	w := newWorld(b, open(b))
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		t := w.create(b, fmt.Sprintf("t%d", n))
		b.StartTimer()
		if err := w.load(b.Context(), t, agency, ignore); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(agents*b.N)/b.Elapsed().Seconds(), "agents/s")
}
