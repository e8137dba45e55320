package store

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pipeline is a transaction of PostgreSQL that collects statements whose results nobody
// waits for. It sends them together with the next statement whose result is needed, in
// one round trip. BEGIN goes with the first statement, and COMMIT with the last ones.
// Each statement sees what was committed when it begins, as if it were sent alone.
type pipeline struct {
	conn   *pgxpool.Conn // nil when the transaction has ended
	queued []queued
	trips  *atomic.Int64
}

// queued is a statement that waits to be sent, and what to do with its rows; nil for
// nothing.
type queued struct {
	query string
	args  []any
	read  func(pgx.Rows) error
	use   lent
}

// openPipeline takes a connection for a transaction.
func openPipeline(ctx context.Context, pool *pgxpool.Pool) (*pipeline, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	trips, _ := ctx.Value(tripsKey{}).(*atomic.Int64)
	return &pipeline{conn: conn, queued: []queued{{query: "begin"}}, trips: trips}, nil
}

// queue adds a statement whose result nobody needs.
func (p *pipeline) queue(query string, args ...any) {
	p.queued = append(p.queued, queued{query: query, args: args})
}

func (p *pipeline) trip() {
	if p.trips != nil {
		p.trips.Add(1)
	}
}

// send sends the queued statements and another one. The next result to be read is that of
// the last statement. The caller closes the results.
func (p *pipeline) send(ctx context.Context, query string, args []any) (pgx.BatchResults, error) {
	if p.conn == nil {
		return nil, pgx.ErrTxClosed
	}
	waiting := p.queued
	p.queued = nil
	batch := new(pgx.Batch)
	for _, q := range waiting {
		batch.Queue(q.query, q.args...)
	}
	if query != "" {
		batch.Queue(query, args...)
	}
	p.trip()
	results := p.conn.SendBatch(ctx, batch)
	var failed error
	for _, q := range waiting {
		if failed == nil {
			failed = q.receive(results)
		}
		q.use.Done()
	}
	if failed != nil {
		_ = results.Close()
		return nil, failed
	}
	return results, nil
}

func (q queued) receive(results pgx.BatchResults) error {
	if q.read == nil {
		_, err := results.Exec()
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	err = q.read(rows)
	rows.Close()
	return errors.Join(err, rows.Err())
}

// flush sends the queued statements.
func (p *pipeline) flush(ctx context.Context) error {
	if len(p.queued) == 0 {
		return nil
	}
	results, err := p.send(ctx, "", nil)
	if err != nil {
		return err
	}
	return results.Close()
}

// forget drops the queued statements but BEGIN.
func (p *pipeline) forget() {
	begin := p.unbegun()
	for _, q := range p.queued {
		q.use.Done()
	}
	if p.queued = p.queued[:0]; begin {
		p.queue("begin")
	}
}

// goesAlone reports whether a statement cannot be sent with others: it may be the text of
// several, which has no arguments.
func goesAlone(args []any) bool { return len(args) == 0 }

// alone sends the queued statements, before one that goes alone.
func (p *pipeline) alone(ctx context.Context) (*pgxpool.Conn, error) {
	if p.conn == nil {
		return nil, pgx.ErrTxClosed
	}
	if err := p.flush(ctx); err != nil {
		return nil, err
	}
	p.trip()
	return p.conn, nil
}

// Exec implements pgx.Tx.
func (p *pipeline) Exec(ctx context.Context, query string, args ...any) (tag pgconn.CommandTag, err error) {
	if len(p.queued) == 0 || goesAlone(args) {
		conn, err := p.alone(ctx)
		if err != nil {
			return tag, err
		}
		return conn.Exec(ctx, query, args...)
	}
	results, err := p.send(ctx, query, args)
	if err != nil {
		return tag, err
	}
	tag, err = results.Exec()
	if closed := results.Close(); err == nil {
		err = closed
	}
	return tag, err
}

// Query implements pgx.Tx.
func (p *pipeline) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	if len(p.queued) == 0 || goesAlone(args) {
		conn, err := p.alone(ctx)
		if err != nil {
			return nil, err
		}
		return conn.Query(ctx, query, args...)
	}
	results, err := p.send(ctx, query, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, err
	}
	return &lastRows{rows, results}, nil
}

// QueryRow implements pgx.Tx.
func (p *pipeline) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	rows, err := p.Query(ctx, query, args...)
	return oneRow{rows, err}
}

// SendBatch implements pgx.Tx.
func (p *pipeline) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	conn, err := p.alone(ctx)
	if err != nil {
		return failedBatch{err}
	}
	return conn.SendBatch(ctx, b)
}

// CopyFrom implements pgx.Tx.
func (p *pipeline) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error) {
	conn, err := p.alone(ctx)
	if err != nil {
		return 0, err
	}
	return conn.CopyFrom(ctx, table, columns, source)
}

// Commit implements pgx.Tx. A transaction without a statement was never begun.
func (p *pipeline) Commit(ctx context.Context) error {
	if p.conn == nil {
		return pgx.ErrTxClosed
	}
	defer func() { _ = p.end(context.WithoutCancel(ctx)) }()
	if p.unbegun() && len(p.queued) == 1 {
		return nil
	}
	results, err := p.send(ctx, "commit", nil)
	if err != nil {
		return err
	}
	tag, err := results.Exec()
	if err := errors.Join(err, results.Close()); err != nil {
		return err
	}
	if tag.String() == "ROLLBACK" {
		return pgx.ErrTxCommitRollback
	}
	return nil
}

// Rollback implements pgx.Tx.
func (p *pipeline) Rollback(ctx context.Context) error {
	if p.conn == nil {
		return pgx.ErrTxClosed
	}
	return p.end(ctx)
}

// unbegun reports whether BEGIN itself is still queued.
func (p *pipeline) unbegun() bool { return len(p.queued) > 0 && p.queued[0].query == "begin" }

// idle is the state of a connection outside a transaction.
const idle = 'I'

// end drops the queued statements and gives the connection back, outside a transaction.
// If that fails, the pool closes the connection.
func (p *pipeline) end(ctx context.Context) (err error) {
	for _, q := range p.queued {
		q.use.Done()
	}
	p.queued = nil
	if raw := p.conn.Conn().PgConn(); !raw.IsClosed() && raw.TxStatus() != idle {
		p.trip()
		_, err = p.conn.Exec(ctx, "rollback")
	}
	p.conn.Release()
	p.conn = nil
	return err
}

// Conn implements pgx.Tx.
func (p *pipeline) Conn() *pgx.Conn { return p.conn.Conn() }

// errUnsupported is returned by methods of pgx.Tx that no transaction of a Store uses.
var errUnsupported = errors.New("store: not in a transaction of a Store")

// Begin implements pgx.Tx.
func (p *pipeline) Begin(context.Context) (pgx.Tx, error) { return nil, errUnsupported }

// Prepare implements pgx.Tx.
func (p *pipeline) Prepare(context.Context, string, string) (*pgconn.StatementDescription, error) {
	return nil, errUnsupported
}

// LargeObjects implements pgx.Tx.
func (p *pipeline) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// lastRows are the rows of the last statement of a batch; closing them closes the batch.
type lastRows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Next implements pgx.Rows.
func (r *lastRows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.Close()
	}
	return more
}

// Close implements pgx.Rows.
func (r *lastRows) Close() {
	r.Rows.Close()
	_ = r.results.Close() // the rows report the error
}

// oneRow is the first row of rows.
type oneRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements pgx.Row.
func (r oneRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// failedBatch is the result of a batch that could not be sent.
type failedBatch struct{ err error }

func (b failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }
func (b failedBatch) Query() (pgx.Rows, error)         { return nil, b.err }
func (b failedBatch) QueryRow() pgx.Row                { return oneRow{err: b.err} }
func (b failedBatch) Close() error                     { return b.err }
func (b failedBatch) Tx() pgx.Tx                       { return nil }
