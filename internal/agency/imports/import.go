// Package imports applies the rows of a file, some hundreds at a time, in the caller's
// transaction. A row is checked and applied as the operation of a single record does it
// (Register, UpdateAgent, UpsertCertification, ApplyUpline, …): the checks are the same
// functions, and what they ask the database is asked once for all rows. The rooms define
// what rows of each kind mean. Reading files and running imports belongs to
// internal/exchange.
//
// The tenant's keys must exist before the transaction begins (vault.Prepare).
package imports

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Import applies some rows. Its own writing notes the changes of all agents together. A
// row that is changed by the operation of a single record is noted in a writing of its
// own, as that operation does.
type Import struct {
	*record.Writing
	// Results are the outcomes of the rows, in order of the rows.
	Results []bulk.Result
	own     []*record.Writing
}

// Begin returns the Import of rows and its context. The error holds problems with the
// initiator, not with a row.
func Begin(ctx context.Context, wr *record.Writer, tx *store.Tx, rows []bulk.Row, initiator string) (context.Context, *Import, error) {
	var c record.Check
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return ctx, nil, err
	}
	w, err := wr.Begin(ctx, tx, initiator)
	if err != nil {
		return ctx, nil, err
	}
	im := &Import{Writing: w, Results: make([]bulk.Result, len(rows))}
	for i, r := range rows {
		im.Results[i] = bulk.Result{Number: r.Number, Outcome: bulk.Unchanged}
	}
	return tenant.Whole(ctx, "an import writes, and compares with, what is there of the whole agency; a limited caller may not import"), im, nil
}

// Alone returns a writing for a row that is changed by the operation of a single record.
// If the row changed something, pass the writing to Keep.
func (im *Import) Alone() *record.Writing { return im.Part() }

// Keep adds the writing of a row to the import.
func (im *Import) Keep(w *record.Writing) { im.own = append(im.own, w) }

// Called sets the name of a row to the key of what the row is about.
func (im *Import) Called(i int, key string) { im.Results[i].Key = key }

// CalledBy adds to the name of a row that has one.
func (im *Import) CalledBy(i int, more string) {
	if key := &im.Results[i].Key; *key != "" {
		*key += "/" + more
	}
}

// Next goes on with rows that may be about what was written already. They have a time of their
// own, later than that.
func (im *Import) Next() {
	im.ForgetPeriod()
	im.Keep(im.Writing)
	im.Writing = im.Part()
}

// Refuse rejects a row if there is a problem, and reports whether there is. The problems
// replace those of a row that is rejected already.
func (im *Import) Refuse(i int, problems problem.List) bool {
	if len(problems) == 0 {
		return false
	}
	im.Results[i].Outcome = bulk.Rejected
	im.Results[i].Problems = make([]*problem.Error, len(problems))
	for n, p := range problems {
		im.Results[i].Problems[n] = atColumn(p)
	}
	return true
}

// RefuseErr is Refuse for an error that may also be a fault of the server.
func (im *Import) RefuseErr(i int, err error) (refused bool, fault error) {
	problems, fault := record.AsProblems(err)
	return im.Refuse(i, problems), fault
}

// Done sets the outcome of a row.
func (im *Import) Done(i int, o bulk.Outcome) { im.Results[i].Outcome = o }

// Tell says what has to be known of a row that is not refused, unless it is nothing.
func (im *Import) Tell(i int, remark string) {
	if remark != "" {
		im.Results[i].Remarks = append(im.Results[i].Remarks, remark)
	}
}

// Note says what has to be known of a row alone.
func (im *Import) Note(i int, note string) { im.Results[i].Notes = append(im.Results[i].Notes, note) }

// About says which parts of the object of its key a row is about.
func (im *Import) About(i int, paths ...string) { im.Results[i].Paths = paths }

// Finish writes the events and, last of all, the audit entries: those of one time together.
func (im *Import) Finish(ctx context.Context) ([]bulk.Result, error) {
	if err := im.listConfigured(ctx); err != nil {
		return nil, err
	}
	im.ForgetPeriod() // each of its objects has its own
	all := append([]*record.Writing{im.Writing}, im.own...)
	slices.SortStableFunc(all, func(a, b *record.Writing) int { return a.Now.Compare(b.Now) })
	for i, w := range all {
		if i > 0 && w.Now.Equal(all[i-1].Now) {
			w = all[i-1]
		}
		if err := all[i].AddNotesTo(ctx, w.Writing); err != nil {
			return nil, err
		}
		all[i] = w
	}
	for _, w := range slices.Compact(all) {
		if err := w.Conclude(ctx); err != nil {
			return nil, err
		}
	}
	return im.Results, nil
}

// LockCodes locks the agents with these codes and returns their ids.
func (im *Import) LockCodes(ctx context.Context, codes []string) (map[string]int64, error) {
	return im.LockAgents(ctx, im.InTexts("code", "$2"), im.Texts(codes))
}
