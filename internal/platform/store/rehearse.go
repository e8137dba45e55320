package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/uplinehq/upline/internal/platform/store/prepared"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// Step runs f in a transaction that sees what the steps before it have written.
type Step func(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error

// errRehearsed ends a transaction that is not to be kept.
var errRehearsed = errors.New("store: rehearsed")

// Rehearse calls f with the steps of a change that is not kept: one transaction that is
// rolled back. A long one would block every other writer on SQLite, so there its steps
// run on a copy of the database, made from what is committed then, which takes the same
// space on the disk again. Like the function of InTx, f may be called more than once.
func (s *Store) Rehearse(ctx context.Context, long bool, f func(ctx context.Context, step Step) error) error {
	if long && !s.Postgres() {
		return s.rehearseOnCopy(ctx, f)
	}
	err := s.InTx(ctx, func(ctx context.Context, tx *Tx) error {
		if err := f(ctx, func(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error { return f(ctx, tx) }); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

func (s *Store) rehearseOnCopy(ctx context.Context, f func(ctx context.Context, step Step) error) error {
	c, err := s.copy(ctx)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	defer c.writeDB.Close()
	return f(ctx, c.InTx)
}

// copy returns a store that writes to a copy of an SQLite database, and reads only in its
// transactions. The file of the copy has no name, so nothing is left of it however the
// process ends; its journal is in memory.
func (s *Store) copy(ctx context.Context) (*Store, error) {
	folder, err := os.MkdirTemp(filepath.Dir(s.path), ".rehearsal-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "copy.db")
	if err := copyFile(ctx, s.path, path); err != nil {
		return nil, err
	}
	copied, err := prepared.Open(sqliteDSN(path, "_pragma", "journal_mode(memory)", "_pragma", "synchronous(off)"))
	if err != nil {
		return nil, err
	}
	// The only connection stays open, since a file without a name cannot be opened again.
	copied.SetMaxOpenConns(1)
	if err := copied.PingContext(ctx); err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return &Store{jobs: s.jobs, writeDB: copied, writer: shared{share(1, 1)}}, nil
}

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

// IsInside reports whether a context belongs to a transaction that has not ended.
func IsInside(ctx context.Context) bool { return IsJoint(ctx) || txOf(ctx) != nil }

// Outside returns a context that takes part in no transaction of ctx, whether that is open
// or opened later: for work that must last whatever becomes of it.
func Outside(ctx context.Context) context.Context {
	return context.WithValue(context.WithValue(ctx, txKey{}, (*Tx)(nil)), jointKey{}, (*Joint)(nil))
}

// ReadsLikeOthers reports whether statements of a context read what all others read who see
// a whole agency: their caller is not limited, they do not ask for what was known earlier,
// and they are in no joint transaction. Only such results are kept for others.
func ReadsLikeOthers(ctx context.Context) bool { return !visibility.IsNarrowed(ctx) && !IsJoint(ctx) }

// Together runs f in a joint transaction, which is kept if f returns nil: for changes of
// several areas, or several of one, that belong together. It runs f again where InTx does. In
// a joint transaction f is a part of that.
func (s *Store) Together(ctx context.Context, f func(ctx context.Context) error) error {
	if IsJoint(ctx) {
		return f(ctx)
	}
	return againIf(ctx, isRetryable, func() (err error) {
		ctx, joint := WithJoint(ctx)
		if err := joint.Open(ctx, s); err != nil {
			return err
		}
		failed := true
		defer func() { err = errors.Join(err, joint.Close(ctx, !failed)) }()
		err = f(ctx)
		failed = err != nil
		return err
	})
}

// Open opens the joint transaction of a context.
func (j *Joint) Open(ctx context.Context, s *Store) (err error) {
	j.tx, err = s.begin(ctx, "")
	return err
}

// Close ends the joint transaction, if it is open: it keeps what was written, or does not.
func (j *Joint) Close(ctx context.Context, keep bool) error {
	tx := j.tx
	if tx == nil {
		return nil
	}
	j.tx = nil
	defer tx.leave()
	if !keep {
		tx.use.use.Charge()
		return tx.rollback()
	}
	return tx.finish(ctx)
}

// inTx runs a transaction as a part of the joint one.
func (j *Joint) inTx(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	defer j.lock(ctx)()
	return j.tx.store.inTurn(ctx, func(turn string) error {
		if turn != "" {
			if err := j.beginAgain(ctx, turn); err != nil {
				return err
			}
		}
		err := j.part(ctx, f)
		if met := new(tookTurn); errors.As(err, &met) { // who waits has no connection
			_ = j.tx.rollback()
			j.tx.leave()
		}
		return err
	})
}

// beginAgain begins the transaction anew, which has its turn: all it has done so far was to
// come too early. If that fails, the ended one stays, so that nothing is done outside of it.
func (j *Joint) beginAgain(ctx context.Context, turn string) error {
	again, err := j.tx.store.begin(ctx, turn)
	if err == nil {
		j.tx = again
	}
	return err
}

func (j *Joint) part(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
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
	tx.settled = true
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

func (t turn) read(ctx context.Context, statements []Statement, gone visibility.Gone, found func(*rowset.Cells)) error {
	defer t.lock(ctx)()
	return t.querier.read(ctx, statements, gone, found)
}
