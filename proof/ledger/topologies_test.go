package ledger_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// part is what servers need, or use, and what is stopped and started under them.
type part interface {
	Kill()
	Start(testing.TB)
}

// site is a database with what is between it and its servers.
type site struct {
	// url is the database as the servers reach it, direct as nothing is between; read is
	// that of their read replica, if they have one.
	url, direct, read string
	parts             []part
	// beside is how many other servers there always are.
	beside int
}

// topology has a name, and makes a site of a cluster.
type topology struct {
	name string
	at   func(*testing.T, *dbtest.Cluster) site
}

// topologies are those of docs/operations.md: three servers at once; a pooler between
// servers and PostgreSQL, killed as well; and a read replica, killed as well.
var topologies = []topology{
	{"three servers", func(_ *testing.T, c *dbtest.Cluster) site {
		return site{url: c.URL(), direct: c.URL(), beside: 2}
	}},
	{"pooler", func(t *testing.T, c *dbtest.Cluster) site {
		pooler := c.Pooler(t)
		return site{url: pooler.URL(c.URL()), direct: c.URL(), parts: []part{pooler}}
	}},
	{"replica", func(t *testing.T, c *dbtest.Cluster) site {
		replica := c.Replica(t)
		return site{url: c.URL(), direct: c.URL(), read: replica.URL(c.URL()), parts: []part{replica}}
	}},
}

// failingNetwork is a network that fails between servers and PostgreSQL. A ledger, whose
// changes wait for their answers, would take minutes there.
var failingNetwork = topology{"network", func(t *testing.T, c *dbtest.Cluster) site {
	link := c.Link(t)
	return site{url: link.URL(c.URL()), direct: c.URL(), parts: []part{link}}
}}

// eachTopology runs f at each topology.
func eachTopology(t *testing.T, all []topology, f func(*testing.T, site)) {
	t.Helper()
	for _, topology := range all {
		t.Run(topology.name, func(t *testing.T) {
			t.Parallel()
			f(t, topology.at(t, dbtest.NewCluster(t)))
		})
	}
}

// The ledger of each topology; of three servers one is killed. "make topologies" goes on
// for longer.
func TestTopologies(t *testing.T) {
	t.Parallel() // it waits
	eachTopology(t, topologies, func(t *testing.T, at site) {
		(&ledger{t: t, site: at, rounds: fewRounds, kills: *ledgerKills}).run()
	})
}
