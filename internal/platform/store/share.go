package store

import (
	"context"
	"strings"
	"sync/atomic"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// shared are the connections that statements outside a transaction take, each for
// itself, and transactions as a whole. It is nil inside a transaction, which has one.
type shared struct{ conns *admission.Connections }

func share(total int) *admission.Connections {
	return admission.NewConnections(total, clock.System{})
}

// lent is a connection that a statement, or a transaction, has for a time, with who
// watches it.
type lent struct {
	use  *admission.Use
	span trace.Span
	rows *atomic.Int64
}

// Done gives the connection back. It may be called more than once.
func (l lent) Done() {
	l.use.Done()
	if l.span != nil {
		l.span.End()
	}
}

// read counts a row.
func (l lent) read() {
	if l.rows != nil {
		l.rows.Add(1)
	}
}

// take takes a connection for a statement, or for a transaction with an empty text. A
// statement of a trace that is recorded is a span of it: its text, which holds no
// values, with the time that it waits for a connection and for whoever reads its rows.
func (s shared) take(ctx context.Context, text string) (l lent, err error) {
	l.rows, _ = ctx.Value(rowsKey{}).(*atomic.Int64)
	if parent := trace.SpanFromContext(ctx); parent.IsRecording() {
		_, l.span = parent.TracerProvider().Tracer(tracerName).Start(ctx, spanName(text), trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(attribute.String("db.query.text", text)))
	}
	if l.use, err = s.connection(ctx, text); err != nil {
		l.Done()
	}
	return l, err
}

const tracerName = "github.com/uplinehq/upline/internal/platform/store"

// spanName is the first word of a statement.
func spanName(text string) string {
	for word := range strings.FieldsSeq(text) {
		return word
	}
	return "transaction"
}

type rowsKey struct{}

// CountRows returns a context whose statements' rows are counted as they are read, and
// the count.
func CountRows(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, rowsKey{}, n), n
}

func (s shared) connection(ctx context.Context, text string) (*admission.Use, error) {
	owner := ""
	if t := tenant.From(ctx); t != nil {
		owner = t.Identifier
	}
	if tx, ok := ctx.Value(txKey{}).(*Tx); ok && !tx.ended.Load() {
		// A transaction that waits for one connection more must not wait for others
		// that do the same.
		ctx = admission.AsLookUp(ctx)
	}
	conns := s.conns
	if s.conns != nil && text != "" {
		// What the read replica answers takes nothing from the primary's connections.
		if r := readBy(ctx, text); r != nil {
			conns = r.from.conns
		}
	}
	return conns.Take(ctx, owner, text)
}

// lentRows give their connection back when they are closed.
type lentRows struct {
	entsql.ColumnScanner
	use lent
}

// Next counts the rows.
func (r lentRows) Next() bool {
	more := r.ColumnScanner.Next()
	if more {
		r.use.read()
	}
	return more
}

func (r lentRows) Close() error {
	defer r.use.Done()
	return r.ColumnScanner.Close()
}

// lentTx gives its connection back when it ends.
type lentTx struct {
	dialect.Tx
	use lent
}

func (t lentTx) Commit() error {
	defer t.use.Done()
	return t.Tx.Commit()
}

func (t lentTx) Rollback() error {
	defer t.use.Done()
	return t.Tx.Rollback()
}
