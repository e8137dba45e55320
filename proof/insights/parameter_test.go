package insights_test

import (
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
)

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

// The day that a request is about is the default of onDate only.
func TestDefaultDay(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		day := date.Of(2019, 12, 31)
		for slug, want := range map[string]string{"pay-status-summary": day.String(), "headcount": "<nil>"} {
			r := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: slug, DefaultDay: &day}))
			equal(t, slug, fmt.Sprint(r.Parameters["onDate"]), want)
		}
		r := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: "pay-status-summary", DefaultDay: &day, Parameters: parameters{"onDate": "2026-01-01"}}))
		equal(t, "given", fmt.Sprint(r.Parameters["onDate"]), "2026-01-01")
	})
}
