package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/internal/platform/store"
)

// server is the PostgreSQL of a test process.
type server struct {
	once   sync.Once
	wanted bool
	err    error
	admin  string // URL that may create databases
	dir    string // of the throw-away cluster; empty when a URL was given
	cmd    *exec.Cmd
	// program prepares to run one of PostgreSQL's programs.
	program func(name string, args ...string) *exec.Cmd
	port    int
	pooler  *Pooler  // nil when tests reach the server directly
	replica *Replica // nil when there is none
	citus   *citus   // nil when it is no coordinator
}

var postgres server

// available starts the server when nobody has, and reports whether it is there.
func (s *server) available() bool {
	s.once.Do(s.start)
	return s.err == nil
}

func (s *server) start() {
	s.wanted = true
	if s.admin = os.Getenv("UPLINE_TEST_DATABASE_URL"); s.admin == "" {
		if WithCitus {
			s.citus = new(citus)
		}
		if s.err = s.citus.missing(); s.err == nil {
			s.err = s.startCluster()
		}
	}
	if s.err == nil {
		s.err = s.makeTemplate()
	}
	if s.err == nil {
		s.pooler, s.err = s.startPooler()
	}
	if s.err == nil && withReplica {
		s.replica, s.err = s.newReplica()
	}
}

func (s *server) templateName() string { return fmt.Sprintf("upline_test_%d", os.Getpid()) }

// makeTemplate migrates one database, which every test then copies.
func (s *server) makeTemplate() error {
	if err := s.everywhere("CREATE DATABASE " + s.templateName()); err != nil {
		return err
	}
	if s.citus != nil {
		return s.makeShardedTemplate()
	}
	if err := migrate(s.url(s.templateName())); err != nil {
		return err
	}
	return s.makeRole()
}

// role is who the tests of MainAsRole are on PostgreSQL: no owner of the tables, so that
// the policies of row-level security hold.
const role = "upline_test"

// makeRole makes the role, as docs/operations.md tells to, unless another process did.
// Its rights are those of the template.
func (s *server) makeRole() error {
	return s.doIn(s.templateName(), `DO $$ BEGIN CREATE ROLE `+role+`; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
		GRANT USAGE ON SCHEMA public TO `+role+`;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO `+role+`;
		GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO `+role+`;
		GRANT pg_read_all_stats TO `+role) // tests wait until another connection waits
}

// RoleURL is the URL of a database of PostgresURL for a role that does not own its tables.
func RoleURL(database string) string {
	u, err := url.Parse(database)
	if err != nil {
		panic(err) // it was used to connect
	}
	q := u.Query()
	q.Set("role", role)
	u.RawQuery = q.Encode()
	return u.String()
}

// OwnerURL is the URL of a database of PostgresURL for the owner of its tables, who may
// change them and whom no policy holds. That of an SQLite file stays as it is.
func OwnerURL(database string) string {
	u, err := url.Parse(database)
	if err != nil || !store.IsPostgres(database) {
		return database
	}
	q := u.Query()
	q.Del("role")
	u.RawQuery = q.Encode()
	return u.String()
}

func (s *server) newDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("%s_%d", s.templateName(), databases.Add(1))
	// Copying files takes half the time of writing them to the log first.
	if err := s.everywhere("CREATE DATABASE " + name + " TEMPLATE " + s.templateName() + " STRATEGY FILE_COPY"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.everywhere("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	if s.pooler != nil {
		return s.pooler.URL(s.url(name))
	}
	if asRole {
		return RoleURL(s.url(name))
	}
	return s.url(name)
}

func (s *server) url(database string) string {
	u, err := url.Parse(s.admin)
	if err != nil {
		panic(err) // it was used to connect
	}
	u.Path = "/" + database
	return u.String()
}

var adminMu sync.Mutex // a template cannot be copied by two at once

func (s *server) do(statement string) error { return s.doIn("", statement) }

// doIn runs a statement in a database, by default that of the URL.
func (s *server) doIn(database, statement string) error {
	to := s.admin
	if database != "" {
		to = s.url(database)
	}
	adminMu.Lock()
	defer adminMu.Unlock()
	return run(to, statement)
}

func run(database, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

func (s *server) stop() {
	if s.cmd == nil {
		if s.admin != "" && s.err == nil {
			_ = s.do("DROP DATABASE IF EXISTS " + s.templateName() + " WITH (FORCE)")
		}
		return
	}
	if s.pooler != nil {
		s.pooler.Kill()
	}
	if s.replica != nil {
		s.replica.Kill()
	}
	s.citus.kill()
	_ = s.cmd.Process.Signal(syscall.SIGQUIT) // immediate shutdown: nothing is kept
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// startCluster makes a cluster in a temporary folder and waits for it.
// PostgreSQL refuses to run as root; then an unprivileged user runs it.
func (s *server) startCluster() error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	credential, err := unprivileged()
	if err != nil {
		return err
	}
	removeLeftovers()
	if s.dir, err = makeFolder(); err != nil {
		return err
	}
	if credential != nil {
		if err := os.Chown(s.dir, int(credential.Uid), int(credential.Gid)); err != nil {
			return err
		}
	}
	s.program = func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = s.dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
		return cmd
	}
	if err := s.initialize(s.data()); err != nil {
		return err
	}
	if s.port, err = freePort(); err != nil {
		return err
	}
	s.admin = adminOf(s.port)
	if err := s.launch(); err != nil || s.citus == nil {
		return err
	}
	return s.startWorkers()
}

// initialize makes a data folder.
func (s *server) initialize(data string) error {
	initdb := s.program("initdb", "-D", data, "-U", "upline", "-A", "trust", "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// adminOf is the URL of a server's own database.
func adminOf(port int) string {
	return fmt.Sprintf("postgres://upline@127.0.0.1:%d/postgres?sslmode=disable", port)
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// launch starts the cluster and waits for it.
func (s *server) launch() error {
	s.cmd = s.postgres(s.data(), s.port)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	return s.waitReady()
}

// postgres prepares to run a server on a data folder.
func (s *server) postgres(data string, port int) *exec.Cmd {
	return s.program("postgres", append([]string{"-D", data, "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", s.dir,
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=200"}, s.citus.settings(data)...)...)
}

func (s *server) waitReady() error { return waitFor(s.admin) }

// waitFor waits until a server answers.
func waitFor(url string) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err := run(url, "SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("PostgreSQL did not start: %w", err)
		}
	}
}

// binaries finds the folder of the server's programs: on the PATH, or where
// Debian and its kin put them.
func binaries() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			path = resolved
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "initdb")); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) > 0 {
		return found[len(found)-1], nil
	}
	return "", errors.New("UPLINE_TEST_DATABASE_URL is not set and no postgres program was found")
}

func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("no unprivileged user to run PostgreSQL as")
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
