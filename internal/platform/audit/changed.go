package audit

import (
	"context"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Changed is one field of one object that a write changed; Field is empty for an object that
// was deleted.
type Changed struct {
	// Row is the entry of the write.
	*Row
	Key, Field string
}

// changedField is the field of an element of an entry's changes.
const changedField = "c.value ->> 'field'"

// changedKeys are the order of changes: the newest write first.
var changedKeys = []page.Key{newestFirst, {Name: "key", SQL: "k.entity_key", Kind: page.Text}, {Name: "field", SQL: "(" + changedField + ")", Kind: page.Text}}

// Changes is the list of the changed fields that match, newest first, of all writes that
// are committed now. It returns the problems of List.
func (t *reading) Changes(ctx context.Context, f Filter) (listing.List[*Changed], error) {
	tenantID, err := t.ready(ctx, &f)
	if err != nil {
		return listing.List[*Changed]{}, err
	}
	written := Write
	f.Kind = &written
	var numbers []int64
	switch {
	case f.WritesOf != nil:
		numbers, err = t.numbersOf(ctx, tenantID, f.WritesOf)
	case f.At != nil:
		numbers, err = t.numbersAt(ctx, tenantID, f)
	}
	if err != nil {
		return listing.List[*Changed]{}, err
	}
	return listing.List[*Changed]{
		Rows: listing.Rows{
			Store: t.store, Name: "changes", Keys: changedKeys, ByValue: listing.ByValue(f, f.EntityKey != nil),
			From: func(q *store.SQL) {
				q.Write("audit_entry_key k JOIN audit_entry e ON e.tenant_id = k.tenant_id AND e.seq = k.seq CROSS JOIN "+t.store.EachKey("c", "(CASE WHEN e.changes = '[]' THEN '[{\"field\":\"\"}]' ELSE e.changes END)")+
					" WHERE k.tenant_id = ?", tenantID)
				if f.WritesOf != nil || f.At != nil {
					q.Write(" AND " + t.store.In("k.seq", q.Arg(t.store.List(numbers))))
				}
				if f.EntityType != nil {
					q.Write(" AND k.entity_type = ?", *f.EntityType)
				}
				if f.EntityKey != nil {
					q.Write(" AND k.entity_key = ?", *f.EntityKey)
				}
				if f.Field != nil {
					below := *f.Field + "."
					q.Write(" AND ("+changedField+" = ? OR substr("+changedField+", 1, CAST(? AS integer)) = ?)", *f.Field, utf8.RuneCountInString(below), below)
				}
				t.writeConditions(q, f)
			},
		},
		Columns: t.columns(tenantID) + ", k.entity_key, " + changedField,
		Scan: func(s store.Scanner) (*Changed, error) {
			c := new(Changed)
			row, err := scanRow(behind{s, []any{&c.Key, &c.Field}})
			c.Row = row
			return c, err
		},
		Place: func(c *Changed, key string) any {
			switch key {
			case "key":
				return c.Key
			case "field":
				return c.Field
			}
			return c.Seq
		},
	}, nil
}

// behind scans rows that end with more columns than their reader knows.
type behind struct {
	store.Scanner
	last []any
}

// Scan implements store.Scanner.
func (b behind) Scan(dest ...any) error { return b.Scanner.Scan(append(dest, b.last...)...) }
