package agency

import (
	"reflect"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Details are the core details of an agent that are not dated: all of them where an
// agent is read or registered, and in an update those that change.
//
// This is their table. Whatever goes over all details – checks, statements, audit
// entries, imports, plans – reads it:
//
//	name    the property in GraphQL, REST, files and audit entries
//	column  where agency_agent has it
//	key     the column of its search key, if it has one
//	as      what a text is: a name, an email or any other text
//	always  every agent has it
//	about   what a file says in the column
type Details struct {
	FirstName   patch.Field[string]    `name:"firstName" column:"first_name" key:"first_name_key" as:"name" always:"true" about:"given name"`
	MiddleName  patch.Field[string]    `name:"middleName" column:"middle_name" as:"name" about:"middle name"`
	LastName    patch.Field[string]    `name:"lastName" column:"last_name" key:"last_name_key" as:"name" always:"true" about:"family name"`
	CommonName  patch.Field[string]    `name:"commonName" column:"common_name" key:"common_name_key" as:"name" about:"preferred or display first name"`
	StartDate   patch.Field[time.Time] `name:"startDate" column:"start_date" always:"true" about:"a day (YYYY-MM-DD, which begins in the zone of the agency) or an instant (RFC 3339); now by default, not in the future, not before 1900-01-01"`
	BirthDate   patch.Field[date.Date] `name:"birthDate" column:"birth_date" about:"day of birth"`
	Gender      patch.Field[string]    `name:"gender" column:"gender" as:"text" about:"free text"`
	Email       patch.Field[string]    `name:"email" column:"email" key:"email_key" as:"email" about:"e-mail address"`
	NPN         patch.Field[string]    `name:"npn" column:"npn" as:"text" about:"National Producer Number"`
	CustomerID  patch.Field[string]    `name:"customerId" column:"customer_id" as:"text" about:"id of the agent in another system"`
	IsDedicated patch.Field[bool]      `name:"isDedicated" column:"is_dedicated" always:"true" about:"true or false"`
}

// Detail is a line of the table of Details.
type Detail struct {
	// Name is that of the property in GraphQL, REST, files and audit entries.
	Name string
	// Column is where agency_agent has it.
	Column string
	// Holds is a property of the type that the detail has.
	Holds      patch.Property
	key        string
	as         string
	always     bool
	about      string
	fieldIndex int
}

// AgentDetails are the lines of the table of Details, in its order.
var AgentDetails = func() []Detail {
	of := reflect.TypeFor[Details]()
	lines := make([]Detail, of.NumField())
	for i := range lines {
		tag := of.Field(i).Tag
		lines[i] = Detail{Name: tag.Get("name"), Column: tag.Get("column"), Holds: new(Details).property(i),
			key: tag.Get("key"), as: tag.Get("as"), always: tag.Get("always") != "", about: tag.Get("about"), fieldIndex: i}
	}
	return lines
}()

func (d *Details) property(i int) patch.Property {
	return reflect.ValueOf(d).Elem().Field(i).Addr().Interface().(patch.Property)
}

// Of returns the property of the detail among details.
func (l Detail) Of(d *Details) patch.Property { return d.property(l.fieldIndex) }

// The columns of agency_agent that hold details, and those with their search keys.
var (
	detailColumns  = columnsOf(false)
	writtenDetails = columnsOf(true)
)

func columnsOf(keys bool) (columns []string) {
	for _, l := range AgentDetails {
		columns = append(columns, l.Column)
		if keys && l.key != "" {
			columns = append(columns, l.key)
		}
	}
	return columns
}

// written are the values of writtenDetails.
func (d *Details) written(row []any) []any {
	for _, l := range AgentDetails {
		p := l.Of(d)
		row = append(row, p.Any())
		if l.key != "" {
			row = append(row, SearchKey(p.(*patch.Field[string]).Value))
		}
	}
	return row
}

// dest is where detailColumns are scanned to.
func (d *Details) dest() []any {
	dest := make([]any, len(AgentDetails))
	for i, l := range AgentDetails {
		dest[i] = l.Of(d).Dest()
	}
	return dest
}

// become takes over the details of an update, and names those that are others now.
func (d *Details) become(update Details) (changed []string) {
	for _, l := range AgentDetails {
		if sent := l.Of(&update); sent.IsSent() && l.Of(d).Become(sent) {
			changed = append(changed, l.Name)
		}
	}
	return changed
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

// newDetails checks the details of a new agent, and puts their texts in order. It has all
// of them: a name that is not given is missing, a flag is false, and a start of null is
// none, which is now.
func (c *inputCheck) newDetails(d *Details, now time.Time) {
	for _, l := range AgentDetails {
		switch p := l.Of(d).(type) {
		case *patch.Field[string]:
			if l.always && p.Value == nil {
				*p = patch.Set("")
			}
		case *patch.Field[bool]:
			*p = patch.Set(p.OrZero())
		case *patch.Field[time.Time]:
			p.Sent = p.Value != nil
		}
	}
	c.details(d, now)
}

// details checks the details of an update, and puts their texts in order. A flag that
// is cleared is false.
func (c *inputCheck) details(d *Details, now time.Time) {
	for _, l := range AgentDetails {
		switch p := l.Of(d).(type) {
		case *patch.Field[string]:
			c.detailText(l, p)
		case *patch.Field[bool]:
			if p.IsNull() {
				*p = patch.Set(false)
			}
		}
	}
	c.NotNull(d.StartDate, "startDate")
	if d.StartDate.Value != nil {
		c.startDate(*d.StartDate.Value, now)
	}
}

// detailLimits are how long a text may be, by what it is.
var detailLimits = map[string]int{"name": maxName, "text": maxText, "email": check.MaxEmail}

func (c *inputCheck) detailText(l Detail, p *patch.Field[string]) {
	switch limit := detailLimits[l.as]; {
	case l.as == "email":
		p.Value = c.Email(p.Value, limit, l.Name)
	case l.always:
		c.Kept(p, limit, l.Name)
	default:
		c.Clearable(p, limit, l.Name)
	}
}

// detailImportColumns are the columns that a file of agents has for details.
func detailImportColumns() (columns []bulk.Column) {
	for _, l := range AgentDetails {
		column := bulk.Optional(l.Name, l.about)
		if _, isText := l.Holds.(*patch.Field[string]); isText {
			column.Required = l.always
		}
		columns = append(columns, column)
	}
	return columns
}

// details reads the details of a row.
func (r *rowReader) details(zone *time.Location) (d Details) {
	for _, l := range AgentDetails {
		switch p := l.Of(&d).(type) {
		case *patch.Field[string]:
			*p = r.Field(l.Name)
		case *patch.Field[bool]:
			*p = r.Flag(l.Name)
		case *patch.Field[date.Date]:
			*p = r.Date(l.Name)
		case *patch.Field[time.Time]:
			*p = r.Instant(l.Name, zone)
		}
	}
	return d
}

// prefixed are columns of a table by its alias.
func prefixed(alias string, columns []string) string {
	return alias + "." + strings.Join(columns, ", "+alias+".")
}
