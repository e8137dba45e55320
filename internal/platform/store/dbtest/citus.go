package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/uplinehq/upline/ent/migrations"
	"github.com/uplinehq/upline/internal/platform/store"
)

// WithCitus says that tests on PostgreSQL run on a coordinator of Citus with two workers.
var WithCitus = os.Getenv("UPLINE_TEST_CITUS") != ""

// citus are the workers of a coordinator.
type citus struct{ workers []*Worker }

// Worker is a PostgreSQL of its own, in the coordinator's folder.
type Worker struct {
	process
	port int
}

// Whoever asks for Citus and cannot have it is told what to do.
var (
	errNoCitus    = errors.New("UPLINE_TEST_CITUS is set, and PostgreSQL has no Citus: install it, or build it from its source (docs/scale.md, Several servers)")
	errOwnCluster = errors.New("UPLINE_TEST_CITUS starts servers of its own: leave UPLINE_TEST_DATABASE_URL away")
)

// askedInVain is why the tests cannot run on Citus, which they are asked to.
func askedInVain() error {
	switch {
	case !WithCitus:
		return nil
	case os.Getenv("UPLINE_TEST_DATABASE_URL") != "":
		return errOwnCluster
	case !hasCitus():
		return errNoCitus
	}
	return nil
}

// settings are those with which a server of Citus starts; none where there is no Citus.
// It writes down, as lines of JSON beside its data, each statement that had to be split.
func (c *citus) settings(data string) (all []string) {
	if c == nil {
		return nil
	}
	for _, setting := range []string{
		"shared_preload_libraries=citus", "wal_level=logical", "max_worker_processes=200", "max_locks_per_transaction=1024", "max_prepared_transactions=400",
		"max_wal_senders=20", "max_replication_slots=40", "citus.shard_count=6", "citus.node_conninfo=sslmode=disable",
		"citus.max_cached_conns_per_worker=1", "citus.enable_statistics_collection=off", "log_checkpoints=off",
		"citus.multi_task_query_log_level=log", "logging_collector=on", "log_destination=jsonlog", "log_rotation_age=0", "log_rotation_size=0",
		"log_directory=" + data + "-log", "log_filename=split",
	} {
		all = append(all, "-c", setting)
	}
	return all
}

func (c *citus) kill() {
	if c != nil {
		for _, w := range c.workers {
			w.Kill()
		}
	}
}

// startWorkers starts two workers.
func (s *server) startWorkers() error {
	for range 2 {
		if _, err := s.startWorker(); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) startWorker() (*Worker, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(s.dir, "worker-"+strconv.Itoa(port))
	if err := s.initialize(data); err != nil {
		return nil, err
	}
	w := &Worker{port: port, process: process{prepare: func() *exec.Cmd { return s.postgres(data, port) }, ready: adminOf(port), end: syscall.SIGQUIT}}
	s.citus.workers = append(s.citus.workers, w)
	return w, w.start()
}

// everywhere runs a statement on every server, the coordinator's first.
func (s *server) everywhere(statement string) error { return s.everywhereIn("", statement) }

func (s *server) everywhereIn(database, statement string) error {
	err := s.doIn(database, statement)
	if s.citus == nil {
		return err
	}
	for _, w := range s.citus.workers {
		err = errors.Join(err, w.do(database, statement))
	}
	return err
}

// do runs a statement in a database of a worker, by default its own.
func (w *Worker) do(database, statement string) error {
	to, err := url.Parse(adminOf(w.port))
	if err != nil {
		return err
	}
	if database != "" {
		to.Path = "/" + database
	}
	adminMu.Lock()
	defer adminMu.Unlock()
	return run(to.String(), statement)
}

// makeShardedTemplate makes the tables of the template and spreads them. Copies of the
// databases of all servers are then a coordinator with its workers, too.
func (s *server) makeShardedTemplate() error {
	name := s.template
	if err := s.makeCoordinator(name); err != nil {
		return err
	}
	if err := migrateSharded(s.url(name)); err != nil {
		return err
	}
	if err := s.makeRole(); err != nil {
		return err
	}
	// Citus has a process of its own in every database, and one with another in it cannot
	// be copied.
	return errors.Join(s.everywhere("ALTER DATABASE "+name+" ALLOW_CONNECTIONS false"),
		s.everywhere("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '"+name+"'"))
}

// makeCoordinator makes a database the coordinator of those of the workers.
func (s *server) makeCoordinator(database string) error {
	if err := s.everywhereIn(database, "CREATE EXTENSION citus"); err != nil {
		return err
	}
	if err := s.doIn(database, fmt.Sprintf("SELECT citus_set_coordinator_host('127.0.0.1', %d)", s.port)); err != nil {
		return err
	}
	for _, w := range s.citus.workers {
		if err := s.doIn(database, fmt.Sprintf("SELECT citus_add_node('127.0.0.1', %d)", w.port)); err != nil {
			return err
		}
	}
	return nil
}

// firstOnCitus is the first version whose tables could be spread. Later migrations find
// them so, as they do where somebody upgrades.
const firstOnCitus = 102

func migrateSharded(url string) error {
	if err := migrateTo(url, firstOnCitus); err != nil {
		return err
	}
	s, err := store.Open(context.Background(), url)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Shard(context.Background()); err != nil {
		return err
	}
	return s.Migrate(context.Background())
}

// migrateTo makes the tables of a version.
func migrateTo(url string, version int64) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer db.Close()
	files, err := fs.Sub(migrations.Files, "postgres")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(store.GoMigrations()...))
	if err == nil {
		_, err = p.UpTo(context.Background(), version)
	}
	return err
}

// Citus is a coordinator of Citus with two workers, of one test.
type Citus struct{ server server }

// NewCitus starts a coordinator with two workers, whose only database is empty. The test
// fails for each statement that is sent to several shards for no known reason. It is
// skipped unless tests run on Citus.
func NewCitus(t testing.TB) *Citus {
	t.Helper()
	if !WithCitus {
		t.Skip("make citus runs it")
	}
	c := &Citus{server{citus: new(citus)}}
	t.Cleanup(func() {
		split, err := c.server.unexplained()
		if err != nil || len(split) > 0 {
			t.Errorf("sent to several shards: %v %q", err, split)
		}
		c.server.citus.kill()
		if cmd := c.server.cmd; cmd != nil {
			_ = cmd.Process.Signal(syscall.SIGQUIT)
			_ = cmd.Wait()
		}
		_ = os.RemoveAll(c.server.dir)
	})
	if err := c.server.startCluster(""); err != nil {
		t.Fatal(err)
	}
	if err := c.server.makeCoordinator("postgres"); err != nil {
		t.Fatal(err)
	}
	return c
}

// hasCitus reports whether the server's programs have Citus.
func hasCitus() bool {
	bin, err := binaries()
	if err != nil {
		return false
	}
	out, err := exec.Command(filepath.Join(bin, "pg_config"), "--pkglibdir").Output()
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(string(out[:len(out)-1]), "citus.so"))
	return err == nil
}

// URL is that of the database.
func (c *Citus) URL() string { return c.server.admin }

// Workers are the workers that there were at first.
func (c *Citus) Workers() []*Worker { return c.server.citus.workers[:2] }

// FewestShards is how many shards the worker has that has the fewest.
func (c *Citus) FewestShards(t testing.TB) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL())
	if err == nil {
		defer conn.Close(t.Context())
		err = conn.QueryRow(t.Context(), `SELECT min((SELECT count(*) FROM citus_shards s WHERE s.nodeport = n.nodeport AND s.citus_table_type = 'distributed'))
			FROM pg_dist_node n WHERE n.shouldhaveshards`).Scan(&n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// AddWorker adds a worker, and moves its share of the shards there.
func (c *Citus) AddWorker(ctx context.Context) error {
	w, err := c.server.startWorker()
	if err != nil {
		return err
	}
	if err := w.do("", "CREATE EXTENSION citus"); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, c.URL())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, fmt.Sprintf("SELECT citus_add_node('127.0.0.1', %d)", w.port)); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT rebalance_table_shards()")
	return err
}
