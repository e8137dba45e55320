package agency_test

import (
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func (w *licenceWorld) upsertPeriod(id int64, status string, from, through *date.Date) {
	w.t.Helper()
	change, err := w.ApplyCertificationPeriod(w.ctx, id, certification.PeriodInput{Status: status, EffectiveFrom: *from, EffectiveThrough: through, Initiator: "desk"}, false)
	w.must(change, err)
}

func TestCertificationPeriodFilters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := shelf(t, s)
		const (
			a, b, d    = "ACTIVE 02-01..06-30", "EXPIRED 04-01..open", "ACTIVE 03-01..07-31"
			past       = "ACTIVE 01-01..01-31"
			c1, c2     = "ACTIVE 01-01..05-31", "HELD 06-01..open"
			everything = a + "; " + d + "; " + b + "; " + past + "; " + c1 + "; " + c2
		)
		now := w.clock.Now()
		for _, test := range []struct {
			name string
			f    certification.PeriodFilter
			want string
		}{
			{"all status periods, past and current, by agent, certification and first day", certification.PeriodFilter{}, everything},
			{"agentCode", certification.PeriodFilter{AgentCode: new("A2")}, c1 + "; " + c2},
			{"type", certification.PeriodFilter{Type: new("AML")}, d + "; " + past},
			{"providerCompany", certification.PeriodFilter{ProviderCompany: new("BLH")}, a},
			{"jurisdiction", certification.PeriodFilter{Jurisdiction: new("CA-ON")}, b},
			{"identifier", certification.PeriodFilter{Identifier: new("past")}, past},
			{"status", certification.PeriodFilter{Status: []string{"HELD", "EXPIRED"}}, b + "; " + c2},
			{"from: not ended before", certification.PeriodFilter{From: day(time.July, 1)}, d + "; " + b + "; " + c2},
			{"through: begun by", certification.PeriodFilter{Through: day(time.February, 1)}, a + "; " + past + "; " + c1},
			{"from and through: overlap", certification.PeriodFilter{From: day(time.January, 31), Through: day(time.January, 31)}, past + "; " + c1},
			{"modifiedSince, inclusive", certification.PeriodFilter{ModifiedSince: &now}, c1 + "; " + c2},
			{"modifiedSince, after", certification.PeriodFilter{ModifiedSince: new(now.Add(time.Microsecond))}, ""},
		} {
			p, err := w.CertificationPeriodPage(w.ctx, test.f, nil, noPaging)
			w.must(p, err)
			equal(t, test.name, periodLines(p), test.want)
			n, err := w.CertificationPeriodCount(w.ctx, test.f)
			w.must(n, err)
			equal(t, test.name+": count", n, len(p.Items))
		}
	})
}

func TestCertificationPeriodOrdersAndPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := shelf(t, s)
		for _, orders := range [][]listing.Order{
			nil, {{Field: "AGENT_CODE"}}, {{Field: "EFFECTIVE_FROM", Desc: true}}, {{Field: "EFFECTIVE_THROUGH"}}, {{Field: "LAST_MODIFIED", Desc: true}},
			{{Field: "EFFECTIVE_THROUGH", Desc: true}, {Field: "AGENT_CODE"}},
		} {
			whole, err := w.CertificationPeriodPage(w.ctx, certification.PeriodFilter{}, orders, noPaging)
			w.must(whole, err)
			equal(t, "rows", len(whole.Items), 6)
			var walked []string
			for args := (page.Args{First: new(2)}); ; {
				p, err := w.CertificationPeriodPage(w.ctx, certification.PeriodFilter{}, orders, args)
				w.must(p, err)
				walked = append(walked, periodLines(p))
				if !p.HasNext {
					break
				}
				args.After = new(p.Cursor(p.Items[1]))
			}
			equal(t, "two by two", strings.Join(walked, "; "), periodLines(whole))
		}
		latest, err := w.CertificationPeriodPage(w.ctx, certification.PeriodFilter{}, []listing.Order{{Field: "EFFECTIVE_FROM", Desc: true}}, page.Args{First: new(2)})
		w.must(latest, err)
		equal(t, "latest", periodLines(latest), "HELD 06-01..open; EXPIRED 04-01..open")

		c, err := w.CertificationPage(w.ctx, certification.Filter{Identifier: new("c")}, nil, licenceToday, noPaging)
		w.must(c, err)
		id := c.Items[0].ID
		counts, err := w.CertificationPeriodCountsOf(w.ctx, []int64{id})
		w.must(counts, err)
		equal(t, "count of one", counts, map[int64]int{id: 2})
		p := latest.Items[0]
		equal(t, "a row", []any{p.CertificationID, p.AgentID, p.RecordedBy, p.RecordedAt.Equal(w.clock.Now())}, []any{id, w.agents["A2"], "desk", true})
	})
}

func periodLines(p page.Page[*licencePeriod]) string {
	var all []string
	for _, row := range p.Items {
		all = append(all, period(*row.Value, &row.EffectiveFrom, row.EffectiveThrough))
	}
	return strings.Join(all, "; ")
}

// A superseded row is no period of a list any more; it stays, and says since when it
// holds no longer.
func TestCertificationPeriodSuperseded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		r := w.upsert(full())
		equal(t, "live", w.replaced(*r.Change.PeriodID), []bool{false})
		_, err := w.UpdateCertification(w.ctx, r.ID, certification.Update{Status: patch.Set("HELD"), Initiator: "desk"}, false)
		w.must(nil, err)
		equal(t, "superseded", w.replaced(*r.Change.PeriodID), []bool{true})
	})
}
