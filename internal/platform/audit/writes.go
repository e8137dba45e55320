package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// oldWrite is what the entries of a write share that an old version made: an instant, or, of
// an import, one of several within a time. A client that gives several requests one trace
// joins them.
type oldWrite struct {
	from, through    time.Time
	trace, operation string
}

// FirstOf returns the number of the first entry of each of some writes that has its place, by their
// ids.
func (t *Trail) FirstOf(ctx context.Context, writes []int64) (map[int64]int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err == nil {
		err = t.Link(ctx)
	}
	if err != nil {
		return nil, err
	}
	first := map[int64]int64{}
	_, err = store.Collect(ctx, t.store, func(row store.Scanner) (struct{}, error) {
		var write, seq int64
		err := row.Scan(&write, &seq)
		first[write] = seq
		return struct{}{}, err
	}, "SELECT write_id, min(seq) FROM audit_entry WHERE tenant_id = $1 AND "+t.store.In("write_id", "$2")+" GROUP BY write_id", tenantID, t.store.List(writes))
	return first, wrapped(err)
}

// numbersOf returns the numbers of all entries of the writes that made some.
func (t *reading) numbersOf(ctx context.Context, tenantID int64, some []int64) ([]int64, error) {
	in := t.store.In("seq", "$2")
	ids := "SELECT write_id FROM audit_entry WHERE tenant_id = $1 AND " + in
	numbers, err := store.Collect(ctx, t.store, store.ScanOne[int64], "SELECT seq FROM audit_entry WHERE tenant_id = $1 AND "+store.InQuery(t.store, "write_id", ids), tenantID, t.store.List(some))
	some = slices.DeleteFunc(slices.Clone(some), func(n int64) bool { return slices.Contains(numbers, n) })
	if err != nil || len(some) == 0 {
		return numbers, wrapped(err)
	}
	old, err := store.Collect(ctx, t.store, func(row store.Scanner) (o oldWrite, err error) {
		err = row.Scan(&o.from, &o.trace, &o.operation)
		o.through = o.from
		return o, err
	}, "SELECT DISTINCT at, trace_id, operation FROM audit_entry WHERE tenant_id = $1 AND write_id IS NULL AND "+in, tenantID, t.store.List(some))
	for i := 0; i < len(old) && err == nil; i++ {
		var found []int64
		found, err = t.numbersOfOld(ctx, tenantID, old[i])
		numbers = append(numbers, found...)
	}
	return numbers, wrapped(err)
}

func (t *reading) numbersOfOld(ctx context.Context, tenantID int64, o oldWrite) ([]int64, error) {
	if o.operation == Import {
		var finished *time.Time
		found, err := store.One(ctx, t.store, []any{&o.from, &finished}, `SELECT started_at, finished_at FROM bulk_import
			WHERE tenant_id = $1 AND started_at <= $2 AND (finished_at IS NULL OR finished_at >= $2) AND write_id IS NULL LIMIT 1`, tenantID, o.from)
		if err != nil {
			return nil, err
		}
		if finished != nil {
			o.through = *finished
		} else if found {
			o.through = t.clock.Now()
		}
	}
	return store.Collect(ctx, t.store, store.ScanOne[int64], `SELECT seq FROM audit_entry
		WHERE tenant_id = $1 AND at >= $2 AND at <= $3 AND trace_id = $4 AND operation = $5 AND write_id IS NULL`, tenantID, o.from, o.through, o.trace, o.operation)
}

// numbersAt returns the numbers of the entries of an object at an instant. coalesce keeps the index
// by instants out: thousands of entries of an import have the same.
func (t *reading) numbersAt(ctx context.Context, tenantID int64, f Filter) ([]int64, error) {
	return store.Collect(ctx, t.store, store.ScanOne[int64], `SELECT e.seq FROM audit_entry_key k JOIN audit_entry e ON e.tenant_id = k.tenant_id AND e.seq = k.seq
		WHERE k.tenant_id = $1 AND k.entity_type = $2 AND k.entity_key = $3 AND coalesce(e.at, e.at) = $4`, tenantID, *f.EntityType, *f.EntityKey, *f.At)
}

// Instants are those of entries by the keys of their objects, in microseconds.
type Instants map[string]map[int64]bool

func (i Instants) add(key string, at time.Time) {
	if i[key] == nil {
		i[key] = map[int64]bool{}
	}
	i[key][at.UnixMicro()] = true
}

// Have reports whether there is an entry of one of some keys at an instant.
func (i Instants) Have(keys []string, at time.Time) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return i[key][at.UnixMicro()] })
}

// InstantsOf returns when objects of a type with some keys were written, by the entries that are
// committed now. It changes nothing: those that wait for their places are read where they wait,
// and first, since one may get its place meanwhile.
func (t *reading) InstantsOf(ctx context.Context, entity string, keys []string) (Instants, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	all := Instants{}
	for after, more := int64(0), true; more; {
		waiting, err := collectUnlinked(ctx, t.store, tenantID, after)
		if err != nil {
			return nil, err
		}
		for _, u := range waiting {
			r := new(Row)
			if err := json.Unmarshal([]byte(u.entry), r); err != nil {
				return nil, fmt.Errorf("audit: %w", err)
			}
			for _, key := range r.EntityKeys {
				if r.EntityType == entity {
					all.add(key, r.At)
				}
			}
			after = u.written
		}
		more = len(waiting) == linkedAtOnce
	}
	s := new(store.SQL)
	s.Write("SELECT k.entity_key, e.at FROM audit_entry_key k JOIN audit_entry e ON e.tenant_id = k.tenant_id AND e.seq = k.seq WHERE k.tenant_id = ? AND k.entity_type = ? AND ", tenantID, entity)
	s.Write(t.store.InTexts("k.entity_key", s.Arg(t.store.Texts(keys))))
	return all, store.Each(ctx, t.store, s, func(s store.Scanner) error {
		var (
			key string
			at  time.Time
		)
		err := s.Scan(&key, &at)
		all.add(key, at)
		return err
	})
}
