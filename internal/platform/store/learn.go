package store

import "context"

// learnedRows is how many rows of a table PostgreSQL has to learn of: what its
// autovacuum takes for enough.
const learnedRows = 50

// Learn has PostgreSQL look at the tables into which the transaction puts many rows,
// its own rows included, and plan anew what it plans for them: the statements of
// every connection, and those by which it checks foreign keys, which nobody can write
// otherwise. What it would learn in the minute after the commit comes too late for
// whoever fills a table within one (decision 32). A table that another transaction
// looks at is left out.
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
