package store

import "context"

type sweepKey struct{}

// Sweeping returns a context for reads of much of an agency: each joined table is read
// once. Otherwise PostgreSQL looks up the rows of one table for each row of another
// whenever it expects few rows. It expects few where it cannot know: of recursive
// expressions, of ranges given as arguments, of every table without statistics (decision
// 34). Inside a transaction it has no effect.
func Sweeping(ctx context.Context) context.Context {
	return context.WithValue(ctx, sweepKey{}, true)
}

type anewKey struct{}

// PlannedAnew returns a context whose reads PostgreSQL plans each time, for their
// arguments and for the tables as they are. Otherwise a connection keeps one plan of a
// statement, whatever its arguments; and a plan made while a table was nearly empty
// compares all of its rows with one another until the table has statistics. Inside a
// transaction it has no effect.
func PlannedAnew(ctx context.Context) context.Context {
	return context.WithValue(ctx, anewKey{}, true)
}

func isPlannedAnew(ctx context.Context) bool { return ctx.Value(anewKey{}) != nil }

func isSweeping(ctx context.Context) bool { return ctx.Value(sweepKey{}) != nil }

// sweeps marks the text of such a statement, so that the connection does not use the plan
// that it keeps for the same text elsewhere.
const sweeps = "/* sweeps */ "
