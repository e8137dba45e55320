package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

type period = history.Period[string]

// The tables write a day as its number in January 2026, counted from 1, and a
// history as "Active 1..9, Expired 10..open". Today is day 15.
const today = 15

func day(n int) date.Date { return date.Of(2026, time.January, n) }

// parse reads a history; the rows get the ids 1, 2, … in the order written.
func parse(t testing.TB, text string) []period {
	t.Helper()
	var periods []period
	for part := range strings.SplitSeq(text, ", ") {
		if part == "" {
			continue
		}
		var value, through string
		var from int
		if _, err := fmt.Sscanf(strings.Replace(part, "..", " ", 1), "%s %d %s", &value, &from, &through); err != nil {
			t.Fatalf("period %q: %v", part, err)
		}
		p := period{ID: int64(len(periods) + 1), From: day(from), Value: value}
		if through != "open" {
			var last int
			if _, err := fmt.Sscan(through, &last); err != nil {
				t.Fatalf("period %q: %v", part, err)
			}
			p.Through = day(last).Ptr()
		}
		periods = append(periods, p)
	}
	return periods
}

func text(periods []period) string {
	parts := make([]string, len(periods))
	for i, p := range periods {
		through := "open"
		if p.Through != nil {
			through = fmt.Sprint(int(*p.Through - day(0)))
		}
		parts[i] = fmt.Sprintf("%s %d..%s", p.Value, p.From-day(0), through)
	}
	return strings.Join(parts, ", ")
}

// superseded are the ids of the stored rows that do not stay, as they are written.
func superseded[V comparable](plan history.Plan[V]) (ids []int64) {
	for _, p := range plan.Before {
		if p.ID != 0 && !slices.ContainsFunc(plan.After, func(other history.Period[V]) bool { return other.ID == p.ID }) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// inserted are the periods that are not stored yet.
func inserted[V comparable](plan history.Plan[V]) (rows []history.Period[V]) {
	for _, p := range plan.After {
		if p.ID == 0 {
			rows = append(rows, p)
		}
	}
	return rows
}

func kinds[V comparable](plan history.Plan[V]) string {
	words := make([]string, len(plan.Operations))
	for i, o := range plan.Operations {
		words[i] = string(o.Kind)
	}
	return strings.Join(words, " ")
}

func codes(warnings []history.Warning) string {
	words := make([]string, len(warnings))
	for i, w := range warnings {
		words[i] = string(w.Code)
	}
	return strings.Join(words, " ")
}

func apply(t testing.TB, existing, applied string) history.Plan[string] {
	t.Helper()
	plan, err := history.Apply(parse(t, existing), parse(t, applied)[0], day(today))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
