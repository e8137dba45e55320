package bulkimport

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// run is an import under way.
type run struct {
	*Service
	Import
	entity Entity
	// isOfAgents is true if the rows are about agents, or what belongs to one.
	isOfAgents bool
	// layout is how the file is read, and keys the agents that it names otherwise than by code.
	layout *bulk.Layout
	keys   bulk.Keys
	// kept is how it is read, for the next file of the same heads.
	kept   []byte
	tenant *tenant.Tenant
	digest []byte
	// fileDigest is that of the file alone.
	fileDigest []byte
	total      int // rows of the file
	// lastRow is the number of its last row, unread are those that cannot be read.
	lastRow int
	unread  []int
	// comparison is nil for a plain import, missing what the file does not have.
	comparison bulk.Comparison
	missing    []bulk.Row
	only       rowSet
	// changed are the rows that change something.
	changed rowSet
	report  Report
	// rejected are the rows rejected so far.
	rejected rowSet
	// refusals count what was wrong with the rejected rows.
	refusals refusals
	// repeated are the rows whose key an earlier row has (see Keyed).
	repeated rowSet
	// outside are the rows that refer to something which is not in the file, and again
	// those whose key an earlier row has (see Referring).
	outside, again rowSet
	// write is the id of the write in the audit trail; 0 of an import that a server of an old
	// version began.
	write int64
	// at is how far the import has come, as it is stored.
	at checkpoint
	// chunks counts the chunks applied in this pass.
	chunks int
}

// errUndo rolls a transaction back on purpose.
var errUndo = errors.New("bulkimport: undone")

// Run imports a file into the tenant of the context. A fault of the file or the settings
// as a whole is a problem, and nothing changes; faults of rows are in the report. An
// import with the key of a finished one returns the report of that one; with the key of
// an interrupted one it continues that one.
func (s *Service) Run(ctx context.Context, i Import) (*Report, error) {
	r := &run{Service: s, Import: i, tenant: tenant.From(ctx)}
	if r.tenant == nil {
		return nil, tenant.ErrNone
	}
	if _, limited := tenant.LimitOf(ctx); limited {
		return nil, &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Message: "The user sees a downline only, and an import is about the whole agency"}
	}
	var err error
	if r.entity, err = s.check(&r.Import); err != nil {
		return nil, err
	}
	r.isOfAgents = slices.ContainsFunc(r.entity.Columns(), func(c bulk.Column) bool { return c.Name == "agentCode" })
	said := r.Mapping
	if err := errors.Join(r.compares(date.In(s.clock.Now(), r.tenant.Zone)), r.choose()); err != nil {
		return nil, err
	}
	if err := r.identify(); err != nil {
		return nil, err
	}
	if err := r.survey(ctx); err != nil {
		return nil, err
	}
	r.kept = r.layout.Kept(said)
	if err := r.readThrough(); err != nil {
		return nil, err
	}
	if r.comparison != nil {
		if err := r.compare(ctx); err != nil {
			return nil, err
		}
		ctx = change.WithAnother(ctx, r.evidence())
	}
	if r.Policy == RejectEverything && r.total > MaxAsOne && !s.store.Postgres() {
		return nil, problem.Invalid(problem.OutOfRange, fmt.Sprintf("has more than %d rows, which SQLite would write in one transaction, and nothing else meanwhile: split it, or write what is not refused (REJECT_FAILED_ROWS, failed-rows), after a dry run of that", MaxAsOne), "file").With("max", MaxAsOne)
	}
	// Keys are made in a transaction of their own, which must not wait for the
	// import's.
	if err := s.vault.Prepare(ctx, r.tenant.ID); err != nil {
		return nil, err
	}
	switch {
	case r.DryRun:
		err = r.store.Rehearse(ctx, r.total > ChunkRows, r.rehearse)
	case r.Policy == RejectEverything:
		err = r.asOne(ctx)
	default:
		err = r.inChunks(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.report.Refusals = r.refusals.all()
	return &r.report, r.show()
}

// show adds to the rejected rows what the file has in them.
func (r *run) show() error {
	numbers := make(map[int]bool, len(r.report.Rejections))
	for _, row := range r.report.Rejections {
		numbers[row.Number] = true
	}
	r.report.Header = r.layout.Header()
	r.report.InWords = func(problems []*problem.Error, cells []string) []string {
		said := make([]string, len(problems))
		for i, p := range problems {
			said[i] = r.layout.Said(p, cells)
		}
		return said
	}
	for i := range r.report.Refusals {
		r.report.Refusals[i].Said = r.layout.Said(r.report.Refusals[i].Problem, nil)
	}
	r.report.EachRejected = func(f func(int, []string) error) error { return r.layout.EachCells(r.rejected.has, f) }
	cells, err := r.layout.Cells(numbers)
	for i := range r.report.Rejections {
		row := &r.report.Rejections[i]
		row.Cells = cells[row.Number]
		row.Said = r.report.InWords(row.Problems, row.Cells)
	}
	return err
}

func (r *run) passes() int {
	if _, twice := r.entity.(Seconder); twice {
		return 2
	}
	return 1
}

// rehearse runs the import in steps that are rolled back.
func (r *run) rehearse(ctx context.Context, step store.Step) error {
	r.restart()
	for pass := range r.passes() {
		err := r.eachChunk(ctx, pass, 0, func(c chunk, _ int) error {
			var (
				results []bulk.Result
				changes []*changing
			)
			err := step(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
				ctx, held := audit.Defer(ctx) // nobody reads the trail of what is not kept
				if results, err = r.apply(ctx, tx, pass, c); err == nil {
					changes, err = r.changesOf(ctx, tx, results, held)
				}
				return err
			})
			if err == nil {
				r.add(pass, results)
				r.showChanges(changes)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := r.warn(ctx, step); err != nil {
		return err
	}
	r.refuseAll()
	return nil
}

// asOne runs the import in one transaction. It writes its audit entries at the end: until
// then others of the tenant can write what the import does not touch.
func (r *run) asOne(ctx context.Context) error {
	err := r.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		r.restart()
		if known, err := r.begin(ctx, tx); err != nil || known {
			return err
		}
		ctx, held := audit.Defer(audit.OfWrite(ctx, r.write))
		for pass := range r.passes() {
			err := r.eachChunk(ctx, pass, 0, func(c chunk, _ int) error {
				results, err := r.apply(ctx, tx, pass, c)
				if err != nil {
					return err
				}
				if r.add(pass, results); r.report.Rejected > 0 {
					held.Discard()
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if r.report.Rejected > 0 {
			return errUndo
		}
		if err := r.finish(ctx, tx); err != nil {
			return err
		}
		return held.Write(ctx, tx)
	})
	if errors.Is(err, errUndo) {
		r.refuseAll()
		return nil
	}
	return err
}

// add counts the results of rows and passes the rejections on.
func (r *run) add(pass int, results []bulk.Result) {
	r.report.counts = r.report.counts.with(pass, results)
	for _, result := range results {
		if result.Outcome == bulk.Created || result.Outcome == bulk.Updated {
			r.changed.add(result.Number)
		}
	}
	r.tell(results)
}

// refuseAll counts no row as accepted if one rejected row refuses them all.
func (r *run) refuseAll() {
	if r.Policy == RejectEverything && r.report.Rejected > 0 {
		r.report.counts = counts{Rejected: r.report.Rejected}
	}
}

// inChunks runs the import in a transaction for each chunk.
func (r *run) inChunks(ctx context.Context) error {
	r.restart()
	if known, err := r.resume(ctx); err != nil || known {
		return err
	}
	for pass := r.at.pass; pass < r.passes(); pass++ {
		done := 0
		if pass == r.at.pass {
			done = r.at.rows
		}
		err := r.eachChunk(ctx, pass, done, func(c chunk, size int) error {
			done += size
			return r.commit(ctx, c, checkpoint{pass: pass, rows: done})
		})
		if err != nil {
			return err
		}
	}
	return r.store.InTx(ctx, r.finish)
}

// commit writes a chunk together with the note that it is written. It takes locks in the
// order of the single operations: agents, the build of the hierarchy, the audit chain.
func (r *run) commit(ctx context.Context, c chunk, next checkpoint) error {
	var (
		results []bulk.Result
		sum     counts
	)
	err := r.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if err := r.claim(ctx, tx); err != nil {
			return err
		}
		ctx, held := audit.Defer(audit.OfWrite(events.NumberedAtOnce(ctx), r.write))
		if results, err = r.apply(ctx, tx, next.pass, c); err != nil {
			return err
		}
		sum = r.report.counts.with(next.pass, results)
		if err := errors.Join(r.note(ctx, tx, next, sum), r.keep(ctx, tx, results)); err != nil {
			return err
		}
		if err := r.wrote(ctx, tx, results); err != nil {
			return err
		}
		return held.Write(ctx, tx)
	})
	if err == nil {
		r.at, r.report.counts = next, sum
		r.tell(results)
	}
	return err
}

// restart forgets all results so far and tells the caller, if there were any: the
// transaction of all rows is run again.
func (r *run) restart() {
	if r.report.Rejected > 0 && r.Restarted != nil {
		r.Restarted()
	}
	r.report = Report{Key: r.Key, Remarks: slices.Clone(r.layout.Remarks), Doubts: r.layout.Doubts}
	r.rejected, r.refusals = nil, refusals{}
}

// tellOf tells something of some rows, unless there are none.
func (r *run) tellOf(message string, rows []int) {
	if len(rows) > 0 {
		r.layout.Remarks = append(r.layout.Remarks, bulk.Remark{Message: message, Rows: len(rows), First: rows[:min(len(rows), firstRows)]})
	}
}

// compare finds what of the records that are held the file does not have. What is accepted of a
// comparison is verified.
func (r *run) compare(ctx context.Context) error {
	if r.comparison == nil || r.Compare.IsWhole == OfNobody {
		return nil
	}
	if r.unread != nil {
		r.tellOf("Some rows cannot be read, so that what the file does not have is not known, and not told.", r.unread)
		return nil
	}
	return r.comparison.Missing(ctx, r.Compare.On, r.Compare.IsWhole == OfAll, func(id int64, row bulk.Row) {
		row.Number = r.lastRow + int(id) // which stays the same until it is accepted
		r.missing = append(r.missing, row)
	})
}

// compares prepares an import that is a comparison.
func (r *run) compares(today date.Date) error {
	if r.Compare.Source == "" {
		return nil
	}
	of, is := r.entity.(Compared)
	if !is {
		return problem.Invalid(problem.OutOfRange, "can be compared with what a source says only for certifications", "compare")
	}
	if r.Compare.On == 0 {
		r.Compare.On = today
	}
	if r.Compare.On > today {
		return problem.Invalid(problem.OutOfRange, "must not be in the future", "compare", "reportedOn")
	}
	r.comparison = of.Comparison()
	if !slices.ContainsFunc(r.Constants, func(c bulk.Constant) bool { return strings.EqualFold(c.Column, "isVerified") }) {
		r.Constants = append(slices.Clip(r.Constants), bulk.Constant{Column: "isVerified", Value: "true"})
	}
	return nil
}

// evidence is what a change that is accepted rests on.
func (r *run) evidence() string {
	name := r.FileName
	if name == "" {
		name = "a file"
	}
	return fmt.Sprintf("Verified: %s, report of %s, %s (SHA-256 %s)", r.Compare.Source, r.Compare.On, name, hex.EncodeToString(r.fileDigest))
}
