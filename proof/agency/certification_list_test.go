package agency_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

var noPaging page.Args

// shelf is a world with five certifications, each named by its identifier.
func shelf(t *testing.T, s *store.Store) *licenceWorld {
	t.Helper()
	w := newLicenceWorld(t, s)
	for _, in := range []certification.Upsert{
		{Identifier: new("c"), AgentCode: "A2", Type: "LIFE", Jurisdiction: new("US-TX"), EffectiveFrom: day(time.January, 1), Details: flags(true, true)},
		{Identifier: new("a"), AgentCode: "A1", Type: "APPT", Jurisdiction: new("US-NY"), ProviderCompany: new("BLH"), EffectiveFrom: day(time.February, 1), EffectiveThrough: day(time.June, 30), Details: flags(false, true)},
		{Identifier: new("d"), AgentCode: "A1", Type: "AML", EffectiveFrom: day(time.March, 1), EffectiveThrough: day(time.July, 31)},
		{Identifier: new("b"), AgentCode: "A1", Type: "LIFE", Jurisdiction: new("CA-ON"), Status: new("EXPIRED"), EffectiveFrom: day(time.April, 1), Details: flags(false, true)},
		{Identifier: new("past"), AgentCode: "A1", Type: "AML", EffectiveFrom: day(time.January, 1), EffectiveThrough: day(time.January, 31)},
	} {
		w.clock.Move(time.Second)
		in.Initiator = "import"
		w.upsert(in)
	}
	// "c" is the last one changed, and its earlier row is superseded.
	w.clock.Move(time.Second)
	w.upsert(certification.Upsert{Identifier: new("c"), AgentCode: "A2", Type: "LIFE", Jurisdiction: new("US-TX"), Status: new("HELD"),
		EffectiveFrom: day(time.June, 1), Details: flags(true, true), Initiator: "desk"})
	return w
}

func names(p page.Page[*licence]) string {
	var all []string
	for _, c := range p.Items {
		all = append(all, *c.Identifier)
	}
	return strings.Join(all, " ")
}

func TestCertificationFilters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := shelf(t, s)
		for _, test := range []struct {
			name string
			f    certification.Filter
			on   date.Date
			want string
		}{
			{"certifications that have a current status, inactive ones such as Expired included", certification.Filter{}, licenceToday, "c a d b"},
			{"as of January", certification.Filter{}, *day(time.January, 31), "c past"},
			{"before all", certification.Filter{}, *day(time.January, 0), ""},
			{"in the future", certification.Filter{}, *day(time.August, 1), "c b"},
			{"agentCode", certification.Filter{AgentCode: new("A2")}, licenceToday, "c"},
			{"type", certification.Filter{Type: new("LIFE")}, licenceToday, "c b"},
			{"providerCompany", certification.Filter{ProviderCompany: new("BLH")}, licenceToday, "a"},
			{"jurisdiction", certification.Filter{Jurisdiction: new("US-TX")}, licenceToday, "c"},
			{"identifier", certification.Filter{Identifier: new("d")}, licenceToday, "d"},
			{"identifier, exactly", certification.Filter{Identifier: new("D")}, licenceToday, ""},
			{"status", certification.Filter{Status: []string{"ACTIVE"}}, licenceToday, "a d"},
			{"one of two statuses", certification.Filter{Status: []string{"HELD", "EXPIRED"}}, licenceToday, "c b"},
			{"status on another day", certification.Filter{Status: []string{"ACTIVE"}}, *day(time.May, 31), "c a d"},
			{"resident", certification.Filter{IsResidentCertification: new(true)}, licenceToday, "c"},
			{"not resident", certification.Filter{IsResidentCertification: new(false)}, licenceToday, "a d b"},
			{"not verified", certification.Filter{IsVerified: new(false)}, licenceToday, "d"},
			{"expiresFrom leaves out what is open-ended", certification.Filter{ExpiresFrom: day(time.June, 30)}, licenceToday, "a d"},
			{"expiresFrom after", certification.Filter{ExpiresFrom: day(time.July, 1)}, licenceToday, "d"},
			{"expiresThrough", certification.Filter{ExpiresThrough: day(time.June, 30)}, licenceToday, "a"},
			{"expires between", certification.Filter{ExpiresFrom: day(time.June, 30), ExpiresThrough: day(time.July, 31)}, licenceToday, "a d"},
			{"all at once", certification.Filter{AgentCode: new("A1"), Type: new("APPT"), ProviderCompany: new("BLH"), Jurisdiction: new("US-NY"), Identifier: new("a"),
				Status: []string{"ACTIVE"}, IsVerified: new(true), ExpiresThrough: day(time.December, 31)}, licenceToday, "a"},
		} {
			p, err := w.CertificationPage(w.ctx, test.f, nil, test.on, noPaging)
			w.must(p, err)
			equal(t, test.name, names(p), test.want)
			n, err := w.CertificationCount(w.ctx, test.f, test.on)
			w.must(n, err)
			equal(t, test.name+": count", n, len(p.Items))
		}
	})
}

// inOrder are the identifiers of the shelf's certifications by the field that sorts them.
// Of equal ones the earlier certification is first; of equal periods the earlier row.
var inOrder = map[string]string{
	"ID": "c a d b", "AGENT_CODE": "a d b c", "TYPE": "d a c b", "JURISDICTION": "d b a c", "STATUS": "a d b c",
	"EFFECTIVE_FROM": "a d b c", "EFFECTIVE_THROUGH": "a d b c", "LAST_MODIFIED": "a d b c",
}

func TestCertificationOrdersAndPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := shelf(t, s)
		for field, want := range inOrder {
			for _, desc := range []bool{false, true} {
				orders := []listing.Order{{Field: field, Desc: desc}}
				whole, err := w.CertificationPage(w.ctx, certification.Filter{}, orders, licenceToday, noPaging)
				w.must(whole, err)
				want := strings.Fields(want)
				if desc {
					// The tie-breaker runs the same way, so the order is the reverse.
					for i := range len(want) / 2 {
						want[i], want[len(want)-1-i] = want[len(want)-1-i], want[i]
					}
				}
				equal(t, field, strings.Fields(names(whole)), want)
				equal(t, field+" one by one", w.walk(orders), want)
			}
		}
		mixed, err := w.CertificationPage(w.ctx, certification.Filter{}, []listing.Order{{Field: "AGENT_CODE"}, {Field: "EFFECTIVE_FROM", Desc: true}}, licenceToday, noPaging)
		w.must(mixed, err)
		equal(t, "two clauses", names(mixed), "b d a c")
		equal(t, "two clauses one by one", strings.Join(w.walk([]listing.Order{{Field: "AGENT_CODE"}, {Field: "EFFECTIVE_FROM", Desc: true}}), " "), "b d a c")
		p, err := w.CertificationPage(w.ctx, certification.Filter{}, nil, licenceToday, page.Args{First: new(2), Offset: new(1)})
		w.must(p, err)
		equal(t, "offset", []any{names(p), p.HasPrev, p.HasNext}, []any{"a d", true, true})
		p, err = w.CertificationPage(w.ctx, certification.Filter{}, nil, licenceToday, page.Args{Last: new(1)})
		w.must(p, err)
		equal(t, "last", []any{names(p), p.HasPrev, p.HasNext}, []any{"b", true, false})
		_, err = w.CertificationPage(w.ctx, certification.Filter{}, nil, licenceToday, page.Args{First: new(101)})
		equal(t, "too many", problems(err), []string{"PAGE_SIZE_EXCEEDED first"})
	})
}

// walk reads the whole list in pages of one row.
func (w *licenceWorld) walk(orders []listing.Order) (all []string) {
	w.t.Helper()
	args := page.Args{First: new(1)}
	for {
		p, err := w.CertificationPage(w.ctx, certification.Filter{}, orders, licenceToday, args)
		w.must(p, err)
		all = append(all, names(p))
		if !p.HasNext {
			return all
		}
		args.After = new(p.Cursor(p.Items[0]))
	}
}

func TestCertificationsOfAgents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := shelf(t, s)
		ids := []int64{w.agents["A1"], w.agents["A2"], w.agents["B1"]}
		pages, err := w.CertificationsOf(w.ctx, ids, certification.Filter{}, nil, licenceToday, page.Args{First: new(2)})
		w.must(pages, err)
		equal(t, "pages", []any{names(pages[ids[0]]), pages[ids[0]].HasNext, names(pages[ids[1]]), pages[ids[1]].HasNext, names(pages[ids[2]])},
			[]any{"a d", true, "c", false, ""})
		ctx, statements := store.CountStatements(w.ctx)
		counts, err := w.CertificationCountsOf(ctx, ids, certification.Filter{IsVerified: new(true)}, licenceToday)
		w.must(counts, err)
		equal(t, "counts", counts, map[int64]int{ids[0]: 2, ids[1]: 1})
		equal(t, "statements", statements.Load(), 1)
	})
}

// TestCertificationAsOf: "No period on that date: null, not an error".
func TestCertificationAsOf(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.EffectiveThrough = day(time.March, 31)
		id := w.upsert(in).ID
		w.upsertPeriod(id, "EXPIRED", day(time.May, 1), nil)
		for _, test := range []struct {
			on   *date.Date
			want string
		}{
			{day(time.January, 0), "none"}, {day(time.January, 1), "ACTIVE 01-01..03-31"}, {day(time.March, 31), "ACTIVE 01-01..03-31"},
			{day(time.April, 1), "none"}, {day(time.April, 30), "none"}, {day(time.May, 1), "EXPIRED 05-01..open"}, {day(time.December, 31), "EXPIRED 05-01..open"},
		} {
			c, got := w.read(id, *test.on), "none"
			if c.Status != nil {
				got = period(*c.Status, c.EffectiveFrom, c.EffectiveThrough)
			}
			equal(t, test.on.String(), got, test.want)
		}
	})
}

// No list is read, and nothing counted, for nobody.
func TestCertificationsNeedATenant(t *testing.T) {
	w := newLicenceWorld(t, dbtest.SQLite(t))
	ctx := context.Background()
	for name, read := range map[string]func() error{
		"page": func() error {
			_, err := w.CertificationPage(ctx, certification.Filter{}, nil, licenceToday, noPaging)
			return err
		},
		"count": func() error {
			_, err := w.CertificationCount(ctx, certification.Filter{}, licenceToday)
			return err
		},
		"counts": func() error {
			_, err := w.CertificationCountsOf(ctx, []int64{1}, certification.Filter{}, licenceToday)
			return err
		},
		"period count": func() error {
			_, err := w.CertificationPeriodCount(ctx, certification.PeriodFilter{})
			return err
		},
		"upsert": func() error { _, err := w.UpsertCertification(ctx, full(), false); return err },
	} {
		if err := read(); !errors.Is(err, tenant.ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
