package bulkimport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// checkpoint is how far an import has come: the rows that are done in a pass.
type checkpoint struct{ pass, rows int }

// begin stores the import, in its first transaction. known is true when there is one
// of its key that is finished: the report then says what became of that. One that is
// not finished is gone on with.
func (r *run) begin(ctx context.Context, tx *store.Tx) (known bool, err error) {
	r.write = tx.ID()
	heads, err := json.Marshal(r.layout.HeadsOf())
	if err != nil {
		return false, err
	}
	added, err := tx.Exec(ctx, `INSERT INTO bulk_import (tenant_id, key, digest, entity, error_policy, initiator, started_at, write_id, file_name, file_digest, source, mapping, heads)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (tenant_id, key) DO NOTHING`,
		r.tenant.ID, r.Key, r.digest, r.Entity, string(r.Policy), r.Initiator, r.clock.Now(), r.write, orNil(r.FileName), r.fileDigest, orNil(r.Compare.Source), string(r.kept), string(heads))
	if err != nil || added > 0 {
		return false, err
	}
	var (
		digest   []byte
		sum      counts
		finished *time.Time
	)
	_, err = store.One(ctx, tx, []any{&digest, &r.at.pass, &r.at.rows, &sum.Accepted, &sum.Created, &sum.Updated, &sum.Unchanged, &sum.Rejected, &finished, &r.write}, `
		SELECT digest, pass, rows_done, accepted_count, created_count, updated_count, unchanged_count, rejected_count, finished_at, coalesce(write_id, 0)
		FROM bulk_import WHERE tenant_id = $1 AND key = $2`, r.tenant.ID, r.Key)
	if err != nil {
		return false, err
	}
	if !bytes.Equal(digest, r.digest) {
		return false, problem.Clash(problem.DuplicateKey, "The key is that of an import of another file, or of the same with another entity, policy or mapping", "key")
	}
	r.report.counts = sum
	r.report.Resumed, r.report.Repeated = finished == nil, finished != nil
	r.report.Applied = finished != nil && sum.Created+sum.Updated > 0
	return finished != nil, nil
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// resume begins an import in chunks, or goes on with it, and tells again which rows
// were rejected before.
func (r *run) resume(ctx context.Context) (known bool, err error) {
	err = r.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		known, err = r.begin(ctx, tx)
		return err
	})
	if err != nil || !r.report.Resumed && !r.report.Repeated {
		return false, err
	}
	return known, r.tellAgain(ctx)
}

// claim holds the import against another process that runs it: whoever comes second
// finds that it has gone on.
func (r *run) claim(ctx context.Context, tx *store.Tx) error {
	held, err := tx.Exec(ctx, "UPDATE bulk_import SET pass = pass WHERE tenant_id = $1 AND key = $2 AND pass = $3 AND rows_done = $4 AND finished_at IS NULL",
		r.tenant.ID, r.Key, r.at.pass, r.at.rows)
	if err == nil && held == 0 {
		err = problem.Clash(problem.DuplicateKey, "The import is under way elsewhere", "key")
	}
	return err
}

// note says how far the import has come.
func (r *run) note(ctx context.Context, tx *store.Tx, at checkpoint, sum counts) error {
	_, err := tx.Exec(ctx, `UPDATE bulk_import SET pass = $1, rows_done = $2, accepted_count = $3, created_count = $4, updated_count = $5, unchanged_count = $6, rejected_count = $7
		WHERE tenant_id = $8 AND key = $9`, at.pass, at.rows, sum.Accepted, sum.Created, sum.Updated, sum.Unchanged, sum.Rejected, r.tenant.ID, r.Key)
	return err
}

// finish ends the import, in its last transaction.
func (r *run) finish(ctx context.Context, tx *store.Tx) error {
	now := r.clock.Now()
	sum := r.report.counts
	ended, err := tx.Exec(ctx, `UPDATE bulk_import SET finished_at = $1, accepted_count = $2, created_count = $3, updated_count = $4, unchanged_count = $5, rejected_count = $6
		WHERE tenant_id = $7 AND key = $8 AND finished_at IS NULL`, now, sum.Accepted, sum.Created, sum.Updated, sum.Unchanged, sum.Rejected, r.tenant.ID, r.Key)
	if err != nil {
		return err
	}
	r.report.Applied = sum.Created+sum.Updated > 0
	f, ok := r.entity.(Finisher)
	if ended == 0 || !r.report.Applied || !ok {
		return nil
	}
	return f.Finish(ctx, tx)
}

// wrote tells a Finisher of a chunk that changed something.
func (r *run) wrote(ctx context.Context, tx *store.Tx, results []bulk.Result) error {
	f, ok := r.entity.(Finisher)
	if !ok || !slices.ContainsFunc(results, func(x bulk.Result) bool { return x.Outcome == bulk.Created || x.Outcome == bulk.Updated }) {
		return nil
	}
	return f.Wrote(ctx, tx)
}

// stored is a problem of a rejected row as it is stored.
type stored struct {
	Category problem.Category `json:"category"`
	Code     problem.Code     `json:"code"`
	Message  string           `json:"message"`
	Field    []string         `json:"field,omitempty"`
	Details  map[string]any   `json:"details,omitempty"`
	// Said is the problem in the words of the file, without a value.
	Said string `json:"said,omitempty"`
}

// keep stores the rows that were rejected.
func (r *run) keep(ctx context.Context, tx *store.Tx, results []bulk.Result) error {
	if !slices.ContainsFunc(results, func(x bulk.Result) bool { return x.Outcome == bulk.Rejected }) {
		return nil
	}
	var failed error
	err := tx.CopyFrom(ctx, "bulk_import_rejection", []string{"tenant_id", "import_key", "row_number", "row_key", "problems", "cells"}, r.rejections(results, &failed))
	if failed != nil {
		return failed
	}
	return err
}

func (r *run) rejections(results []bulk.Result, failed *error) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for _, result := range results {
			if result.Outcome != bulk.Rejected {
				continue
			}
			problems := make([]stored, len(result.Problems))
			for i, p := range result.Problems {
				problems[i] = stored{p.Category, p.Code, p.Message, p.Field, p.Details, r.layout.Said(p, nil)}
			}
			text, err1 := json.Marshal(problems)
			cells, err2 := json.Marshal(r.layout.Keepable(result.Read))
			if *failed = errors.Join(err1, err2); *failed != nil {
				return
			}
			if !yield([]any{r.tenant.ID, r.Key, result.Number, result.Key, string(text), string(cells)}) {
				return
			}
		}
	}
}

// tellAgain tells of the rows that were rejected before, some at a time.
func (r *run) tellAgain(ctx context.Context) error {
	for last := 0; ; {
		results, err := store.Collect(ctx, r.store, scanRejection, `SELECT row_number, row_key, problems FROM bulk_import_rejection
			WHERE tenant_id = $1 AND import_key = $2 AND row_number > $3 ORDER BY row_number LIMIT $4`, r.tenant.ID, r.Key, last, ChunkRows)
		if err != nil || len(results) == 0 {
			return err
		}
		r.tell(results)
		last = results[len(results)-1].Number
	}
}

func scanRejection(row store.Scanner) (bulk.Result, error) {
	result := bulk.Result{Outcome: bulk.Rejected}
	var text string
	if err := row.Scan(&result.Number, &result.Key, &text); err != nil {
		return result, err
	}
	var problems []stored
	if err := json.Unmarshal([]byte(text), &problems); err != nil {
		return result, err
	}
	for _, p := range problems {
		result.Problems = append(result.Problems, &problem.Error{Category: p.Category, Code: p.Code, Message: p.Message, Field: p.Field, Details: p.Details})
	}
	return result, nil
}
