package audit

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
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

// Misordered looks for entries of the context's tenant that have a higher number than an
// earlier change of the same object. Servers of old versions numbered an import before what was
// written up to a second earlier. The chain holds these numbers for good.
func (t *Trail) Misordered(ctx context.Context) (m Misordered, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return m, err
	}
	_, err = store.One(ctx, t.store, []any{&m.Times, &m.First}, `SELECT count(*), coalesce(min(o.seq), 0) FROM (
		SELECT k.seq, e.at, lag(e.at) OVER (PARTITION BY k.entity_type, k.entity_key ORDER BY k.seq) AS earlier
		FROM audit_entry_key k JOIN audit_entry e ON e.tenant_id = k.tenant_id AND e.seq = k.seq
		WHERE k.tenant_id = $1 AND e.kind = 'WRITE') o WHERE o.earlier > o.at`, tenantID)
	return m, wrapped(err)
}

// ChangesInTime is Changes in the order of the instants of the writes, the newest first: the
// order in which the changes of one object were made, also where Misordered finds some.
func (t *Trail) ChangesInTime(ctx context.Context, f Filter) (listing.List[*Changed], error) {
	list, err := t.Changes(ctx, f)
	place := list.Place
	list.Rows.Name, list.Rows.Keys = "changesInTime", append([]page.Key{{Name: "at", SQL: "e.at", Kind: page.Time, Desc: true}}, changedKeys...)
	list.Place = func(c *Changed, key string) any {
		if key == "at" {
			return c.At
		}
		return place(c, key)
	}
	return list, err
}
