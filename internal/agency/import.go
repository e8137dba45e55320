package agency

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// An import applies the rows of a file, some hundreds at a time, in a
// transaction of the caller's. What is wrong with a row, and what becomes of a
// good one, is as the operation of a single one has it (Register, UpdateAgent,
// UpsertCertification, ApplyUpline, …): the checks are the same functions, and
// what they ask the database is asked once for all rows.
//
// The tenant's keys must be there (vault.Prepare, before the transaction).

// importing is the application of some rows under way. Its writing notes what
// changes of all agents together; what a row changes by the operation of a single
// one is noted in a writing of its own, as that operation would.
type importing struct {
	*writing
	results []bulk.Result
	own     []*writing
}

// Import returns the application of rows, and the context for it. Problems are about
// the initiator, not about a row.
func (wr *Writer) Import(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) (context.Context, *importing, error) {
	var c inputCheck
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return ctx, nil, err
	}
	w, err := wr.Begin(ctx, tx, initiator)
	if err != nil {
		return ctx, nil, err
	}
	im := &importing{writing: w, results: make([]bulk.Result, len(rows))}
	for i, r := range rows {
		im.results[i] = bulk.Result{Number: r.Number, Outcome: bulk.Unchanged}
	}
	return tenant.Whole(ctx, "an import writes, and compares with, what is there of the whole agency; a limited caller may not import"), im, nil
}

// alone returns a writing for a row that changes by the operation of a single one;
// where it did, keep takes it.
func (im *importing) alone() *writing { return im.part() }

// keep takes the writing of a row that changed by the operation of a single one.
func (im *importing) keep(w *writing) { im.own = append(im.own, w) }

// called names a row by the key of what it is about.
func (im *importing) called(i int, key string) { im.results[i].Key = key }

// calledBy adds to the name of a row, where it has one.
func (im *importing) calledBy(i int, more string) {
	if key := &im.results[i].Key; *key != "" {
		*key += "/" + more
	}
}

// refuse rejects a row, if there is a problem, and reports whether it did. A row
// that is rejected already gets these problems instead.
func (im *importing) refuse(i int, problems problem.List) bool {
	if len(problems) == 0 {
		return false
	}
	im.results[i].Outcome = bulk.Rejected
	im.results[i].Problems = make([]*problem.Error, len(problems))
	for n, p := range problems {
		im.results[i].Problems[n] = atColumn(p)
	}
	return true
}

// refuseErr is refuse for an error that may also be a fault.
func (im *importing) refuseErr(i int, err error) (refused bool, fault error) {
	problems, fault := asProblems(err)
	return im.refuse(i, problems), fault
}

func (im *importing) done(i int, o bulk.Outcome) { im.results[i].Outcome = o }

// finish writes the events and, last, the audit entries.
func (im *importing) finish(ctx context.Context) ([]bulk.Result, error) {
	if err := im.listConfigured(ctx); err != nil {
		return nil, err
	}
	im.forgetPeriod() // each of its objects has its own
	for _, w := range append([]*writing{im.writing}, im.own...) {
		if err := w.tell(ctx, im.Writing); err != nil {
			return nil, err
		}
	}
	return im.results, im.Conclude(ctx)
}

// touchAll moves the lastModified of agents, which touchAgent does for one.
func (im *importing) touchAll(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	_, err := im.Exec(ctx, "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND "+im.In("id", "$4"),
		im.Now, im.Initiator, im.Tenant.ID, im.List(slices.Compact(ids)))
	return err
}

// lockCodes locks the agents of codes and returns their ids.
func (im *importing) lockCodes(ctx context.Context, codes []string) (map[string]int64, error) {
	return im.lockAgents(ctx, im.InTexts("code", "$2"), im.Texts(codes))
}
