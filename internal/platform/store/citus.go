package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
)

// Citus spreads the tables of tenants over several servers by tenant_id (decision 13).
// Whoever connects does so to its coordinator, which sends each statement to the server
// that has the tenant. Tables without a tenant in every key are whole on every server;
// those of the job queue and of migrations stay with the coordinator.

// Sharded reports whether the database is a coordinator of Citus.
func (s *Store) Sharded() bool { return s.sharded }

// Sharded reports whether the database is a coordinator of Citus.
func (t *Tx) Sharded() bool { return t.store.sharded }

// setSharding says how connections to a coordinator of Citus are set up, unless the URL
// did: a statement is planned for its tenant, whose server it would not know otherwise;
// the tenant of the policies is told to that server; and tables with references are
// changed on one shard after the other.
func setSharding(url string, cfg *pgxpool.Config) {
	params := cfg.ConnConfig.RuntimeParams
	if !hasParam(url, "plan_cache_mode") {
		params["plan_cache_mode"] = "force_custom_plan"
	}
	params["citus.propagate_set_commands"] = "local"
	params["citus.multi_shard_modify_mode"] = "sequential"
}

// setMigrating says how connections that migrate are set up, besides: a new table may refer
// to tables that are placed, and get a trigger, as it may on any PostgreSQL. It is placed
// afterwards (shardNew).
func setMigrating(cfg *pgxpool.Config) {
	params := cfg.ConnConfig.RuntimeParams
	params["citus.enable_local_reference_table_foreign_keys"] = "off"
	params["citus.enable_unsafe_triggers"] = "on" // they touch rows of the tenant of the row alone
}

var (
	errNoCitus        = errors.New("the database has no extension citus: make it on the coordinator and the workers, and add the workers, first")
	errNoWorkers      = errors.New("no worker of Citus takes tables: add the workers with citus_add_node first")
	errNoCoordinator  = errors.New("the coordinator is not known to its workers: call citus_set_coordinator_host first")
	errReplicaOfCitus = errors.New("a coordinator of Citus has no read replica here: its workers hold the rows")
)

// placement is what is known of the tables of a schema: distributed is whether each key of
// a table has the tenant, placed whether Citus has it already.
const placement = `
	SELECT c.relname::text, tenant.attnum IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_index i
			WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion) AND NOT tenant.attnum = ANY (i.indkey)) AS distributed,
		EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) AS placed
	FROM pg_class c LEFT JOIN pg_attribute tenant ON tenant.attrelid = c.oid AND tenant.attname = 'tenant_id' AND tenant.attnotnull AND NOT tenant.attisdropped
	WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> 'goose_db_version' AND c.relname NOT LIKE 'river\_%'
	ORDER BY c.relname`

type placed struct {
	table               string
	distributed, placed bool
}

// upSharded is Up of migrations. Where the tables are placed, each of them finds placed
// what those before it have made, so that nobody has to ask for it.
func (s *Store) upSharded(ctx context.Context, p *goose.Provider) (applied []*goose.MigrationResult, err error) {
	for {
		if err := s.shardNew(ctx); err != nil {
			return applied, err
		}
		result, err := p.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return applied, nil
		}
		if err != nil {
			return applied, err
		}
		applied = append(applied, result)
	}
}

// shardNew places new tables where others are placed.
func (s *Store) shardNew(ctx context.Context) error {
	var placed bool
	err := s.jobs.pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('tenant'))").Scan(&placed)
	if err == nil && placed {
		_, err = s.Shard(ctx)
	}
	return err
}

// Shard places the tables that Citus does not have yet: those of tenants are distributed,
// side by side, the others become whole on every server. Rows that are there move along.
// It is one transaction, and returns how many tables it placed.
func (s *Store) Shard(ctx context.Context) (n int, err error) {
	if !s.sharded {
		return 0, errNoCitus
	}
	conn, err := s.jobs.pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		n, err = shard(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("shard: %w", err)
	}
	return n, nil
}

func shard(ctx context.Context, tx pgx.Tx) (int, error) {
	// Two of them wait for each other.
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('upline shard'))"); err != nil {
		return 0, err
	}
	var workers, coordinators int
	err := tx.QueryRow(ctx, "SELECT count(*) FILTER (WHERE shouldhaveshards), count(*) FILTER (WHERE groupid = 0) FROM pg_dist_node WHERE isactive AND noderole = 'primary'").Scan(&workers, &coordinators)
	switch {
	case err != nil:
		return 0, err
	case workers == 0:
		return 0, errNoWorkers
	case coordinators == 0:
		return 0, errNoCoordinator
	}
	rows, err := tx.Query(ctx, placement)
	if err != nil {
		return 0, err
	}
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p placed, err error) {
		return p, row.Scan(&p.table, &p.distributed, &p.placed)
	})
	if err != nil {
		return 0, err
	}
	fresh := slices.DeleteFunc(slices.Clone(tables), func(p placed) bool { return p.placed })
	if len(fresh) == 0 {
		return 0, nil
	}
	var whole []string
	for _, p := range tables {
		if !p.distributed {
			whole = append(whole, p.table)
		}
	}
	return len(fresh), placeTables(ctx, tx, fresh, whole)
}

// placeTables places tables without their references, which are made again afterwards:
// Citus would otherwise ask for an order of tables, and move some of them by itself. Nor
// do triggers see rows that move.
func placeTables(ctx context.Context, tx pgx.Tx, tables []placed, whole []string) error {
	for _, function := range []string{"app_tenant()", "app_every()"} {
		if _, err := tx.Exec(ctx, "SELECT create_distributed_function('"+function+"')"); err != nil {
			return fmt.Errorf("%s: %w", function, err)
		}
	}
	names := make([]string, len(tables))
	for i, p := range tables {
		names[i] = p.table
	}
	references, err := dropReferences(ctx, tx, names, whole)
	if err != nil {
		return err
	}
	triggers, err := dropTriggers(ctx, tx, names)
	if err != nil {
		return err
	}
	for _, p := range tables {
		place := []string{"SELECT create_reference_table($1::text::regclass)"}
		if p.distributed {
			place = []string{"SELECT create_distributed_table($1::text::regclass, 'tenant_id')", "SELECT truncate_local_data_after_distributing_table($1::text::regclass)"}
		}
		for _, statement := range place {
			if _, err := tx.Exec(ctx, statement, p.table); err != nil {
				return fmt.Errorf("%s: %w", p.table, err)
			}
		}
	}
	for _, statement := range append(triggers, references...) {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// dropTriggers drops the triggers of tables and returns the statements that make them
// again.
func dropTriggers(ctx context.Context, tx pgx.Tx, tables []string) (again []string, err error) {
	rows, err := tx.Query(ctx, `SELECT format('DROP TRIGGER %I ON %s', g.tgname, g.tgrelid::regclass), pg_get_triggerdef(g.oid)
		FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
		WHERE NOT g.tgisinternal AND c.relname = ANY ($1) AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`, tables)
	if err != nil {
		return nil, err
	}
	type trigger struct{ drop, make string }
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t trigger, err error) { return t, row.Scan(&t.drop, &t.make) })
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if _, err := tx.Exec(ctx, t.drop); err != nil {
			return nil, err
		}
		again = append(again, t.make)
	}
	return again, nil
}

// dropReferences drops the references between tables and returns the statements that make
// them again. Citus cannot check those of tables that are whole everywhere to tables of
// tenants, a person's sessions and grants: they end with their user by the service.
func dropReferences(ctx context.Context, tx pgx.Tx, tables, whole []string) (again []string, err error) {
	rows, err := tx.Query(ctx, `SELECT c.conrelid::regclass::text, quote_ident(c.conname), pg_get_constraintdef(c.oid),
			own.relname = ANY ($2) AND NOT other.relname = ANY ($2)
		FROM pg_constraint c JOIN pg_class own ON own.oid = c.conrelid JOIN pg_class other ON other.oid = c.confrelid
		WHERE c.contype = 'f' AND own.relname = ANY ($1) AND c.connamespace = current_schema()::regnamespace ORDER BY 1, 2`, tables, whole)
	if err != nil {
		return nil, err
	}
	type constraint struct {
		table, name, definition string
		upward                  bool
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c constraint, err error) {
		return c, row.Scan(&c.table, &c.name, &c.definition, &c.upward)
	})
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if _, err := tx.Exec(ctx, "ALTER TABLE "+c.table+" DROP CONSTRAINT "+c.name); err != nil {
			return nil, err
		}
		if !c.upward {
			again = append(again, "ALTER TABLE "+c.table+" ADD CONSTRAINT "+c.name+" "+c.definition)
		}
	}
	return again, nil
}
