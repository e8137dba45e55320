package history_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// What a dated read answers for is part of keys: the same instant is the same
// key however it was written, and no instant is taken for now.
func TestKnownAtIsComparable(t *testing.T) {
	at := time.Date(2026, time.June, 15, 12, 0, 0, 123456000, time.UTC)
	day := date.Of(2026, time.June, 1)
	want := history.AsOf{Day: day, Known: history.KnownAt(at)}
	for name, same := range map[string]time.Time{
		"another zone": at.In(time.FixedZone("", -5*3600)), "nanoseconds, which no database keeps": at.Add(999),
	} {
		if got := (history.AsOf{Day: day, Known: history.KnownAt(same)}); got != want {
			t.Errorf("%s: %v is not %v", name, got.Known.At(), at)
		}
	}
	if got := want.Known.At(); got == nil || !got.Equal(at) {
		t.Errorf("the instant is %v, want %v", got, at)
	}
	if history.KnownAt(at.Add(time.Microsecond)) == want.Known {
		t.Error("two instants are the same")
	}
	if (history.Known{}).At() != nil {
		t.Error("now is an instant")
	}
	if history.KnownAt(time.Time{}) == (history.Known{}) {
		t.Error("the first instant there is was taken for now")
	}
}

// "agent(onDate:, asKnownAt:) filters recordedAt ≤ t < supersededAt"; without
// an instant live rows are read, which partial indexes hold.
func TestConditions(t *testing.T) {
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	day, at := date.Of(2026, time.June, 1), time.Date(2026, time.June, 15, 0, 0, 0, 0, time.UTC)
	const covers = " AND p.effective_from <= %[1]s AND (p.effective_through IS NULL OR p.effective_through >= %[1]s)"
	for _, test := range []struct{ name, got, want string }{
		{"now", history.AsOf{Day: day}.Covers("p", arg), "p.superseded_at IS NULL" + fmt.Sprintf(covers, "$1")},
		{"a day in SQL", history.Covers("p", "$9"), "p.superseded_at IS NULL" + fmt.Sprintf(covers, "$9")},
		{"an instant", history.AsOf{Day: day, Known: history.KnownAt(at)}.Covers("p", arg),
			"p.recorded_at <= $2 AND (p.superseded_at IS NULL OR p.superseded_at > $2)" + fmt.Sprintf(covers, "$3")},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", test.name, test.got, test.want)
		}
	}
	if fmt.Sprint(args) != fmt.Sprint([]any{day, at, day}) {
		t.Errorf("arguments are %v", args)
	}
}
