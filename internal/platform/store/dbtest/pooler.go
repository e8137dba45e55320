package dbtest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Pooler is a PgBouncer in transaction mode, in front of the throw-away cluster, as
// docs/operations.md describes it. Tests go through it with UPLINE_TEST_POOLER=pgbouncer,
// or the path of that program.
type Pooler struct {
	process
	port int
}

// startPooler starts the pooler that the environment asks for; nil when it asks for none.
func (s *server) startPooler() (*Pooler, error) {
	if name := os.Getenv("UPLINE_TEST_POOLER"); name != "" {
		return s.newPooler(name)
	}
	return nil, nil
}

// newPooler starts a pooler by the name of its program.
func (s *server) newPooler(name string) (*Pooler, error) {
	if s.dir == "" {
		return nil, fmt.Errorf("UPLINE_TEST_POOLER needs a cluster that the tests start, not UPLINE_TEST_DATABASE_URL")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(s.dir, "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d user=upline
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 1000
log_connections = 0
log_disconnections = 0
`, s.port, port)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	p := &Pooler{port: port, process: process{
		prepare: func() *exec.Cmd { return s.command(path, "-q", config) }, // its user is not root
		ready:   fmt.Sprintf("postgres://upline@127.0.0.1:%d/postgres?sslmode=disable&default_query_exec_mode=exec", port),
		end:     os.Kill,
	}}
	return p, p.start()
}

// URL leads to the database of another URL through the pooler.
func (p *Pooler) URL(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		panic(err) // it was used to connect
	}
	u.Host = "127.0.0.1:" + strconv.Itoa(p.port)
	query := u.Query()
	query.Set("pool_mode", "transaction")
	u.RawQuery = query.Encode()
	return u.String()
}

// Pooler starts a PgBouncer in front of the cluster. It skips the test where PgBouncer is
// not installed.
func (c *Cluster) Pooler(t testing.TB) *Pooler {
	t.Helper()
	p, err := c.server.newPooler("pgbouncer")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("LEFT OUT: PgBouncer is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}
