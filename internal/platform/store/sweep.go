package store

import "context"

type sweepKey struct{}

// Sweeping returns a context whose reads are about much of an agency: each table that
// they join is read once. PostgreSQL would otherwise look up the rows of one table for
// each of another whenever it expects few of these, and it expects few where it cannot
// know better: of recursive expressions, of ranges that come as arguments, of every
// table before it has statistics (decision 34). Inside a transaction it changes nothing.
func Sweeping(ctx context.Context) context.Context {
	return context.WithValue(ctx, sweepKey{}, true)
}

type anewKey struct{}

// PlannedAnew returns a context whose reads PostgreSQL plans each time, for the tables
// as they are. A connection keeps the plan of a statement otherwise, and one that was
// made while a table was nearly empty compares all of its rows with one another until
// the table has statistics.
func PlannedAnew(ctx context.Context) context.Context {
	return context.WithValue(ctx, anewKey{}, true)
}

func isPlannedAnew(ctx context.Context) bool { return ctx.Value(anewKey{}) != nil }

func isSweeping(ctx context.Context) bool { return ctx.Value(sweepKey{}) != nil }

// sweeps marks the text of such a statement: its plan must not be that of the same
// text elsewhere, which the connection keeps.
const sweeps = "/* sweeps */ "
