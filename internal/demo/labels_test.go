package demo_test

import (
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// checkLabels: an alias is a writing number of an appointment of the agent
// ("for example a carrier-assigned writing number", specification, Alias); tags
// are defined, and each is worn once.
func checkLabels(t failer, a *demo.Agent, tags []demo.Tag, known referenceSets) {
	t.Helper()
	for _, alias := range a.Aliases {
		appointed := slices.ContainsFunc(a.Certifications, func(c demo.Certification) bool {
			return c.Type == "APPOINTMENT" && c.ProviderCompany == alias.ProviderCompany && c.Identifier == alias.Identifier
		})
		if !appointed || !known.companies[alias.ProviderCompany] {
			t.Errorf("%s: alias %+v", a.Code, alias)
		}
	}
	for i, worn := range a.Tags {
		defined := slices.ContainsFunc(tags, func(tag demo.Tag) bool { return tag.Name == worn })
		if !defined || i > 0 && a.Tags[i-1] >= worn {
			t.Errorf("%s: tags %+v", a.Code, a.Tags)
		}
	}
}

// An identifier names one agent of a provider company, or of none.
func checkAliasesUnique(t failer, agents []demo.Agent) {
	t.Helper()
	type key struct{ company, identifier string }
	seen := map[key]bool{}
	for i := range agents {
		for _, alias := range agents[i].Aliases {
			k := key{alias.ProviderCompany, alias.Identifier}
			if seen[k] {
				t.Errorf("%s: alias %v is used twice", agents[i].Code, k)
			}
			seen[k] = true
		}
	}
}

// A large agency draws the same writing number twice, and one of the two agents
// goes without the alias.
func TestAliasesAreUniqueInALargeAgency(t *testing.T) {
	agents := demo.Generate(demo.Options{Agents: 30_000, Seed: 1, Today: today}).Agents
	checkAliasesUnique(t, agents)
	aliases, appointments := 0, 0
	for i := range agents {
		aliases += len(agents[i].Aliases)
		for _, c := range agents[i].Certifications {
			if c.Type == "APPOINTMENT" && c.Periods[0].Value == "ACTIVE" {
				appointments++
			}
		}
	}
	if aliases == appointments || aliases < appointments*98/100 {
		t.Errorf("%d aliases of %d appointments", aliases, appointments)
	}
}

// The service reads the loaded aliases and tags; a tag that the tenant had
// before stays as it was.
func TestServiceReadsLoadedLabels(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, made := w.create(t, "a"), generate(200)
		ctx, service := tenant.With(t.Context(), a), agency.New(s, w.clock, w.vault)
		_, err := service.CreateTag(ctx, reference.TagInput{Name: patch.Set("Mentor"), Description: patch.Set("Ours"), Initiator: "test"})
		must(t, err)
		must(t, w.load(t.Context(), a, made, ignore))
		defined, err := store.Collect(ctx, s, func(row store.Scanner) (t demo.Tag, err error) {
			return t, row.Scan(&t.Name, &t.Description, &t.Color)
		}, "SELECT name, coalesce(description, ''), coalesce(color, '') FROM agency_tag WHERE tenant_id = $1 ORDER BY name", a.ID)
		must(t, err)
		for i, got := range defined {
			want := made.Tags[i]
			if want.Name == "Mentor" {
				want.Description, want.Color = "Ours", ""
			}
			if got != want {
				t.Errorf("tag %+v; want %+v", got, want)
			}
		}
		for i := range made.Agents {
			g := &made.Agents[i]
			id := agentRow(t, ctx, s, g.Code).id
			assigned, err := service.TagAssignmentList(ctx, label.TagAssignmentFilter{AgentCode: &g.Code}, nil)
			must(t, err)
			worn := texts(t, ctx, assigned, "x.tag")
			if !slices.Equal(worn, g.Tags) {
				t.Errorf("%s wears %v; want %+v", g.Code, worn, g.Tags)
			}
			for _, alias := range g.Aliases {
				list, err := service.AliasList(ctx, label.AliasFilter{Identifier: &alias.Identifier, ProviderCompany: &alias.ProviderCompany}, nil)
				must(t, err)
				counts, err := list.Counts(ctx, []int64{id})
				must(t, err)
				if counts[id] != 1 {
					t.Errorf("%s: %d aliases %+v", g.Code, counts[id], alias)
				}
			}
		}
	})
}
