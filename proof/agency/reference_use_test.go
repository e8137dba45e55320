package agency_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// TestReferenceInUse: "A reference value that is still in use generally cannot
// be deleted" (Reference data).
func TestReferenceInUse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		r := w.upsert(full())
		in := full()
		in.Type, in.Identifier = "LIFE", nil
		w.upsert(in)
		w.exec("INSERT INTO agency_address (tenant_id, agent_id, kind, jurisdiction) VALUES (1, $1, 'HOME', 'US-TX'), (1, $1, 'BUSINESS', 'US-NY')", w.agents["A1"])
		for _, name := range []string{"Active", "Retired"} {
			w.must(w.CreatePayStatus(w.ctx, reference.PayStatusInput{Name: patch.Set(name), IsActive: patch.Set(true), Initiator: "hr"}))
			w.must(w.ApplyPayStatus(w.ctx, record.PeriodInput[string]{AgentCode: "A1", Value: name, EffectiveFrom: licenceToday, Initiator: "hr"}, false))
		}
		for _, value := range []int{10, 20} {
			w.must(w.CreateAgentLevel(w.ctx, w.team, reference.AgentLevelInput{Value: patch.Set(value), Name: patch.Set("Level"), Initiator: "hr"}))
			w.must(w.ApplyLevel(w.ctx, record.DefaultTeam, record.PeriodInput[int]{AgentCode: "A1", Value: value, EffectiveFrom: licenceToday, Initiator: "hr"}, false))
		}
		w.must(w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set("Veteran"), Initiator: "hr"}))
		for _, code := range []string{"A1", "A2"} {
			w.must(w.UpdateTags(w.ctx, code, assign("Veteran")))
		}
		for _, test := range []struct {
			name   string
			delete func() (int64, error)
			want   map[string]int
		}{
			{"certification type", func() (int64, error) { return w.DeleteCertificationType(w.ctx, "APPT", "x") }, map[string]int{"certifications": 1}},
			{"jurisdiction", func() (int64, error) { return w.DeleteJurisdiction(w.ctx, "US-TX", "x") }, map[string]int{"certifications": 2, "addresses": 1}},
			{"jurisdiction of an address", func() (int64, error) { return w.DeleteJurisdiction(w.ctx, "US-NY", "x") }, map[string]int{"addresses": 1}},
			{"pay status", func() (int64, error) { return w.DeletePayStatus(w.ctx, "Retired", "x") }, map[string]int{"payStatusPeriods": 1}},
			{"pay status in superseded rows", func() (int64, error) { return w.DeletePayStatus(w.ctx, "Active", "x") }, map[string]int{"history": 1}},
			{"tag", func() (int64, error) { return w.DeleteTag(w.ctx, "Veteran", "x") }, map[string]int{"tagAssignments": 2}},
			{"agent level", func() (int64, error) { return w.DeleteAgentLevel(w.ctx, w.team, 20, "x") }, map[string]int{"levelPeriods": 1}},
			{"agent level in superseded rows", func() (int64, error) { return w.DeleteAgentLevel(w.ctx, w.team, 10, "x") }, map[string]int{"history": 1}},
		} {
			_, err := test.delete()
			equal(t, test.name, problems(err), []string{"REFERENCE_IN_USE"})
			p := problem.From(err)[0]
			equal(t, test.name+": a conflict", p.Category, problem.Conflict)
			equal(t, test.name+": usage", p.Details["usage"], any(test.want))
		}
		w.must(nil, w.DeleteCertification(w.ctx, r.ID, "x"))
		w.must(w.DeleteCertificationType(w.ctx, "APPT", "x"))
		w.must(w.DeleteCertificationType(w.other, "APPT", "x")) // what others use does not count
	})
}

// A level of another team is another level.
func TestReferenceLevelsOfTeams(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		w.exec("INSERT INTO agency_team (tenant_id, name) VALUES (1, 'second')")
		second, err := w.Team(w.ctx, "second")
		w.must(second, err)
		for _, team := range []int64{w.team, second} {
			w.must(w.CreateAgentLevel(w.ctx, team, reference.AgentLevelInput{Value: patch.Set(10), Name: patch.Set("Level"), Initiator: "hr"}))
		}
		w.must(w.CreateAgentLevel(w.ctx, second, reference.AgentLevelInput{Value: patch.Set(20), Name: patch.Set("Level"), Initiator: "hr"}))
		apply := func(level int) error {
			_, err := w.ApplyLevel(w.ctx, record.DefaultTeam, record.PeriodInput[int]{AgentCode: "A1", Value: level, EffectiveFrom: licenceToday, Initiator: "hr"}, false)
			return err
		}
		equal(t, "only of the other team", problems(apply(20)), []string{"UNKNOWN_LEVEL level"})
		w.must(nil, apply(10))
		_, _, err = w.UpdateAgentLevel(w.ctx, second, 10, reference.AgentLevelInput{Name: patch.Set("Changed"), Initiator: "hr"})
		w.must(nil, err)
		names, err := store.Collect(w.ctx, s, store.ScanOne[string], "SELECT name FROM agency_agent_level WHERE tenant_id = 1 AND team_id = $1", w.team)
		w.must(names, err)
		equal(t, "the first team's", names, []string{"Level"})
		w.must(w.DeleteAgentLevel(w.ctx, second, 10, "x"))
		_, err = w.DeleteAgentLevel(w.ctx, w.team, 10, "x")
		equal(t, "in use in the first team", problems(err), []string{"REFERENCE_IN_USE"})
	})
}

// A record is either deleted or used, however close the two requests come.
func TestReferenceDeletedWhileUsed(t *testing.T) {
	const rounds = 30
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for i := range rounds {
			code := fmt.Sprintf("XX-%02d", i)
			w.must(w.CreateJurisdiction(w.ctx, reference.JurisdictionInput{Code: patch.Set(code), Name: patch.Set("n"), Initiator: "hr"}))
			in := full()
			in.Jurisdiction = &code
			var (
				both             sync.WaitGroup
				deletion, upsert error
			)
			both.Go(func() { _, deletion = w.DeleteJurisdiction(w.ctx, code, "x") })
			both.Go(func() { _, upsert = w.UpsertCertification(w.ctx, in, false) })
			both.Wait()
			deleted := deletion == nil && problem.Has(upsert, problem.UnknownJurisdiction)
			used := upsert == nil && problem.Has(deletion, problem.ReferenceInUse)
			if deleted == used {
				t.Fatalf("deletion: %v; upsert: %v", deletion, upsert)
			}
		}
	})
}

func TestTagDeletedWhileAssigned(t *testing.T) {
	const rounds = 30
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for i := range rounds {
			name := fmt.Sprintf("T%d", i)
			w.must(w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set(name), Initiator: "hr"}))
			var (
				both                 sync.WaitGroup
				deletion, assignment error
			)
			both.Go(func() { _, deletion = w.DeleteTag(w.ctx, name, "x") })
			both.Go(func() { _, assignment = w.UpdateTags(w.ctx, "A1", assign(name)) })
			both.Wait()
			deleted := deletion == nil && problem.Has(assignment, problem.UnknownTag)
			used := assignment == nil && problem.Has(deletion, problem.ReferenceInUse)
			if deleted == used {
				t.Fatalf("deletion: %v; assignment: %v", deletion, assignment)
			}
		}
	})
}
