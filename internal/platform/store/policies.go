package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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

// hasPolicies reports whether the policies hold for the role of a pool. A database
// without tables has none; whoever makes them is their owner.
func hasPolicies(ctx context.Context, pool *pgxpool.Pool) (held bool, err error) {
	return held, pool.QueryRow(ctx, "SELECT coalesce(row_security_active(to_regclass('agency_agent')), false)").Scan(&held)
}

// RowLevelSecurity reports whether the database itself keeps tenants apart: the
// policies hold for its role.
func (s *Store) RowLevelSecurity() bool { return s.guarded }

// preamble is what has to be set for one statement outside a transaction, as the list of
// a SELECT that goes along with it, and its arguments; empty when nothing has. The text
// is the same for every tenant, so that a connection prepares it once.
func (c pgConn) preamble(ctx context.Context) (list string, args []any) {
	var set []string
	if c.guarded != nil {
		if scope := scopeOf(ctx); scope != "" {
			set, args = append(set, "set_config('app.tenant', $1, true)"), append(args, scope)
		}
	}
	if isSweeping(ctx) {
		set = append(set, "set_config('enable_nestloop', 'off', true)")
	}
	if len(set) > 0 && isPlannedAnew(ctx) {
		set = append(set, "set_config('plan_cache_mode', 'force_custom_plan', true)")
	}
	return strings.Join(set, ", "), args
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
		c.pgExecutor.(*pipeline).queue("SELECT set_config('app.tenant', $1, true)", scope)
	}
}

// after sends a statement with its preamble. The two are one transaction, with which
// the settings end, and one round trip. It returns nil when nothing has to be set.
func (c pgConn) after(ctx context.Context, query string, args []any) (pgx.BatchResults, error) {
	if c.conns == nil { // a transaction has its settings
		return nil, nil
	}
	list, settings := c.preamble(ctx)
	if list == "" {
		return nil, nil
	}
	batch := new(pgx.Batch)
	batch.Queue("SELECT "+list, settings...)
	batch.Queue(query, args...)
	results := c.pgExecutor.SendBatch(ctx, batch)
	if _, err := results.Exec(); err != nil {
		_ = results.Close()
		return nil, err
	}
	return results, nil
}
