package agency_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A page is read in each order that lists of certifications and of periods offer: an agency
// has too many rows to sort them all for fifty. PostgreSQL is told to sort nothing as long
// as there is another way, since with these few rows it would; an order that it still sorts
// has no index.
func TestEveryOrderHasAnIndex(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := shelf(t, s)
		team, err := w.Team(w.ctx, record.DefaultTeam)
		w.must(team, err)
		certifications := func(o []listing.Order) (listing.Rows, error) {
			return w.CertificationList(w.ctx, certification.Filter{}, o, history.AsOf{Day: licenceToday})
		}
		periods := map[string]func(o []listing.Order) (listing.Rows, error){
			"certificationPeriods": func(o []listing.Order) (listing.Rows, error) {
				return w.CertificationPeriodList(w.ctx, certification.PeriodFilter{}, o)
			},
			"payStatusPeriods": func(o []listing.Order) (listing.Rows, error) {
				return w.PeriodList(w.ctx, history.PayStatuses, 0, record.PeriodFilter{}, o)
			},
			"uplinePeriods": func(o []listing.Order) (listing.Rows, error) {
				return w.PeriodList(w.ctx, history.Uplines, team, record.PeriodFilter{}, o)
			},
			"levelPeriods": func(o []listing.Order) (listing.Rows, error) {
				return w.PeriodList(w.ctx, history.Levels, team, record.PeriodFilter{}, o)
			},
			"w9Periods": func(o []listing.Order) (listing.Rows, error) {
				return w.PeriodList(w.ctx, history.W9s, 0, record.PeriodFilter{}, o)
			},
		}
		isRead := func(name string, list func(o []listing.Order) (listing.Rows, error), fields []string) {
			for _, field := range fields {
				for _, desc := range []bool{false, true} {
					l, err := list([]listing.Order{{Field: field, Desc: desc}})
					w.must(l, err)
					q, err := pageOf(w.ctx, l, "p.*, a.code", page.Args{First: new(3)})
					w.must(q, err)
					text := howRead(w.ctx, t, s, q)
					// Agent by agent, the few rows of each may be sorted.
					isSorted := strings.Contains(text, "Sort Key") && !strings.Contains(text, "Presorted Key")
					if isSorted || strings.Contains(text, "FOR ORDER BY") {
						t.Errorf("%s by %s are all sorted:\n%s\n%s", name, field, q.Text(), text)
					}
				}
			}
		}
		isRead("certifications", certifications, slices.Collect(maps.Keys(inOrder)))
		for name, list := range periods {
			isRead(name, list, slices.Collect(maps.Keys(record.PeriodKeys)))
		}
	})
}

// howRead is how a database that sorts nothing without need would answer a statement.
func howRead(ctx context.Context, t *testing.T, s *store.Store, q *store.SQL) string {
	t.Helper()
	if !s.Postgres() {
		return explained(ctx, t, s, q)
	}
	var steps []string
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		for _, off := range []string{"enable_sort", "enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_bitmapscan"} {
			if _, err := tx.Exec(ctx, "SELECT set_config($1, 'off', true)", off); err != nil {
				return err
			}
		}
		steps, err = store.Collect(ctx, tx, store.ScanOne[string], "EXPLAIN "+q.Text(), q.Args()...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
