package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// copied are the tables of an agency's agents; the numbers of rows that a copy has of its
// own are in shifted.
var (
	copied = []string{"agency_agent", "agency_address", "agency_phone", "agency_pay_status_period", "agency_upline_period", "agency_level_period",
		"agency_certification", "agency_certification_period", "hierarchy_node", "hierarchy_closure", "agency_agent_key"}
	referred = []string{"agency_team", "agency_agent_level", "agency_pay_status", "agency_jurisdiction", "agency_certification_type", "agency_provider_company",
		"hierarchy_build"}
	shifted = []string{"id", "agent_id", "upline_agent_id", "certification_id", "ancestor_id", "descendant_id"}
)

// stride is farther than the numbers of one copy go.
const stride = 10_000_000

// copyAgency makes a tenant with keys of its own that has so many times the agents of
// Acme, side by side.
func copyAgency(b *testing.B, w *apptest.World, url, name string, times int) {
	b.Helper()
	from := w.Tenants[apptest.Acme]
	to, err := directory.Create(b.Context(), w.Store, w.Vault, w.Clock, directory.NewTenant{Identifier: name, Name: name, TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	if err != nil {
		b.Fatal(err)
	}
	w.Tenants[name] = to
	var c copying
	for _, table := range referred[1:] {
		c.add(table, fmt.Sprintf("%d", to.ID), 1, from.ID, teamOf(to.ID))
	}
	for _, table := range copied {
		c.add(table, fmt.Sprintf("%d", to.ID), times, from.ID, teamOf(to.ID))
	}
	c.after = append(c.after, fmt.Sprintf("INSERT INTO agency_agent_count (tenant_id, slot, agents) SELECT %d, 0, count(*) FROM agency_agent WHERE tenant_id = %d", to.ID, to.ID))
	c.after = append(c.after, fmt.Sprintf("INSERT INTO agency_agent_modified (tenant_id, agent_id, last_modified) SELECT tenant_id, id, last_modified FROM agency_agent WHERE tenant_id = %d", to.ID))
	c.run(b, url)
	var agents int
	ctx := w.Context(b, name)
	if _, err := store.One(ctx, w.Store, []any{&agents}, "SELECT count(*) FROM agency_agent WHERE tenant_id = $1", to.ID); err != nil || agents%times != 0 || agents < 10_000*times {
		b.Fatal(agents, err)
	}
}

func teamOf(tenantID int64) string {
	return fmt.Sprintf("(SELECT id FROM agency_team WHERE tenant_id = %d AND name = 'default')", tenantID)
}

// copyAgencies makes so many tenants that have the rows of Acme, and no keys.
func copyAgencies(b *testing.B, w *apptest.World, url string, n int) (all []*tenant.Tenant) {
	b.Helper()
	from := w.Tenants[apptest.Acme]
	const first = 1000
	c := copying{before: []string{fmt.Sprintf(`INSERT INTO tenant (id, identifier, name, time_zone, default_page_size, max_page_size, created_at)
		SELECT %d + k, 'copy' || k, name, time_zone, default_page_size, max_page_size, created_at FROM tenant, generate_series(1, %d) k WHERE id = %d`, first, n, from.ID)}}
	for _, table := range slices.Concat(referred, copied, []string{"agency_agent_count", "agency_agent_modified"}) {
		c.add(table, fmt.Sprintf("%d + k", first+1), -n, from.ID, "team_id")
	}
	c.run(b, url)
	for k := range n {
		t := *from
		t.ID, t.Identifier = int64(first+1+k), fmt.Sprintf("copy%d", k+1)
		all = append(all, &t)
	}
	return all
}

// copying are statements that copy rows.
type copying struct {
	before, after []string
	tables        []tableCopy
}

type tableCopy struct {
	table, tenant string
	times         int // negative when each copy is of another tenant, with the same numbers
	from          int64
	team          string
}

func (c *copying) add(table, tenant string, times int, from int64, team string) {
	c.tables = append(c.tables, tableCopy{table, tenant, times, from, team})
}

// run runs them, without the checks of references, which hold as they did.
func (c *copying) run(b *testing.B, url string) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	do := func(statement string) {
		if _, err := conn.Exec(b.Context(), statement); err != nil {
			b.Fatal(err, statement)
		}
	}
	do("SET session_replication_role = replica")
	for _, statement := range c.before {
		do(statement)
	}
	for _, of := range c.exclusions(b, conn) {
		do(fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s", of[0], of[1]))
		c.after = append(c.after, fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s %s", of[0], of[1], of[2]))
	}
	for _, t := range c.tables {
		rows, err := conn.Query(b.Context(), "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''", t.table)
		if err != nil {
			b.Fatal(err)
		}
		columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			b.Fatal(err)
		}
		do(t.statement(columns))
	}
	for _, statement := range c.after {
		do(statement)
	}
}

// exclusions are the constraints whose indexes are made faster when the rows are there.
func (c *copying) exclusions(b *testing.B, conn *pgx.Conn) [][3]string {
	rows, err := conn.Query(b.Context(), "SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'x' AND connamespace = current_schema()::regnamespace")
	if err != nil {
		b.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (of [3]string, err error) { return of, row.Scan(&of[0], &of[1], &of[2]) })
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func (t tableCopy) statement(columns []string) string {
	values, times := make([]string, len(columns)), max(t.times, -t.times)
	for i, c := range columns {
		values[i] = "x." + c
		switch isOwn := t.times > 1 && slices.Contains(shifted, c); {
		case c == "tenant_id":
			values[i] = t.tenant
		case c == "team_id" && t.times > 0:
			values[i] = t.team
		case isOwn:
			values[i] += fmt.Sprintf(" + k * %d::bigint", stride)
		case c == "code" && t.table == "agency_agent" && t.times > 1:
			values[i] = "CASE k WHEN 0 THEN x.code ELSE x.code || '-' || k END"
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s x, generate_series(0, %d) k WHERE x.tenant_id = %d ON CONFLICT DO NOTHING",
		t.table, strings.Join(columns, ", "), strings.Join(values, ", "), t.table, times-1, t.from)
}
