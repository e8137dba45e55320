package bulkimport

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Done is an import that is kept: it wrote something, found everything as it is, or left rows out.
type Done struct {
	Key, Entity, Policy, Initiator string
	// FileName and FileDigest, a SHA-256 in hexadecimal digits, are those of the file, Source is who
	// said what it says if it was compared; nil where that is not known.
	FileName, FileDigest, Source *string
	// Mapping is how the file was read, as mappings are kept under a name; nil of an old import.
	Mapping json.RawMessage
	// Heads are those of the file.
	Heads     []bulk.HeadOf
	StartedAt time.Time
	// FinishedAt is nil for one that is under way, or was interrupted.
	FinishedAt *time.Time
	// The counts of its rows, as a Report has them.
	AcceptedCount, RejectedCount, CreatedCount, UpdatedCount, UnchangedCount int
	// Write is the id of its write in the audit trail; 0 for none.
	Write int64
}

// Imports returns the list of the imports of some entities, the newest first.
func (s *Service) Imports(ctx context.Context, entities []string) (listing.List[*Done], error) {
	tenantID, err := tenant.ID(ctx)
	return listing.List[*Done]{
		Rows: listing.Rows{
			Store: s.store, Name: "bulkImports", Keys: []page.Key{{Name: "startedAt", SQL: "b.started_at", Kind: page.Time, Desc: true}, {Name: "key", SQL: "b.key", Kind: page.Text, Desc: true}},
			From: func(q *store.SQL) {
				q.Write("bulk_import b WHERE b.tenant_id = ? AND "+s.store.InTexts("b.entity", "?"), tenantID, s.store.Texts(entities))
			},
		},
		Columns: `b.key, b.entity, b.error_policy, b.initiator, b.file_name, b.file_digest, b.source, coalesce(b.mapping, ''), coalesce(b.heads, '[]'), b.started_at, b.finished_at,
			b.accepted_count, b.rejected_count, b.created_count, b.updated_count, b.unchanged_count, coalesce(b.write_id, 0)`,
		Scan: scanDone,
		Place: func(d *Done, key string) any {
			if key == "key" {
				return d.Key
			}
			return d.StartedAt
		},
	}, err
}

func scanDone(row store.Scanner) (*Done, error) {
	var (
		d              Done
		digest         []byte
		mapping, heads string
	)
	err := row.Scan(&d.Key, &d.Entity, &d.Policy, &d.Initiator, &d.FileName, &digest, &d.Source, &mapping, &heads, &d.StartedAt, &d.FinishedAt, &d.AcceptedCount, &d.RejectedCount, &d.CreatedCount, &d.UpdatedCount, &d.UnchangedCount, &d.Write)
	if err != nil {
		return nil, err
	}
	if digest != nil {
		d.FileDigest = new(hex.EncodeToString(digest))
	}
	if mapping != "" {
		d.Mapping = json.RawMessage(mapping)
	}
	return &d, json.Unmarshal([]byte(heads), &d.Heads)
}

// Left is a row that an import left out, as it is kept.
type Left struct {
	Number int
	Key    string
	// Cells are what the file has in the row, under its heads, without what is sensitive; none of an
	// old import.
	Cells []string
	// Said is what is wrong, in the words of the file, without its values.
	Said []string
}

// MostLeft bounds the rows of one answer of Left.
const MostLeft = 1000

// Left returns the rows that an import of some heads left out, behind a line, at most MostLeft.
func (s *Service) Left(ctx context.Context, of *Done, after int) ([]Left, error) {
	return store.Collect(ctx, s.store, func(row store.Scanner) (l Left, err error) {
		var problems, cells string
		if err = row.Scan(&l.Number, &l.Key, &problems, &cells); err != nil {
			return l, err
		}
		return l, l.read(of.Heads, problems, cells)
	}, `SELECT row_number, row_key, problems, coalesce(cells, '{}') FROM bulk_import_rejection
		WHERE tenant_id = $1 AND import_key = $2 AND row_number > $3 ORDER BY row_number LIMIT $4`, tenant.From(ctx).ID, of.Key, after, MostLeft)
}

func (l *Left) read(heads []bulk.HeadOf, problems, cells string) error {
	var all []stored
	if err := json.Unmarshal([]byte(problems), &all); err != nil {
		return err
	}
	for _, p := range all {
		if p.Said == "" { // of an old import
			p.Said = p.Message
		}
		l.Said = append(l.Said, p.Said)
	}
	var byColumn map[string]string
	if err := json.Unmarshal([]byte(cells), &byColumn); err != nil {
		return err
	}
	l.Cells = make([]string, len(heads))
	for i, h := range heads {
		l.Cells[i] = byColumn[h.Column]
	}
	return nil
}
