package history

import (
	"time"

	"github.com/uplinehq/upline/internal/words/date"
)

// AsOf is what a dated read answers for on both axes of time: what held on a
// day, as it was known at an instant. Equal values are equal with ==, so it
// serves as part of a key.
type AsOf struct {
	Day   date.Date
	Known Known
	// Asked says that who reads named the day or the instant. It changes nothing of what
	// holds; without it, the day is today because nobody said otherwise.
	Asked bool
}

// Covers is the condition that a period that was known covers the day: alias
// names the table of periods, arg adds an argument to the statement and returns
// its placeholder.
func (a AsOf) Covers(alias string, arg func(any) string) string {
	return covers(a.Known.Condition(alias, arg), alias, arg(a.Day))
}

// Known is the second axis alone: the rows of a history that were known at an
// instant. Its zero value is what is known now, the live rows.
type Known struct{ at time.Time }

// KnownAt is what was known at an instant.
func KnownAt(t time.Time) Known {
	t = t.UTC().Truncate(time.Microsecond) // as databases keep it, and without a monotonic clock
	if t.IsZero() {
		t = t.Add(time.Microsecond) // nothing was known then either, and zero is now
	}
	return Known{t}
}

// At returns the instant, nil for what is known now.
func (k Known) At() *time.Time {
	if k.at.IsZero() {
		return nil
	}
	return &k.at
}

// Condition is the condition that a period was known: "recordedAt ≤ t <
// supersededAt".
func (k Known) Condition(alias string, arg func(any) string) string {
	if k.at.IsZero() {
		return live(alias)
	}
	at := arg(k.at)
	return alias + ".recorded_at <= " + at + " AND (" + alias + ".superseded_at IS NULL OR " + alias + ".superseded_at > " + at + ")"
}

// Covers is the condition that a live period covers a day: alias names the
// table of periods, day is SQL for the day.
func Covers(alias, day string) string { return covers(live(alias), alias, day) }

func live(alias string) string { return alias + ".superseded_at IS NULL" }

func covers(known, alias, day string) string {
	return known + " AND " + alias + ".effective_from <= " + day + " AND (" + alias + ".effective_through IS NULL OR " + alias + ".effective_through >= " + day + ")"
}
