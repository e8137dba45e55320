package bulkimport

import (
	"context"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
)

// apply writes a chunk and returns what became of its rows, in their order.
func (r *run) apply(ctx context.Context, tx *store.Tx, pass int, c chunk) ([]bulk.Result, error) {
	for i := range c.rows {
		row := &c.rows[i]
		row.Outside, row.Again = r.outside.has(row.Number), r.again.has(row.Number)
	}
	if pass > 0 {
		rows := slices.DeleteFunc(slices.Clone(c.rows), func(row bulk.Row) bool { return r.rejected.has(row.Number) })
		if len(rows) == 0 {
			return nil, nil
		}
		results, err := r.entity.(Seconder).Second(ctx, tx, rows, r.Initiator)
		if err == nil {
			err = tx.Flush(ctx)
		}
		if err != nil {
			return nil, again(err)
		}
		withRead(results, rows)
		return results, r.learn(ctx, tx)
	}
	results := slices.Clone(c.refused)
	if len(c.rows) > 0 {
		applied, err := r.entity.Apply(ctx, tx, c.rows, r.Initiator)
		if err == nil {
			err = tx.Flush(ctx)
		}
		if err != nil {
			return nil, again(err)
		}
		if len(applied) != len(c.rows) {
			return nil, fmt.Errorf("bulkimport: %s says of %d rows what became of %d", r.Entity, len(c.rows), len(applied))
		}
		r.refuseRepeated(applied)
		if err := r.keepOrigin(ctx, tx, applied); err != nil {
			return nil, err
		}
		withRead(applied, c.rows)
		for i := range applied {
			applied[i].Remarks = append(applied[i].Remarks, c.rows[i].Remarks...)
		}
		results = append(results, applied...)
	}
	slices.SortStableFunc(results, func(a, b bulk.Result) int { return a.Number - b.Number })
	return results, r.learn(ctx, tx)
}

// withRead gives the results of rows that were rejected what the file has in them.
func withRead(results []bulk.Result, rows []bulk.Row) {
	for i := range results {
		if results[i].Outcome == bulk.Rejected {
			results[i].Read = rows[i].Read
		}
	}
}

// learn has the database gather statistics after the first chunk of a pass, the tenth,
// the hundredth. Statistics of a thousand rows serve for some more; those of an empty
// table serve nobody.
func (r *run) learn(ctx context.Context, tx *store.Tx) error {
	r.chunks++
	for n := r.chunks; ; n /= 10 {
		switch {
		case n == 1:
			return tx.Learn(ctx)
		case n%10 != 0:
			return nil
		}
	}
}

// again marks an error that says that what a row refers to was deleted between the
// look-up and the write, so that the transaction is run again. Then the look-up refuses
// the row, as in a single operation.
func again(err error) error {
	if dberror.IsForeignKeyViolation(err) {
		return store.Again(err)
	}
	return err
}

// tell remembers the rejected rows and passes them on.
func (r *run) tell(results []bulk.Result) {
	for _, result := range results {
		if result.Outcome != bulk.Rejected {
			r.remark(result.Number, result.Remarks)
			continue
		}
		r.rejected.add(result.Number)
		r.refusals.add(result)
		if len(r.report.Rejections) < MaxRejections {
			r.report.Rejections = append(r.report.Rejections, result)
		}
		if r.Rejected != nil {
			r.Rejected(result)
		}
	}
}
