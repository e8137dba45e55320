package history

import (
	"time"

	"github.com/uplinehq/upline/internal/date"
)

// AsOf says for which point on both axes of time a dated read answers: the values in
// force on a day, as they were known at an instant. Equal values are equal with ==, so it
// can be part of a key.
type AsOf struct {
	Day   date.Date
	Known Known
	// Asked is set if the reader named the day or the instant. It does not change what is
	// read; without it, the day is today by default.
	Asked bool
}

// Covers returns the condition that a period covers the day and was known at the instant.
// alias names the table of periods; arg adds an argument to the statement and returns its
// placeholder.
func (a AsOf) Covers(alias string, arg func(any) string) string {
	return covers(a.Known.Condition(alias, arg), alias, arg(a.Day))
}

// Known is the second axis alone: the rows of a history that were known at an instant.
// The zero value means what is known now, the live rows.
type Known struct{ at time.Time }

// KnownAt returns what was known at an instant.
func KnownAt(t time.Time) Known {
	t = t.UTC().Truncate(time.Microsecond) // in the precision of databases, and without a monotonic clock
	if t.IsZero() {
		t = t.Add(time.Microsecond) // nothing was known then either, and the zero value means now
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

// Condition returns the condition that a period was known: "recordedAt ≤ t <
// supersededAt".
func (k Known) Condition(alias string, arg func(any) string) string {
	if k.at.IsZero() {
		return live(alias)
	}
	at := arg(k.at)
	return alias + ".recorded_at <= " + at + " AND (" + alias + ".superseded_at IS NULL OR " + alias + ".superseded_at > " + at + ")"
}

// Covers returns the condition that a live period covers a day. alias names the table of
// periods; day is SQL for the day.
func Covers(alias, day string) string { return covers(live(alias), alias, day) }

func live(alias string) string { return alias + ".superseded_at IS NULL" }

func covers(known, alias, day string) string {
	return known + " AND " + alias + ".effective_from <= " + day + " AND (" + alias + ".effective_through IS NULL OR " + alias + ".effective_through >= " + day + ")"
}
