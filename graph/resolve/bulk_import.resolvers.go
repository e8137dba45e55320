package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) BulkColumns(ctx context.Context, entity model.BulkEntity) ([]*model.BulkColumn, error) {
	if err := NeedsScope(ctx, importScope(entity)); err != nil {
		return nil, err
	}
	columns := r.Imports.Columns(string(entity))
	shown := make([]*model.BulkColumn, len(columns))
	for i, c := range columns {
		shown[i] = &model.BulkColumn{Name: c.Name, IsRequired: c.Required, Description: c.Doc}
	}
	return shown, nil
}

func (r mutationResolver) BulkImport(ctx context.Context, input model.BulkImportInput, dryRun bool) (*model.BulkImportPayload, error) {
	if err := NeedsScope(ctx, importScope(input.Entity)); err != nil {
		return nil, err
	}
	key := ""
	if given := convert.Value(input.Key); given != nil {
		key = *given
	}
	done, err := r.Imports.Run(ctx, bulkimport.Import{
		Entity: string(input.Entity), File: input.File.File, Mapping: importMapping(input), Policy: bulkimport.Policy(input.ErrorPolicy),
		Key: key, Initiator: input.Initiator, DryRun: dryRun,
	})
	if err != nil {
		return nil, err
	}
	payload := &model.BulkImportPayload{
		Rows: make([]*model.BulkImportRow, len(done.Rejections)), Refusals: make([]*model.BulkImportRefusal, len(done.Refusals)), AcceptedCount: done.Accepted, RejectedCount: done.Rejected,
		CreatedCount: done.Created, UpdatedCount: done.Updated, UnchangedCount: done.Unchanged, UserErrors: []*model.UserError{}, Applied: done.Applied,
	}
	for i, refusal := range done.Refusals {
		payload.Refusals[i] = &model.BulkImportRefusal{UserError: *UserErrors([]*problem.Error{refusal.Problem}, nil)[0], RowCount: refusal.Rows, RowNumbers: refusal.First}
	}
	if !dryRun {
		payload.Key = &done.Key
	}
	for i, row := range done.Rejections {
		payload.Rows[i] = &model.BulkImportRow{RowNumber: row.Number, UserErrors: UserErrors(row.Problems, nil)}
		if row.Key != "" {
			payload.Rows[i].Key = &row.Key
		}
	}
	return payload, nil
}

// importScope is the scope that importing an entity needs.
func importScope(entity model.BulkEntity) string {
	switch entity {
	case model.BulkEntityProductionRecord, model.BulkEntityCommissionPayment:
		return "write:production"
	}
	return "write:agents"
}

func importMapping(input model.BulkImportInput) bulk.Mapping {
	m := bulk.Mapping{Skip: input.SkipColumns.Value()}
	for _, h := range input.Headers.Value() {
		m.Headers = append(m.Headers, bulk.Header{Name: h.Header, Column: h.Column})
	}
	for _, v := range input.Values.Value() {
		m.Values = append(m.Values, bulk.Value{Column: v.Column, From: v.From, To: v.To})
	}
	return m
}
