// Package imports applies the rows of a file, some hundreds at a time, in a transaction
// of the caller's. What is wrong with a row, and what becomes of a good one, is as the
// operation of a single one has it (Register, UpdateAgent, UpsertCertification,
// ApplyUpline, …): the checks are the same functions, and what they ask the database is
// asked once for all rows. What rows of each kind mean their rooms say; how files are
// read and run belongs to internal/exchange.
//
// The tenant's keys must be there (vault.Prepare, before the transaction).
package imports

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Import is the application of some rows under way. Its writing notes what
// changes of all agents together; what a row changes by the operation of a single
// one is noted in a writing of its own, as that operation would.
type Import struct {
	*record.Writing
	// Results are those of the rows, in their order.
	Results []bulk.Result
	own     []*record.Writing
}

// Begin returns the application of rows, and the context for it. Problems are about
// the initiator, not about a row.
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

// Alone returns a writing for a row that changes by the operation of a single one;
// where it did, Keep takes it.
func (im *Import) Alone() *record.Writing { return im.Part() }

// Keep takes the writing of a row that changed by the operation of a single one.
func (im *Import) Keep(w *record.Writing) { im.own = append(im.own, w) }

// Called names a row by the key of what it is about.
func (im *Import) Called(i int, key string) { im.Results[i].Key = key }

// CalledBy adds to the name of a row, where it has one.
func (im *Import) CalledBy(i int, more string) {
	if key := &im.Results[i].Key; *key != "" {
		*key += "/" + more
	}
}

// Refuse rejects a row, if there is a problem, and reports whether it did. A row
// that is rejected already gets these problems instead.
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

// RefuseErr is Refuse for an error that may also be a fault.
func (im *Import) RefuseErr(i int, err error) (refused bool, fault error) {
	problems, fault := record.AsProblems(err)
	return im.Refuse(i, problems), fault
}

// Done says what became of a row.
func (im *Import) Done(i int, o bulk.Outcome) { im.Results[i].Outcome = o }

// Finish writes the events and, last, the audit entries.
func (im *Import) Finish(ctx context.Context) ([]bulk.Result, error) {
	if err := im.listConfigured(ctx); err != nil {
		return nil, err
	}
	im.ForgetPeriod() // each of its objects has its own
	for _, w := range append([]*record.Writing{im.Writing}, im.own...) {
		if err := w.Tell(ctx, im.Writing.Writing); err != nil {
			return nil, err
		}
	}
	return im.Results, im.Conclude(ctx)
}

// TouchAll moves the lastModified of agents, which TouchAgent does for one.
func (im *Import) TouchAll(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	_, err := im.Exec(ctx, "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND "+im.In("id", "$4"),
		im.Now, im.Initiator, im.Tenant.ID, im.List(slices.Compact(ids)))
	return err
}

// LockCodes locks the agents of codes and returns their ids.
func (im *Import) LockCodes(ctx context.Context, codes []string) (map[string]int64, error) {
	return im.LockAgents(ctx, im.InTexts("code", "$2"), im.Texts(codes))
}
