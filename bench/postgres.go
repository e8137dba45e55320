package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// cluster is a PostgreSQL of our own, with its usual settings but for a cache
// that holds the agency.
type cluster struct {
	dir, url string
	cmd      *exec.Cmd
}

// startCluster makes a cluster in a temporary folder. PostgreSQL refuses to run
// as root; then an unprivileged user runs it.
func startCluster(ctx context.Context) (c *cluster, err error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	c = &cluster{}
	if c.dir, err = os.MkdirTemp("", "upline-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	credential, err := unprivileged(c.dir)
	if err != nil {
		return nil, err
	}
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = c.dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
		return cmd
	}
	data := filepath.Join(c.dir, "data")
	if out, err := run("initdb", "-D", data, "-U", "upline", "-A", "trust", "--no-instructions", "-E", "UTF8", "--locale=C").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	c.cmd = run("postgres", "-D", data, "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", c.dir,
		"-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB")
	c.url = fmt.Sprintf("postgres://upline@127.0.0.1:%d/postgres?sslmode=disable", port)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	return c, c.waitReady(ctx)
}

func (c *cluster) waitReady(ctx context.Context) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		conn, err := pgx.Connect(ctx, c.url)
		if err == nil {
			return conn.Close(ctx)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("PostgreSQL did not start: %w", err)
		}
	}
}

// policiesRole is the role of the server with row-level security.
const policiesRole = "upline_bench"

// makeRole makes it, as docs/operations.md tells to.
func makeRole(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE ROLE "+policiesRole+`;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO `+policiesRole+`;
		GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO `+policiesRole)
	return err
}

func (c *cluster) stop() {
	if c.cmd != nil && c.cmd.Process != nil {
		_ = c.cmd.Process.Signal(syscall.SIGQUIT) // immediate shutdown: nothing is kept
		_ = c.cmd.Wait()
	}
	_ = os.RemoveAll(c.dir)
}

// binaries finds the folder of PostgreSQL's programs: on the PATH, or where
// Debian and its kin put them.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin"); len(found) > 0 {
		return found[len(found)-1], nil
	}
	return "", errors.New("no PostgreSQL was found; give -database")
}

func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err1, err2, os.Chown(dir, uid, gid)); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
