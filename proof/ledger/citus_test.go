package ledger_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// On a coordinator of Citus the ledger holds as well: while workers are killed, and while
// another worker is added and its share of the tables moves there, under load.
func TestCitus(t *testing.T) {
	t.Run("workers killed", func(t *testing.T) {
		cluster := dbtest.NewCitus(t)
		shard(t, cluster.URL())
		var parts []part
		for _, w := range cluster.Workers() {
			parts = append(parts, w)
		}
		(&ledger{t: t, site: site{url: cluster.URL(), direct: cluster.URL(), parts: parts}, rounds: fewRounds, kills: *ledgerKills}).run()
	})
	t.Run("worker added", func(t *testing.T) {
		cluster := dbtest.NewCitus(t)
		shard(t, cluster.URL())
		moved := make(chan struct{})
		var err error
		go func() {
			defer close(moved)
			err = cluster.AddWorker(t.Context())
		}()
		(&ledger{t: t, site: site{url: cluster.URL(), direct: cluster.URL(), beside: 2}, rounds: fewRounds, until: moved}).run()
		if <-moved; err != nil {
			t.Error(err)
		}
		if least := cluster.FewestShards(t); least == 0 {
			t.Error("a worker has no tables")
		}
	})
}

// shard makes the tables of an empty database and spreads them.
func shard(t *testing.T, url string) {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if n, err := s.Shard(t.Context()); err != nil || n > 0 != want {
			t.Fatalf("%d tables were placed: %v", n, err)
		}
	}
}
