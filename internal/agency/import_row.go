package agency

import (
	"strings"

	"github.com/uplinehq/upline/internal/exchange/bulk"
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
