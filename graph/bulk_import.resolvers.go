package graph

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/bulkimport"
)

func (r mutationResolver) BulkImport(ctx context.Context, input model.BulkImportInput, dryRun bool) (*model.BulkImportPayload, error) {
	if err := needsScope(ctx, importScope(input.Entity)); err != nil {
		return nil, err
	}
	key := ""
	if given := value(input.Key); given != nil {
		key = *given
	}
	done, err := r.Imports.Run(ctx, bulkimport.Import{
		Entity: string(input.Entity), File: input.File.File, Headers: importHeaders(input.Headers.Value()), Policy: bulkimport.Policy(input.ErrorPolicy),
		Key: key, Initiator: input.Initiator, DryRun: dryRun,
	})
	if err != nil {
		return nil, err
	}
	payload := &model.BulkImportPayload{
		Rows: make([]*model.BulkImportRow, len(done.Rejections)), AcceptedCount: done.Accepted, RejectedCount: done.Rejected,
		CreatedCount: done.Created, UpdatedCount: done.Updated, UnchangedCount: done.Unchanged, UserErrors: []*model.UserError{}, Applied: done.Applied,
	}
	if !dryRun {
		payload.Key = &done.Key
	}
	for i, row := range done.Rejections {
		payload.Rows[i] = &model.BulkImportRow{RowNumber: row.Number, UserErrors: modelErrors(row.Problems, nil)}
		if row.Key != "" {
			payload.Rows[i].Key = &row.Key
		}
	}
	return payload, nil
}

// importScope is what the rows of a file need.
func importScope(entity model.BulkEntity) string {
	switch entity {
	case model.BulkEntityProductionRecord, model.BulkEntityCommissionPayment:
		return "write:production"
	}
	return "write:agents"
}

func importHeaders(given []*model.BulkHeaderInput) []bulk.Header {
	headers := make([]bulk.Header, len(given))
	for i, h := range given {
		headers[i] = bulk.Header{Name: h.Header, Column: h.Column}
	}
	return headers
}
