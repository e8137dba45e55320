package agency

import (
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/patch"
)

// newAgentColumns are the columns of a new agent; newAgentRow returns their values. An
// import fills ownAgentColumns too: its rows refer to each other, so it takes their ids
// first.
var (
	newAgentColumns = slices.Concat([]string{"tenant_id", "code"}, WrittenDetails,
		[]string{"created_at", "created_by", "last_modified", "last_modified_by"})
	ownAgentColumns = []string{"id", "government_identifier", "government_identifier_index"}
)

var (
	insertAgentSQL = record.InsertSQL("agency_agent", newAgentColumns) + " RETURNING id"
	// updateAgentSQL writes all details.
	updateAgentSQL = record.UpdateSQL("agency_agent", WrittenDetails)
)

// newAgentRow appends the values of newAgentColumns to a row.
func newAgentRow(w *record.Writing, row []any, code string, in Registration) []any {
	if in.StartDate.Value == nil {
		in.StartDate = patch.Set(w.Now)
	}
	row = in.Written(append(row, w.Tenant.ID, code))
	return append(row, w.Now, w.Initiator, w.Now, w.Initiator)
}
