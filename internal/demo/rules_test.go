package demo_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/identity/directory"
)

var today = date.Of(2026, time.March, 15)

// failer is a testing.T or a rapid.T.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

func TestRulesHoldForEverySizeAndSeed(t *testing.T) {
	for _, size := range []int{1, 2, 50, 2000} {
		for _, seed := range []uint64{0, 1, 42, 1 << 63} {
			t.Run(fmt.Sprintf("%d agents, seed %d", size, seed), func(t *testing.T) {
				checkAgency(t, size, today, demo.Generate(demo.Options{Agents: size, Seed: seed, Today: today}))
			})
		}
	}
}

func TestRulesHoldOnAnyDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := date.Of(2000, time.January, 1).AddDays(rapid.IntRange(0, 40_000).Draw(t, "today"))
		size := rapid.IntRange(-1, 200).Draw(t, "agents")
		seed := rapid.Uint64().Draw(t, "seed")
		checkAgency(t, max(size, 0), day, demo.Generate(demo.Options{Agents: size, Seed: seed, Today: day}))
	})
}

func checkAgency(t failer, size int, today date.Date, a *demo.Agency) {
	t.Helper()
	if len(a.Agents) != size {
		t.Errorf("%d agents; want %d", len(a.Agents), size)
	}
	checkUnique(t, a.Agents)
	checkAliasesUnique(t, a.Agents)
	known := newReferenceSets(directory.StarterReference())
	for i := range a.Agents {
		checkPerson(t, &a.Agents[i], today)
		checkHistories(t, a.Agents, i, known)
		checkCertifications(t, &a.Agents[i], known)
		checkPayee(t, &a.Agents[i], today)
		checkLabels(t, &a.Agents[i], a.Tags, known)
	}
	for day := today.AddDays(-15 * 366); day < today.AddDays(400); day += 97 {
		checkDepth(t, a.Agents, day)
	}
}

// Specification, Agent: a code "must not already be in use in the agency". The
// other identifiers are unique so that searches have one answer.
func checkUnique(t failer, agents []demo.Agent) {
	t.Helper()
	for name, of := range map[string]func(*demo.Agent) string{
		"code":  func(a *demo.Agent) string { return a.Code },
		"email": func(a *demo.Agent) string { return a.Email },
		"NPN":   func(a *demo.Agent) string { return a.NPN },
		"government identifier": func(a *demo.Agent) string {
			return strings.NewReplacer("-", "", " ", "").Replace(a.GovernmentIdentifier)
		},
	} {
		seen := map[string]bool{}
		for i := range agents {
			if v := of(&agents[i]); seen[v] {
				t.Errorf("%s %q is used twice", name, v)
			} else {
				seen[v] = true
			}
		}
	}
}

var (
	codeForm       = regexp.MustCompile(`^A[1-9]\d{3,}$`)
	emailForm      = regexp.MustCompile(`^[a-z]+\.[a-z]+\d+@example\.(com|org)$`)
	npnForm        = regexp.MustCompile(`^9\d{7}$`)
	ssnForm        = regexp.MustCompile(`^9\d\d-(0[1-9]|[1-4]\d)-\d{4}$`)
	sinForm        = regexp.MustCompile(`^9\d\d \d{3} \d{3}$`)
	phoneForm      = regexp.MustCompile(`^555-01\d\d$`)
	zipForm        = regexp.MustCompile(`^\d{5}$`)
	canadaPostForm = regexp.MustCompile(`^[A-Z]\d[A-Z] \d[A-Z]\d$`)
)

// Nothing of an agent can belong to a person, and the start "cannot be in the
// future or before 1900-01-01" (specification, Agent).
func checkPerson(t failer, a *demo.Agent, today date.Date) {
	t.Helper()
	identifier, postal := ssnForm, zipForm
	if a.HomeAddress.Country == "CA" {
		identifier, postal = sinForm, canadaPostForm
	}
	for _, c := range []struct {
		what, value string
		form        *regexp.Regexp
	}{
		{"code", a.Code, codeForm}, {"email", a.Email, emailForm}, {"NPN", a.NPN, npnForm},
		{"government identifier", a.GovernmentIdentifier, identifier},
		{"postal code", a.HomeAddress.PostalCode, postal},
		{"phone", a.CellPhone.PhoneNumber, phoneForm},
	} {
		if !c.form.MatchString(c.value) {
			t.Errorf("%s: %s %q does not match %s", a.Code, c.what, c.value, c.form)
		}
	}
	if validLuhn(a.GovernmentIdentifier) {
		t.Errorf("%s: %q could be a SIN", a.Code, a.GovernmentIdentifier)
	}
	if a.FirstName == "" || a.LastName == "" || a.HomeAddress.Line1 == "" || a.HomeAddress.City == "" {
		t.Errorf("%s: a required text is empty", a.Code)
	}
	if a.StartDate >= today || a.StartDate < date.Of(1900, time.January, 1) {
		t.Errorf("%s: starts on %s", a.Code, a.StartDate)
	}
	if adult := a.BirthDate.AddDays(18 * 366); adult > a.StartDate {
		t.Errorf("%s: born %s, started %s", a.Code, a.BirthDate, a.StartDate)
	}
}

// validLuhn reports whether the digits end in the check digit of Luhn's rule.
func validLuhn(s string) bool {
	var digits []int
	for _, r := range s {
		if r >= '0' && r <= '9' {
			digits = append(digits, int(r-'0'))
		}
	}
	slices.Reverse(digits)
	sum := 0
	for i, d := range digits {
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func checkHistories(t failer, agents []demo.Agent, i int, known referenceSets) {
	t.Helper()
	a := &agents[i]
	checkContiguous(t, a, a.UplinePeriods)
	checkContiguous(t, a, a.LevelPeriods)
	checkContiguous(t, a, a.PayStatusPeriods)
	for _, p := range a.PayStatusPeriods {
		if !known.payStatuses[p.Value] {
			t.Errorf("%s: pay status %q is not configured", a.Code, p.Value)
		}
	}
	for _, p := range a.LevelPeriods {
		if !known.levels[p.Value] {
			t.Errorf("%s: level %d is not configured", a.Code, p.Value)
		}
	}
	for _, p := range a.UplinePeriods {
		if p.Value == demo.NoUpline {
			if len(a.UplinePeriods) != 1 {
				t.Errorf("%s: a root moved", a.Code)
			}
			continue
		}
		checkUpline(t, agents, i, p)
	}
}

// checkContiguous: a history begins with the agent, each period begins the day
// after the one before, changes the value, and the last is open-ended.
func checkContiguous[T comparable](t failer, a *demo.Agent, periods []demo.Period[T]) {
	t.Helper()
	next := a.StartDate
	for i, p := range periods {
		if p.From != next {
			t.Errorf("%s: period %d begins on %s; want %s", a.Code, i, p.From, next)
		}
		if i > 0 && p.Value == periods[i-1].Value {
			t.Errorf("%s: period %d repeats %v", a.Code, i, p.Value)
		}
		if p.Through == nil {
			if i != len(periods)-1 {
				t.Errorf("%s: period %d of %d is open-ended", a.Code, i, len(periods))
			}
			return
		}
		if *p.Through < p.From {
			t.Errorf("%s: period %d ends before it begins", a.Code, i)
		}
		next = p.Through.AddDays(1)
	}
	t.Errorf("%s: the history has an end", a.Code)
}

// checkUpline: an upline always has a smaller index, so there is no cycle on any
// date; it has started; and it is never of a lower level.
func checkUpline(t failer, agents []demo.Agent, i int, p demo.Period[int]) {
	t.Helper()
	a := &agents[i]
	if p.Value < 0 || p.Value >= i {
		t.Errorf("%s (index %d): upline index %d", a.Code, i, p.Value)
		return
	}
	u := &agents[p.Value]
	if u.StartDate > p.From {
		t.Errorf("%s: upline %s from %s started on %s", a.Code, u.Code, p.From, u.StartDate)
	}
	days := []date.Date{p.From}
	for _, l := range slices.Concat(a.LevelPeriods, u.LevelPeriods) {
		if l.From >= p.From && l.From <= date.OrMax(p.Through) {
			days = append(days, l.From)
		}
	}
	for _, day := range days {
		if own, above := on(a.LevelPeriods, day), on(u.LevelPeriods, day); own > above {
			t.Errorf("%s: level %d above its upline's %d on %s", a.Code, own, above, day)
		}
	}
}

// on returns the value of the only period that covers a day that is covered.
func on[T any](periods []demo.Period[T], day date.Date) T {
	i := slices.IndexFunc(periods, func(p demo.Period[T]) bool { return p.From <= day && day <= date.OrMax(p.Through) })
	return periods[i].Value
}

func checkDepth(t failer, agents []demo.Agent, day date.Date) {
	t.Helper()
	for i, d := range depths(agents, day) {
		if d > 12 {
			t.Errorf("%s is %d deep on %s", agents[i].Code, d, day)
		}
	}
}

// depths counts from one at the roots; zero for an agent not yet started.
func depths(agents []demo.Agent, day date.Date) []int {
	depth := make([]int, len(agents))
	for i := range agents {
		if agents[i].StartDate > day {
			continue
		}
		depth[i] = 1
		if u := on(agents[i].UplinePeriods, day); u >= 0 {
			depth[i] = depth[u] + 1
		}
	}
	return depth
}
