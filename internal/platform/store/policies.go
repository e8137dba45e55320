package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/internal/words/tenant"
)

// Row-level security is the second line between tenants on PostgreSQL (decision 25).
// The policies of the migrations hold for every role but the owner of the tables; for
// such a role each statement says whose it is, in the setting app.tenant, that ends
// with its transaction. What says nothing reads no row of a tenant.

// everyTenant is the setting of work that looks for tenants with something to do. It
// opens the lists of such work only, and none of the tables of agents.
const everyTenant = "every"

// scopeOf is the setting for what a context asks: its tenant's, or that of
// tenant.System. It is empty for neither.
func scopeOf(ctx context.Context) string {
	if t := tenant.From(ctx); t != nil {
		return strconv.FormatInt(t.ID, 10)
	}
	if tenant.IsSystem(ctx) {
		return everyTenant
	}
	return ""
}

// guarded are the connections of a role for which the policies hold; nil for another's.
// In a transaction it knows what the setting is.
type guarded struct{ scope string }

// RowLevelSecurity reports whether the database itself keeps tenants apart: the
// policies hold for its role.
func (s *Store) RowLevelSecurity() bool { return s.guarded }

// setting is one that ends with the transaction.
type setting struct{ name, value string }

// settings are what has to be set for a statement outside a transaction.
func (c pgConn) settings(ctx context.Context) (all []setting) {
	if scope := scopeOf(ctx); c.guarded != nil && scope != "" {
		all = append(all, setting{"app.tenant", scope})
	}
	if isSweeping(ctx) {
		all = append(all, setting{"enable_nestloop", "off"})
	}
	if len(all) > 0 && isPlannedAnew(ctx) {
		all = append(all, setting{"plan_cache_mode", "force_custom_plan"})
	}
	return all
}

// begin has a batch begin with settings, and returns how many results they have. The
// batch is one transaction. The text is the same for every tenant, so that a connection
// prepares it once; Citus tells its workers of literals alone, in a transaction that is
// begun and ended.
func (c pgConn) begin(batch *pgx.Batch, settings []setting) (results int) {
	if len(settings) == 0 {
		return 0
	}
	if c.sharded {
		batch.Queue("begin")
		for _, s := range settings {
			batch.Queue(s.local())
		}
		return 1 + len(settings)
	}
	list, args := make([]string, len(settings)), make([]any, len(settings))
	for i, s := range settings {
		list[i], args[i] = "set_config('"+s.name+"', $"+strconv.Itoa(i+1)+", true)", s.value
	}
	batch.Queue("SELECT "+strings.Join(list, ", "), args...)
	return 1
}

// end ends what begin began.
func (c pgConn) end(batch *pgx.Batch, settings []setting) {
	if c.sharded && len(settings) > 0 {
		batch.Queue("commit")
	}
}

func (s setting) local() string { return "SET LOCAL " + s.name + " TO '" + s.value + "'" }

// begun reads the results of begin.
func begun(results pgx.BatchResults, n int) error {
	for range n {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	return nil
}

// enter gives a transaction the setting of its first statement, and of one that asks for
// another tenant than those before it, such as a look into the master agency. It goes
// along with that statement.
func (c pgConn) enter(ctx context.Context) {
	if c.guarded == nil || c.conns != nil {
		return
	}
	if scope := scopeOf(ctx); scope != c.guarded.scope {
		c.guarded.scope = scope
		if c.sharded {
			c.pgExecutor.(*pipeline).queue(setting{"app.tenant", scope}.local())
			return
		}
		c.pgExecutor.(*pipeline).queue("SELECT set_config('app.tenant', $1, true)", scope)
	}
}

// after sends a statement with its settings, in one round trip. It returns nil when
// nothing has to be set.
func (c pgConn) after(ctx context.Context, query string, args []any) (pgx.BatchResults, error) {
	if c.conns == nil { // a transaction has its settings
		return nil, nil
	}
	settings := c.settings(ctx)
	if len(settings) == 0 {
		return nil, nil
	}
	batch := new(pgx.Batch)
	before := c.begin(batch, settings)
	batch.Queue(query, args...)
	c.end(batch, settings)
	results := c.pgExecutor.SendBatch(ctx, batch)
	if err := begun(results, before); err != nil {
		_ = results.Close()
		return nil, err
	}
	return results, nil
}
