package agency_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
)

// rosterDays are the days that rosters are of; what holds on the last one goes on.
const rosterDays = 60

var rosterStart = date.Of(2026, 1, 1)

// dayByDay is what holds on each day.
type dayByDay [rosterDays]string

func (d *dayByDay) from(day int, value string) {
	if d[day] == value {
		return
	}
	for ; day < rosterDays; day++ {
		d[day] = value
	}
}

func (d *dayByDay) lines() (lines []string) {
	begin := 0
	for day := 1; day <= rosterDays; day++ {
		switch {
		case day == rosterDays:
			lines = append(lines, fmt.Sprintf("%s %s..", d[begin], rosterStart.AddDays(begin)))
		case d[day] != d[begin]:
			lines = append(lines, fmt.Sprintf("%s %s..%s", d[begin], rosterStart.AddDays(begin), rosterStart.AddDays(day-1)))
			begin = day
		}
	}
	return lines
}

// joined has a line for periods that follow each other with the same value: two may be stated.
func joined(lines []string) (all []string) {
	for _, line := range lines {
		value, days, _ := strings.Cut(line, " ")
		if n := len(all) - 1; n >= 0 && strings.HasPrefix(all[n], value+" ") {
			from, _, _ := strings.Cut(all[n], "..")
			_, through, _ := strings.Cut(days, "..")
			all[n] = from + ".." + through
			continue
		}
		all = append(all, line)
	}
	return all
}

// Rosters, one after the other, change pay status, upline and level from their day on, and
// nothing else: as a model says that keeps each day on its own.
func TestRostersChangeFromTheirDay(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		agents, n := w.ImportAgents(), 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			code := func(i int) string { return fmt.Sprintf("R%d-%d", n, i) }
			var statuses, uplines, levels [4]dayByDay
			var rows []string
			for i := range statuses {
				rows = append(rows, "agentCode="+code(i)+" firstName=Ana lastName=Diaz status=Active startDate="+rosterStart.String()+" teams.default.directUpline= teams.default.level=10")
				statuses[i].from(0, "Active")
				uplines[i].from(0, "-")
				levels[i].from(0, "10")
			}
			// The last one comes with the first roster, which names it before it is there.
			late, rows := rows[3], rows[:3]
			w.apply(agents, true, rows...)
			for range rapid.IntRange(1, 3).Draw(t, "rosters") {
				day := rapid.IntRange(0, rosterDays-1).Draw(t, "day")
				var roster []string
				for range rapid.IntRange(1, 5).Draw(t, "rows") {
					i := rapid.IntRange(0, 2).Draw(t, "agent")
					row := "agentCode=" + code(i) + " changesFrom=" + rosterStart.AddDays(day).String()
					if rapid.Bool().Draw(t, "says a status") {
						status := rapid.SampledFrom([]string{"Active", "Terminated"}).Draw(t, "status")
						row += " status=" + status
						statuses[i].from(day, status)
					}
					if rapid.Bool().Draw(t, "says an upline") {
						upline := rapid.IntRange(i+1, 4).Draw(t, "upline")
						if row += " teams.default.directUpline="; upline == 4 {
							uplines[i].from(day, "-")
						} else {
							row += code(upline)
							uplines[i].from(day, code(upline))
						}
					}
					if rapid.Bool().Draw(t, "says a level") {
						level := rapid.SampledFrom([]string{"10", "20"}).Draw(t, "level")
						row += " teams.default.level=" + level
						levels[i].from(day, level)
					}
					roster = append(roster, row)
				}
				if late != "" {
					roster, late = append(roster, late), ""
				}
				for i, line := range w.apply(agents, true, roster...) {
					if strings.HasPrefix(line, "REJECTED") {
						t.Fatalf("%s: %s", roster[i], line)
					}
				}
			}
			for i := range statuses {
				equal(t, "statuses of "+code(i), joined(w.statusHistory(code(i))), statuses[i].lines())
				equal(t, "uplines of "+code(i), joined(w.uplineHistory(code(i))), uplines[i].lines())
				equal(t, "levels of "+code(i), joined(w.levelHistory(code(i))), levels[i].lines())
			}
		})
	})
}

// A roster changes nothing where a value is not configured or an upline is nobody; without a
// day, only what is so today is accepted.
func TestRosterIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("A"), rosterStart))
		for row, want := range map[string]string{
			"agentCode=A status=Angry changesFrom=2026-02-01":                      "REJECTED status UNKNOWN_STATUS",
			"agentCode=A teams.default.level=11 changesFrom=2026-02-01":            "REJECTED teams.default.level UNKNOWN_LEVEL",
			"agentCode=A teams.default.directUpline=A changesFrom=2026-02-01":      "REJECTED teams.default.directUpline CIRCULAR_HIERARCHY",
			"agentCode=A teams.default.directUpline=NOBODY changesFrom=2026-02-01": "REJECTED teams.default.directUpline UNKNOWN_UPLINE",
			"agentCode=A teams.default.level=10 changesFrom=1800-02-01":            "REJECTED changesFrom OUT_OF_RANGE",
			"agentCode=A teams.default.level=10":                                   "REJECTED teams.default.level DUPLICATE_KEY",
			"agentCode=A changesFrom=2026-02-01":                                   "UNCHANGED",
		} {
			equal(t, row, w.apply(w.ImportAgents(), false, row)[0], want)
		}
	})
}

// A new agent that has the NPN, the tax id, or the name and day of birth of another one, in the
// agency or in an earlier or later row, is noted with each such agent; no other row is.
func TestLikelyDuplicatesAreTold(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		agents, n := w.ImportAgents(), 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			type person struct{ code, npn, tax, first, last, birth string }
			var people []person
			pool := func(label string, of ...string) string {
				if v := rapid.SampledFrom(of).Draw(t, label); v != "" {
					return v + fmt.Sprint(n)
				}
				return ""
			}
			draw := func() (rows []string) {
				for range rapid.IntRange(1, 5).Draw(t, "rows") {
					p := person{code: fmt.Sprintf("D%d-%d", n, len(people)), npn: pool("npn", "", "", "1", "2", "3"), first: pool("first", "Ana", "Bo"), last: pool("last", "Low", "Orr"), birth: rapid.SampledFrom([]string{"", "1980-01-02", "1981-03-04"}).Draw(t, "birth")}
					if rapid.IntRange(0, 2).Draw(t, "has a tax id") == 0 {
						p.tax = fmt.Sprintf("%03d-%02d-%04d", 100+n%700, rapid.IntRange(10, 11).Draw(t, "tax"), 1000+n)
					}
					people = append(people, p)
					row := "agentCode=" + p.code + " firstName=" + p.first + " lastName=" + p.last + " status=Active startDate=2026-01-01"
					for name, v := range map[string]string{"npn": p.npn, "governmentIdentifier": p.tax, "birthDate": p.birth} {
						if v != "" {
							row += " " + name + "=" + v
						}
					}
					rows = append(rows, row)
				}
				return rows
			}
			w.apply(agents, true, draw()...)
			before := len(people)
			rows := rowsOf(agents, draw()...)
			err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				results, err := agents.Apply(ctx, tx, rows, "import")
				w.must(results, err)
				for i, result := range results {
					p := people[before+i]
					var want []string
					for _, o := range people {
						if o.code == p.code {
							continue
						}
						for _, same := range []struct {
							is   bool
							what string
						}{{p.npn != "" && p.npn == o.npn, "NPN"}, {p.birth != "" && p.birth == o.birth && p.first == o.first && p.last == o.last, "name and day of birth"}, {p.tax != "" && p.tax == o.tax, "tax id"}} {
							if same.is {
								want = append(want, "It may be "+o.code+", who has the same "+same.what+".")
							}
						}
					}
					slices.Sort(want)
					got := slices.Sorted(slices.Values(result.Notes))
					if result.Outcome != bulk.Created || !slices.Equal(got, want) || (len(result.Remarks) > 0) != (len(want) > 0) {
						t.Errorf("%s is %s, and told %q; want %q", p.code, result.Outcome, got, want)
					}
				}
				return errTried
			})
			if !errors.Is(err, errTried) {
				t.Fatal(err)
			}
		})
	})
}
