package imports

import (
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// Row reads a row, and collects what is wrong with it.
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

// columnOfPath are the columns of paths that the file writes otherwise.
var columnOfPath = map[string]string{
	"teams.0.membership.directUpline": record.DirectUplineField, "teams.0.membership.level": record.LevelField,
}

// atColumn returns a problem whose path is that of its column.
func atColumn(p *problem.Error) *problem.Error {
	name, ok := columnOfPath[strings.Join(p.Field, ".")]
	if !ok {
		return p
	}
	c := *p
	c.Field = strings.Split(name, ".")
	return &c
}

// Code reads the agent code that a row is about, and names the row by it.
func (im *Import) Code(i int, r *Row) (code string) {
	code, im.Results[i].Key = r.AgentCode()
	return code
}

// ColumnsOf are the columns that a file has for the lines of a table.
func ColumnsOf(lines []fields.Line) (columns []bulk.Column) {
	for _, l := range lines {
		columns = append(columns, bulk.Column{Name: l.Name, Required: l.Needed, Doc: l.About})
	}
	return columns
}

// ColumnsBelow are ColumnsOf for a record that is a field of another, which need
// not have it.
func ColumnsBelow(field string, lines []fields.Line) (columns []bulk.Column) {
	for _, l := range lines {
		columns = append(columns, bulk.Optional(field+"."+l.Name, l.About))
	}
	return columns
}

// writtenAs are the values that a text of a file means, where any way to write them is
// good.
var writtenAs = map[string]func(string) string{"category": record.CertificationCategories.Written}

// Record reads what a row says of the lines of a table. A day in the place of an
// instant begins in the zone.
func (r *Row) Record(lines []fields.Line, record any, zone *time.Location) {
	r.RecordBelow("", lines, record, zone)
}

// RecordBelow is record for columns whose names begin with those of others.
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
