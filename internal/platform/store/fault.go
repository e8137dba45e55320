package store

import "context"

// Commit and Committed are the moments of a transaction that a Fault is asked at besides
// its statements: before the commit, and after it, when nobody has heard of it yet.
const (
	Commit    = "COMMIT"
	Committed = "COMMITTED"
)

// Fault fails what a database could fail. It is called with the text of each statement
// before it runs, with no text before a transaction begins, and with Commit and Committed.
// The error that it returns is that of the database. Tests fail every statement of every
// write with it.
type Fault func(moment string) error

type faultKey struct{}

// WithFault returns a context whose statements may fail.
func WithFault(ctx context.Context, f Fault) context.Context {
	return context.WithValue(ctx, faultKey{}, f)
}

// fault returns the error that a moment shall have; usually nil.
func fault(ctx context.Context, moment string) error {
	if f, ok := ctx.Value(faultKey{}).(Fault); ok {
		return f(moment)
	}
	return nil
}
