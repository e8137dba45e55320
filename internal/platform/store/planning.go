package store

import (
	"context"
	"strings"
)

type sweepKey struct{}

// Sweeping returns a context for reads of much of an agency: each joined table is read
// once. Otherwise PostgreSQL looks up the rows of one table for each row of another
// whenever it expects few rows. It expects few where it cannot know: of recursive
// expressions, of ranges given as arguments, of every table without statistics (decision
// 11). Inside a transaction it has no effect.
func Sweeping(ctx context.Context) context.Context {
	return context.WithValue(ctx, sweepKey{}, true)
}

// LookingUp returns a context for reads of some objects by their ids within a read of much of an
// agency: to sweep for each thousand of them would read every table again and again.
func LookingUp(ctx context.Context) context.Context {
	return context.WithValue(ctx, sweepKey{}, false)
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

func isSweeping(ctx context.Context) bool {
	is, _ := ctx.Value(sweepKey{}).(bool)
	return is
}

// sweeps marks the text of such a statement, so that the connection does not use the plan
// that it keeps for the same text elsewhere.
const sweeps = "/* sweeps */ "

// learn makes PostgreSQL analyse all tables of its user that have rows: a migration may
// have written rows, or indexed expressions, of which nothing is known yet.
func (s *Store) learn(ctx context.Context) error {
	if !s.Postgres() {
		return nil
	}
	return s.InTx(ctx, func(ctx context.Context, tx *Tx) error {
		tables, err := Collect(ctx, tx, ScanOne[string], `SELECT c.oid::regclass::text FROM pg_class c
			WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND pg_relation_size(c.oid) > 0 AND pg_has_role(c.relowner, 'USAGE') ORDER BY 1`)
		if err != nil || len(tables) == 0 {
			return err
		}
		_, err = tx.Exec(ctx, "ANALYZE (SKIP_LOCKED) "+strings.Join(tables, ", "))
		return err
	})
}

// learnedRows is how many new rows of a table make new statistics worthwhile, as for
// PostgreSQL's autovacuum.
const learnedRows = 50

// Learn makes PostgreSQL analyse the tables into which the transaction inserts many rows,
// including these rows, and plan their statements anew: those of every connection, and
// the checks of foreign keys, which nobody can phrase otherwise. Autovacuum would do that
// within a minute after the commit, which is too late for somebody who fills a table
// within a minute (decision 11). A table that another transaction is analysing is left
// out.
func (t *Tx) Learn(ctx context.Context) error {
	if !t.Postgres() {
		return nil
	}
	tables, err := Collect(ctx, t, ScanOne[string], "SELECT quote_ident(schemaname) || '.' || quote_ident(relname) FROM pg_stat_xact_user_tables WHERE schemaname = current_schema() AND n_tup_ins >= $1 ORDER BY 1", learnedRows)
	if err != nil || len(tables) == 0 {
		return err
	}
	_, err = t.Exec(ctx, "SELECT learn_tables($1::text[]::regclass[])", tables)
	return err
}
