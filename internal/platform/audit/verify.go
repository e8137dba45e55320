package audit

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Report is what Verify found.
type Report struct {
	// Entries is how many entries, from the first on, are as they were written.
	Entries int64
	// Head is the stored end of the chain. Note it down outside the database, to find out
	// later whether the chain was cut.
	Head Head
	// Unlinked is how many entries wait for their places behind the head, as they were
	// written.
	Unlinked int64
	// Reason says what is wrong with the first damaged entry, whose number is BrokenAt;
	// it is empty when none is damaged.
	Reason   string
	BrokenAt int64
}

// Broken reports whether the chain was tampered with.
func (r Report) Broken() bool { return r.Reason != "" }

func (r *Report) broken(at int64, format string, args ...any) {
	r.BrokenAt, r.Reason = at, fmt.Sprintf(format, args...)
}

// verifying checks trails. It is safe for concurrent use.
type verifying struct{ *chain }

// Verify checks the chain of the context's tenant against its head, and against the
// expected head of an earlier run unless that is the zero Head. It ignores entries that
// are added meanwhile. An error says that the check could not be made.
func (t *verifying) Verify(ctx context.Context, expected Head) (Report, error) {
	return t.verify(ctx, expected, func(int, int) {})
}

func (t *verifying) verify(ctx context.Context, expected Head, told func(done, total int)) (Report, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return Report{}, err
	}
	var r Report
	var newest, linked, written, waiting int64
	// One statement, so that all is of the same moment.
	if _, err := store.One(ctx, t.store, []any{&r.Head.Seq, &r.Head.Hash, &linked, &newest, &written, &waiting}, `SELECT
		coalesce((SELECT seq FROM audit_head WHERE tenant_id = $1), 0), (SELECT hash FROM audit_head WHERE tenant_id = $1),
		coalesce((SELECT linked FROM audit_head WHERE tenant_id = $1), 0), coalesce((SELECT max(seq) FROM audit_entry WHERE tenant_id = $1), 0),
		(SELECT CAST(coalesce(sum(entries), 0) AS bigint) FROM audit_written WHERE tenant_id = $1), (SELECT count(*) FROM audit_unlinked WHERE tenant_id = $1)`, tenantID); err != nil {
		return r, fmt.Errorf("audit: read the head: %w", err)
	}
	last, err := t.walk(ctx, tenantID, &r, expected, told)
	if err != nil || r.Broken() {
		return r, err
	}
	switch {
	case last.Seq < r.Head.Seq:
		r.broken(last.Seq+1, "the chain is cut here; its head is entry %d", r.Head.Seq)
	case !bytes.Equal(last.Hash, r.Head.Hash):
		r.broken(last.Seq, "the head has another hash than the entry")
	case newest > r.Head.Seq:
		r.broken(r.Head.Seq+1, "the head is before this entry")
	case expected.Seq > r.Head.Seq:
		r.broken(r.Head.Seq+1, "the chain was cut back; its head was once entry %d", expected.Seq)
	case written != linked+waiting:
		r.broken(r.Head.Seq+1, "%d entries wait for their places, and %d should", waiting, written-linked)
	default:
		err = t.checkUnlinked(ctx, tenantID, &r)
	}
	return r, err
}

// checkUnlinked checks the entries that wait for their places.
func (t *verifying) checkUnlinked(ctx context.Context, tenantID int64, r *Report) error {
	for last := int64(0); ; {
		page, err := collectUnlinked(ctx, t.store, tenantID, last)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, u := range page {
			row, err := t.row(ctx, tenantID, u)
			if err != nil {
				return err
			}
			if row == nil {
				r.broken(r.Head.Seq+1, "an entry that waits for its place was changed, or forged")
				return nil
			}
			last = u.written
			r.Unlinked++
		}
	}
}

// walk checks the entries up to the head and returns the last correct one.
func (t *verifying) walk(ctx context.Context, tenantID int64, r *Report, expected Head, told func(done, total int)) (last Head, err error) {
	for after := int64(math.MinInt64); ; {
		page, err := t.page(ctx, tenantID, after, r.Head.Seq)
		if err != nil || len(page) == 0 {
			return last, err
		}
		for _, s := range page {
			if err := t.check(ctx, tenantID, r, last, s); err != nil || r.Broken() {
				return last, err
			}
			if s.Seq == expected.Seq && !bytes.Equal(s.hash, expected.Hash) {
				r.broken(s.Seq, "the expected head has another hash than the entry")
				return last, nil
			}
			last = Head{s.Seq, s.hash}
			r.Entries++
		}
		after = last.Seq
		told(int(last.Seq), int(r.Head.Seq))
	}
}

// check compares an entry with the one before.
func (t *verifying) check(ctx context.Context, tenantID int64, r *Report, last Head, s storedRow) error {
	next := last.Seq + 1
	hash, err := t.hashOf(ctx, tenantID, last.Hash, s.Row)
	switch {
	case err != nil:
		return err
	case s.Seq < next:
		r.broken(s.Seq, "no chain has an entry of this number")
	case s.Seq > next:
		r.broken(next, "the entry is missing")
	case !bytes.Equal(hash, s.hash):
		r.broken(next, "the entry was changed, or is not the one that was here")
	case !slices.Equal(s.keys, entityKeys(s.Row)):
		r.broken(next, "the rows of audit_entry_key are not those of the entry")
	}
	return nil
}

// storedRow is an entry with its rows of audit_entry_key, sorted.
type storedRow struct {
	*Row
	keys []entityKey
}

type entityKey struct{ entityType, key string }

// entityKeys are the rows of audit_entry_key that an entry should have.
func entityKeys(r *Row) []entityKey {
	var all []entityKey
	for _, key := range r.ownKeys() {
		all = append(all, entityKey{r.EntityType, key})
	}
	return all
}

// page reads entries in their order.
func (t *verifying) page(ctx context.Context, tenantID, after, through int64) ([]storedRow, error) {
	rows, err := t.rows(ctx, tenantID, after, through)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	page, at := make([]storedRow, len(rows)), make(map[int64]int, len(rows))
	for i, r := range rows {
		page[i].Row, at[r.Seq] = r, i
	}
	type keyOf struct {
		seq int64
		entityKey
	}
	keys, err := store.Collect(ctx, t.store, func(s store.Scanner) (k keyOf, err error) {
		return k, s.Scan(&k.seq, &k.entityType, &k.key)
	}, `SELECT seq, entity_type, entity_key FROM audit_entry_key WHERE tenant_id = $1 AND seq >= $2 AND seq <= $3
		ORDER BY seq, entity_key`, tenantID, page[0].Seq, page[len(page)-1].Seq)
	for _, k := range keys {
		if i, ok := at[k.seq]; ok {
			page[i].keys = append(page[i].keys, k.entityKey)
		}
	}
	return page, wrapped(err)
}
