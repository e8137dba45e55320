package agency_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
)

// periodList is one of the four lists of periods across agents.
type periodList struct {
	name string
	// value selects one of the values; nil in a list without such a filter.
	value func(f *record.PeriodFilter)
	// apply applies that value to A.
	apply func(w *agentWorld, from date.Date, through *date.Date) (record.Change, error)
	read  func(w *agentWorld, f record.PeriodFilter, orders ...listing.Order) []string
}

func periodLists() []periodList {
	row := func(p *periodRow) string {
		return fmt.Sprintf("%s %s %s", p.EffectiveFrom, p.RecordedBy, orCleared(p.Value))
	}
	return []periodList{
		{"pay status periods", func(f *record.PeriodFilter) { f.PayStatus = new("Suspended") },
			func(w *agentWorld, from date.Date, through *date.Date) (record.Change, error) {
				return w.applyStatus("A", "Suspended", from, through)
			},
			func(w *agentWorld, f record.PeriodFilter, orders ...listing.Order) []string {
				list, err := w.PeriodList(w.ctx, history.PayStatuses, 0, f, orders)
				w.must(nil, err)
				return counted(w, periodsOf(list, statusOfPeriod), row)
			}},
		{"level periods", func(f *record.PeriodFilter) { f.Level = new(20) },
			func(w *agentWorld, from date.Date, through *date.Date) (record.Change, error) {
				return w.applyLevel("A", 20, from, through)
			},
			func(w *agentWorld, f record.PeriodFilter, orders ...listing.Order) []string {
				list, err := w.PeriodList(w.ctx, history.Levels, w.team, f, orders)
				w.must(nil, err)
				return counted(w, periodsOf(list, levelOfPeriod), row)
			}},
		{"upline periods", func(f *record.PeriodFilter) { f.UplineAgentCode = new("U2") },
			func(w *agentWorld, from date.Date, through *date.Date) (record.Change, error) {
				return w.applyUpline("A", new("U2"), from, through)
			},
			func(w *agentWorld, f record.PeriodFilter, orders ...listing.Order) []string {
				list, err := w.PeriodList(w.ctx, history.Uplines, w.team, f, orders)
				w.must(nil, err)
				return counted(w, periodsOf(list, uplineOfPeriod), row)
			}},
		{"W9 periods", nil,
			func(w *agentWorld, from date.Date, through *date.Date) (record.Change, error) {
				return w.applyW9("A", someW9("Other"), from, through)
			},
			func(w *agentWorld, f record.PeriodFilter, orders ...listing.Order) []string {
				list, err := w.PeriodList(w.ctx, history.W9s, 0, f, orders)
				w.must(nil, err)
				return counted(w, periodsOf(list, nameOnW9), row)
			}},
	}
}

// counted returns the rows of a list, whose size it compares with its count.
func counted[T any](w *agentWorld, l listing.List[T], text func(T) string) []string {
	w.t.Helper()
	rows := lines(w, l, text)
	n, err := l.Count(w.ctx)
	w.must(n, err)
	if n != len(rows) {
		w.t.Errorf("%d rows, count %d", len(rows), n)
	}
	return rows
}

// "GET /payees/assigned-statuses: filters agentCode, payStatus, from, through,
// paging, sorting" (Payees), GET /payees/w9s, and the two lists of teams: the filters and the
// sort fields are the same. from and through mean overlap with these days.
func TestPeriodLists(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		first := date.Of(2026, time.January, 1)
		w.register(since(newcomer("U1"), first.AddDays(-400)))
		w.register(since(newcomer("U2"), first.AddDays(-400)))
		for _, code := range []string{"B", "A"} {
			in := since(under("U1", code), first)
			in.Teams[0].Level = new(10)
			in.W9 = new(someW9("Ana"))
			w.register(in)
		}
		cut := w.later()
		february := date.Of(2026, time.February, 1)
		march := date.Of(2026, time.March, 1)
		through := march.AddDays(-1)
		for _, l := range periodLists() {
			w.must(l.apply(w, february, &through))
		}
		w.must(w.Register(w.other, since(newcomer("A"), first), false))

		for _, l := range periodLists() {
			months := func(f record.PeriodFilter, orders ...listing.Order) string {
				var all []string
				for _, row := range l.read(w, f, orders...) {
					all = append(all, row[5:7])
				}
				return strings.Join(all, " ")
			}
			a := record.PeriodFilter{AgentCode: new("A")}
			with := func(edit func(f *record.PeriodFilter)) record.PeriodFilter {
				f := a
				edit(&f)
				return f
			}
			equal(t, l.name+": agentCode", months(a), "01 02 03")
			if l.value != nil {
				equal(t, l.name+": value", months(with(l.value)), "02")
			}
			equal(t, l.name+": from the last day of one", months(with(func(f *record.PeriodFilter) { f.From = &through })), "02 03")
			equal(t, l.name+": from the day after", months(with(func(f *record.PeriodFilter) { f.From = &march })), "03")
			equal(t, l.name+": through the first day of one", months(with(func(f *record.PeriodFilter) { f.Through = &february })), "01 02")
			equal(t, l.name+": through the day before", months(with(func(f *record.PeriodFilter) { f.Through = february.AddDays(-1).Ptr() })), "01")
			equal(t, l.name+": modifiedSince, at or after", months(record.PeriodFilter{ModifiedSince: &cut}), "01 02 03")
			equal(t, l.name+": modifiedSince, after", months(record.PeriodFilter{ModifiedSince: new(cut.Add(time.Second))}), "")
			equal(t, l.name+": an agent of nobody", months(record.PeriodFilter{AgentCode: new("NOBODY")}), "")

			both := record.PeriodFilter{From: &first} // U1's and U2's too
			for field, want := range map[string]string{"EFFECTIVE_FROM": "11 11 01 01 02 03", "AGENT_CODE": "01 02 03 01 11 11"} {
				got := strings.Fields(months(both, listing.Order{Field: field}))
				if l.name == "level periods" || l.name == "W9 periods" { // U1 and U2 have none
					want = strings.TrimSpace(strings.ReplaceAll(" "+want, " 11", ""))
				}
				equal(t, l.name+" by "+field, strings.Join(got, " "), want)
				down := strings.Fields(months(both, listing.Order{Field: field, Desc: true}))
				slices.Reverse(down)
				equal(t, l.name+" by "+field+" downwards", strings.Join(down, " "), want)
			}
			ends := strings.Fields(months(a, listing.Order{Field: "EFFECTIVE_THROUGH", Desc: true}))
			equal(t, l.name+": the open-ended one last", ends, []string{"03", "02", "01"})
			// January is written anew, in two parts: it is older by its days and
			// younger by the time of writing.
			w.later()
			w.must(l.apply(w, first, &first))
			equal(t, l.name+": by day", months(a, listing.Order{Field: "EFFECTIVE_FROM"}), "01 01 02 03")
			equal(t, l.name+": by the time of writing", months(a, listing.Order{Field: "LAST_MODIFIED"}), "02 03 01 01")
		}
	})
}
