package store

import (
	"context"
	"errors"
	"sync"

	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// Joint is a transaction that all statements of a context take part in while it is open:
// each transaction is a savepoint of it, and what is read outside of transactions is what
// it has written so far. So several changes are made together, or tried and looked at, and
// then kept or not. One statement runs at a time.
type Joint struct {
	mu sync.Mutex
	tx *Tx
}

type (
	jointKey struct{}
	// insideKey marks the contexts of statements inside a transaction that is a part of a
	// Joint, which hold mu.
	insideKey struct{}
)

// WithJoint returns a context with a joint transaction that can be opened.
func WithJoint(ctx context.Context) (context.Context, *Joint) {
	j := new(Joint)
	return context.WithValue(ctx, jointKey{}, j), j
}

// jointOf returns the open joint transaction of a context; nil for none.
func jointOf(ctx context.Context) *Joint {
	if j, _ := ctx.Value(jointKey{}).(*Joint); j != nil && j.tx != nil {
		return j
	}
	return nil
}

// IsJoint reports whether a context has an open joint transaction.
func IsJoint(ctx context.Context) bool { return jointOf(ctx) != nil }

// ReadsLikeOthers reports whether statements of a context read what all others read who see
// a whole agency: their caller is not limited, they do not ask for what was known earlier,
// and they are in no joint transaction. Only such results are kept for others.
func ReadsLikeOthers(ctx context.Context) bool { return !visibility.IsNarrowed(ctx) && !IsJoint(ctx) }

// Open opens the joint transaction of a context.
func (j *Joint) Open(ctx context.Context, s *Store) (err error) {
	j.tx, err = s.begin(ctx)
	return err
}

// Close ends the joint transaction, if it is open: it keeps what was written, or does not.
func (j *Joint) Close(ctx context.Context, keep bool) error {
	tx := j.tx
	if tx == nil {
		return nil
	}
	j.tx = nil
	defer tx.use.Done()
	defer tx.ended.Store(true)
	if !keep {
		return tx.rollback()
	}
	return tx.finish(ctx)
}

// inTx runs a transaction as a part of the joint one.
func (j *Joint) inTx(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	defer j.lock(ctx)()
	tx, raised := j.tx, len(j.tx.raised)
	if _, err := tx.Exec(ctx, "SAVEPOINT part"); err != nil {
		return err
	}
	inside := context.WithValue(context.WithValue(ctx, insideKey{}, j), txKey{}, tx)
	if err := f(inside, tx); err != nil {
		tx.forget()
		tx.raised = tx.raised[:raised]
		_, failed := tx.Exec(context.WithoutCancel(ctx), "ROLLBACK TO SAVEPOINT part")
		return errors.Join(err, failed)
	}
	_, err := tx.Exec(ctx, "RELEASE SAVEPOINT part")
	return err
}

// lock waits for the turn of a statement, and returns what ends it. A statement inside a
// part has its turn already.
func (j *Joint) lock(ctx context.Context) (unlock func()) {
	if ctx.Value(insideKey{}) == any(j) {
		return func() {}
	}
	j.mu.Lock()
	return sync.OnceFunc(j.mu.Unlock)
}

// turn is a joint transaction as a querier of one statement after the other.
type turn struct {
	querier
	*Joint
}

// within returns what a statement outside of transactions runs on: the joint transaction of
// its context, if that is open.
func within(ctx context.Context, q querier) querier {
	if j := jointOf(ctx); j != nil && q == j.tx.store.raw {
		return turn{j.tx.raw, j}
	}
	return q
}

func (t turn) query(ctx context.Context, query string, args []any) (Rows, error) {
	unlock := t.lock(ctx)
	rows, err := t.querier.query(ctx, query, args)
	if err != nil {
		unlock()
		return nil, err
	}
	return turnRows{rows, unlock}, nil
}

// turnRows are rows that end the turn of their statement.
type turnRows struct {
	Rows
	unlock func()
}

func (r turnRows) Close() error {
	defer r.unlock()
	return r.Rows.Close()
}

func (t turn) read(ctx context.Context, statements []Statement, found func(*rowset.Cells)) error {
	defer t.lock(ctx)()
	return t.querier.read(ctx, statements, found)
}
