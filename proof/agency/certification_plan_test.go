package agency_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The page after a cursor of a list by agent code reads the rows of one agent
// after the other: nothing is read by its tenant alone.
func TestPagesByAgentCodeReadAgentByAgent(t *testing.T) {
	w := shelf(t, dbtest.SQLite(t))
	byCode := listing.Order{Field: "AGENT_CODE"}
	for _, orders := range [][]listing.Order{nil, {byCode}, {byCode, {Field: "EFFECTIVE_FROM"}}, {{Field: "AGENT_CODE", Desc: true}}} {
		list, err := w.CertificationPeriodList(w.ctx, certification.PeriodFilter{}, orders)
		w.must(list, err)
		readsAgentByAgent(t, w, list, "p.*, a.code")
	}
	for _, orders := range [][]listing.Order{{byCode}, {byCode, {Field: "TYPE"}}, {byCode, {Field: "STATUS"}}, {byCode, {Field: "LAST_MODIFIED"}}, {byCode, {Field: "JURISDICTION"}}} {
		list, err := w.CertificationList(w.ctx, certification.Filter{}, orders, history.AsOf{Day: licenceToday})
		w.must(list, err)
		readsAgentByAgent(t, w, list, licenceColumns)
	}
}

// The certifications of some agents are looked up by agent, their periods by
// certification: nothing begins where periods begin, in the index of the history.
func TestCertificationsOfAgentsAreLookedUp(t *testing.T) {
	w := shelf(t, dbtest.SQLite(t))
	list, err := w.CertificationList(w.ctx, certification.Filter{}, nil, history.AsOf{Day: licenceToday})
	w.must(list, err)
	for parts, args := range map[int]page.Args{1: {}, 2: {Counted: true}} {
		plan, err := list.Plan(w.ctx, args)
		w.must(plan, err)
		for _, owners := range [][]int64{{1}, {1, 2, 3}} {
			var q store.SQL
			list.WritePages(&q, plan, page.Owners{IDs: owners}, licenceColumns)
			text := explained(w.ctx, t, w.store, &q)
			for _, want := range []string{"agent_id=?", "certification_id=?"} {
				if strings.Count(text, want) < parts || strings.Contains(text, "_begin") {
					t.Errorf("of %v, counted: %t, without %s or from where periods begin:\n%s", owners, parts > 1, want, text)
				}
			}
		}
	}
}

// However few rows a page has, SQLite reads certifications in their order, and those and
// periods of one agent after the other: it sorts none but the few of an agent.
func TestPagesOfAnySizeAreRead(t *testing.T) {
	w := shelf(t, dbtest.SQLite(t))
	certifications, err := w.CertificationList(w.ctx, certification.Filter{}, nil, history.AsOf{Day: licenceToday})
	w.must(certifications, err)
	periods, err := w.CertificationPeriodList(w.ctx, certification.PeriodFilter{}, nil)
	w.must(periods, err)
	for _, n := range []int{1, 2, 3, 20, 50, 100} {
		q, err := pageOf(w.ctx, certifications, licenceColumns, page.Args{First: &n})
		w.must(q, err)
		if text := explained(w.ctx, t, w.store, q); strings.Contains(text, "B-TREE") {
			t.Errorf("%d certifications are sorted:\n%s", n, text)
		}
		q, err = pageOf(w.ctx, periods, "p.*, a.code", page.Args{First: &n})
		w.must(q, err)
		if text := explained(w.ctx, t, w.store, q); !strings.Contains(text, "B-TREE FOR LAST 3 TERMS") {
			t.Errorf("%d periods are all sorted:\n%s", n, text)
		}
	}
}

// pageOf writes the statement of a page of a list.
func pageOf(ctx context.Context, list listing.Rows, columns string, args page.Args) (*store.SQL, error) {
	plan, err := list.Plan(ctx, args)
	if err != nil {
		return nil, err
	}
	q := new(store.SQL)
	list.WritePage(q, plan, columns)
	return q, nil
}

func readsAgentByAgent(t *testing.T, w *licenceWorld, list listing.Rows, columns string) {
	t.Helper()
	first, err := texts(list, "a.code").Page(w.ctx, page.Args{First: new(1)})
	w.must(first, err)
	q, err := pageOf(w.ctx, list, columns, page.Args{First: new(2), After: new(first.Cursor(first.Items[0]))})
	w.must(q, err)
	plan := explained(w.ctx, t, w.store, q)
	for _, want := range []string{"code", "agent_id=?", "certification_id=?"} {
		if !strings.Contains(plan, want) {
			t.Errorf("%s by %v has no %s:\n%s", list.Name, list.Keys, want, plan)
		}
	}
}

// explained is how SQLite would answer a statement.
func explained(ctx context.Context, t *testing.T, s *store.Store, q *store.SQL) string {
	t.Helper()
	steps, err := store.Collect(ctx, s, func(r store.Scanner) (line string, err error) {
		var id, parent, unused int
		return line, r.Scan(&id, &parent, &unused, &line)
	}, "EXPLAIN QUERY PLAN "+q.Text(), q.Args()...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
