package store

import "context"

// learnedRows is how many new rows of a table make new statistics worthwhile, as for
// PostgreSQL's autovacuum.
const learnedRows = 50

// Learn makes PostgreSQL analyse the tables into which the transaction inserts many rows,
// including these rows, and plan their statements anew: those of every connection, and
// the checks of foreign keys, which nobody can phrase otherwise. Autovacuum would do that
// within a minute after the commit, which is too late for somebody who fills a table
// within a minute (decision 32). A table that another transaction is analysing is left
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
