package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Replica is a streaming replica of a cluster.
type Replica struct {
	process
	of   *server
	port int
}

// newReplica copies a cluster that runs, and starts the copy as its replica.
func (s *server) newReplica() (*Replica, error) {
	if s.dir == "" {
		return nil, fmt.Errorf("a replica needs a cluster that the tests start, not UPLINE_TEST_DATABASE_URL")
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(s.dir, "replica-"+strconv.Itoa(port))
	if err := said(s.program("pg_basebackup", "-D", data, "-d", s.admin, "-R", "--checkpoint=fast", "--no-sync")); err != nil {
		return nil, err
	}
	r := &Replica{of: s, port: port}
	// Signalled to quit it ends as a machine that fails would.
	r.process = process{prepare: func() *exec.Cmd { return s.postgres(data, port) }, ready: r.URL(s.admin), end: syscall.SIGQUIT}
	return r, r.start()
}

// URL leads to the database of another URL on the replica.
func (r *Replica) URL(primary string) string {
	u, err := url.Parse(primary)
	if err != nil {
		panic(err) // it was used to connect
	}
	u.Host = "127.0.0.1:" + strconv.Itoa(r.port)
	q := u.Query()
	q.Del("pool_mode")
	u.RawQuery = q.Encode()
	return u.String()
}

// Pause has the replica replay nothing until Resume.
func (r *Replica) Pause(t testing.TB) { r.must(t, "SELECT pg_wal_replay_pause()") }

// Resume ends Pause.
func (r *Replica) Resume(t testing.TB) { r.must(t, "SELECT pg_wal_replay_resume()") }

func (r *Replica) must(t testing.TB, statement string) {
	t.Helper()
	if err := run(r.URL(r.of.admin), statement); err != nil {
		t.Fatal(err)
	}
}

// Replica starts a streaming replica of the cluster.
func (c *Cluster) Replica(t testing.TB) *Replica {
	t.Helper()
	r, err := c.server.newReplica()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	return r
}

// withReplica says that tests on PostgreSQL have queries answered by a streaming replica
// where they can be.
var withReplica = os.Getenv("UPLINE_TEST_REPLICA") != ""

// Options are those with which a database of these tests is opened.
func Options(url string) store.Options {
	if postgres.replica == nil || !store.IsPostgres(url) {
		return store.Options{}
	}
	return store.Options{ReadDatabase: postgres.replica.URL(url)}
}

// OpenURL opens a database of EachURL.
func OpenURL(ctx context.Context, url string) (*store.Store, error) {
	return store.OpenWith(ctx, url, Options(url))
}
