package history_test

import (
	"slices"
	"testing"
)

func TestWarnings(t *testing.T) {
	for _, c := range []struct{ name, existing, applied, warnings string }{
		{"none", "Active 1..open", "Held 15..20", ""},
		{"future: an open period removes a later one", "Active 1..19, Held 20..open", "Expired 15..open", "FUTURE_PERIODS_REMOVED"},
		{"future: one that starts today", "Held 15..open", "Expired 14..open", "FUTURE_PERIODS_REMOVED BACKDATED_BEFORE_TODAY"},
		{"future: not one that started before today", "Held 14..open", "Expired 13..open", "BACKDATED_BEFORE_TODAY"},
		{"future: not one that starts on the same day", "Held 15..open", "Expired 15..open", ""},
		{"future: not by a closed period", "Held 20..21", "Expired 15..25", ""},
		{"same value: split", "Active 1..20", "Active 15..16", "SPLIT_SAME_VALUE"},
		{"same value: shortened", "Active 1..open", "Active 15..open", "SPLIT_SAME_VALUE"},
		{"same value: not a neighbour", "Active 1..14", "Active 15..open", ""},
		{"same value: not a removed one", "Active 16..17", "Active 15..20", ""},
		{"same value: not one that is moved", "Active 15..20", "Active 15..16", ""},
		{"same value: not while another value is split", "Active 1..14, Held 15..30, Active 31..open", "Active 20..21", ""},
		{"backdated: yesterday", "", "Active 14..open", "BACKDATED_BEFORE_TODAY"},
		{"backdated: not today", "", "Active 15..open", ""},
		{"gap: one day", "Active 1..15", "Held 17..open", "GAP_BEFORE_PERIOD"},
		{"gap: not between adjacent periods", "Active 1..15", "Held 16..open", ""},
		{"gap: not before the first period", "Active 25..open", "Held 17..20", ""},
		{"gap: not after the period", "Active 1..15, Held 25..open", "Held 16..20", ""},
		{"gap: also where a later period was removed", "Active 1..15, Held 18..19", "Expired 17..open", "FUTURE_PERIODS_REMOVED GAP_BEFORE_PERIOD"},
		{"unchanged: none, though it starts before today after a gap", "Active 1..2, Held 5..8", "Held 5..8", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := codes(apply(t, c.existing, c.applied).Warnings); got != c.warnings {
				t.Errorf("warnings: got %q, want %q", got, c.warnings)
			}
		})
	}
}

func TestWarningMessages(t *testing.T) {
	plan := apply(t, "Active 1..2, Held 15..16, Held 20..open", "Active 10..open")
	var got []string
	for _, w := range plan.Warnings {
		got = append(got, w.Message)
	}
	want := []string{
		"The new period is open-ended: periods that start after it will be removed (2).",
		"The new period starts before today, 2026-01-15.",
		"No period will hold from 2026-01-03 through 2026-01-09.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("messages:\n got %q\nwant %q", got, want)
	}
}
