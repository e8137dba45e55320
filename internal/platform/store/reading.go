package store

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/tenant"
)

// Reading is a query that may be answered by the read replica.
type Reading struct {
	from *replica
	once sync.Once
	// of is the tenant whose changes the replica has, nil when the primary answers; there
	// ends when it may not have them any more.
	of     *tenant.Tenant
	there  context.Context
	failed atomic.Bool
}

type readingKey struct{}

// FromReplica returns a context of a query, whose statements outside transactions the
// read replica may answer, and what tells afterwards whether it failed.
func (s *Store) FromReplica(ctx context.Context) (context.Context, *Reading) {
	if s == nil || s.replica == nil || ctx.Value(primaryKey{}) != nil {
		return ctx, nil
	}
	r := &Reading{from: s.replica}
	return context.WithValue(ctx, readingKey{}, r), r
}

// FromPrimary returns a context whose statements the read replica does not answer.
func FromPrimary(ctx context.Context) context.Context {
	return context.WithValue(context.WithValue(ctx, readingKey{}, (*Reading)(nil)), primaryKey{}, true)
}

type primaryKey struct{}

// FailedOnReplica reports whether a statement of a context's query failed on the read
// replica: whatever the query found has to be read again, FromPrimary.
func FailedOnReplica(ctx context.Context) bool { return readingOf(ctx).Failed() }

// Failed is FailedOnReplica.
func (r *Reading) Failed() bool { return r != nil && r.failed.Load() }

func readingOf(ctx context.Context) *Reading {
	r, _ := ctx.Value(readingKey{}).(*Reading)
	return r
}

// here decides, at the first statement, who answers all of them. One that asks for
// another tenant, such as the master agency, is the primary's.
func (r *Reading) here(ctx context.Context) bool {
	t := tenant.From(ctx)
	r.once.Do(func() {
		if t != nil {
			r.there = r.from.has(ctx, t.ID)
		}
		if r.there == nil {
			r.from.refused.Add(1)
			return
		}
		r.of = t
		r.from.answered.Add(1)
	})
	return r.of != nil && t != nil && t.ID == r.of.ID
}

// note notes the error of a statement, or that what it found may be old by now; an error
// of a caller that left is none of the replica's.
func (r *Reading) note(ctx context.Context, err error) {
	if err == nil {
		err = context.Cause(r.there)
	}
	if err == nil || ctx.Err() != nil || r.failed.Swap(true) {
		return
	}
	r.from.again.Add(1)
	if dberror.IsDisconnected(err) {
		r.from.mu.Lock()
		defer r.from.mu.Unlock()
		clear(r.from.reached)
	}
}

// noter is note for the statements of a context.
func (r *Reading) noter(ctx context.Context) func(error) {
	return func(err error) { r.note(ctx, err) }
}

// ownWays finds tables that change without a change of a tenant's people, which the mark
// does not count: what the service does in the background, and sessions.
var ownWays = regexp.MustCompile(`\b(?:audit|authorization|bulk|idempotent|identity|outbox|river|webhook)_|\bexport(?:_chunk)?\b|\btenant_keyset\b|\bagency_certification_expiry\b`)

// marks finds the query of the mark in a statement that reads it with something else: a
// replica answers with both of its own.
var marks = regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(Mark("$")), `\$`, `\$\d+`))

var countedByMark = newCache[string, bool]()

// MarkCounts reports whether a tenant's mark grows with every change of the tables that a
// query names. If not, the primary alone answers the query, and its result cannot be kept
// until the mark grows.
func MarkCounts(query string) bool {
	counts, ok := countedByMark.Get(query)
	if !ok {
		counts = !ownWays.MatchString(marks.ReplaceAllString(query, ""))
		countedByMark.Add(query, counts)
	}
	return counts
}

// routed are the connections of the primary, and of its replica.
type routed struct{ *pgxpool.Pool }

// readBy returns the reading of a context whose replica answers a statement; nil where
// the primary does.
func readBy(ctx context.Context, query string) *Reading {
	r := readingOf(ctx)
	if r == nil || !MarkCounts(query) || !r.here(ctx) {
		return nil
	}
	return r
}

// Query implements pgExecutor.
func (p routed) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	r := readBy(ctx, query)
	if r == nil {
		return p.Pool.Query(ctx, query, args...)
	}
	within, done := r.within(ctx)
	rows, err := r.from.pool.Query(within, query, args...)
	if err != nil {
		done()
		r.note(ctx, err)
		return rows, err
	}
	return &readRows{rows, r.noter(ctx), done}, nil
}

// SendBatch implements pgExecutor. One of the statements decides for all.
func (p routed) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		if readBy(ctx, q.SQL) == nil {
			return p.Pool.SendBatch(ctx, b)
		}
	}
	r := readingOf(ctx)
	within, done := r.within(ctx)
	return &readBatch{r.from.pool.SendBatch(within, b), r.noter(ctx), done}
}

// within is ctx while the replica has what it had when the query began.
func (r *Reading) within(ctx context.Context) (context.Context, func()) { return both(ctx, r.there) }

// readRows are rows of the replica.
type readRows struct {
	pgx.Rows
	note func(error)
	done func()
}

// Next implements pgx.Rows.
func (r *readRows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.note(r.Rows.Err())
	}
	return more
}

// Close implements pgx.Rows.
func (r *readRows) Close() {
	r.Rows.Close()
	r.note(r.Rows.Err())
	r.done()
}

// readBatch are the results of a batch of the replica.
type readBatch struct {
	pgx.BatchResults
	note func(error)
	done func()
}

// Exec implements pgx.BatchResults.
func (b *readBatch) Exec() (pgconn.CommandTag, error) {
	tag, err := b.BatchResults.Exec()
	b.note(err)
	return tag, err
}

// Query implements pgx.BatchResults.
func (b *readBatch) Query() (pgx.Rows, error) {
	rows, err := b.BatchResults.Query()
	if err != nil {
		b.note(err)
		return rows, err
	}
	return &readRows{rows, b.note, func() {}}, nil
}

// Close implements pgx.BatchResults.
func (b *readBatch) Close() error {
	err := b.BatchResults.Close()
	b.note(err)
	b.done()
	return err
}
