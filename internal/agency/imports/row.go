package imports

import (
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// Row reads the values of a row, and collects what is wrong with them.
type Row struct {
	bulk.Values
	record.Check
}

// ReadRow returns the reader of a row.
func ReadRow(columns bulk.Columns, row bulk.Row) *Row {
	r := &Row{Values: bulk.Values{Columns: columns, Row: row}}
	r.Refuse = func(p *problem.Error) { r.Add(p) }
	return r
}

// columnOfPath has the columns of the paths that have another name in files.
var columnOfPath = map[string]string{
	"teams.0.membership.directUpline": record.DirectUplineField, "teams.0.membership.level": record.LevelField,
}

// atColumn returns a problem with the column in place of its path.
func atColumn(p *problem.Error) *problem.Error {
	name, ok := columnOfPath[strings.Join(p.Field, ".")]
	if !ok {
		return p
	}
	c := *p
	c.Field = strings.Split(name, ".")
	return &c
}

// Code reads the code of the agent that a row is about, and names the row by it.
func (im *Import) Code(i int, r *Row) (code string) {
	code, im.Results[i].Key = r.AgentCode()
	return code
}

// ColumnsOf returns the columns that a file has for the lines of a table.
func ColumnsOf(lines []fields.Line) (columns []bulk.Column) {
	for _, l := range lines {
		columns = append(columns, columnOf(l.Name, l.Needed, l))
	}
	return columns
}

// ColumnsBelow returns the columns for a record that is a field of another one. None of
// them is required.
func ColumnsBelow(field string, lines []fields.Line) (columns []bulk.Column) {
	for _, l := range lines {
		columns = append(columns, columnOf(field+"."+l.Name, false, l))
	}
	return columns
}

func columnOf(name string, required bool, l fields.Line) bulk.Column {
	c := bulk.Column{Name: name, Required: required, Doc: l.About}
	switch l.Holds.(type) {
	case *patch.Field[bool]:
		return c.Of(bulk.Flag)
	case *patch.Field[int]:
		return c.Of(bulk.Whole)
	case *patch.Field[date.Date]:
		return c.Of(bulk.Day)
	case *patch.Field[time.Time]:
		return c.Of(bulk.Instant)
	}
	switch l.Name {
	case "jurisdiction":
		return c.In(bulk.Jurisdictions)
	case "npn", "naicCode", "customerId", "code":
		return c.Of(bulk.Code)
	case "postalCode":
		return c.Of(bulk.Postal)
	case "phoneNumber":
		return c.Of(bulk.Phone)
	}
	return c
}

// writtenAs turns the spellings of a value that files may have into the value itself.
var writtenAs = map[string]func(string) string{"category": record.CertificationCategories.Written}

// Record reads the lines of a table from a row. In a column for instants, a day means its
// beginning in the zone.
func (r *Row) Record(lines []fields.Line, record any, zone *time.Location) {
	r.RecordBelow("", lines, record, zone)
}

// RecordBelow is Record for columns whose names begin with a prefix.
func (r *Row) RecordBelow(field string, lines []fields.Line, record any, zone *time.Location) {
	for _, l := range lines {
		name := field + l.Name
		switch p := l.Of(record).(type) {
		case *patch.Field[string]:
			*p = r.Field(name)
			if written := writtenAs[l.As]; written != nil && p.Value != nil {
				*p = patch.Set(written(*p.Value))
			}
		case *patch.Field[bool]:
			*p = r.Flag(name)
		case *patch.Field[int]:
			*p = r.Number(name)
		case *patch.Field[date.Date]:
			*p = r.Date(name)
		case *patch.Field[time.Time]:
			*p = r.Instant(name, zone)
		}
	}
}
