package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/platform/store/dberror"
)

// Tx is a transaction under way. It ends when the function given to InTx
// returns.
type Tx struct {
	store  *Store
	id     int64
	raw    querier
	job    func(ctx context.Context, args river.JobArgs) error
	raised []raised
	ended  atomic.Bool
	// changeAt is the time of the change, clockAt the one that the triggers know.
	changeAt, clockAt time.Time
	wrote             *bool // see ChangeAt

	use lent // the connection
	// turn is the turn that the transaction has; settled is true for a part of a joint one that
	// cannot be run again, and so does not wait for its turn.
	turn             string
	settled          bool
	commit, rollback func() error
}

// ID returns a random number that tells the transaction from all others, and is not 0.
func (t *Tx) ID() int64 { return t.id }

func (t *Tx) querier(ctx context.Context, query string, args []any) (querier, error) {
	return t.raw, t.startClock(ctx, query, args)
}

// In implements Querier.
func (t *Tx) In(column, placeholder string) string { return t.store.In(column, placeholder) }

// Each is Each of the store.
func (t *Tx) Each(alias, placeholder string) string { return t.store.Each(alias, placeholder) }

// EachKey is EachKey of the store.
func (t *Tx) EachKey(alias, placeholder string) string { return t.store.EachKey(alias, placeholder) }

// InTexts implements Querier.
func (t *Tx) InTexts(column, placeholder string) string { return t.store.InTexts(column, placeholder) }

// InUUIDs implements Querier.
func (t *Tx) InUUIDs(column, placeholder string) string { return t.store.InUUIDs(column, placeholder) }

// List implements Querier.
func (t *Tx) List(ids []int64) any { return t.store.List(ids) }

// Texts implements Querier.
func (t *Tx) Texts(texts []string) any { return t.store.Texts(texts) }

// Postgres reports whether the database is PostgreSQL.
func (t *Tx) Postgres() bool { return t.store.Postgres() }

// Exec runs a statement and returns the number of rows it affected.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := t.startClock(ctx, query, args); err != nil {
		return 0, err
	}
	return t.raw.exec(ctx, query, args)
}

// Insert adds a row to a table that has ids, with values for its columns, and returns its
// id.
func (t *Tx) Insert(ctx context.Context, table string, columns []string, values ...any) (id int64, err error) {
	if err = t.AskInsert(ctx, func(row Scanner) error { return row.Scan(&id) }, "id", table, columns, values...); err == nil {
		err = t.Flush(ctx)
	}
	return id, err
}

// AskInsert puts rows off as Ask does, whose values are given one row after the other;
// scan reads the columns returning of each.
func (t *Tx) AskInsert(ctx context.Context, scan func(Scanner) error, returning, table string, columns []string, values ...any) error {
	q := inserting(table, columns, values)
	return t.AskAll(ctx, scan, q.Write(" RETURNING "+returning).Text(), q.Args()...)
}

// Enqueue inserts a job that starts once the transaction is committed. A job only wakes a
// worker: the work itself is described by rows of the same transaction.
func (t *Tx) Enqueue(ctx context.Context, args river.JobArgs) error { return t.job(ctx, args) }

// ForUpdate is the clause that locks the rows of a SELECT against other writers until the
// end of the transaction; rows that refer to them can still be added (NO KEY). SQLite has
// one writer at a time and needs none.
func (t *Tx) ForUpdate() string {
	if t.Postgres() {
		return " FOR NO KEY UPDATE"
	}
	return ""
}

// ForDelete is ForUpdate for rows that are about to be deleted: meanwhile rows that refer
// to them cannot be added.
func (t *Tx) ForDelete() string {
	if t.Postgres() {
		return " FOR UPDATE"
	}
	return ""
}

// ForShare is the clause that keeps rows of a SELECT as they are until the end of the
// transaction; others may read them so, too.
func (t *Tx) ForShare() string {
	if t.Postgres() {
		return " FOR SHARE"
	}
	return ""
}

// RowPlace is the column with the physical location of a row. A statement that joins a
// table with its own rows by that column finds each at once. Otherwise, while PostgreSQL
// has no statistics of the table, in the minutes after its first rows, it expects a
// tenant to have few rows, and reads all of them for each.
func (t *Tx) RowPlace() string {
	if t.Postgres() {
		return "ctid"
	}
	return "rowid"
}

// Record is called in the transaction of a change, with the fields that changed, to
// record the change elsewhere: in an audit trail, which the changed area does not need to
// know.
type Record func(ctx context.Context, tx *Tx, fields ...string) error

// RecordAll calls each of several functions.
func RecordAll(ctx context.Context, tx *Tx, all []Record, fields ...string) error {
	for _, record := range all {
		if err := record(ctx, tx, fields...); err != nil {
			return err
		}
	}
	return nil
}

const maxAttempts = 6

// InTx runs f in a transaction, which is committed if f returns nil, and rolled back
// otherwise. It runs a transaction again that was refused because of another one: for a
// serialization failure, a deadlock, or an error marked by Again. So f must have no
// effects outside of it.
func (s *Store) InTx(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	if j := jointOf(ctx); j != nil && j.tx.store == s {
		return j.inTx(ctx, f)
	}
	return againIf(ctx, isRetryable, func() error {
		return s.inTurn(ctx, func(turn string) error { return s.tryTx(ctx, turn, f) })
	})
}

// againIf runs f, and runs it again after a pause if its error is one of those.
func againIf(ctx context.Context, isOne func(error) bool, f func() error) error {
	for attempt := 1; ; attempt++ {
		err := f()
		if err == nil || attempt == maxAttempts || !isOne(err) {
			return err
		}
		pause := time.Duration(attempt*attempt) * time.Duration(2+rand.IntN(8)) * time.Millisecond
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// tryTx runs a transaction that has a turn already, or none.
func (s *Store) tryTx(ctx context.Context, turn string, f func(ctx context.Context, tx *Tx) error) (err error) {
	tx, err := s.begin(ctx, turn)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	done := false
	defer tx.leave()
	defer func() {
		if !done { // f failed or panicked
			_ = tx.rollback()
		}
	}()
	if err := f(context.WithValue(ctx, txKey{}, tx), tx); err != nil {
		return err
	}
	done = true
	return tx.finish(ctx)
}

// finish commits the transaction, unless its request was cancelled, and then tells what it
// has raised.
func (t *Tx) finish(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		err = errors.Join(t.stopClock(ctx), fault(ctx, Commit))
	}
	if err != nil {
		return errors.Join(err, t.rollback())
	}
	if err := t.commit(); err != nil {
		return err
	}
	if err := fault(ctx, Committed); err != nil {
		return err
	}
	t.store.signals.send(t.raised)
	return nil
}

type txKey struct{}

// txOf returns the transaction of a context that has not ended; nil for none.
func txOf(ctx context.Context) *Tx {
	if tx, _ := ctx.Value(txKey{}).(*Tx); tx != nil && !tx.ended.Load() {
		return tx
	}
	return nil
}

// Within returns the transaction of ctx, or the store if ctx has none. It is for code that may
// be called inside a transaction without being part of it, such as reading keys that are
// not in memory. If each of many transactions waited for a second connection, all could
// wait for each other.
func (s *Store) Within(ctx context.Context) Querier {
	if tx := txOf(ctx); tx != nil && tx.store == s {
		return tx
	}
	return s
}

// begin begins a transaction, which has a connection, and its turn, until it ends.
func (s *Store) begin(ctx context.Context, turn string) (tx *Tx, err error) {
	tx = &Tx{store: s, id: rand.Int64N(math.MaxInt64) + 1, turn: turn}
	defer func() {
		if err != nil {
			tx.leave()
			tx = nil
		}
	}()
	conns, open := s.writer, s.beginSQLite
	if s.Postgres() {
		conns, open = shared{s.conns}, s.beginPostgres
	}
	if tx.use, err = conns.take(ctx, ""); err != nil {
		return tx, err
	}
	return tx, open(ctx, tx)
}

// leave gives back what an ended transaction had.
func (t *Tx) leave() {
	t.ended.Store(true)
	t.use.Done()
	if t.turn != "" {
		t.store.turns.end(t.turn)
		t.turn = ""
	}
}

// Again marks an error of a transaction that met what another one had written meanwhile,
// and that would succeed now. InTx runs it again.
func Again(err error) error { return &again{err} }

type again struct{ error }

func (a *again) Unwrap() error { return a.error }

// isRetryable reports whether a transaction was refused only because of
// another one.
func isRetryable(err error) bool {
	var (
		pg     *pgconn.PgError
		marked *again
	)
	return errors.As(err, &marked) || errors.As(err, &pg) && pg.Code == "40001" || dberror.IsDeadlock(err)
}
