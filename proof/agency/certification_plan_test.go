package agency_test

import (
	"context"
	"regexp"
	"slices"
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

// keyed is a condition that finds rows by more than their tenant.
var keyed = regexp.MustCompile(`\b(id|rowid|agent_id|certification_id|code)=\?`)

// In every order, with every two filters, SQLite reads the tables behind the first by key. A range
// of the agency's rows, read for each row of the table before, takes seconds in a large agency.
func TestEveryListOfCertificationsFindsRowsByKey(t *testing.T) {
	w := shelf(t, dbtest.SQLite(t))
	text, day, yes := "X", licenceToday, true
	filters := []func(*certification.Filter, *certification.PeriodFilter){
		func(f *certification.Filter, p *certification.PeriodFilter) {
			f.Status, p.Status = []string{"ACTIVE"}, []string{"ACTIVE"}
		},
		func(f *certification.Filter, p *certification.PeriodFilter) {
			f.IsResidentCertification, p.From = &yes, &day
		},
		func(f *certification.Filter, p *certification.PeriodFilter) { f.IsVerified, p.Through = &yes, &day },
		func(f *certification.Filter, _ *certification.PeriodFilter) { f.ExpiresFrom = &day },
		func(f *certification.Filter, p *certification.PeriodFilter) {
			f.ExpiresThrough, p.ModifiedSince = &day, new(day.Time())
		},
		func(f *certification.Filter, p *certification.PeriodFilter) { f.AgentCode, p.AgentCode = &text, &text },
		func(f *certification.Filter, p *certification.PeriodFilter) {
			f.Identifier, p.Identifier = &text, &text
		},
	}
	fields := []string{"", "ID", "AGENT_CODE", "TYPE", "JURISDICTION", "STATUS", "EFFECTIVE_FROM", "EFFECTIVE_THROUGH", "LAST_MODIFIED"}
	plans := 0
	for i, one := range filters {
		for _, other := range filters[i:] {
			var f certification.Filter
			var p certification.PeriodFilter
			one(&f, &p)
			other(&f, &p)
			for _, field := range fields {
				var orders []listing.Order
				if field != "" {
					orders = []listing.Order{{Field: field}}
				}
				for _, counted := range []bool{false, true} {
					list, err := w.CertificationList(w.ctx, f, orders, history.AsOf{Day: licenceToday})
					w.must(list, err)
					readsByKey(t, w, list, licenceColumns, counted)
					plans++
					if !slices.Contains([]string{"", "AGENT_CODE", "EFFECTIVE_FROM", "EFFECTIVE_THROUGH"}, field) { // no orders of periods
						continue
					}
					list, err = w.CertificationPeriodList(w.ctx, p, orders)
					w.must(list, err)
					readsByKey(t, w, list, "p.*, a.code", counted)
					plans++
				}
			}
		}
	}
	if plans < 600 {
		t.Errorf("only %d plans", plans)
	}
}

// readsByKey checks that what is read again and again, for each row of another table, is found by key.
func readsByKey(t *testing.T, w *licenceWorld, list listing.Rows, columns string, counted bool) {
	t.Helper()
	q, err := pageOf(w.ctx, list, columns, page.Args{Counted: counted})
	w.must(q, err)
	again, plan := false, explained(w.ctx, t, w.store, q)
	for step := range strings.Lines(plan) {
		isTable := strings.HasPrefix(step, "SEARCH ") || strings.HasPrefix(step, "SCAN ")
		if of := strings.Fields(step); isTable && slices.Contains([]string{"a", "c", "p"}, of[1]) {
			if again && !keyed.MatchString(step) {
				t.Errorf("%s by %v reads for each row: %s\n%s", list.Name, list.Keys, plan, q.Text())
			}
			again = true
			continue
		}
		if strings.Contains(step, "SUBQUERY") || strings.Contains(step, "CO-ROUTINE") {
			again = false
		}
	}
}
