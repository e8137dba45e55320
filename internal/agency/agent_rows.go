package agency

import (
	"fmt"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/words/patch"
)

// newAgentColumns are the columns of a new agent, whose values newAgentRow returns. An
// import adds ownAgentColumns: its rows refer to each other, so it takes their ids first.
var (
	newAgentColumns = slices.Concat([]string{"tenant_id", "code"}, writtenDetails,
		[]string{"created_at", "created_by", "last_modified", "last_modified_by"})
	ownAgentColumns = []string{"id", "government_identifier", "government_identifier_index"}
)

var (
	insertAgentSQL = insertSQL("agency_agent", newAgentColumns) + " RETURNING id"
	// updateAgentSQL writes all details.
	updateAgentSQL = updateSQL("agency_agent", writtenDetails)
)

// insertSQL adds a row of the values of columns.
func insertSQL(table string, columns []string) string {
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(placeholders(len(columns)), ", ") + ")"
}

// updateSQL writes columns and the stamp of the change. Its last arguments are the
// tenant and the id.
func updateSQL(table string, columns []string) string {
	columns = slices.Concat(columns, []string{"last_modified", "last_modified_by"})
	set := placeholders(len(columns) + 2)
	for i, column := range columns {
		set[i] = column + " = " + set[i]
	}
	return "UPDATE " + table + " SET " + strings.Join(set[:len(columns)], ", ") +
		" WHERE tenant_id = " + set[len(columns)] + " AND id = " + set[len(columns)+1]
}

// placeholders are those of n arguments.
func placeholders(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("$%d", i+1)
	}
	return all
}

// newAgentRow appends the values of newAgentColumns to a row.
func (w *writing) newAgentRow(row []any, code string, in Registration) []any {
	if in.StartDate.Value == nil {
		in.StartDate = patch.Set(w.Now)
	}
	row = in.written(append(row, w.Tenant.ID, code))
	return append(row, w.Now, w.Initiator, w.Now, w.Initiator)
}
