package insights_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
)

// random is a made-up agency in memory: what the recomputations read.
type random struct {
	codes []string
	// uplines and statuses are by agent, with the day from which they hold; the
	// upline is "" for none.
	uplines, statuses map[string][]since
	policies          []insights.ProductionInput
	licences          []licence
}

type since struct {
	from  date.Date
	value string
}

type licence struct {
	agent, number string
	through       date.Date
}

// on is what holds on a day.
func on(history []since, day date.Date) (value string) {
	for _, h := range history {
		if h.from <= day {
			value = h.value
		}
	}
	return value
}

// below reports whether an agent is in the downline of root on a day, or is it.
func (a *random) below(root, agent string, day date.Date) bool {
	for ; agent != ""; agent = on(a.uplines[agent], day) {
		if agent == root {
			return true
		}
	}
	return false
}

var start = date.Of(2026, 1, 1)

// draw makes up an agency of agents whose uplines have lower numbers, so that
// no day has a cycle.
func draw(t *rapid.T, prefix string) *random {
	a := &random{uplines: map[string][]since{}, statuses: map[string][]since{}}
	day := rapid.Custom(func(t *rapid.T) date.Date { return start.AddDays(rapid.IntRange(0, 160).Draw(t, "day")) })
	for i := range rapid.IntRange(2, 8).Draw(t, "agents") {
		code := fmt.Sprintf("%s%d", prefix, i)
		a.codes = append(a.codes, code)
		a.uplines[code], a.statuses[code] = []since{{start, upline(t, prefix, i)}}, []since{{start, "Active"}}
		if i > 0 && rapid.Bool().Draw(t, "moves") {
			a.uplines[code] = append(a.uplines[code], since{day.Draw(t, "move"), upline(t, prefix, i)})
		}
		if rapid.Bool().Draw(t, "leaves") {
			a.statuses[code] = append(a.statuses[code], since{day.Draw(t, "left"), "Terminated"})
		}
		for n := range rapid.IntRange(0, 4).Draw(t, "policies") {
			p := insights.ProductionInput{AgentCode: code, ProviderCompany: rapid.SampledFrom([]string{"ACO", "BCO"}).Draw(t, "company"), PolicyNumber: fmt.Sprint(n),
				SubmittedOn: ptr(day.Draw(t, "submitted")), AnnualPremium: fmt.Sprintf("%d.%02d", rapid.IntRange(0, 3).Draw(t, "premium"), rapid.SampledFrom([]int{0, 5, 50}).Draw(t, "cents"))}
			if rapid.Bool().Draw(t, "issued") {
				p.IssuedOn = ptr(min(p.SubmittedOn.AddDays(rapid.IntRange(0, 40).Draw(t, "days")), today))
			}
			a.policies = append(a.policies, p)
		}
		if rapid.Bool().Draw(t, "licensed") {
			a.licences = append(a.licences, licence{code, "L" + code, today.AddDays(rapid.IntRange(-40, 140).Draw(t, "ends"))})
		}
	}
	return a
}

func upline(t *rapid.T, prefix string, below int) string {
	if below == 0 || rapid.IntRange(0, 3).Draw(t, "root") == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d", prefix, rapid.IntRange(0, below-1).Draw(t, "upline"))
}

// store writes an agency with SQL of its own, so that its histories are what was
// drawn and nothing else.
func (w *world) plant(t *rapid.T, a *random) {
	tenantID := w.tenantID(t)
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		exec := func(query string, args ...any) error {
			_, err := tx.Exec(ctx, query, append([]any{tenantID, w.app.Clock.Now()}, args...)...)
			return err
		}
		for _, code := range a.codes {
			if err := exec(`INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key, is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, $3, 'F', $3, 'f', 'l', '', '', false, $2, $2, 'x', $2, 'x')`, code); err != nil {
				return err
			}
			for table, history := range map[string][]since{"upline": a.uplines[code], "status": a.statuses[code]} {
				for i, h := range history {
					through := any(nil)
					if i+1 < len(history) {
						if through = history[i+1].from.AddDays(-1); history[i+1].from <= h.from {
							continue
						}
					}
					query := `INSERT INTO agency_pay_status_period (tenant_id, recorded_at, recorded_by, agent_id, status, effective_from, effective_through)
						SELECT $1, $2, 'x', a.id, $3, $4, $5 FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $6`
					if table == "upline" {
						query = `INSERT INTO agency_upline_period (tenant_id, recorded_at, recorded_by, team_id, agent_id, upline_agent_id, effective_from, effective_through)
							SELECT $1, $2, 'x', (SELECT id FROM agency_team WHERE tenant_id = $1), a.id, (SELECT u.id FROM agency_agent u WHERE u.tenant_id = $1 AND u.code = $3), $4, $5 FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $6`
					}
					if err := exec(query, h.value, h.from, through, code); err != nil {
						return err
					}
				}
			}
		}
		for _, l := range a.licences {
			if err := exec(`INSERT INTO agency_certification (tenant_id, agent_id, type, identifier, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
				SELECT $1, a.id, 'AML', $3, true, true, $2, 'x', $2, 'x' FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $4`, l.number, l.agent); err != nil {
				return err
			}
			if err := exec(`INSERT INTO agency_certification_period (tenant_id, recorded_at, recorded_by, certification_id, status, effective_from, effective_through)
				SELECT $1, $2, 'x', c.id, 'ACTIVE', $4, $5 FROM agency_certification c WHERE c.tenant_id = $1 AND c.identifier = $3`, l.number, start, l.through); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.policies) > 0 {
		for _, o := range must[[]insights.Outcome](t)(w.RecordProduction(w.ctx, a.policies, batch)) {
			if o.Fate != insights.Created {
				t.Fatalf("%+v", o)
			}
		}
	}
}

func (w *world) tenantID(t *rapid.T) (id int64) {
	if _, err := store.One(w.ctx, w.store, []any{&id}, "SELECT id FROM tenant WHERE identifier = $1", apptest.Acme); err != nil {
		t.Fatal(err)
	}
	return id
}

// clear removes all agents of the tenant with what belongs to them.
func (w *world) clear(t *rapid.T) {
	id := w.tenantID(t)
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, query := range []string{"UPDATE agency_upline_period SET upline_agent_id = NULL WHERE tenant_id = $1", "DELETE FROM agency_agent WHERE tenant_id = $1"} {
			if _, err := tx.Exec(ctx, query, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

type parameters = map[string]any

func (w *world) run(t testingT, slug string, p parameters) *insights.Result {
	t.Helper()
	size := 500
	r, err := w.Insight(w.ctx, insights.Request{Slug: slug, Parameters: p, First: &size})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type testingT interface {
	Helper()
	Fatal(args ...any)
}

// table writes the rows as text, one a line.
func table(r *insights.Result) (lines []string) {
	for _, row := range r.Rows {
		text, err := r.JSON(row)
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(text))
	}
	return lines
}

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

func with(p parameters, more parameters) parameters {
	all := parameters{}
	for _, m := range []parameters{p, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
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
			premium, _ := insights.ParseMoney(x.AnnualPremium)
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
				return insights.Money(n).String()
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
			premium, _ := insights.ParseMoney(x.AnnualPremium)
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
				average = insights.Money((s[3] + s[2]/2) / s[2])
			}
			same(t, month, fmt.Sprint(v[1:]), fmt.Sprint([]any{s[0], insights.Money(s[1]), s[2], insights.Money(s[3]), int64(0), insights.Money(0), average}))
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

// Every bad parameter is named, with what is allowed; all at once. What the query
// does not know is ignored.
func TestBadParameters(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		refused := func(slug string, p parameters, sort *string, first int) []string {
			t.Helper()
			_, err := w.Insight(w.ctx, insights.Request{Slug: slug, Parameters: p, Sort: sort, First: &first})
			return refusals(problem.From(err))
		}
		equal(t, "all at once", refused("leaderboard", parameters{"metric": "premium", "from": "2026-02-30", "minLevel": "x", "agentCode": []any{"A"}, "more": "x"}, ptr("name"), 501),
			[]string{"PAGE_SIZE_EXCEEDED[first]", "OUT_OF_RANGE[parameters metric]", "INVALID_FORMAT[parameters from]", "OUT_OF_RANGE[parameters minLevel]",
				"INVALID_FORMAT[parameters agentCode]", "UNKNOWN_SORT_FIELD[sort]"})
		equal(t, "no such query", refused("leaders", nil, nil, 1), []string{"NOT_FOUND[slug]"})
		equal(t, "turned around", refused("leaderboard", parameters{"from": "2026-03-01", "through": "2026-02-01"}, nil, 1), []string{"OUT_OF_RANGE[parameters through]"})
		equal(t, "too long", refused("production-summary", parameters{"from": "1999-03-01"}, nil, 1), []string{"OUT_OF_RANGE[parameters through]"})
		equal(t, "a company", refused("production-summary", parameters{"providerCompany": "ZCO"}, nil, 1), []string{"OUT_OF_RANGE[parameters providerCompany]"})
		equal(t, "nobody", refused("leaderboard", parameters{"agentCode": "Z"}, nil, 1), []string{"UNKNOWN_AGENT[parameters agentCode]"})
		equal(t, "no agent", refused("leaderboard", parameters{"scope": "downline"}, nil, 1), []string{"REQUIRED[parameters agentCode]"})
		equal(t, "an agent for all", refused("leaderboard", parameters{"scope": "agency", "agentCode": "A"}, nil, 1), []string{"NOT_APPLICABLE[parameters agentCode]"})
		equal(t, "blank", refused("leaderboard", parameters{"agentCode": " "}, nil, 1), []string{"INVALID_FORMAT[parameters agentCode]"})
		// What no database holds never reaches one.
		for _, hostile := range []string{"A\x00", "A\xff"} {
			equal(t, "hostile", refused("leaderboard", parameters{"agentCode": hostile, "metric": hostile, "from": hostile}, ptr(hostile), 1),
				[]string{"OUT_OF_RANGE[parameters metric]", "INVALID_FORMAT[parameters from]", "INVALID_FORMAT[parameters agentCode]", "UNKNOWN_SORT_FIELD[sort]"})
			equal(t, "a hostile code", refused("eligibility", parameters{"agentCode": hostile, "type": hostile}, nil, 1),
				[]string{"INVALID_FORMAT[parameters agentCode]", "INVALID_FORMAT[parameters type]"})
		}
		equal(t, "twice", refused("leaderboard", nil, ptr("rank, value, rank desc"), 1), []string{"DUPLICATE_KEY[sort]"})
		equal(t, "twice, made in memory", refused("headcount", nil, ptr("period,period"), 1), []string{"DUPLICATE_KEY[sort]"})
		equal(t, "both", refused("license-expirations", parameters{"withinDays": 3, "from": "2026-01-01"}, nil, 1), []string{"NOT_APPLICABLE[parameters withinDays]"})
		if got := refused("leaderboard", parameters{"more": "x"}, ptr("value desc, rank"), 500); got != nil {
			t.Errorf("refused: %v", got)
		}
	})
}

// What a request does not give never makes it a wrong one.
func TestDefaultsOfRanges(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		day := func(n int) string { return today.AddDays(n).String() }
		for _, c := range []struct {
			slug          string
			given         parameters
			from, through string
		}{
			{"headcount", parameters{}, "2026-06-01", day(0)},
			{"headcount", parameters{"from": day(20)}, day(20), day(20)},
			{"headcount", parameters{"from": day(-20)}, day(-20), day(0)},
			{"license-expirations", parameters{}, day(0), day(90)},
			{"license-expirations", parameters{"through": day(-3)}, day(-3), day(-3)},
			{"license-expirations", parameters{"through": day(3)}, day(0), day(3)},
			{"license-expirations", parameters{"from": day(-3)}, day(-3), day(87)},
		} {
			in := w.run(t, c.slug, c.given).Parameters
			equal(t, fmt.Sprint(c.slug, c.given), []string{fmt.Sprint(in["from"]), fmt.Sprint(in["through"])}, []string{c.from, c.through})
		}
	})
}

// The period of an agent whose upline was deleted keeps who it was.
func TestDeletedUplinesAreNamed(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.register(t, "E", "D")
		must[[]insights.Outcome](t)(w.RecordProduction(w.ctx, []insights.ProductionInput{policy("E", "ACO", "1")}, batch))
		// Nobody is deleted who is an upline today.
		w.app.As(apptest.Acme).Query(t, `mutation { uplinePeriodApply(input: {agentCode: "E", uplineAgentCode: "A", effectiveFrom: "2026-06-01", initiator: "hr"}) { applied } }`, nil)
		if err := w.delete("D"); err != nil {
			t.Fatal(err)
		}
		for through, want := range map[string]string{"2026-05-31": "D", "2026-06-15": "A"} {
			r := w.run(t, "leaderboard", parameters{"metric": "submittedPremium", "from": "2026-01-01", "through": through})
			column := slices.IndexFunc(r.Columns, func(c insights.Column) bool { return c.Key == "directUpline" })
			if len(r.Rows) != 1 || r.Rows[0].Values[column] != want {
				t.Errorf("through %s: %v; want one row below %s", through, table(r), want)
			}
		}
	})
}

// The day that a request is about is the default of onDate only.
func TestDefaultDay(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		day := date.Of(2019, 12, 31)
		for slug, want := range map[string]string{"pay-status-summary": day.String(), "headcount": "<nil>"} {
			r := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: slug, OnDate: &day}))
			equal(t, slug, fmt.Sprint(r.Parameters["onDate"]), want)
		}
		r := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: "pay-status-summary", OnDate: &day, Parameters: parameters{"onDate": "2026-01-01"}}))
		equal(t, "given", fmt.Sprint(r.Parameters["onDate"]), "2026-01-01")
	})
}

// Pages follow each other, also of rows made in memory, and know how many rows
// there are, behind the last one too; the production of an agent who moved stays
// with the upline of its date.
func TestPagesAndMoves(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		early, late := policy("C", "ACO", "1"), policy("C", "ACO", "2")
		early.SubmittedOn, late.SubmittedOn = ptr(date.Of(2026, 3, 10)), ptr(date.Of(2026, 5, 10))
		must[[]insights.Outcome](t)(w.RecordProduction(w.ctx, []insights.ProductionInput{early, late, policy("D", "ACO", "1")}, batch))
		w.app.As(apptest.Acme).Query(t, `mutation { uplinePeriodApply(input: {agentCode: "C", uplineAgentCode: "D", effectiveFrom: "2026-04-01", initiator: "hr"}) { applied } }`, nil)
		range2026 := parameters{"from": "2026-01-01", "through": "2026-06-15", "metric": "submittedPremium"}
		for root, want := range map[string]string{"A": "1200.50", "B": "1200.50", "C": "2401.00", "D": "2401.00"} {
			total := insights.Money(0)
			for _, row := range w.run(t, "production-summary", with(range2026, parameters{"agentCode": root})).Rows {
				total += row.Values[2].(insights.Money)
			}
			equal(t, root, total.String(), want)
		}
		for slug, rows := range map[string]int{"leaderboard": 2, "production-summary": 6} {
			all := table(w.run(t, slug, range2026))
			equal(t, slug, len(all), rows)
			for offset := range rows + 2 {
				page := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: slug, Parameters: range2026, First: ptr(1), Offset: &offset}))
				equal(t, "total", page.TotalCount, rows)
				equal(t, "page", strings.Join(table(page), ""), strings.Join(all[min(offset, rows):min(offset+1, rows)], ""))
			}
		}
		by := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: "production-summary", Parameters: range2026, Sort: ptr("submittedCount desc, period desc")}))
		equal(t, "sorted", []any{by.Rows[0].Values[0], by.Rows[1].Values[0]}, []any{"2026-05", "2026-03"})
		equal(t, "of another tenant", len(must[*insights.Result](t)(w.Insight(w.other, insights.Request{Slug: "leaderboard", Parameters: range2026})).Rows), 0)
	})
}
