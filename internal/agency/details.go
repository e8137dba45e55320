package agency

import (
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Details are the core details of an agent, which are not dated: all of them where an
// agent is read or registered, the changes in an update. The tags make it the table of
// these fields (internal/fields), which all code that handles every detail goes
// through.
type Details struct {
	FirstName   patch.Field[string]    `name:"firstName" column:"first_name" search:"first_name_key" as:"name" needed:"true" about:"given name"`
	MiddleName  patch.Field[string]    `name:"middleName" column:"middle_name" as:"name" about:"middle name"`
	LastName    patch.Field[string]    `name:"lastName" column:"last_name" search:"last_name_key" as:"name" needed:"true" about:"family name"`
	CommonName  patch.Field[string]    `name:"commonName" column:"common_name" search:"common_name_key" as:"name" about:"preferred or display first name"`
	Suffix      patch.Field[string]    `name:"suffix" column:"suffix" as:"name" about:"suffix of the name, such as Jr."`
	StartDate   patch.Field[time.Time] `name:"startDate" column:"start_date" always:"true" about:"a day (YYYY-MM-DD, which begins in the zone of the agency) or an instant (RFC 3339); now by default, not in the future, not before 1900-01-01"`
	BirthDate   patch.Field[date.Date] `name:"birthDate" column:"birth_date" about:"day of birth; not in the future, not before 1900-01-01"`
	Gender      patch.Field[string]    `name:"gender" column:"gender" as:"text" about:"free text"`
	Email       patch.Field[string]    `name:"email" column:"email" search:"email_key" as:"email" about:"e-mail address"`
	NPN         patch.Field[string]    `name:"npn" column:"npn" as:"text" about:"National Producer Number"`
	CustomerID  patch.Field[string]    `name:"customerId" column:"customer_id" as:"text" about:"id of the agent in another system"`
	IsDedicated patch.Field[bool]      `name:"isDedicated" column:"is_dedicated" always:"true" about:"true or false"`
}

// AgentDetails is the table of the fields of Details.
var AgentDetails = fields.Of[Details]()

// detailColumns are the columns of agency_agent that hold details; writtenDetails has
// those of their search keys besides.
var (
	detailColumns  = AgentDetails.Columns()
	writtenDetails = func() (columns []string) {
		for _, l := range AgentDetails {
			if columns = append(columns, l.Column); l.Search != "" {
				columns = append(columns, l.Search)
			}
		}
		return columns
	}()
)

// written appends the values of writtenDetails to a row.
func (d *Details) written(row []any) []any {
	for _, l := range AgentDetails {
		p := l.Of(d)
		if row = append(row, p.Any()); l.Search != "" {
			row = append(row, SearchKey(p.(*patch.Field[string]).Value))
		}
	}
	return row
}

// given returns the names of the details that have a value in a registration. A flag that
// is false has none.
func (d Details) given() (names []string) {
	for _, l := range AgentDetails {
		if v := l.Of(&d).Any(); v != nil && v != false {
			names = append(names, l.Name)
		}
	}
	return names
}

// checkNewDetails checks the details of a new agent, and tidies their texts. A name that
// is not given is a missing one, a flag that is not given is false, and a start that is
// null is now.
func checkNewDetails(c *record.Check, d *Details, now time.Time, today date.Date) {
	for _, l := range AgentDetails {
		switch p := l.Of(d).(type) {
		case *patch.Field[string]:
			if l.Needed && p.Value == nil {
				*p = patch.Set("")
			}
		case *patch.Field[bool]:
			*p = patch.Set(p.OrZero())
		case *patch.Field[time.Time]:
			p.Sent = p.Value != nil
		}
	}
	checkDetails(c, d, now, today)
}

// checkDetails checks the details of an update, and tidies their texts. A flag that is
// cleared becomes false.
func checkDetails(c *record.Check, d *Details, now time.Time, today date.Date) {
	for _, l := range AgentDetails {
		switch p := l.Of(d).(type) {
		case *patch.Field[string]:
			c.Property(l, p)
		case *patch.Field[bool]:
			if p.IsNull() {
				*p = patch.Set(false)
			}
		}
	}
	c.Day(d.BirthDate.Value, today, "birthDate")
	c.NotNull(d.StartDate, "startDate")
	if d.StartDate.Value != nil {
		checkStartDate(c, *d.StartDate.Value, now)
	}
}

// keysOfAgent are the keys that an agent's code and details give.
func keysOfAgent(code string, d *Details) record.Keys {
	k := record.Keys{}.OfCode(code)
	for _, name := range []*string{d.FirstName.Value, d.MiddleName.Value, d.LastName.Value, d.CommonName.Value, d.Suffix.Value} {
		if name != nil {
			k.OfParts(*name, record.WordKey)
		}
	}
	if first, last := d.FirstName.OrZero(), d.LastName.OrZero(); slices.ContainsFunc([]rune(first+last), text.IsWord) { // which are written in one
		k.Of(first+last, record.WordKey).Of(last+first, record.WordKey)
	}
	if d.NPN.Value != nil {
		k.Of(*d.NPN.Value, record.WholeKey)
	}
	return k.OfAddress(d.Email.OrZero())
}

func checkStartDate(c *record.Check, start, now time.Time) {
	if start.After(now) {
		c.Refuse(problem.OutOfRange, "must not be in the future", "startDate")
	}
	if start.Before(check.FirstDay.Time()) {
		c.Refuse(problem.OutOfRange, "must not be before "+check.FirstDay.String(), "startDate")
	}
}
