package agency

import (
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Details are the core details of an agent that are not dated: all of them where an
// agent is read or registered, and in an update those that change. This is their table
// (internal/words/fields): whatever goes over all details reads it.
type Details struct {
	FirstName   patch.Field[string]    `name:"firstName" column:"first_name" search:"first_name_key" as:"name" needed:"true" about:"given name"`
	MiddleName  patch.Field[string]    `name:"middleName" column:"middle_name" as:"name" about:"middle name"`
	LastName    patch.Field[string]    `name:"lastName" column:"last_name" search:"last_name_key" as:"name" needed:"true" about:"family name"`
	CommonName  patch.Field[string]    `name:"commonName" column:"common_name" search:"common_name_key" as:"name" about:"preferred or display first name"`
	StartDate   patch.Field[time.Time] `name:"startDate" column:"start_date" always:"true" about:"a day (YYYY-MM-DD, which begins in the zone of the agency) or an instant (RFC 3339); now by default, not in the future, not before 1900-01-01"`
	BirthDate   patch.Field[date.Date] `name:"birthDate" column:"birth_date" about:"day of birth"`
	Gender      patch.Field[string]    `name:"gender" column:"gender" as:"text" about:"free text"`
	Email       patch.Field[string]    `name:"email" column:"email" search:"email_key" as:"email" about:"e-mail address"`
	NPN         patch.Field[string]    `name:"npn" column:"npn" as:"text" about:"National Producer Number"`
	CustomerID  patch.Field[string]    `name:"customerId" column:"customer_id" as:"text" about:"id of the agent in another system"`
	IsDedicated patch.Field[bool]      `name:"isDedicated" column:"is_dedicated" always:"true" about:"true or false"`
}

// AgentDetails are the lines of the table of Details, in its order.
var AgentDetails = fields.Of[Details]()

// The columns of agency_agent that hold details, and those with their search keys.
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

// written are the values of writtenDetails.
func (d *Details) written(row []any) []any {
	for _, l := range AgentDetails {
		p := l.Of(d)
		if row = append(row, p.Any()); l.Search != "" {
			row = append(row, SearchKey(p.(*patch.Field[string]).Value))
		}
	}
	return row
}

// given names the details of a registration that hold a value. A flag that is not set
// holds none.
func (d Details) given() (names []string) {
	for _, l := range AgentDetails {
		if v := l.Of(&d).Any(); v != nil && v != false {
			names = append(names, l.Name)
		}
	}
	return names
}

// checkNewDetails checks the details of a new agent, and puts their texts in order. It has all
// of them: a name that is not given is missing, a flag is false, and a start of null is
// none, which is now.
func checkNewDetails(c *record.Check, d *Details, now time.Time) {
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
	checkDetails(c, d, now)
}

// checkDetails checks the details of an update, and puts their texts in order. A flag that
// is cleared is false.
func checkDetails(c *record.Check, d *Details, now time.Time) {
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
	c.NotNull(d.StartDate, "startDate")
	if d.StartDate.Value != nil {
		checkStartDate(c, *d.StartDate.Value, now)
	}
}

// given names the fields of a registration that hold a value, for the audit
// entry, as an update names those that it changes. The sensitive ones, W9 and
// direct deposit are noted where they are stored.
func (in Registration) given() []string {
	fields := append([]string{"status"}, in.Details.given()...)
	if in.AgentCode != nil {
		fields = append(fields, "agentCode")
	}
	for _, t := range in.Teams {
		if t.DirectUpline != nil {
			fields = append(fields, record.DirectUplineField)
		}
		if t.Level != nil {
			fields = append(fields, record.LevelField)
		}
	}
	return append(fields, in.Contact.given()...)
}
