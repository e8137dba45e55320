package audit

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Misordered is how often the entries of one object are numbered against the order of its
// changes.
type Misordered struct {
	// Times is how often; First is the number of the first entry whose object has changed
	// before, at a later instant.
	Times int
	First int64
}

// withinOrder is how much earlier than an entry before it one of the same object may be: a code
// that is used again begins anew, by a clock that may be a little behind.
const withinOrder = time.Millisecond

// Misordered looks for entries of the context's tenant that have a higher number than the entry
// of a later import of the same object. Servers of old versions numbered an import before what
// was written up to a second earlier. The chain holds these numbers for good.
func (t *reading) Misordered(ctx context.Context) (m Misordered, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return m, err
	}
	_, err = store.Collect(ctx, t.store, func(row store.Scanner) (none struct{}, err error) {
		var (
			seq         int64
			at, earlier time.Time
		)
		if err = row.Scan(&seq, &at, &earlier); err == nil && earlier.Sub(at) > withinOrder {
			if m.Times++; m.First == 0 {
				m.First = seq
			}
		}
		return none, err
	}, `SELECT e.seq, e.at, p.at FROM (
		SELECT k.seq, lag(k.seq) OVER (PARTITION BY k.entity_type, k.entity_key ORDER BY k.seq) AS before
		FROM audit_entry_key k JOIN audit_entry w ON w.tenant_id = k.tenant_id AND w.seq = k.seq WHERE k.tenant_id = $1 AND w.kind = 'WRITE') o
		JOIN audit_entry e ON e.tenant_id = $1 AND e.seq = o.seq JOIN audit_entry p ON p.tenant_id = $1 AND p.seq = o.before
		WHERE p.at > e.at AND p.operation = '`+Import+`' ORDER BY e.seq`, tenantID)
	return m, wrapped(err)
}
