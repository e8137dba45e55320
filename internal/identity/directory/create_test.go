package directory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// world is an empty database with all that creating a tenant needs.
type world struct {
	store *store.Store
	vault *vault.Vault
	clock *clock.Fixed
}

func newWorld(t *testing.T, s *store.Store) world {
	t.Helper()
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
	must(t, err)
	return world{s, v, clock.At(time.Date(2026, time.March, 15, 12, 0, 0, 0, time.UTC))}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w world) create(t *testing.T, in directory.NewTenant) (*tenant.Tenant, error) {
	t.Helper()
	return directory.Create(t.Context(), w.store, w.vault, w.clock, in)
}

func valid() directory.NewTenant {
	return directory.NewTenant{Identifier: "acme", Name: "Acme", TimeZone: "America/Chicago", DefaultPageSize: 50, MaxPageSize: 100}
}

// tenants reads every tenant from the database.
func tenants(t *testing.T, s *store.Store) []*tenant.Tenant {
	t.Helper()
	all, err := directory.New(s, clock.System{}).List(t.Context())
	must(t, err)
	return all
}

// rows reads every tenant as one text.
func rows(t *testing.T, s *store.Store) string {
	t.Helper()
	var b strings.Builder
	for _, one := range tenants(t, s) {
		fmt.Fprintf(&b, "%+v\n", *one)
	}
	return b.String()
}

func TestCreateMakesTeamReferenceAndKeys(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		created, err := w.create(t, valid())
		must(t, err)
		if created.Identifier != "acme" || created.Zone.String() != "America/Chicago" || created.DefaultPageSize != 50 || created.MaxPageSize != 100 {
			t.Errorf("created %+v", created)
		}
		ctx := tenant.With(t.Context(), created)
		var teamID int64
		_, err = store.One(ctx, s, []any{&teamID}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND name = $2", created.ID, directory.DefaultTeam)
		must(t, err)
		r := directory.StarterReference()
		for table, want := range map[string]int{
			"agency_certification_type": len(r.CertificationTypes), "agency_jurisdiction": len(r.Jurisdictions), "agency_pay_status": len(r.PayStatuses),
			"agency_agent_level": len(r.AgentLevels), "agency_provider_company": len(r.ProviderCompanies),
		} {
			var n int
			if _, err := store.One(ctx, s, []any{&n}, "SELECT count(*) FROM "+table+" WHERE tenant_id = $1", created.ID); err != nil || n != want {
				t.Errorf("%d rows of %s, %v; want %d", n, table, err, want)
			}
		}
		var odd int
		if _, err := store.One(ctx, s, []any{&odd}, `SELECT count(*) FROM agency_agent_level WHERE tenant_id = $1
			AND NOT (team_id = $2 AND is_enabled AND created_at = $3 AND created_by <> '')`, created.ID, teamID, w.clock.Now()); err != nil || odd > 0 {
			t.Errorf("%d levels are not as they should be: %v", odd, err)
		}
		if _, err := directory.NewKeysets(s).Load(t.Context(), created.ID); err != nil {
			t.Errorf("the tenant's keys: %v", err)
		}
	})
}

func TestCreateRefuses(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	for _, c := range []struct {
		what   string
		change func(*directory.NewTenant)
		code   problem.Code
		field  string
	}{
		{"no identifier", func(n *directory.NewTenant) { n.Identifier = "" }, problem.InvalidFormat, "identifier"},
		{"capitals", func(n *directory.NewTenant) { n.Identifier = "Acme" }, problem.InvalidFormat, "identifier"},
		{"hyphen first", func(n *directory.NewTenant) { n.Identifier = "-acme" }, problem.InvalidFormat, "identifier"},
		{"slash", func(n *directory.NewTenant) { n.Identifier = "a/b" }, problem.InvalidFormat, "identifier"},
		{"line end", func(n *directory.NewTenant) { n.Identifier = "acme\n" }, problem.InvalidFormat, "identifier"},
		{"64 characters", func(n *directory.NewTenant) { n.Identifier = strings.Repeat("a", 64) }, problem.InvalidFormat, "identifier"},
		{"word of the paths", func(n *directory.NewTenant) { n.Identifier = "report-recipes" }, problem.InvalidFormat, "identifier"},
		{"word for no master", func(n *directory.NewTenant) { n.Identifier = "none" }, problem.InvalidFormat, "identifier"},
		{"a master that is not there", func(n *directory.NewTenant) { n.Master = "nobody" }, problem.NotFoundCode, "master"},
		{"no name", func(n *directory.NewTenant) { n.Name = " " }, problem.Required, "name"},
		{"no zone", func(n *directory.NewTenant) { n.TimeZone = "" }, problem.InvalidFormat, "timeZone"},
		{"zone of the machine", func(n *directory.NewTenant) { n.TimeZone = "Local" }, problem.InvalidFormat, "timeZone"},
		{"unknown zone", func(n *directory.NewTenant) { n.TimeZone = "America/Springfield" }, problem.InvalidFormat, "timeZone"},
		// "never more than 100" (specification, Limits).
		{"maximum of 101", func(n *directory.NewTenant) { n.MaxPageSize = 101 }, problem.OutOfRange, "maxPageSize"},
		{"maximum of 0", func(n *directory.NewTenant) { n.MaxPageSize = 0 }, problem.OutOfRange, "maxPageSize"},
		{"default of 0", func(n *directory.NewTenant) { n.DefaultPageSize = 0 }, problem.OutOfRange, "defaultPageSize"},
		{"default above maximum", func(n *directory.NewTenant) { n.MaxPageSize = 49 }, problem.OutOfRange, "defaultPageSize"},
	} {
		in := valid()
		c.change(&in)
		_, err := w.create(t, in)
		found := problem.From(err)
		if len(found) != 1 || found[0].Code != c.code || !slices.Equal(found[0].Field, []string{c.field}) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if n := len(tenants(t, w.store)); n != 0 {
		t.Errorf("%d tenants were created", n)
	}
}

func TestCreateReportsEveryField(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	_, err := w.create(t, directory.NewTenant{})
	if n := len(problem.From(err)); n != 4 {
		t.Errorf("%d problems: %v", n, err)
	}
}

func TestCreateAcceptsTheLongestIdentifier(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	in := valid()
	in.Identifier = "0" + strings.Repeat("-", 62)
	_, err := w.create(t, in)
	must(t, err)
}

func TestCreateRefusesAnIdentifierInUse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		_, err := w.create(t, valid())
		must(t, err)
		_, err = w.create(t, valid())
		found := problem.From(err)
		if len(found) != 1 || found[0].Code != problem.DuplicateKey || found[0].Category != problem.Conflict || !slices.Equal(found[0].Field, []string{"identifier"}) {
			t.Errorf("second tenant with the identifier: %v", err)
		}
		if n := len(tenants(t, s)); n != 1 {
			t.Errorf("%d tenants", n)
		}
	})
}

// With a key that does not open the keys of the database nothing is created: what it
// encrypted, no server could read.
func TestNothingIsCreatedWithAWrongKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		_, err := w.create(t, valid())
		must(t, err)
		other, err := vault.New(bytes.Repeat([]byte{8}, vault.KeySize), directory.NewKeysets(s))
		must(t, err)
		in := valid()
		in.Identifier = "umbra"
		if _, err := directory.Create(t.Context(), s, other, w.clock, in); !errors.Is(err, vault.ErrWrongKey) {
			t.Errorf("a tenant: %v", err)
		}
		if n := len(tenants(t, s)); n != 1 {
			t.Errorf("%d tenants", n)
		}
		// Neither does a server, which finds keys of a tenant and none of its own.
		must(t, s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM tenant_keyset WHERE tenant_id = $1", vault.Platform)
			return err
		}))
		if err := other.Prepare(t.Context(), vault.Platform); !errors.Is(err, vault.ErrWrongKey) {
			t.Errorf("keys of the platform: %v", err)
		}
		right, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
		must(t, err)
		must(t, right.Prepare(t.Context(), vault.Platform))
	})
}

// Of two callers at once both get the keys that are stored.
func TestKeysetsKeepTheFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		k := directory.NewKeysets(s)
		if _, err := k.Load(t.Context(), vault.Platform); !errors.Is(err, vault.ErrNoKeyset) {
			t.Errorf("load before create: %v", err)
		}
		for _, offered := range []string{"first", "second"} {
			stored, err := k.Create(t.Context(), vault.Platform, []byte(offered))
			must(t, err)
			if string(stored) != "first" {
				t.Errorf("offered %s, stored %s", offered, stored)
			}
		}
		loaded, err := k.Load(t.Context(), vault.Platform)
		must(t, err)
		if string(loaded) != "first" {
			t.Errorf("loaded %s", loaded)
		}
	})
}
