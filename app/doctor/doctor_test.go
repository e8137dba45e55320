package doctor_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/doctor"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// damage is something done to a sound database past all rules, and what says so.
type damage struct {
	name string
	// These take rules of the database away that would refuse the damage.
	onSQLite, onPostgres []string
	do                   string
	args                 []any
	check, where         string
	repairable           bool
}

var damages = []damage{
	{name: "a missing index", do: "DROP INDEX agency_agent_last_name", check: "indexes", where: "agency_agent_last_name", repairable: true},
	{name: "a value of no enumeration", onSQLite: []string{"PRAGMA ignore_check_constraints = 1"}, onPostgres: []string{"ALTER TABLE agency_address DROP CONSTRAINT agency_address_kind_check"},
		do: "UPDATE agency_address SET kind = 'Castle' WHERE id = (SELECT min(id) FROM agency_address)", check: "enumerations", where: "agency_address.kind"},
	{name: "an empty period", onSQLite: []string{"DROP TRIGGER agency_pay_status_period_update_overlap"},
		onPostgres: []string{"ALTER TABLE agency_pay_status_period DROP CONSTRAINT agency_pay_status_period_overlap", "ALTER TABLE agency_pay_status_period DROP CONSTRAINT agency_pay_status_period_check"},
		do:         "UPDATE agency_pay_status_period SET effective_through = '1900-01-01' WHERE id = (SELECT min(id) FROM agency_pay_status_period)", check: "periods", where: "agency_pay_status_period"},
	{name: "overlapping periods", onSQLite: []string{"DROP TRIGGER agency_level_period_insert_overlap"}, onPostgres: []string{"ALTER TABLE agency_level_period DROP CONSTRAINT agency_level_period_overlap"},
		do: `INSERT INTO agency_level_period (tenant_id, team_id, agent_id, level, effective_from, recorded_at, recorded_by)
			SELECT tenant_id, team_id, agent_id, level, effective_from, recorded_at, recorded_by FROM agency_level_period WHERE superseded_at IS NULL ORDER BY id LIMIT 1`,
		check: "periods", where: "agency_level_period"},
	{name: "a count that is wrong", do: "UPDATE agency_agent_count SET agents = agents + 1", check: "kept counts", where: "agency_agent_count"},
	{name: "an order of changes that is wrong", do: "DELETE FROM agency_agent_modified WHERE agent_id = (SELECT min(id) FROM agency_agent)", check: "kept counts", where: "agency_agent_modified"},
	{name: "a text that finds another", do: "UPDATE agency_agent_key SET source = source + 100 WHERE agent_id = (SELECT min(id) FROM agency_agent)", check: "search", where: "agency_agent_key", repairable: true},
	{name: "a relation that is gone", do: "DELETE FROM hierarchy_closure WHERE level = (SELECT max(level) FROM hierarchy_closure)", check: "hierarchy", where: "team ", repairable: true},
	{name: "a wrong depth", do: "UPDATE hierarchy_node SET depth = depth + 1 WHERE depth = 1", check: "hierarchy", where: "team ", repairable: true},
	{name: "an event that is gone", do: "DELETE FROM outbox_event WHERE position = 2", check: "events", where: "outbox_event"},
	{name: "a changed audit entry", onSQLite: []string{"DROP TRIGGER audit_entry_no_update"}, onPostgres: []string{"DROP TRIGGER audit_entry_append_only ON audit_entry"},
		do: "UPDATE audit_entry SET initiator = 'somebody else' WHERE seq = 1", check: "audit trail", where: "entry 1"},
	{name: "a change without an entry", do: "UPDATE agency_w9_period SET superseded_at = $1 WHERE id = (SELECT max(id) FROM agency_w9_period WHERE superseded_at IS NULL)", args: []any{time.Now()},
		check: "recorded changes", where: "agency_w9_period"},
	{name: "a value that nothing opens", do: "UPDATE agency_direct_deposit SET account_number = $1 WHERE id = (SELECT min(id) FROM agency_direct_deposit)", args: []any{[]byte{1, 2, 3}},
		check: "encrypted values", where: "agency_direct_deposit.account_number"},
}

// Whatever is wrong is found, by its name, and what can be derived is repaired; a
// sound database has no finding, and no finding has a value of a row.
func TestFindings(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		w.LoadDemo(t, apptest.Acme, 60)
		for range 3 {
			w.Raise(t, apptest.Acme, events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated, events.AgentChange{AgentCode: "A1"}))
		}
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		if events := apptest.Each(c.Query(t, "{ events(first: 100) { nodes { id } } }", nil), "events.nodes", "id"); len(events) < 3 { // which numbers them
			t.Fatalf("%d events", len(events))
		}
		c.Query(t, `mutation { exportCreate(input: {query: "{ agents { nodes { id } } }", connectionPath: "agents", format: CSV}) { export { id } } }`, nil)
		c.Query(t, `mutation { tagCreate(input: {name: "Old hand", initiator: "ana"}) { tag { name } } }`, nil) // which the audit trail holds
		apptest.Sound(t, s, w.Clock)
		if err := w.Audit.LinkAll(t.Context()); err != nil {
			t.Fatal(err)
		}

		for _, d := range damages {
			d.inflict(t, s)
		}
		unrefer(t, s)
		storeMask(t, w)
		// Later, nobody has done what waits.
		physician := doctor.New(s, w.Vault, clock.At(time.Now().Add(time.Hour)))
		findings, err := physician.Examine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range append(slices.Clone(damages), damage{name: "a reference to nothing", check: "rules of the database", where: "agency_tag_assignment"},
			damage{name: "a mask in the place of a tax id", check: "encrypted values", where: "agency_w9.taxpayer_identifier"},
			damage{name: "a job nobody works on", check: "jobs", where: ""}, damage{name: "an export nobody writes", check: "exports", where: "export"}) {
			if i := slices.IndexFunc(findings, d.is); i < 0 {
				t.Errorf("%s was not found", d.name)
			} else if findings[i].Repairable != d.repairable {
				t.Errorf("%s: repairable is %t", d.name, findings[i].Repairable)
			}
		}
		for _, f := range findings {
			if strings.Contains(fmt.Sprint(f), "Castle") || strings.Contains(fmt.Sprint(f), "somebody else") || strings.Contains(fmt.Sprint(f), "6789") {
				t.Errorf("a finding repeats a value: %+v", f)
			}
		}
		if err := physician.Repair(t.Context(), findings); err != nil {
			t.Fatal(err)
		}
		again, err := physician.Examine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range again {
			if f.Repairable {
				t.Errorf("after the repair: %+v", f)
			}
		}
		if len(again) < 7 {
			t.Errorf("the repair made %d findings of %d", len(again), len(findings))
		}
	})
}

// What reads many rows tells how far it has come, to the end.
func TestTold(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		w.LoadDemo(t, apptest.Acme, 12)
		w.As(apptest.Acme).Query(t, `mutation { tagCreate(input: {name: "Old hand", initiator: "ana"}) { applied } }`, nil)
		if err := w.Audit.LinkAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		told := map[string][2]int{}
		physician := doctor.New(s, w.Vault, w.Clock)
		physician.Told = func(what string, done, total int) { told[what] = [2]int{done, total} }
		if _, err := physician.Examine(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"audit trail of acme", "encrypted values of acme"} {
			if n := told[what]; n[0] < 1 || n[0] != n[1] {
				t.Errorf("of %s it told %v in the end", what, n)
			}
		}
	})
}

// A tenant whose keys do not open is reported, and the others are examined.
func TestKeysThatDoNotOpen(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		w.LoadDemo(t, apptest.Acme, 10)
		w.LoadDemo(t, apptest.Umbra, 10)
		for _, d := range []damage{
			{name: "keys of another key", do: "UPDATE tenant_keyset SET wrapped = $1 WHERE tenant_id = $2", args: []any{[]byte("closed"), w.Tenants[apptest.Acme].ID}},
			{name: "a value that nothing opens", do: "UPDATE agency_direct_deposit SET account_number = $1 WHERE id = (SELECT max(id) FROM agency_direct_deposit WHERE tenant_id = $2)",
				args: []any{[]byte{1, 2, 3}, w.Tenants[apptest.Umbra].ID}},
		} {
			d.inflict(t, s)
		}
		v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
		if err != nil {
			t.Fatal(err)
		}
		findings, err := doctor.New(s, v, clock.At(time.Now())).Examine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for check, tenant := range map[string]string{"keys": apptest.Acme, "encrypted values": apptest.Umbra} {
			if !slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.Check == check && f.Tenant == tenant }) {
				t.Errorf("%s of %s were not found: %v", check, tenant, findings)
			}
		}
	})
}

// A killed server leaves jobs that are taken over when their time has passed, at most an
// hour later: until then nothing is wrong.
func TestJobsOfAKilledServer(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		w.As(apptest.Acme).Query(t, `mutation { exportCreate(input: {query: "{ agents { nodes { id } } }", connectionPath: "agents", format: CSV}) { export { id } } }`, nil)
		killed := time.Now()
		damage{name: "a job under way", do: "UPDATE river_job SET state = 'running', attempt = 1, attempted_at = $1", args: []any{killed}}.inflict(t, s)
		for after, want := range map[time.Duration]bool{time.Minute: false, time.Hour: false, 2 * time.Hour: true} {
			findings, err := doctor.New(s, w.Vault, clock.At(killed.Add(after))).Examine(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.Check == "jobs" }); got != want {
				t.Errorf("%v after the kill: %v", after, findings)
			}
		}
	})
}

// is reports whether a finding is of the damage.
func (d damage) is(f doctor.Finding) bool {
	return f.Check == d.check && strings.HasPrefix(f.Where, d.where)
}

func (d damage) inflict(t *testing.T, s *store.Store) {
	t.Helper()
	before := d.onSQLite
	if s.Postgres() {
		before = d.onPostgres
	}
	err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, statement := range before {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		n, err := tx.Exec(ctx, d.do, d.args...)
		if err == nil && n == 0 && !strings.HasPrefix(d.do, "DROP") {
			err = fmt.Errorf("%s hit no row", d.do)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
}

// unrefer takes away what others refer to, as a load does that switches the
// conditions off.
func unrefer(t *testing.T, s *store.Store) {
	t.Helper()
	const gone = "DELETE FROM agency_tag WHERE name IN (SELECT tag FROM agency_tag_assignment)"
	if s.Postgres() {
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			for _, statement := range []string{"SET LOCAL session_replication_role = replica", gone} {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return
	}
	files, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT file FROM pragma_database_list WHERE name = 'main'")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", files[0]) // whose connections hold no references
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
}

// storeMask has a W9 say what an import of a list's CSV once made of a tax id.
func storeMask(t *testing.T, w *apptest.World) {
	t.Helper()
	f := vault.Field{TenantID: w.Tenants[apptest.Acme].ID, Table: "agency_w9", Column: "taxpayer_identifier"}
	err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
		if _, err := store.One(ctx, tx, []any{&f.RowID}, "SELECT min(id) FROM agency_w9 WHERE tenant_id = $1", f.TenantID); err != nil {
			return err
		}
		mask, err := w.Vault.Encrypt(ctx, f, "***-**-6789")
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, "UPDATE agency_w9 SET taxpayer_identifier = $1 WHERE id = $2", mask, f.RowID)
		if err == nil && n != 1 {
			err = fmt.Errorf("%d W9s have a mask", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The dated relations are the tables that PostgreSQL keeps without overlaps, by the same
// owners.
func TestHistories(t *testing.T) {
	s := dbtest.Postgres(t)
	stored, err := store.Collect(t.Context(), s, store.ScanOne[string],
		"SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'x' ORDER BY conrelid::regclass::text")
	relations := slices.SortedFunc(slices.Values(history.Relations), func(a, b *history.Relation) int { return strings.Compare(a.Table, b.Table) })
	if err != nil || len(stored) != len(relations) {
		t.Fatalf("%d tables, %d relations, %v", len(stored), len(relations), err)
	}
	for i, h := range relations {
		var want bytes.Buffer
		fmt.Fprintf(&want, "%s EXCLUDE USING gist (tenant_id WITH =, ", h.Table)
		for _, column := range h.Key() {
			fmt.Fprintf(&want, "%s WITH =, ", column)
		}
		if !strings.HasPrefix(stored[i], want.String()+"daterange(") {
			t.Errorf("%s; want %s", stored[i], want.String())
		}
	}
}
