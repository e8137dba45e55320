package certification

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

const today = date.Date(20_000)

// statusOn returns the status that applied periods give a day.
func statusOn(periods []history.Period[string], day date.Date) string {
	if p, ok := history.At(periods, day); ok {
		return p.Value
	}
	return "-"
}

func drawDay(t *rapid.T, label string) *date.Date {
	if rapid.Bool().Draw(t, "no "+label) {
		return nil
	}
	return (today + date.Date(rapid.IntRange(-60, 60).Draw(t, label))).Ptr()
}

// expected says what a licence is on a day by the rules alone, of which nothing was known
// before: today it has its status, unless that is overtaken by its expiration; before, it was
// good from its issue until it expired or got its status.
func (s standing) expected(day date.Date) string {
	isGood := s.issued != nil && day >= *s.issued && (s.expires == nil || day <= *s.expires)
	if s.status == "ACTIVE" {
		from := today
		switch {
		case s.issued != nil:
			from = *s.issued
		case s.since != nil:
			from = *s.since
		}
		switch {
		case s.expires != nil && day > *s.expires:
			return expired
		case day >= from:
			return "ACTIVE"
		case s.issued != nil && day >= today:
			return "PENDING"
		}
		return "-"
	}
	begins := today
	switch {
	case s.since != nil:
		begins = *s.since
	case s.expires != nil && *s.expires < today:
		begins = *s.expires + 1
	}
	if s.status == expired && s.expires != nil && begins > *s.expires {
		begins = *s.expires + 1
	}
	switch {
	case day >= begins:
		return s.status
	case s.expires != nil && day > *s.expires:
		return expired
	case isGood:
		return "ACTIVE"
	}
	return "-"
}

// What a source tells of a licence is what it was on each day, whatever the source leaves out.
func TestStandingsAreTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := standing{issued: drawDay(t, "issued"), expires: drawDay(t, "expires"), since: drawDay(t, "since"), today: today,
			status: rapid.SampledFrom([]string{"ACTIVE", expired, "TERMINATED", "SUSPENDED", "RETIRED"}).Draw(t, "status")}
		if s.issued != nil && s.expires != nil && *s.expires < *s.issued {
			return // is refused
		}
		var stored []history.Period[string]
		apply := func() (changed bool) {
			periods, _ := s.periods(stored)
			for _, p := range periods {
				plan, err := history.Apply(stored, p, today)
				if err != nil {
					t.Fatal(err)
				}
				stored, changed = plan.After, changed || plan.Changed()
			}
			return changed
		}
		apply()
		for day := today - 130; day < today+130; day++ {
			if is, want := statusOn(stored, day), s.expected(day); is != want {
				t.Fatalf("%s is %s on day %d, want %s: %v", s, is, day-today, want, stored)
			}
		}
		if apply() {
			t.Fatalf("the same report again changes what is stored: %s", s)
		}
	})
}

// String implements fmt.Stringer, for messages.
func (s standing) String() string {
	var b strings.Builder
	for name, day := range map[string]*date.Date{"issued": s.issued, "expires": s.expires, "since": s.since} {
		if day != nil {
			fmt.Fprintf(&b, "%s %d ", name, *day-today)
		}
	}
	return b.String() + s.status
}
