package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// Filter are the conditions of a list of entries; a nil condition does not filter.
type Filter struct {
	EntityType, EntityKey *string
	Initiator             *string
	Kind                  *Kind
	// TraceID is of a request, among the last RecentEntries: traces have no index.
	TraceID *string
	// By is the initiator, the subject or the client; Field is the path of a changed field, or
	// of one that it is part of. They are for Changes.
	By, Field *string
	// WritesOf are numbers of entries, for Changes: those of the writes that made them, each
	// with all of its entries; nil for every one. An import is one, in however many
	// transactions it was written.
	WritesOf []int64
	// At is the instant of the changes of the object with EntityKey, for Changes.
	At *time.Time
	// From and Through are instants, both inclusive.
	From, Through *time.Time
	// Readable are the types that the caller may read about; nil for all.
	Readable []string
	// after is the number that the last RecentEntries follow.
	after int64
}

// RecentEntries are the entries among which those of a request are found.
const RecentEntries = 5000

// newestFirst is the order of the trail.
var newestFirst = page.Key{Name: "seq", SQL: "e.seq", Kind: page.Int, Desc: true}

// newestOfKey is the same order by the table of entity keys alone: an agent may have very
// many entries.
var newestOfKey = page.Key{Name: "seq", SQL: "k.seq", Kind: page.Int, Desc: true}

// reading reads trails. It is safe for concurrent use.
type reading struct {
	*chain
	clock clock.Clock
}

// List is the list of the entries that match, newest first, of all that are committed now.
// It returns a problem for an entity key without its type.
func (t *reading) List(ctx context.Context, f Filter) (listing.List[*Row], error) {
	tenantID, err := t.ready(ctx, &f)
	if err != nil {
		return listing.List[*Row]{}, err
	}
	return listing.List[*Row]{
		Rows: listing.Rows{
			Store: t.store, Name: "auditLog", Keys: []page.Key{newestFirst}, ByValue: listing.ByValue(f, f.EntityKey != nil),
			From: func(q *store.SQL) {
				q.Write("audit_entry e WHERE e.tenant_id = ?", tenantID)
				f.writeKey(q, tenantID)
				t.writeConditions(q, f)
			},
		},
		Columns: t.columns(tenantID), Scan: scanRow, Place: func(r *Row, _ string) any { return r.Seq },
	}, nil
}

// ready checks a filter, gives every committed entry its place, and finds where the last ones begin.
func (t *reading) ready(ctx context.Context, f *Filter) (tenantID int64, err error) {
	if tenantID, err = tenant.ID(ctx); err != nil {
		return 0, err
	}
	if f.EntityKey != nil && f.EntityType == nil {
		return 0, problem.Invalid(problem.Required, "is required with entityKey", "filter", "entityType")
	}
	for _, c := range []struct {
		field string
		text  *string
	}{{"entityType", f.EntityType}, {"entityKey", f.EntityKey}, {"initiator", f.Initiator}, {"by", f.By}, {"field", f.Field}, {"traceId", f.TraceID}} {
		if c.text != nil && text.Trim(*c.text) == "" {
			return 0, problem.Invalid(problem.InvalidFormat, "must not be blank", "filter", c.field)
		}
	}
	if err = t.Link(ctx); err != nil || f.TraceID == nil {
		return tenantID, err
	}
	whole := tenant.Whole(ctx, "how many entries there are")
	_, err = store.One(whole, t.store, []any{&f.after}, "SELECT seq - $2 FROM audit_head WHERE tenant_id = $1", tenantID, RecentEntries)
	return tenantID, err
}

// writeKey writes the condition on the object of an entry.
func (f Filter) writeKey(q *store.SQL, tenantID int64) {
	switch {
	case f.EntityKey != nil:
		of := [3]string{q.Arg(tenantID), q.Arg(*f.EntityType), q.Arg(*f.EntityKey)}
		q.Write(fmt.Sprintf(` AND e.seq IN (SELECT s.seq FROM audit_entry_key k JOIN audit_entry s ON s.tenant_id = k.tenant_id AND %s = k.seq
			WHERE k.tenant_id = %s AND k.entity_type = %s AND k.entity_key = %s)`, keysOf("s"), of[0], of[1], of[2]))
	case f.EntityType != nil:
		q.Write(" AND e.entity_type = ?", *f.EntityType)
	}
}

// writeConditions writes the conditions on an entry itself.
func (t *reading) writeConditions(q *store.SQL, f Filter) {
	if f.Initiator != nil {
		q.Write(" AND e.initiator = ?", *f.Initiator)
	}
	if f.By != nil {
		by := q.Arg(*f.By)
		q.Write(" AND (e.initiator = " + by + " OR e.subject = " + by + " OR e.client_id = " + by + ")")
	}
	if f.TraceID != nil {
		q.Write(" AND e.trace_id = ? AND e.seq > ?", *f.TraceID, f.after)
	}
	if f.Kind != nil {
		q.Write(" AND e.kind = ?", string(*f.Kind))
	}
	if f.From != nil {
		q.Write(" AND e.at >= ?", *f.From)
	}
	if f.Through != nil {
		q.Write(" AND e.at <= ?", *f.Through)
	}
	if f.Readable != nil {
		q.Write(" AND " + t.store.InTexts("e.entity_type", q.Arg(t.store.Texts(f.Readable))))
	}
}

// registration is the number of the entry that records the registration of agent a. That
// entry has the instant at which the agent was created. An entry of an earlier agent with
// the same code may have the same instant, if the clock stood still or went back; then
// the last one counts. No other write of the agent has it, since later ones get later
// instants.
func registration(tenant string) string {
	// coalesce keeps the index by instants out: thousands of entries of an import have
	// the same.
	return `(SELECT max(r.seq) FROM audit_entry r JOIN audit_entry_key rk ON rk.tenant_id = r.tenant_id AND rk.seq = r.seq
		AND rk.entity_type = 'Agent' AND rk.entity_key = a.code WHERE r.tenant_id = ` + tenant + ` AND coalesce(r.at, r.at) = a.created_at AND r.kind = 'WRITE')`
}

// keysOf is the number of the entry that stores the keys of an entry: the entry itself,
// or an earlier one with the same keys. It is written with CASE, since PostgreSQL uses no
// index for coalesce when policies hold for the role.
func keysOf(alias string) string {
	return "CASE WHEN " + alias + ".keys_of IS NULL THEN " + alias + ".seq ELSE " + alias + ".keys_of END"
}

// ByAgents is the list of the entries of each of several agents, by their ids, newest
// first; the owner of an entry is the agent. Entries name an agent by its code, which a
// deleted agent may have had before: an agent's own entries begin with that of its
// registration. An agent that was not loaded through the doors has no such entry, and
// gets all entries of its code.
func (t *reading) ByAgents(ctx context.Context) (listing.List[*Row], error) {
	tenantID, err := tenant.ID(ctx)
	if err == nil {
		err = t.Link(ctx)
	}
	return listing.List[*Row]{
		Rows: listing.Rows{
			Store: t.store, Name: "agentAuditLog", Owner: "a.id", Keys: []page.Key{newestOfKey},
			Ranked: "k.tenant_id, k.seq", Rest: "JOIN audit_entry e ON e.tenant_id = " + t.tenantOf("r", tenantID) + " AND e.seq = r.seq",
			From: func(q *store.SQL) {
				tenant := q.Arg(tenantID)
				q.Write("agency_agent a JOIN audit_entry_key o ON o.tenant_id = a.tenant_id AND o.entity_type = 'Agent' AND o.entity_key = a.code" +
					" JOIN audit_entry k ON k.tenant_id = o.tenant_id AND " + keysOf("k") + " = o.seq" +
					" WHERE a.tenant_id = " + tenant + " AND k.seq >= coalesce(" + registration(tenant) + ", 0)")
			},
		},
		Columns: t.columns(tenantID), Growing: true, Scan: scanRow, Place: func(r *Row, _ string) any { return r.Seq },
	}, err
}
