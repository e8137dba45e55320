package demo_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// world is a database with all that a load needs; it is nine or ten in the
// morning of today in Chicago.
type world struct {
	store *store.Store
	vault *vault.Vault
	clock clock.Clock
}

func newWorld(t testing.TB, s *store.Store) world {
	t.Helper()
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
	must(t, err)
	return world{s, v, clock.At(today.Time().Add(15 * time.Hour))}
}

func (w world) create(t testing.TB, identifier string) *tenant.Tenant {
	t.Helper()
	created, err := directory.Create(t.Context(), w.store, w.vault, w.clock, directory.NewTenant{
		Identifier: identifier, Name: identifier, TimeZone: "America/Chicago", DefaultPageSize: 50, MaxPageSize: 100,
	})
	must(t, err)
	return created
}

func (w world) load(ctx context.Context, t *tenant.Tenant, a *demo.Agency, progress func(done, total int)) error {
	return demo.Load(ctx, w.store, w.vault, w.clock, t, a.Options, progress)
}

func ignore(int, int) {}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func generate(agents int) *demo.Agency {
	return demo.Generate(demo.Options{Agents: agents, Seed: 1, Today: today})
}

// counts are numbers of rows.
type counts struct {
	agents, addresses, phones, payStatuses, uplines, levels, certifications, certificationPeriods int
	w9s, w9Periods, directDeposits, aliases, tags, tagAssignments, production, commissions        int
}

func (w world) stored(ctx context.Context, t *tenant.Tenant) counts {
	ctx = tenant.With(ctx, t)
	in := func(table string) (n int) {
		if _, err := store.One(ctx, w.store, []any{&n}, "SELECT count(*) FROM "+table+" WHERE tenant_id = $1", t.ID); err != nil {
			panic(err)
		}
		return n
	}
	return counts{
		in("agency_agent"), in("agency_address"), in("agency_phone"),
		in("agency_pay_status_period"), in("agency_upline_period"), in("agency_level_period"),
		in("agency_certification"), in("agency_certification_period"),
		in("agency_w9"), in("agency_w9_period"), in("agency_direct_deposit"),
		in("agency_alias"), in("agency_tag"), in("agency_tag_assignment"),
		in("insights_production_record"), in("insights_commission_payment"),
	}
}

func generated(a *demo.Agency) counts {
	n := counts{agents: len(a.Agents), addresses: len(a.Agents), phones: len(a.Agents), tags: len(a.Tags)}
	for i := range a.Agents {
		g := &a.Agents[i]
		n.payStatuses += len(g.PayStatusPeriods)
		n.uplines += len(g.UplinePeriods)
		n.levels += len(g.LevelPeriods)
		n.certifications += len(g.Certifications)
		for _, c := range g.Certifications {
			n.certificationPeriods += len(c.Periods)
		}
		n.w9s += len(g.W9Periods)
		n.w9Periods += len(g.W9Periods)
		if g.DirectDeposit != nil {
			n.directDeposits++
		}
		n.aliases += len(g.Aliases)
		n.tagAssignments += len(g.Tags)
		n.production += len(g.Production)
		n.commissions += len(g.Commissions)
	}
	return n
}

func TestLoadStoresAllAndTouchesNoOtherTenant(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		beside, empty, full := w.create(t, "beside"), w.create(t, "empty"), w.create(t, "full")
		small, large := generate(20), generate(200)
		must(t, w.load(t.Context(), beside, small, ignore))
		must(t, w.load(t.Context(), full, large, ignore))
		for _, c := range []struct {
			tenant *tenant.Tenant
			want   counts
		}{{beside, generated(small)}, {empty, counts{}}, {full, generated(large)}} {
			if got := w.stored(t.Context(), c.tenant); got != c.want {
				t.Errorf("%s holds %+v; want %+v", c.tenant.Identifier, got, c.want)
			}
		}
	})
}

func TestLoadTellsProgress(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	var told [][2]int
	must(t, w.load(t.Context(), w.create(t, "a"), generate(1100), func(done, total int) { told = append(told, [2]int{done, total}) }))
	growing := slices.IsSortedFunc(told, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	if len(told) < 10 || len(told) > 20 || !growing || told[0][1] != 1100 || told[len(told)-1] != [2]int{1100, 1100} {
		t.Errorf("progress %v", told)
	}
}

func TestLoadIntoATenantWithAgentsIsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, agency := w.create(t, "a"), generate(10)
		must(t, w.load(t.Context(), a, agency, ignore))
		if err := w.load(t.Context(), a, agency, ignore); !errors.Is(err, demo.ErrNotEmpty) {
			t.Errorf("second load: %v", err)
		}
		if got, want := w.stored(t.Context(), a), generated(agency); got != want {
			t.Errorf("after the refusal there are %+v; want %+v", got, want)
		}
	})
}

// Of two loads at once one waits for the other, and is refused.
func TestTwoLoadsAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, agency := w.create(t, "a"), generate(200)
		results := make(chan error, 2)
		for range 2 {
			go func() { results <- w.load(t.Context(), a, agency, ignore) }()
		}
		loaded, refused := <-results, <-results
		if loaded != nil { // the one refused was told first
			loaded, refused = refused, loaded
		}
		if loaded != nil || !errors.Is(refused, demo.ErrNotEmpty) {
			t.Errorf("the loads end with %v and %v", loaded, refused)
		}
	})
}

// An interrupted load leaves the tenant empty, and can be started again.
func TestInterruptedLoadLeavesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, agency := w.create(t, "a"), generate(1100)
		for _, at := range []int{500, 1100} { // in the middle, and before the commit
			ctx, cancel := context.WithCancel(t.Context())
			err := w.load(ctx, a, agency, func(done, _ int) {
				if done >= at {
					cancel()
				}
			})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled at %d: %v", at, err)
			}
			if got := w.stored(t.Context(), a); got != (counts{}) {
				t.Errorf("cancelled at %d, there are %+v", at, got)
			}
		}
		must(t, w.load(t.Context(), a, agency, ignore))
		if got, want := w.stored(t.Context(), a), generated(agency); got != want {
			t.Errorf("loaded again, there are %+v; want %+v", got, want)
		}
	})
}

// The load asks for a rebuild, which places every agent.
func TestLoadAsksForTheHierarchy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a := w.create(t, "a")
		must(t, w.load(t.Context(), a, generate(200), ignore))
		ctx, h := tenant.With(t.Context(), a), hierarchy.New(s, w.clock)
		var teamID int64
		_, err := store.One(ctx, s, []any{&teamID}, "SELECT id FROM agency_team WHERE tenant_id = $1", a.ID)
		must(t, err)
		b, err := h.Build(ctx, s, teamID)
		must(t, err)
		if b == nil || b.Status != hierarchy.Queued || !b.IsStale {
			t.Fatalf("after the load: %+v", b)
		}
		b, err = h.Rebuild(ctx, teamID)
		must(t, err)
		if b.AgentCount == nil || *b.AgentCount != 200 {
			t.Errorf("rebuilt: %+v", b)
		}
	})
}
