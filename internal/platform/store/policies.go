package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/internal/tenant"
)

// Row-level security is the second line of defence between tenants on PostgreSQL
// (decision 3). The policies of the migrations apply to every role but the owner of the
// tables. For such a role each statement names its tenant in the setting app.tenant,
// which ends with its transaction. A statement that names none reads no row of a tenant.

// everyTenant is the setting for work that looks for tenants with something to do. It
// opens only the tables that such work needs, and none with agents.
const everyTenant = "every"

// scopeOf returns the setting for a context: that of its tenant, or that of
// tenant.System; empty for neither.
func scopeOf(ctx context.Context) string {
	if t := tenant.From(ctx); t != nil {
		return strconv.FormatInt(t.ID, 10)
	}
	if tenant.IsSystem(ctx) {
		return everyTenant
	}
	return ""
}

// guarded is the state of connections of a role to which the policies apply; nil for
// another role. In a transaction it has the present setting.
type guarded struct{ scope string }

// RowLevelSecurity reports whether the database itself keeps tenants apart, because the
// policies apply to its role.
func (s *Store) RowLevelSecurity() bool { return s.guarded }

// setting is a setting that ends with the transaction.
type setting struct{ name, value string }

// settings are the settings that a statement outside a transaction needs.
func (c pgConn) settings(ctx context.Context) (all []setting) {
	if scope := scopeOf(ctx); c.guarded != nil && scope != "" {
		all = append(all, setting{"app.tenant", scope})
	}
	if isSweeping(ctx) {
		all = append(all, setting{"enable_nestloop", "off"})
	}
	if isPlannedAnew(ctx) {
		all = append(all, setting{"plan_cache_mode", "force_custom_plan"})
	}
	return all
}

// begin starts a batch with settings, and returns how many results these have. The batch
// is one transaction. The text is the same for every tenant, so a connection prepares it
// once. Citus passes only literals on to its workers, and only in an explicit
// transaction.
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

// end completes what begin started.
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

// enter gives a transaction the setting for its first statement, and for one that belongs
// to another tenant than those before it, such as a look into the master agency. The
// setting is sent with that statement.
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

// after sends a statement with its settings, in one round trip. It returns nil if it
// needs no settings.
func (c pgConn) after(ctx context.Context, query string, args []any) (pgx.BatchResults, error) {
	if c.conns == nil { // a transaction already has its settings
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
