package store

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// Later runs a statement whose result nobody waits for. On PostgreSQL it is sent with the
// next statement that somebody waits for, or with the commit, in one round trip; that
// statement or commit then also returns its error. On SQLite, which is in the process, it
// runs at once.
func (t *Tx) Later(ctx context.Context, query string, args ...any) error {
	return t.later(ctx, nil, query, args)
}

// Ask is Later for a query of at most one row. After Flush the row is in dest, and found
// says whether there was one.
func (t *Tx) Ask(ctx context.Context, dest []any, query string, args ...any) (found *bool, err error) {
	found = new(bool)
	query, args, err = visibility.Statement(ctx, t.raw.schema(), query, args, nil)
	if err != nil {
		return found, err
	}
	return found, t.later(ctx, func(rows scanned) error {
		if !rows.Next() {
			return nil
		}
		*found = true
		return rows.Scan(dest...)
	}, query, args)
}

// AskAll is Later for a query of several rows; read is called with each row when the
// query has run.
func (t *Tx) AskAll(ctx context.Context, read func(Scanner) error, query string, args ...any) error {
	query, args, err := visibility.Statement(ctx, t.raw.schema(), query, args, nil)
	if err != nil {
		return err
	}
	return t.later(ctx, func(rows scanned) error {
		for rows.Next() {
			if err := read(rows); err != nil {
				return err
			}
		}
		return nil
	}, query, args)
}

// Flush runs the statements that were put off.
func (t *Tx) Flush(ctx context.Context) error {
	if raw, ok := t.raw.(pgConn); ok {
		return raw.pgExecutor.(*pipeline).flush(ctx)
	}
	return nil
}

// forget drops the statements that were put off.
func (t *Tx) forget() {
	if raw, ok := t.raw.(pgConn); ok {
		raw.pgExecutor.(*pipeline).forget()
	}
}

// scanned is the common interface of Rows and pgx's rows.
type scanned interface {
	Scanner
	Next() bool
}

func (t *Tx) later(ctx context.Context, read func(scanned) error, query string, args []any) error {
	if err := t.startClock(ctx, query, args); err != nil {
		return err
	}
	raw, ok := t.raw.(pgConn)
	if !ok {
		return t.atOnce(ctx, read, query, args)
	}
	p := raw.pgExecutor.(*pipeline)
	if p.conn == nil {
		return pgx.ErrTxClosed
	}
	count(ctx)
	use, err := raw.take(ctx, query)
	if err != nil {
		return err
	}
	q := queued{query: query, args: args, use: use}
	if read != nil {
		q.read = func(rows pgx.Rows) error { return read(&pgRows{Rows: rows, use: use}) }
	}
	raw.enter(ctx)
	p.queued = append(p.queued, q)
	return nil
}

func (t *Tx) atOnce(ctx context.Context, read func(scanned) error, query string, args []any) error {
	if read == nil {
		_, err := t.raw.exec(ctx, query, args)
		return err
	}
	rows, err := t.raw.query(ctx, query, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := read(rows); err != nil {
		return err
	}
	return rows.Err()
}

type tripsKey struct{}

// CountTrips returns a context that counts round trips to PostgreSQL, and the count.
func CountTrips(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, tripsKey{}, n), n
}
