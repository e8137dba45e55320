package insights

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// eachRun calls f for a run of each query with a core: about the agency and about a
// downline, of a caller who sees everybody and of a limited one.
func eachRun(t *testing.T, s *store.Store, f func(ctx context.Context, what string, r *Run)) {
	t.Helper()
	day := date.Of(2026, time.June, 15)
	whole := tenant.With(t.Context(), &tenant.Tenant{ID: 1, Zone: time.UTC})
	agent := int64(1)
	limited := tenant.WithCaller(whole, tenant.Caller{Within: &agent, Clock: clock.At(day.Time())})
	for _, q := range queries {
		if q.Core == nil {
			continue
		}
		for _, kind := range []string{agency, downline} {
			for who, ctx := range map[string]context.Context{"everybody": whole, "limited": limited} {
				f(ctx, q.Slug+", "+kind+", "+who, &Run{Report: q, Tenant: tenant.From(ctx), Now: day.Time(), Today: day, q: s, Postgres: s.Postgres(), team: 1, given: map[string]bool{},
					scope:  scope{kind: kind, root: 1},
					values: map[string]any{"onDate": day, "from": day, "through": day, "metric": "issuedPremium", "days": int64(7), "jurisdiction": home}})
			}
		}
	}
}

// SQLite reads no table of agents as a whole for each row of another: within a
// correlated subquery, within a step of a recursion, or behind the first table of a
// join, rows are found by more than their tenant. The plans are those without
// statistics, which SQLite never has.
func TestPlansFindRowsByKey(t *testing.T) {
	s := dbtest.SQLite(t)
	plans := 0
	eachRun(t, s, func(ctx context.Context, what string, r *Run) {
		statement := r.page(50, 0)
		steps, err := store.Collect(ctx, s, readStep, "EXPLAIN QUERY PLAN "+statement.Text(), statement.Args()...)
		if err != nil {
			t.Fatal(what, err)
		}
		plans++
		for _, step := range wholeReads(steps) {
			t.Errorf("%s: %s", what, step)
		}
	})
	if plans == 0 {
		t.Error("no query was planned")
	}
}

// step is a line of a plan.
type step struct {
	id, parent int
	text       string
}

func readStep(row store.Scanner) (s step, err error) {
	var unused int
	return s, row.Scan(&s.id, &s.parent, &unused, &s.text)
}

var (
	equalTo = regexp.MustCompile(`(\w+)=\?`)
	// few are the tables of which an agency has as many rows as words for something.
	few = regexp.MustCompile(`INDEX sqlite_autoindex_(agency_pay_status|agency_certification_type|agency_team|hierarchy_build|webhook_subscription)_\d`)
)

// wholeReads are the steps that read a table as a whole again and again.
func wholeReads(steps []step) (found []string) {
	text, behind := map[int]string{}, map[int]bool{}
	for _, s := range steps {
		text[s.id] = s.text
		if !strings.HasPrefix(s.text, "SEARCH ") && !strings.HasPrefix(s.text, "SCAN ") {
			continue
		}
		again := behind[s.parent] || strings.HasPrefix(text[s.parent], "CORRELATED") || text[s.parent] == "RECURSIVE STEP"
		behind[s.parent] = true
		keyed := !strings.Contains(s.text, " USING ") || few.MatchString(s.text) // the rows of the step before
		for _, column := range equalTo.FindAllStringSubmatch(s.text, -1) {
			keyed = keyed || column[1] != "tenant_id" && column[1] != "team_id"
		}
		if again && !keyed {
			found = append(found, s.text)
		}
	}
	return found
}
