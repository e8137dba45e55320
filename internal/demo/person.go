package demo

import (
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/date"
)

// person fills in who an agent is, and returns the town it lives in.
func (b *builder) person(i int) town {
	a := &b.agent
	b.name(a)
	a.Email = fmt.Sprintf("%s.%s%d@%s", mailbox(a.FirstName), mailbox(a.LastName), i+1,
		pick(b.dice, []string{"example.com", "example.org"}))
	a.NPN = fmt.Sprintf("9%07d", b.shuffled(i, npnStep, npnCount))
	a.BirthDate = b.birthDate(a.StartDate)

	home := pick(b.dice, b.towns)
	a.HomeAddress = Address{
		Line1: street(b.dice),
		City:  home.city, Jurisdiction: home.jurisdiction, Country: home.country(),
		PostalCode: b.postalCode(home),
	}
	// 555-0100 through 555-0199 are kept for fiction in every area code.
	a.CellPhone = Phone{AreaCode: home.areaCode, PhoneNumber: fmt.Sprintf("555-01%02d", b.IntN(100))}
	a.GovernmentIdentifier = b.governmentIdentifier(i, home.country())
	return home
}

func street(d dice) string {
	return fmt.Sprintf("%d %s %s", d.between(1, 9899), pick(d, streetNames), pick(d, streetKinds))
}

func (b *builder) name(a *Agent) {
	first := femaleNames
	switch roll := b.IntN(100); {
	case roll < 48:
		a.Gender = "Female"
	case roll < 96:
		a.Gender, first = "Male", maleNames
	case roll < 98 && b.chance(50):
		a.Gender = "NonBinary"
	}
	a.FirstName = pickCommon(b.dice, first)
	a.LastName = pickCommon(b.dice, lastNames)
	switch {
	case b.chance(25):
		a.MiddleName = pickCommon(b.dice, first)
	case b.chance(25):
		a.MiddleName = string(rune('A' + b.IntN(26)))
	}
	if short, ok := shortNames[a.FirstName]; ok && b.chance(50) {
		a.CommonName = short
	}
}

// birthDate makes the agent 21 to 59 years old at the start.
func (b *builder) birthDate(start date.Date) date.Date {
	return start.AddDays(-b.between(21*366, 60*daysAYear))
}

// An identifier is the agent's index, shuffled: unique, and without an order
// that shows. A step without a common factor with the count reaches every
// number once.
const (
	npnCount, npnStep               = 10_000_000, 7_654_321
	identifierCount, identifierStep = 100 * 49 * 1000, 1_299_709
)

func (b *builder) shuffled(i int, step, count uint64) uint64 {
	return (uint64(i)*step + b.offset) % count
}

// governmentIdentifier returns a number that was never issued to anybody: areas
// 900 to 999 are not used for an SSN; groups 01 to 49 are not used for the
// taxpayer numbers (ITIN, ATIN) that share those areas; and the last digit is
// never the check digit that a SIN must have.
func (b *builder) governmentIdentifier(i int, country string) string {
	n := b.shuffled(i, identifierStep, identifierCount)
	area, group, serial := 900+n/(49*1000), 1+n/1000%49, n%1000
	digits := fmt.Sprintf("%03d%02d%03d", area, group, serial)
	digits += string(rune('0' + (checkDigit(digits)+b.between(1, 9))%10))
	if country == "CA" {
		return digits[:3] + " " + digits[3:6] + " " + digits[6:]
	}
	return digits[:3] + "-" + digits[3:5] + "-" + digits[5:]
}

// checkDigit is the digit that makes a number valid by Luhn's rule.
func checkDigit(digits string) int {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			d *= 2
		}
		sum += d/10 + d%10
	}
	return (10 - sum%10) % 10
}

// postalCode completes the town's prefix: a ZIP code has two more digits, a
// Canadian code a second half.
func (b *builder) postalCode(t town) string {
	if t.country() == "US" {
		return fmt.Sprintf("%s%02d", t.postal, b.between(1, 99))
	}
	return fmt.Sprintf("%s %d%c%d", t.postal, b.IntN(10), pick(b.dice, []rune("ABCEGHJKLMNPRSTVWXYZ")), b.IntN(10))
}

var plainLetters = strings.NewReplacer("á", "a", "é", "e", "è", "e", "í", "i", "ñ", "n", "ô", "o", "ó", "o", "ú", "u", "ç", "c", "ü", "u", "ë", "e", "ł", "l")

// mailbox writes a name as part of a mail address: plain small letters.
func mailbox(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, plainLetters.Replace(strings.ToLower(name)))
}

// Alias is the writing number that a carrier gave an agent. Identifier and
// provider company together are unique in the agency.
type Alias struct {
	Identifier      string
	ProviderCompany string // code of a provider company
}

// Tag is a label of the agency.
type Tag struct {
	Name, Description string
	Color             string // # and six hexadecimal digits
}

// tags are in the order of their names.
var tags = []struct {
	Tag
	percent int // of the agents of at least this level who wear it
	level   int
}{
	{Tag{"Bilingual", "Advises clients in a second language.", "#2a9d8f"}, 5, 0},
	{Tag{"Mentor", "Trains new agents in their first year.", "#457b9d"}, 8, 30},
	{Tag{"Top producer", "Among the best of last year.", "#e9c46a"}, 4, 0},
	{Tag{"Veteran", "Served in the armed forces.", "#6d597a"}, 3, 0},
}

// labels fills in an agent's aliases and tags.
func (b *builder) labels(i int) {
	b.agent.Aliases = b.aliases(&b.agent)
	b.agent.Tags = b.tags(i)
}

// aliases returns the writing numbers of the appointments that a carrier granted, with
// which the carrier's data would be matched. If two agents have the same number, the
// first gets the alias.
func (b *builder) aliases(a *Agent) (all []Alias) {
	for _, c := range a.Certifications {
		key := aliasOf{c.ProviderCompany, c.Identifier}
		if c.Type != "APPOINTMENT" || c.Periods[0].Value != "ACTIVE" || b.written[key] {
			continue
		}
		b.written[key] = true
		all = append(all, Alias{Identifier: c.Identifier, ProviderCompany: c.ProviderCompany})
	}
	return all
}

// tags lets a few agents who are still there wear tags, by name.
func (b *builder) tags(i int) (worn []string) {
	if b.inactiveFrom[i] <= b.today {
		return nil
	}
	level := on(b.agent.LevelPeriods, b.today)
	for _, t := range tags {
		if b.papers.chance(t.percent) && level >= t.level {
			worn = append(worn, t.Name)
		}
	}
	return worn
}
