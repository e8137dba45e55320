package migrations_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

var everyFault = flag.Bool("faults", false, "fail every statement of every migration, instead of one of each")

// A migration whose database fails at some statement, or at its commit, leaves the version
// before, whole; one whose commit nobody hears of leaves its own. In either case the next
// run completes it. The tables have no rows.
func TestMigrationsWithFaults(t *testing.T) {
	t.Parallel() // it waits
	eachDatabase(t, func(t *testing.T, d database) {
		sound := d.open(t)
		f := &failing{opens: sound.Driver(), dsn: d.dsn}
		db := sql.OpenDB(f)
		t.Cleanup(func() { db.Close() })
		p := d.provider(t, db)
		down := func() {
			if _, err := p.DownTo(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		version := func() int64 {
			f.failAt(0)
			v, err := p.GetDBVersion(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return v
		}

		down()
		tables, moments := map[int64][]string{0: nil}, map[int64]int{}
		for _, source := range p.ListSources() {
			f.failAt(0)
			if _, err := p.UpByOne(t.Context()); err != nil {
				t.Fatal(err)
			}
			moments[source.Version], tables[source.Version] = f.seen, described(t, sound, d.describe)
		}
		down()

		tried, random := 0, rand.New(rand.NewPCG(33, 5))
		for _, source := range p.ListSources() {
			first, last := 1, moments[source.Version]
			if !*everyFault {
				first = 1 + random.IntN(last)
				last = first
			}
			before := version()
			for n := first; n <= last && version() == before; n++ {
				f.failAt(n)
				_, err := p.UpByOne(t.Context())
				seen := f.seen
				if reached := version(); err == nil || seen < n || !slices.Equal(described(t, sound, d.describe), tables[reached]) {
					t.Errorf("migration %d failed at moment %d of %d (%v), and left something else than version %d", source.Version, n, seen, err, reached)
				}
				tried++
			}
			if version() > before { // nobody heard of the commit
				continue
			}
			if _, err := p.UpByOne(t.Context()); err != nil || version() != source.Version || !slices.Equal(described(t, sound, d.describe), tables[source.Version]) {
				t.Fatalf("migration %d, after it had failed, reached version %d (%v)", source.Version, version(), err)
			}
		}
		if t.Logf("%d moments failed in %d migrations", tried, len(tables)-1); tried < len(tables)-1 {
			t.Error("not all migrations failed")
		}
	})
}

// failing opens connections that fail at one moment: a statement, the begin of a
// transaction, its commit, or after that.
type failing struct {
	opens driver.Driver
	dsn   string

	mu       sync.Mutex
	at, seen int
}

// errFault is what the database fails with.
var errFault = errors.New("the database failed on purpose")

// failAt has the n-th moment from now on fail; none if n is 0.
func (f *failing) failAt(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.seen = n, 0
}

func (f *failing) moment() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen++; f.seen == f.at {
		return errFault
	}
	return nil
}

// Connect implements driver.Connector.
func (f *failing) Connect(context.Context) (driver.Conn, error) {
	c, err := f.opens.Open(f.dsn)
	return failingConn{c, f}, err
}

// Driver implements driver.Connector.
func (f *failing) Driver() driver.Driver { return f.opens }

type failingConn struct {
	driver.Conn
	f *failing
}

// ExecContext implements driver.ExecerContext.
func (c failingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.f.moment(); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext.
func (c failingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.f.moment(); err != nil {
		return nil, err
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// BeginTx implements driver.ConnBeginTx.
func (c failingConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if err := c.f.moment(); err != nil {
		return nil, err
	}
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
	return failingTx{tx, c.f}, err
}

type failingTx struct {
	driver.Tx
	f *failing
}

// Commit implements driver.Tx.
func (tx failingTx) Commit() error {
	if err := tx.f.moment(); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return errors.Join(tx.Tx.Commit(), tx.f.moment())
}
