package app_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The ledger of each topology of docs/operations.md: three servers at once, one of which
// is killed; a pooler between servers and PostgreSQL, killed as well; a read replica,
// killed as well. "make topologies" goes on for longer.
func TestTopologies(t *testing.T) {
	t.Parallel() // it waits
	t.Run("three servers", func(t *testing.T) {
		t.Parallel()
		cluster := dbtest.NewCluster(t)
		(&ledger{t: t, url: cluster.URL(), direct: cluster.URL(), rounds: fewRounds, kills: *ledgerKills, beside: 2}).run()
	})
	t.Run("pooler", func(t *testing.T) {
		t.Parallel()
		cluster := dbtest.NewCluster(t)
		pooler := cluster.Pooler(t)
		(&ledger{t: t, url: pooler.URL(cluster.URL()), direct: cluster.URL(), rounds: fewRounds, kills: *ledgerKills, parts: []part{pooler}}).run()
	})
	t.Run("replica", func(t *testing.T) {
		t.Parallel()
		cluster := dbtest.NewCluster(t)
		replica := cluster.Replica(t)
		(&ledger{t: t, url: cluster.URL(), direct: cluster.URL(), read: replica.URL(cluster.URL()), rounds: fewRounds, kills: *ledgerKills, parts: []part{replica}}).run()
	})
}
