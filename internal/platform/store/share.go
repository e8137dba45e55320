package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/tenant"
)

// shared are the connections that each statement outside a transaction takes for itself,
// and each transaction as a whole. It is nil inside a transaction, which has its
// connection.
type shared struct{ conns *admission.Connections }

// share shares out connections, of which the quick statements of one tenant use so many at
// once.
func share(total, atOnce int) *admission.Connections {
	return admission.NewConnections(total, atOnce, clock.System{})
}

// lent is a connection that a statement, or a transaction, has for a time, together with
// its observers.
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

// take takes a connection for a statement, or, if the text is empty, for a transaction. A
// statement of a recorded trace becomes a span with its text, which holds no values; its
// time includes waiting for a connection and reading the rows.
func (s shared) take(ctx context.Context, text string) (l lent, err error) {
	l.rows, _ = ctx.Value(rowsKey{}).(*atomic.Int64)
	if parent := trace.SpanFromContext(ctx); parent.IsRecording() {
		_, l.span = parent.TracerProvider().Tracer(tracerName).Start(ctx, spanName(text), trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(attribute.String("db.query.text", text)))
	}
	if err = fault(ctx, text); err == nil {
		l.use, err = s.connection(ctx, text)
	}
	if err != nil {
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

// RowsFact has the statements of a context count the rows that they read; it is for
// known.Is.
func RowsFact(count *atomic.Int64) (key, value any) { return rowsKey{}, count }

func (s shared) connection(ctx context.Context, text string) (*admission.Use, error) {
	owner := ""
	if t := tenant.From(ctx); t != nil {
		owner = t.Identifier
	}
	if txOf(ctx) != nil {
		// A transaction that needs another connection must not wait for transactions that
		// need one, too.
		ctx = admission.AsLookUp(ctx)
	}
	conns := s.conns
	if s.conns != nil && text != "" {
		// A statement that the read replica answers takes no connection of the primary.
		if r := readBy(ctx, text); r != nil {
			conns = r.from.conns
		}
	}
	return conns.Take(ctx, owner, text)
}

// lentRows are rows that give their connection back when they are closed.
type lentRows struct {
	*sql.Rows
	use lent
}

// Next counts the rows.
func (r lentRows) Next() bool {
	more := r.Rows.Next()
	if more {
		r.use.read()
	}
	return more
}

// Scan reads an instant of a computed column as well, of which SQLite does not know that it is one.
func (r lentRows) Scan(dest ...any) error {
	for i, d := range dest {
		switch d := d.(type) {
		case *time.Time:
			dest[i] = rowset.InstantInto(func(at *time.Time) error {
				if at == nil {
					return errors.New("store: an instant is NULL")
				}
				*d = *at
				return nil
			})
		case **time.Time:
			dest[i] = rowset.InstantInto(func(at *time.Time) error {
				*d = at
				return nil
			})
		}
	}
	return r.Rows.Scan(dest...)
}

func (r lentRows) Close() error {
	defer r.use.Done()
	return r.Rows.Close()
}
