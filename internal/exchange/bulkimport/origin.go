package bulkimport

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// keepOrigin stores which rows of the file the records come from that a chunk has written.
func (r *run) keepOrigin(ctx context.Context, tx *store.Tx, results []bulk.Result) error {
	_, isWrittenAgain := r.entity.(Seconder) // a row that changes nothing yet may do so in the second pass
	trace := audit.OriginFrom(ctx).TraceID
	var rows [][]any
	for _, result := range results {
		result.Key = r.trailKey(result.Key)
		if result.Outcome != bulk.Rejected && result.Number <= r.lastRow && (isWrittenAgain || result.Outcome != bulk.Unchanged) {
			rows = append(rows, []any{r.tenant.ID, trace, result.Key, result.Number})
		}
	}
	return tx.CopyLater(ctx, "bulk_import_row", []string{"tenant_id", "trace_id", "entity_key", "row_number"}, slices.Values(rows))
}

// trailKey returns the key that the trail has for that of a row: what belongs to an agent is
// under its code.
func (r *run) trailKey(key string) string {
	if r.isOfAgents {
		key, _, _ = strings.Cut(key, "/")
	}
	return key
}

// RowsOf returns the numbers of the rows of a file that a record comes from, by the trace id
// of the request that imported it and by the record's key in the audit trail; none for a
// request that was no import.
func (s *Service) RowsOf(ctx context.Context, traceID, key string) ([]int, error) {
	return store.Collect(ctx, s.store, func(row store.Scanner) (n int, err error) {
		return n, row.Scan(&n)
	}, "SELECT DISTINCT row_number FROM bulk_import_row WHERE tenant_id = $1 AND trace_id = $2 AND entity_key = $3 ORDER BY row_number LIMIT $4", tenant.From(ctx).ID, traceID, key, mostRows)
}

// mostRows is how many rows of a record are named.
const mostRows = 100
