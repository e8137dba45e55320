// Package doctor examines a database, says what is wrong in it, and repairs what can be
// repaired without a loss. It asks the areas, the migrations and the database itself what
// is right.
package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/scenario"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Finding is something that is wrong in the database. It holds no value of a row.
type Finding struct {
	// Check is the name of the check that found it.
	Check string `json:"check"`
	// Tenant is the identifier of the tenant; empty for the whole database.
	Tenant string `json:"tenant,omitempty"`
	// Where is a table, a column, or something else with a name.
	Where   string `json:"where"`
	Problem string `json:"problem"`
	// Repairable is true if Repair can mend it; Repaired is true after it has.
	Repairable bool `json:"repairable"`
	Repaired   bool `json:"repaired"`

	mend func(ctx context.Context) error
}

// Doctor examines a database.
type Doctor struct {
	// Told is called while an examination goes on: of what it is, how many rows it has
	// looked at, and of how many.
	Told func(what string, done, total int)

	store     *store.Store
	vault     *vault.Vault
	clock     clock.Clock
	agency    *agency.Service
	hierarchy *hierarchy.Service
	trail     *audit.Trail
	past      *past.Past
}

// New returns a doctor for a database that has all migrations.
func New(s *store.Store, v *vault.Vault, c clock.Clock) *Doctor {
	agents := agency.New(s, c, v)
	kinds := slices.Concat(directory.NewService(directory.New(s, c), v).Kinds(), identity.New(identity.Config{Store: s, Clock: c, Vault: v}).Kinds(),
		scenario.New(s, c, v, agents).Kinds(), agents.Kinds())
	return &Doctor{Told: func(string, int, int) {}, store: s, vault: v, clock: c, agency: agents, hierarchy: hierarchy.New(s, c), trail: audit.New(s, c, v), past: past.New(s, c, v, kinds...)}
}

// examination is one examination of a database, with its findings so far.
type examination struct {
	*Doctor
	tenants  []*tenant.Tenant
	findings []Finding
	// closed are the tenants whose keys do not open: nothing that takes them is checked.
	closed map[int64]bool
}

func (e *examination) found(check, tenant, where, format string, args ...any) *Finding {
	e.findings = append(e.findings, Finding{Check: check, Tenant: tenant, Where: where, Problem: fmt.Sprintf(format, args...)})
	return &e.findings[len(e.findings)-1]
}

// mendable adds a way to mend a finding.
func (f *Finding) mendable(mend func(ctx context.Context) error) { f.Repairable, f.mend = true, mend }

// checks are all checks, in the order in which they run. Those of the database itself
// come first, since the others read it.
var checks = []struct {
	name string
	look func(e *examination, ctx context.Context) error
}{
	{"indexes", (*examination).indexes},
	{"rules of the database", (*examination).violations},
	{"enumerations", (*examination).enumerations},
	{"periods", (*examination).periods},
	{"kept counts", (*examination).keptCounts},
	{"hierarchy", (*examination).closure},
	{"events", (*examination).events},
	{"keys", (*examination).keys},
	{"search", (*examination).search},
	{"audit trail", (*examination).audit},
	{"recorded changes", (*examination).recorded},
	{"encrypted values", (*examination).sealed},
	{"jobs", (*examination).jobs},
	{"exports", (*examination).exports},
}

// Examine runs every check and returns what is wrong. An error says that a check could
// not run. It reads only, and changes nothing.
func (d *Doctor) Examine(ctx context.Context) ([]Finding, error) {
	all, err := directory.New(d.store, d.clock).List(ctx)
	if err != nil {
		return nil, err
	}
	e := &examination{Doctor: d, tenants: all, closed: map[int64]bool{}}
	for _, c := range checks {
		if err := c.look(e, ctx); err != nil {
			return e.findings, fmt.Errorf("check %s: %w", c.name, err)
		}
	}
	return e.findings, nil
}

// Repair mends the findings that can be mended, and marks them. It derives again what is
// derived, and changes no row that somebody wrote.
func (d *Doctor) Repair(ctx context.Context, findings []Finding) error {
	for i := range findings {
		f := &findings[i]
		if f.mend == nil {
			continue
		}
		if err := f.mend(ctx); err != nil {
			return fmt.Errorf("repair %s: %w", f.Where, err)
		}
		f.Repaired = true
	}
	return nil
}

// eachTenant calls f with every tenant and its context.
func (e *examination) eachTenant(ctx context.Context, f func(ctx context.Context, t *tenant.Tenant) error) error {
	for _, t := range e.tenants {
		if err := f(tenant.With(ctx, t), t); err != nil {
			return fmt.Errorf("tenant %s: %w", t.Identifier, err)
		}
	}
	return nil
}

// identifier returns the identifier of the tenant with an id.
func (e *examination) identifier(id int64) string {
	for _, t := range e.tenants {
		if t.ID == id {
			return t.Identifier
		}
	}
	return ""
}
