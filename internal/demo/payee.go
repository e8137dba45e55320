package demo

import (
	"fmt"

	"github.com/uplinehq/upline/internal/date"
)

// W9 is what a W9 says.
type W9 struct {
	Name, BusinessName                  string
	TaxClassification                   string // as GraphQL spells it: SOLE_PROPRIETOR
	StreetAddress, City, State, ZipCode string
	AccountNumber                       string // of the agency's books, or empty
	TaxpayerIdentifier                  string // the agent's government identifier
	Signature                           string
	SignatureDate                       date.Date
}

// DirectDeposit is an account at a bank in the agent's country, which decides
// what numbers it has.
type DirectDeposit struct {
	Country                          string // US or CA
	AccountHolderName, BankName      string
	AccountType                      string // CHECKING or SAVINGS
	RoutingNumber                    string // US
	InstitutionNumber, TransitNumber string // CA
	AccountNumber                    string
}

// payee fills in an agent's W9s, and the bank details of most who can be paid;
// the others get cheques.
func (b *builder) payee(i int) {
	a := &b.agent
	status := on(a.PayStatusPeriods, b.today)
	if status == "Pending" {
		return
	}
	a.W9Periods = b.w9s(i)
	if b.payable[status] && b.papers.chance(90) {
		a.DirectDeposit = b.directDeposit(a)
	}
}

// w9s returns one W9, and for a few agents a second one.
func (b *builder) w9s(i int) []Period[W9] {
	a, home := &b.agent, b.agent.HomeAddress
	first := W9{
		Name: a.FirstName + " " + a.LastName, TaxClassification: "INDIVIDUAL",
		StreetAddress: home.Line1, City: home.City, State: home.Jurisdiction[len("US-"):], ZipCode: home.PostalCode,
		TaxpayerIdentifier: a.GovernmentIdentifier, Signature: a.FirstName + " " + a.LastName, SignatureDate: a.StartDate,
	}
	if b.papers.chance(25) {
		first.AccountNumber = "AC-" + b.papers.digits(6)
	}
	if b.papers.chance(15) {
		b.trade(&first, a)
	}
	if day, ok := b.papers.day(a.StartDate.AddDays(60), b.lastActiveDay(i)); ok && b.papers.chance(6) {
		return b.newW9(a, first, day)
	}
	return begin(first, a.StartDate)
}

// newW9 lets an agent sign another W9: it moved, or its business has a name now.
func (b *builder) newW9(a *Agent, first W9, day date.Date) []Period[W9] {
	second := first
	second.SignatureDate = day
	if first.BusinessName == "" && b.papers.chance(40) {
		b.trade(&second, a)
	} else {
		first.StreetAddress = street(b.papers)
	}
	return change(begin(first, a.StartDate), second, day)
}

// trade gives a business a name. A sole proprietor goes on under the owner's
// own taxpayer identifier.
func (b *builder) trade(w *W9, a *Agent) {
	w.TaxClassification = "SOLE_PROPRIETOR"
	w.BusinessName = a.LastName + " " + pick(b.papers, []string{
		"Insurance Services", "Insurance Agency", "Financial Group", "Benefits", "Life & Health",
	})
}

// The banks are made up.
var banks = map[string][]string{
	"US": {
		"Larkspur National Bank", "First Tamarack Bank", "Harbor Lantern Savings", "Prairie Wren Credit Union",
		"Saltgrass Bank & Trust", "Blue Mesa Federal", "Cinder Creek Bank", "Old Orchard Savings Bank",
	},
	"CA": {"Loon Lake Bank of Canada", "Banque du Grand Héron", "Red Cedar Credit Union", "Bank of the Northern Sill"},
}

// directDeposit opens an account. No routing number of the American Bankers
// Association begins with 81 to 99, and no Canadian institution number with 9.
func (b *builder) directDeposit(a *Agent) *DirectDeposit {
	d := b.papers
	country := a.HomeAddress.Country
	bank := d.IntN(len(banks[country]))
	account := &DirectDeposit{
		Country: country, AccountHolderName: a.FirstName + " " + a.LastName, BankName: banks[country][bank], AccountType: "CHECKING",
	}
	if d.chance(20) {
		account.AccountType = "SAVINGS"
	}
	if name := last(a.W9Periods).Value.BusinessName; name != "" {
		account.AccountHolderName = name
	}
	if country == "CA" {
		account.InstitutionNumber = fmt.Sprintf("9%02d", 10+bank)
		account.TransitNumber, account.AccountNumber = d.digits(5), d.digits(d.between(7, 12))
		return account
	}
	account.RoutingNumber = routingNumber(fmt.Sprintf("9%d%s", 1+bank, d.digits(6)))
	account.AccountNumber = d.digits(d.between(8, 14))
	return account
}

// routingNumber appends the check digit of the American Bankers Association to
// eight digits: weighted 3, 7, 1, 3, 7, 1 … all nine add up to a multiple of ten.
func routingNumber(digits string) string {
	sum := 0
	for i, r := range digits {
		sum += int(r-'0') * []int{3, 7, 1}[i%3]
	}
	return digits + string(rune('0'+(10-sum%10)%10))
}

// payStatuses returns an agent's pay statuses over time, and notes when it
// becomes inactive for good. Roots stay active.
func (b *builder) payStatuses(i int) []Period[string] {
	b.inactiveFrom[i] = date.Max
	start := b.starts[i]
	if i < b.roots {
		return begin("Active", start)
	}
	periods := b.firstStatus(start)
	if last(periods).Value != "Active" {
		return periods
	}
	if b.chance(4) {
		periods = b.interruption(periods)
	}
	switch {
	case b.chance(8):
		if day, ok := b.day(last(periods).From.AddDays(1), b.today); ok {
			return b.leave(i, periods, day)
		}
	case b.chance(1):
		return b.leave(i, periods, b.today.AddDays(b.between(1, 90)))
	case b.chance(1) && last(periods).Value == "Active":
		return change(periods, "On Hold", b.today.AddDays(b.between(1, 60)))
	}
	return periods
}

// firstStatus is Active, or Pending while papers are missing, which they are
// for many who began within the last month.
func (b *builder) firstStatus(start date.Date) []Period[string] {
	complete := start.AddDays(b.between(3, 30))
	switch {
	case complete > b.today && b.chance(50):
		return begin("Pending", start)
	case complete <= b.today && b.chance(4):
		return change(begin("Pending", start), "Active", complete)
	default:
		return begin("Active", start)
	}
}

// interruption puts an agent on hold for up to three months.
func (b *builder) interruption(periods []Period[string]) []Period[string] {
	from, ok := b.day(last(periods).From.AddDays(30), b.today.AddDays(-1))
	if !ok {
		return periods
	}
	periods = change(periods, "On Hold", from)
	if back := from.AddDays(b.between(7, 90)); back <= b.today {
		periods = change(periods, "Active", back)
	}
	return periods
}

func (b *builder) leave(i int, periods []Period[string], day date.Date) []Period[string] {
	b.inactiveFrom[i] = day
	status := pick(b.dice, []string{
		"Terminated", "Terminated", "Terminated", "Terminated", "Terminated",
		"Terminated", "Retired", "Retired", "Vested", "Suspended", "Deceased",
	})
	return change(periods, status, day)
}
