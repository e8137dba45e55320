package demo

import (
	"fmt"

	"github.com/uplinehq/upline/internal/date"
)

// certifications returns one to six credentials of an agent: a resident licence
// first, then what an agent collects over the years.
func (b *builder) certifications(i int, home town) []Certification {
	want := pick(b.dice, []int{1, 2, 2, 3, 3, 3, 4, 4, 5, 6})
	certs := make([]Certification, 0, want)
	certs = append(certs, b.licence(i, home, pick(b.dice, []string{"LIFE", "LIFE", "LIFE", "HEALTH", "PROPERTY"})))
	for tries := 0; len(certs) < want && tries < 4*want; tries++ {
		c := b.another(i, home)
		if !holds(certs, c) {
			certs = append(certs, c)
		}
	}
	return certs
}

// holds compares without the identifier: an agent has one licence of a kind in
// a jurisdiction. The certifications of an agent then differ in what the
// matching rules compare, whatever their identifiers.
func holds(certs []Certification, c Certification) bool {
	for _, h := range certs {
		if h.Type == c.Type && h.ProviderCompany == c.ProviderCompany && h.Jurisdiction == c.Jurisdiction {
			return true
		}
	}
	return false
}

func (b *builder) another(i int, home town) Certification {
	switch roll := b.IntN(100); {
	case roll < 20:
		return b.licence(i, home, pick(b.dice, []string{"LIFE", "HEALTH", "HEALTH", "PROPERTY", "CASUALTY", "VARIABLE"}))
	case roll < 35:
		return b.licence(i, b.elsewhere(home), pick(b.dice, []string{"LIFE", "HEALTH"}))
	case roll < 55:
		return b.training(i, "AML", 2*daysAYear)
	case roll < 60:
		return b.training(i, "ANNUITY", 4*daysAYear)
	case roll < 90:
		return b.appointment(i, home)
	default:
		return b.insured(i)
	}
}

// licence is valid for two years at a time. Residents often have it before they
// join.
func (b *builder) licence(i int, where town, kind string) Certification {
	resident := where.jurisdiction == b.agent.HomeAddress.Jurisdiction
	first := b.sinceStart(i)
	if resident {
		first = b.starts[i].AddDays(-b.IntN(2 * daysAYear))
	}
	return Certification{
		Type: kind, Jurisdiction: where.jurisdiction, Identifier: fmt.Sprintf("%07d", b.IntN(10_000_000)),
		IsResident: resident, IsVerified: b.chance(85), Note: b.note(),
		Periods: b.interrupted(b.renewals(i, first, 2*daysAYear)),
	}
}

func (b *builder) training(i int, kind string, days int) Certification {
	c := Certification{Type: kind, IsVerified: b.chance(70), Periods: b.renewals(i, b.sinceStart(i), days)}
	if b.chance(70) {
		c.Identifier = fmt.Sprintf("%s-%06d", kind, b.IntN(1_000_000))
	}
	return c
}

// insured is the errors and omissions cover, renewed every year.
func (b *builder) insured(i int) Certification {
	return Certification{
		Type: "EO", Identifier: fmt.Sprintf("EO%08d", b.IntN(100_000_000)),
		IsVerified: b.chance(90), Periods: b.renewals(i, b.sinceStart(i), daysAYear),
	}
}

// appointment has no end until the carrier or the agency ends it.
func (b *builder) appointment(i int, home town) Certification {
	carrier := pickCommon(b.dice, b.carriers)
	from := b.sinceStart(i)
	periods := begin("ACTIVE", from)
	switch left := b.inactiveFrom[i]; {
	case left <= b.today && from < left:
		periods = change(periods, "TERMINATED", left)
	case from >= b.today.AddDays(-45) && b.chance(40):
		periods[0].Value = "PENDING"
	case b.chance(2):
		periods[0].Value = "REJECTED"
	case b.chance(5) && from < b.today:
		periods = change(periods, "TERMINATED", from.AddDays(b.between(1, int(b.today-from))))
	}
	return Certification{
		Type: "APPOINTMENT", ProviderCompany: carrier.Code, Jurisdiction: home.jurisdiction,
		Identifier: fmt.Sprintf("%s%06d", carrier.Code, b.IntN(1_000_000)),
		IsResident: true, IsVerified: b.chance(95), Note: b.note(), Periods: periods,
	}
}

// renewals returns one term after the other until today. The last runs into the
// future, so that at any time some expire within the next weeks; a few are not
// renewed, and those of agents who left are not either.
func (b *builder) renewals(i int, from date.Date, days int) []Period[string] {
	var periods []Period[string]
	for {
		through := from.AddDays(days - 1)
		periods = append(periods, Period[string]{Value: "ACTIVE", From: from, Through: &through})
		if through >= b.today {
			return b.known(periods)
		}
		from = through.AddDays(1)
		if from >= b.inactiveFrom[i] || b.chance(5) {
			return b.known(append(periods, Period[string]{Value: "EXPIRED", From: from}))
		}
	}
}

// known leaves out the terms that ended more than six years ago: the agency's
// records of certifications do not go back further.
func (b *builder) known(periods []Period[string]) []Period[string] {
	for len(periods) > 1 && *periods[0].Through < b.today.AddDays(-6*daysAYear) {
		periods = periods[1:]
	}
	return periods
}

var suspensions = []string{"SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION", "HELD"}

// interrupted suspends a few licences in the middle of a term; some of the
// suspensions are in force today. The latest end of a suspension is well within
// the two years of a term.
func (b *builder) interrupted(periods []Period[string]) []Period[string] {
	term := b.IntN(len(periods))
	p := periods[term]
	if !b.chance(6) || p.Through == nil {
		return periods
	}
	from := p.From.AddDays(b.between(60, 400))
	through := from.AddDays(b.between(14, 180))
	if from > b.today {
		return periods
	}
	split := make([]Period[string], 0, len(periods)+2)
	split = append(split, periods[:term]...)
	split = append(split,
		Period[string]{Value: p.Value, From: p.From, Through: from.AddDays(-1).Ptr()},
		Period[string]{Value: pick(b.dice, suspensions), From: from, Through: &through},
		Period[string]{Value: p.Value, From: through.AddDays(1), Through: p.Through})
	return append(split, periods[term+1:]...)
}

// sinceStart is a day of the agent's time at the agency, more likely early.
func (b *builder) sinceStart(i int) date.Date {
	days := int(b.lastActiveDay(i) - b.starts[i])
	if days <= 0 {
		return b.starts[i]
	}
	return b.starts[i].AddDays(min(b.IntN(days+1), b.IntN(days+1), b.IntN(days+1)))
}

func (b *builder) note() string {
	if !b.chance(6) {
		return ""
	}
	return pick(b.dice, []string{
		"Continuing education due before renewal.",
		"Confirmed by telephone with the department of insurance.",
		"Name on the licence differs; change filed.",
		"Transferred from the previous agency.",
		"Copy of the licence requested.",
	})
}
