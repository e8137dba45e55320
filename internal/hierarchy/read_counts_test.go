package hierarchy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The numbers of a downline come from what is in force on the day.
func TestSummaryCounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 4)
		w.plant(t, -1, 0, 0, 1)
		w.seedFacts(t)
		w.rebuild(t)
		roots, root := w.agents[:1], w.agents[0]
		for _, v := range []hierarchy.View{w.on(day0), w.on(day0.AddDays(1))} {
			levels, err := v.LevelCounts(w.ctx, s, roots, 64)
			must(t, err)
			equal(t, "levels", levels[root], []hierarchy.LevelCount{{10, "Agent", 2}, {20, "Manager", 1}})
			statuses, err := v.PayStatusCounts(w.ctx, s, roots, 64)
			must(t, err)
			equal(t, "pay statuses", statuses[root], []hierarchy.PayStatusCount{{"Active", true, 2}, {"Terminated", false, 1}})
			statuses, err = v.PayStatusCounts(w.ctx, s, roots, 1)
			must(t, err)
			equal(t, "pay statuses of level 1", statuses[root], []hierarchy.PayStatusCount{{"Active", true, 2}})
			n, err := v.ExpiringCertifications(w.ctx, s, roots, 64, 90)
			same(t, "expiring certifications", n[root], err, 2)
			n, err = v.ExpiringCertifications(w.ctx, s, roots, 64, 5)
			same(t, "certifications that expire within 5 days", n[root], err, 0)
		}
	})
}

// seedFacts gives each agent but the first a level, a pay status and a
// certification; the root has some of its own, which no number counts.
func (w *world) seedFacts(t failer) {
	t.Helper()
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		stamp := ", created_at, created_by, last_modified, last_modified_by) VALUES "
		for _, statement := range []string{
			"INSERT INTO agency_pay_status (tenant_id, name, is_active, can_be_paid, sort_order" + stamp + "($1, 'Active', true, true, 1, $2, 't', $2, 't'), ($1, 'Terminated', false, true, 2, $2, 't', $2, 't')",
			"INSERT INTO agency_certification_type (tenant_id, code, name, category, requires_jurisdiction, requires_provider_company, is_enabled" + stamp + "($1, 'LIFE', 'Life', 'LICENSE', false, false, true, $2, 't', $2, 't')",
		} {
			if _, err := tx.Exec(ctx, statement, w.tenant, w.clock.Now()); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, "INSERT INTO agency_agent_level (tenant_id, team_id, value, name, is_enabled"+stamp+"($1, $2, 10, 'Agent', true, $3, 't', $3, 't'), ($1, $2, 20, 'Manager', true, $3, 't', $3, 't')",
			w.tenant, w.team, w.clock.Now()); err != nil {
			return err
		}
		for i, fact := range []struct {
			level  int
			status string
			days   int
		}{{20, "Active", 10}, {20, "Active", 10}, {10, "Active", 89}, {10, "Terminated", 200}} {
			if err := w.addFacts(ctx, tx, w.agents[i], fact.level, fact.status, fact.days); err != nil {
				return fmt.Errorf("agent %d: %w", i, err)
			}
		}
		return nil
	})
}

func (w *world) addFacts(ctx context.Context, tx *store.Tx, agent int64, level int, status string, days int) error {
	from, now := day0.AddDays(-10), w.clock.Now()
	if _, err := tx.Exec(ctx, "INSERT INTO agency_level_period (tenant_id, team_id, agent_id, level, effective_from, recorded_at, recorded_by) VALUES ($1, $2, $3, $4, $5, $6, 't')",
		w.tenant, w.team, agent, level, from, now); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO agency_pay_status_period (tenant_id, agent_id, status, effective_from, recorded_at, recorded_by) VALUES ($1, $2, $3, $4, $5, 't')",
		w.tenant, agent, status, from, now); err != nil {
		return err
	}
	var id int64
	if _, err := store.One(ctx, tx, []any{&id}, `INSERT INTO agency_certification (tenant_id, agent_id, type, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
		VALUES ($1, $2, 'LIFE', true, true, $3, 't', $3, 't') RETURNING id`, w.tenant, agent, now); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO agency_certification_period (tenant_id, certification_id, status, effective_from, effective_through, recorded_at, recorded_by) VALUES ($1, $2, 'ACTIVE', $3, $4, $5, 't')",
		w.tenant, id, from, day0.AddDays(days), now)
	return err
}
