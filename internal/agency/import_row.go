package agency

import (
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// rowReader reads a row, and collects what is wrong with it.
type rowReader struct {
	bulk.Values
	inputCheck
}

func readRow(columns bulk.Columns, row bulk.Row) *rowReader {
	r := &rowReader{Values: bulk.Values{Columns: columns, Row: row}}
	r.Refuse = func(p *problem.Error) { r.Add(p) }
	return r
}

// columnOfPath are the columns of paths that the file writes otherwise.
var columnOfPath = map[string]string{
	"teams.0.membership.directUpline": directUplineField, "teams.0.membership.level": levelField,
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

// code reads the agent code that a row is about, and names the row by it.
func (im *importing) code(i int, r *rowReader) (code string) {
	code, im.results[i].Key = r.AgentCode()
	return code
}

// importColumns are the columns that a file has for the lines of a table.
func importColumns(lines []fields.Line) (columns []bulk.Column) {
	for _, l := range lines {
		columns = append(columns, bulk.Column{Name: l.Name, Required: l.Needed, Doc: l.About})
	}
	return columns
}

// columnsBelow are importColumns for a record that is a field of another, which need
// not have it.
func columnsBelow(field string, lines []fields.Line) (columns []bulk.Column) {
	for _, l := range lines {
		columns = append(columns, bulk.Optional(field+"."+l.Name, l.About))
	}
	return columns
}

// writtenAs are the values that a text of a file means, where any way to write them is
// good.
var writtenAs = map[string]func(string) string{"category": CertificationCategories.Written}

// record reads what a row says of the lines of a table. A day in the place of an
// instant begins in the zone.
func (r *rowReader) record(lines []fields.Line, record any, zone *time.Location) {
	r.recordBelow("", lines, record, zone)
}

// recordBelow is record for columns whose names begin with those of others.
func (r *rowReader) recordBelow(field string, lines []fields.Line, record any, zone *time.Location) {
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
