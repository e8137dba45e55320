package bulkimport

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Past knows what changes did, as a transaction sees it that has made them.
type Past interface {
	Differences(ctx context.Context, tx *store.Tx, changes []*audit.Changed) ([][]past.Difference, error)
}

// Change is what a row would make or change.
type Change struct {
	Number int
	Key    string
	// IsNew is true if the row makes a record.
	IsNew bool
	// Difference is what differs; empty for a plain import.
	Difference Difference
	// Notes are what else is to be known of it.
	Notes []string
	// Values are what it changes. Of a new object they are not listed: they are in the file.
	Values []ChangedValue
}

// ChangedValue is a field of an object of the trail, and what becomes of it.
type ChangedValue struct {
	Entity, Key, Field string
	past.Difference
}

// changing is a row that changes something.
type changing struct {
	Change
	paths []string
	// at are the instants of its changes, of all rows that are about the same.
	at []time.Time
}

// concerns reports whether a change of a field is one of the row.
func (c *changing) concerns(field string) bool {
	if len(c.paths) == 0 {
		return !c.IsNew
	}
	return slices.ContainsFunc(c.paths, func(path string) bool { return field == path || strings.HasPrefix(field, path+".") })
}

// changesOf returns what rows have changed in a transaction, of as many as are still shown.
func (r *run) changesOf(ctx context.Context, tx *store.Tx, results []bulk.Result, held *audit.Deferred) (rows []*changing, err error) {
	byKey := map[string][]*changing{}
	for _, result := range results {
		if len(r.report.Changes)+len(rows) == MaxRejections {
			break
		}
		if result.Outcome == bulk.Created || result.Outcome == bulk.Updated {
			row := &changing{Change: Change{Number: result.Number, Key: result.Key, IsNew: result.Outcome == bulk.Created, Notes: result.Notes}, paths: result.Paths}
			key := r.trailKey(result.Key)
			rows, byKey[key] = append(rows, row), append(byKey[key], row)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	var changes []*audit.Changed
	for _, c := range held.Changed() {
		about := slices.DeleteFunc(slices.Clone(byKey[c.Key]), func(row *changing) bool { return !row.concerns(c.Field) })
		if len(about) == 0 {
			continue
		}
		changes = append(changes, c)
		if first := about[0]; !slices.ContainsFunc(first.at, c.At.Equal) {
			first.at = append(first.at, c.At)
			for _, path := range first.paths { // also what the trail names only by what it is a part of
				changes = append(changes, &audit.Changed{Row: c.Row, Key: c.Key, Field: path})
			}
		}
	}
	return rows, r.differences(ctx, tx, byKey, changes)
}

// differences reads what changes did, and gives it to their rows. Several rows that are about
// the same were applied one after the other.
func (r *run) differences(ctx context.Context, tx *store.Tx, byKey map[string][]*changing, changes []*audit.Changed) error {
	if len(changes) == 0 {
		return nil
	}
	all, err := r.past.Differences(ctx, tx, changes)
	if err != nil {
		return err
	}
	type field struct {
		key, field string
		at         time.Time
	}
	seen := map[field]bool{}
	for i, c := range changes {
		about := slices.DeleteFunc(slices.Clone(byKey[c.Key]), func(row *changing) bool { return !row.concerns(c.Field) })
		of := field{c.Key, c.Field, c.At}
		if seen[of] {
			continue
		}
		seen[of] = true
		slices.SortFunc(about[0].at, time.Time.Compare)
		row := about[min(slices.IndexFunc(about[0].at, c.At.Equal), len(about)-1)]
		for _, d := range all[i] {
			row.Values = append(row.Values, ChangedValue{c.EntityType, c.Key, c.Field, d})
		}
	}
	return nil
}

// showChanges adds what rows would change to what earlier rows do. A row of the second pass adds to
// what it did in the first one.
func (r *run) showChanges(rows []*changing) {
	for _, row := range rows {
		slices.SortStableFunc(row.Values, func(a, b ChangedValue) int { return cmp.Compare(a.Field, b.Field) })
		i, found := slices.BinarySearchFunc(r.report.Changes, row.Number, func(c Change, n int) int { return c.Number - n })
		switch {
		case !found:
			row.Difference = r.difference(row.Change)
			r.report.Changes = slices.Insert(r.report.Changes, i, row.Change)
		case !r.report.Changes[i].IsNew:
			r.report.Changes[i].Values = append(r.report.Changes[i].Values, row.Values...)
		}
	}
}

// difference says what differs in a row of a comparison; empty for a plain import.
func (r *run) difference(c Change) Difference {
	switch {
	case r.comparison == nil:
		return ""
	case c.Number > r.lastRow:
		return MissingThere
	case c.IsNew:
		return MissingHere
	}
	is := OtherDetails
	for _, v := range c.Values {
		if !strings.HasSuffix(v.Field, ".status") || v.From == nil {
			continue
		}
		if *v.From <= r.Compare.On && (v.Through == nil || *v.Through >= r.Compare.On) {
			return OtherStatus
		}
		is = OtherDays
	}
	return is
}
