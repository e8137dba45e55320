package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
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
	// template is the name of the database that is copied for each test.
	template string
	// bin is the folder of PostgreSQL's programs, credential who runs them.
	bin        string
	credential *syscall.Credential
	port       int
	pooler     *Pooler  // nil when tests reach the server directly
	replica    *Replica // nil when there is none
	citus      *citus   // nil when it is no coordinator
}

var postgres server

// migratedName is the database that a cluster has from the start, with all tables.
const migratedName = "upline_test"

// available starts the server when nobody has, and reports whether it is there.
func (s *server) available() bool {
	s.once.Do(s.start)
	return s.err == nil
}

func (s *server) start() {
	s.wanted = true
	if s.admin = os.Getenv("UPLINE_TEST_DATABASE_URL"); s.admin != "" {
		s.template = fmt.Sprintf("upline_test_%d", os.Getpid())
		s.err = s.makeTemplate()
	} else {
		s.err = s.startOwn()
	}
	if s.err == nil {
		s.pooler, s.err = s.startPooler()
	}
	if s.err == nil && withReplica {
		s.replica, s.err = s.newReplica()
	}
}

// startOwn starts a throw-away cluster that has the template: on a copy of the data that
// the packages of one "go test" share, unless it is a coordinator of Citus.
func (s *server) startOwn() error {
	if !WithCitus {
		return s.startPrepared()
	}
	s.citus = new(citus)
	return s.startWithTemplate()
}

// startPrepared starts a cluster that has the template, on a copy of the shared data.
func (s *server) startPrepared() error {
	prepared, err := shared("postgres", prepareCluster)
	if err != nil {
		return err
	}
	if prepared == "" {
		return s.startWithTemplate()
	}
	s.template = migratedName
	return s.startCluster(filepath.Join(prepared, "data"))
}

// startWithTemplate starts a cluster on data of its own, and makes the template.
func (s *server) startWithTemplate() error {
	if err := s.startCluster(""); err != nil {
		return err
	}
	s.template = migratedName
	return s.makeTemplate()
}

// prepareCluster makes the data of a cluster that has the template, in a folder.
func prepareCluster(folder string) error {
	c := &Cluster{server{dir: folder}}
	err := c.server.startWithTemplate()
	c.end(syscall.SIGINT) // what is committed is in its files then
	return err
}

// makeTemplate migrates one database, which every test then copies.
func (s *server) makeTemplate() error {
	if err := s.everywhere("CREATE DATABASE " + s.template); err != nil {
		return err
	}
	if s.citus != nil {
		return s.makeShardedTemplate()
	}
	if err := migrate(s.url(s.template)); err != nil {
		return err
	}
	return s.makeRole()
}

// role is who the tests of MainAsRole are on PostgreSQL: no owner of the tables, so that
// the policies of row-level security hold.
const role = "upline_test"

// makeRole makes the role, as docs/operations.md tells to, unless another process did.
// Its rights are those of the template. A coordinator of Citus logs in to its workers as
// the role.
func (s *server) makeRole() error {
	login := ""
	if s.citus != nil {
		login = " LOGIN"
	}
	return s.doIn(s.template, `DO $$ BEGIN CREATE ROLE `+role+login+`; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
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
	name := fmt.Sprintf("%s_%d", s.template, databases.Add(1))
	// Copying files takes half the time of writing them to the log first.
	if err := s.everywhere("CREATE DATABASE " + name + " TEMPLATE " + s.template + " STRATEGY FILE_COPY"); err != nil {
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
			_ = s.do("DROP DATABASE IF EXISTS " + s.template + " WITH (FORCE)")
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
