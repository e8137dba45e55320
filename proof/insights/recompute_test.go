package insights_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/money"
)

// Every query says what adding up by hand says, on random agencies: for the whole
// agency, an agent alone, and a downline as it was on each day.
func TestQueriesAgainstRecomputation(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			w.clear(t)
			a := draw(t, fmt.Sprintf("R%d-", n))
			w.plant(t, a)
			root := rapid.SampledFrom(a.codes).Draw(t, "root")
			from := start.AddDays(rapid.IntRange(0, 120).Draw(t, "from"))
			through := from.AddDays(rapid.IntRange(0, 60).Draw(t, "days"))
			for _, scope := range []string{"agency", "personal", "downline"} {
				p := parameters{"scope": scope}
				if scope != "agency" {
					p["agentCode"] = root
				}
				within := func(agent string, day date.Date) bool {
					return scope == "agency" || scope == "personal" && agent == root || scope == "downline" && a.below(root, agent, day)
				}
				a.checkLeaderboard(t, w, p, within, from, through)
				a.checkSummary(t, w, p, within, from, through)
				a.checkPayStatuses(t, w, p, within, from)
				a.checkLicences(t, w, p, within)
			}
		})
	})
}

func (a *random) checkLeaderboard(t *rapid.T, w *world, p parameters, within func(string, date.Date) bool, from, through date.Date) {
	before := from.AddDays(int(from - through - 1))
	for _, metric := range []string{"issuedPremium", "submittedPremium", "policyCount", "recruits"} {
		type sums struct{ value, previous, policies, any, anyBefore int64 }
		by := map[string]*sums{}
		add := func(agent string, day *date.Date, amount, policies int64, counts bool) {
			if day == nil || *day < before || *day > through || !within(agent, *day) {
				return
			}
			s := by[agent]
			if s == nil {
				s = &sums{}
				by[agent] = s
			}
			if *day >= from {
				s.policies += policies
			}
			switch {
			case counts && *day >= from:
				s.value, s.any = s.value+amount, 1
			case counts:
				s.previous, s.anyBefore = s.previous+amount, 1
			}
		}
		for _, x := range a.policies {
			premium, _ := money.Parse(x.AnnualPremium)
			switch metric {
			case "issuedPremium":
				add(x.AgentCode, x.IssuedOn, int64(premium), 1, true)
			case "submittedPremium":
				add(x.AgentCode, x.SubmittedOn, int64(premium), 1, true)
			case "policyCount":
				add(x.AgentCode, x.IssuedOn, 1, 1, true)
			case "recruits":
				add(x.AgentCode, x.IssuedOn, 0, 1, false)
			}
		}
		if metric == "recruits" {
			for _, agent := range a.codes {
				for i, h := range a.uplines[agent] {
					if i+1 < len(a.uplines[agent]) && a.uplines[agent][i+1].from <= h.from {
						continue // replaced on its first day
					}
					if h.value != "" {
						add(h.value, ptr(h.from), 1, 0, true)
						break
					}
				}
			}
		}
		var want []string
		for agent, s := range by {
			if s.any == 0 {
				continue
			}
			rank, previousRank := 1, 1
			for _, other := range by {
				if other.any == 1 && other.value > s.value {
					rank++
				}
				if other.anyBefore == 1 && other.previous > s.previous {
					previousRank++
				}
			}
			text := func(n int64) string {
				if metric == "policyCount" || metric == "recruits" {
					return fmt.Sprint(n)
				}
				return money.Amount(n).String()
			}
			line := fmt.Sprintf("%03d %s %s %d", rank, agent, text(s.value), s.policies)
			if s.anyBefore == 1 {
				line += fmt.Sprintf(" before %d %s", previousRank, text(s.previous))
			}
			if u := on(a.uplines[agent], through); u != "" {
				line += " under " + u
			}
			want = append(want, line)
		}
		slices.Sort(want)
		var got []string
		for _, row := range w.run(t, "leaderboard", with(p, parameters{"metric": metric, "from": from.String(), "through": through.String()})).Rows {
			v := row.Values
			line := fmt.Sprintf("%03d %s %v %d", v[0], v[2], v[6], v[8])
			if v[1] != nil {
				line += fmt.Sprintf(" before %d %v", v[1], v[7])
			}
			if v[5] != nil {
				line += " under " + v[5].(string)
			}
			got = append(got, line)
		}
		if !slices.IsSortedFunc(got, func(a, b string) int { return cmp.Compare(a[:3], b[:3]) }) {
			t.Fatalf("not by rank: %q", got)
		}
		slices.Sort(got)
		same(t, fmt.Sprint("leaderboard ", metric, p), got, want)
	}
}

func (a *random) checkSummary(t *rapid.T, w *world, p parameters, within func(string, date.Date) bool, from, through date.Date) {
	for _, company := range []string{"", "ACO"} {
		want := map[string][4]int64{}
		for _, x := range a.policies {
			premium, _ := money.Parse(x.AnnualPremium)
			for step, day := range []*date.Date{x.SubmittedOn, x.IssuedOn} {
				if day == nil || *day < from || *day > through || !within(x.AgentCode, *day) || company != "" && x.ProviderCompany != company {
					continue
				}
				sums := want[day.String()[:7]]
				sums[2*step]++
				sums[2*step+1] += int64(premium)
				want[day.String()[:7]] = sums
			}
		}
		given := with(p, parameters{"from": from.String(), "through": through.String()})
		if company != "" {
			given["providerCompany"] = company
		}
		last := ""
		for _, row := range w.run(t, "production-summary", given).Rows {
			v := row.Values
			month := v[0].(string)
			s := want[month]
			delete(want, month)
			average := any(nil)
			if s[2] > 0 {
				average = money.Amount((s[3] + s[2]/2) / s[2])
			}
			same(t, month, fmt.Sprint(v[1:]), fmt.Sprint([]any{s[0], money.Amount(s[1]), s[2], money.Amount(s[3]), int64(0), money.Amount(0), average}))
			if month <= last {
				t.Fatalf("%s comes after %s", month, last)
			}
			last = month
		}
		if len(want) > 0 {
			t.Fatalf("%v are missing", want)
		}
	}
}

func (a *random) checkPayStatuses(t *rapid.T, w *world, p parameters, within func(string, date.Date) bool, day date.Date) {
	want := map[string]int64{}
	for _, agent := range a.codes {
		if status := on(a.statuses[agent], day); status != "" && within(agent, day) {
			want[status]++
		}
	}
	for _, row := range w.run(t, "pay-status-summary", with(p, parameters{"onDate": day.String()})).Rows {
		status := row.Values[0].(string)
		same(t, status, row.Values[2].(int64), want[status])
		delete(want, status)
	}
	if len(want) > 0 {
		t.Fatalf("%v are missing", want)
	}
}

func (a *random) checkLicences(t *rapid.T, w *world, p parameters, within func(string, date.Date) bool) {
	for _, c := range []struct {
		given       parameters
		first, last date.Date
	}{{parameters{}, today, today.AddDays(90)}, {parameters{"withinDays": 30}, today, today.AddDays(30)},
		{parameters{"from": today.AddDays(-30).String(), "through": today.String()}, today.AddDays(-30), today}} {
		var want []string
		for _, l := range a.licences {
			if l.through >= c.first && l.through <= c.last && within(l.agent, today) {
				want = append(want, fmt.Sprint(l.through, l.agent, l.number, int(l.through-today)))
			}
		}
		slices.Sort(want)
		var got []string
		for _, row := range w.run(t, "license-expirations", with(p, c.given)).Rows {
			v := row.Values
			got = append(got, fmt.Sprint(v[9], v[0], v[7], v[10]))
		}
		slices.Sort(got)
		same(t, fmt.Sprint("licences ", p, c.given), got, want)
	}
}

func same(t *rapid.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%s: got\n%v\nwant\n%v", what, got, want)
	}
}
