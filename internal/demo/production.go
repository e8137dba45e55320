package demo

import (
	"strconv"

	"github.com/uplinehq/upline/internal/date"
)

// Production is a policy that an agent wrote, in one of the steps: submitted,
// issued, placed. A nil day is a step that was not reached.
type Production struct {
	ProviderCompany, PolicyNumber, ProductLine string
	SubmittedOn                                date.Date
	IssuedOn, PlacedOn                         *date.Date
	AnnualPremium                              int64 // in hundredths
}

// Commission is what an agent was paid for a policy, or what was taken back when
// the policy lapsed.
type Commission struct {
	PaidOn    date.Date
	Amount    int64 // in hundredths
	Reference string
}

// productionYears is how far back production is known, commissionDays how far
// back payments are: what is older stayed in the system before this one.
const (
	productionYears = 3
	commissionDays  = daysAYear
)

// productLines are what is sold, with the range of a year's premium in whole
// units of the currency and the share of it that is paid as commission, in
// percent.
var productLines = []struct {
	name               string
	least, most, share int
}{
	{"Term Life", 240, 2400, 60},
	{"Health", 2400, 9000, 8},
	{"Whole Life", 1200, 9600, 55},
	{"Disability", 600, 3600, 40},
	{"Annuity", 5000, 50_000, 5},
}

// production makes up what an agent sold, and was paid for it: about a policy in
// three months while it is there, of a few agents far more.
func (b *builder) production(i int) {
	a, d := &b.agent, b.sales
	first, end := max(a.StartDate, b.today.AddDays(-productionYears*daysAYear)), min(b.today, b.inactiveFrom[i])
	policies := d.IntN(20)
	if d.chance(8) {
		policies += d.IntN(60)
	}
	for range policies {
		day, ok := d.day(first, end.AddDays(-1))
		if !ok {
			return
		}
		b.policy(a, day)
	}
}

// policy adds a policy that was submitted on a day.
func (b *builder) policy(a *Agent, submitted date.Date) {
	d := b.sales
	b.policies++
	line := pickCommon(d, productLines)
	p := Production{
		ProviderCompany: pickCommon(d, b.carriers).Code, PolicyNumber: "P" + strconv.Itoa(10_000_000+b.policies), ProductLine: line.name,
		SubmittedOn: submitted, AnnualPremium: int64(d.between(line.least/12*100, line.most/12*100)) * 12, // paid by the month
	}
	if issued := submitted.AddDays(d.between(3, 45)); d.chance(85) && issued < b.today {
		p.IssuedOn = &issued
		if placed := issued.AddDays(d.between(1, 21)); d.chance(92) && placed < b.today {
			p.PlacedOn = &placed
			b.pay(a, p, int64(line.share))
		}
	}
	a.Production = append(a.Production, p)
}

// pay pays the commission of a policy that was placed, unless the agent cannot
// be paid; a few are taken back.
func (b *builder) pay(a *Agent, p Production, share int64) {
	paid := p.PlacedOn.AddDays(b.sales.between(5, 14))
	if paid >= b.today || paid < b.today.AddDays(-commissionDays) || !b.payable[on(a.PayStatusPeriods, paid)] {
		return
	}
	c := Commission{PaidOn: paid, Amount: p.AnnualPremium * share / 100, Reference: p.PolicyNumber}
	a.Commissions = append(a.Commissions, c)
	if back := paid.AddDays(b.sales.between(30, 120)); b.sales.chance(3) && back < b.today {
		a.Commissions = append(a.Commissions, Commission{PaidOn: back, Amount: -c.Amount, Reference: c.Reference})
	}
}
