package dbtest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Cluster is a PostgreSQL of one test, which stops and starts it.
type Cluster struct{ server server }

// NewCluster starts a PostgreSQL whose database has all tables. It skips the test where
// the server's programs are missing.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, (*server).startPrepared)
}

// NewEmptyCluster is NewCluster with a database that is empty, and of no other's making.
func NewEmptyCluster(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, func(s *server) error { return s.startCluster("") })
}

func newCluster(t testing.TB, start func(*server) error) *Cluster {
	t.Helper()
	if _, err := binaries(); err != nil {
		t.Skip(err)
	}
	c := &Cluster{}
	t.Cleanup(func() {
		c.end(syscall.SIGQUIT)
		_ = os.RemoveAll(c.server.dir)
	})
	if err := start(&c.server); err != nil {
		t.Fatal(err)
	}
	return c
}

// URL is that of the database.
func (c *Cluster) URL() string {
	if c.server.template == "" {
		return c.server.admin
	}
	return c.server.url(c.server.template)
}

// Kill ends the server as a machine that fails would: when it starts again, it recovers what
// was committed from its log.
func (c *Cluster) Kill() { c.end(syscall.SIGQUIT) }

func (c *Cluster) end(signal syscall.Signal) {
	if cmd := c.server.cmd; cmd != nil {
		_ = cmd.Process.Signal(signal)
		_ = cmd.Wait()
		c.server.cmd = nil
	}
}

// Start starts the server again.
func (c *Cluster) Start(t testing.TB) {
	t.Helper()
	if err := c.server.launch(); err != nil {
		t.Fatal(err)
	}
}

// Program is the path of one of PostgreSQL's programs. It skips the test where they are
// missing.
func Program(t testing.TB, name string) string {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		t.Skip(err)
	}
	return filepath.Join(bin, name)
}

// Log is what the server's program pg_waldump says of the write-ahead log between two
// positions. file is the name of the one in which the first is.
func (c *Cluster) Log(t testing.TB, file, from, to string) string {
	t.Helper()
	out, err := c.server.program("pg_waldump", "-p", filepath.Join(c.server.data(), "pg_wal"), "-s", from, "-e", to, file).CombinedOutput()
	if err != nil {
		t.Fatalf("the log from %s to %s: %v: %s", from, to, err, out)
	}
	return string(out)
}
