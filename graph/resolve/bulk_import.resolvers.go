package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/identity/preset"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) BulkColumns(ctx context.Context, entity model.BulkEntity) ([]*model.BulkColumn, error) {
	if err := NeedsScope(ctx, importScope(entity)); err != nil {
		return nil, err
	}
	columns := r.Imports.Columns(string(entity))
	shown := make([]*model.BulkColumn, len(columns))
	for i, c := range columns {
		shown[i] = &model.BulkColumn{Name: c.Name, IsRequired: c.Required, Description: c.Doc, Kind: kindsOfColumns[c.Kind]}
	}
	return shown, nil
}

var kindsOfColumns = map[bulk.Kind]model.BulkColumnKind{
	bulk.Text: model.BulkColumnKindText, bulk.FullName: model.BulkColumnKindText, bulk.Code: model.BulkColumnKindCode, bulk.Postal: model.BulkColumnKindCode, bulk.Phone: model.BulkColumnKindCode,
	bulk.Day: model.BulkColumnKindDay, bulk.Instant: model.BulkColumnKindDay, bulk.Flag: model.BulkColumnKindFlag, bulk.Whole: model.BulkColumnKindNumber, bulk.Money: model.BulkColumnKindNumber,
	bulk.Word: model.BulkColumnKindWord, bulk.Company: model.BulkColumnKindWord, bulk.Agent: model.BulkColumnKindAgent, bulk.Key: model.BulkColumnKindAgent, bulk.NamePart: model.BulkColumnKindAgent,
}

func (r queryResolver) BulkImports(ctx context.Context, first *int, after *string, last *int, before *string, offset *int) (*model.BulkImportDoneConnection, error) {
	list, err := r.Imports.Imports(ctx, r.importable(ctx))
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, func(d *bulkimport.Done) *model.BulkImportDone { return &model.BulkImportDone{Done: d} })
}

func (r bulkImportDoneResolver) Sequence(ctx context.Context, obj *model.BulkImportDone) (*int64, error) {
	sequence, err := loader.Get(ctx, loader.Key{Relation: "first entry"}, r.Audit.FirstOf).Load(ctx, obj.Write)
	if sequence == 0 {
		return nil, err
	}
	return &sequence, err
}

func (r bulkImportDoneResolver) Left(ctx context.Context, obj *model.BulkImportDone, afterRow int) ([]*model.BulkImportLeft, error) {
	rows, err := r.Imports.Left(ctx, obj.Done, afterRow)
	left := make([]*model.BulkImportLeft, len(rows))
	for i, row := range rows {
		left[i] = &model.BulkImportLeft{RowNumber: row.Number, Cells: row.Cells, Said: row.Said}
		if row.Key != "" {
			left[i].Key = &row.Key
		}
	}
	return left, err
}

// importable are the kinds of rows that the caller may import.
func (r *Resolver) importable(ctx context.Context) (names []string) {
	for _, name := range r.Imports.Names() {
		if NeedsScope(ctx, importScope(model.BulkEntity(name))) == nil {
			names = append(names, name)
		}
	}
	return names
}

// keptMapping finds the mapping that is kept under a name, for rows of an entity; empty for any.
func (r *Resolver) keptMapping(ctx context.Context, name *string, entity string) (*bulk.KnownLayout, error) {
	if name == nil {
		return nil, nil
	}
	found, err := r.Presets.Named(ctx, preset.FileMapping, *name)
	if err != nil {
		return nil, err
	}
	return bulk.KeptOf(*name, entity, views(found, func(p *preset.Preset) *bulk.KeptUnder { return &bulk.KeptUnder{Entity: p.Subject, Content: p.Content} }))
}

func (r mutationResolver) BulkUnderstand(ctx context.Context, input model.BulkUnderstandInput) (*model.BulkUnderstandPayload, error) {
	entity := ""
	if given := convert.Value(input.Entity); given != nil {
		if err := NeedsScope(ctx, importScope(*given)); err != nil {
			return nil, err
		}
		entity = string(*given)
	}
	mapping, err := r.importMapping(ctx, entity, model.BulkImportInput{Headers: input.Headers, SkipColumns: input.SkipColumns, Values: input.Values, Constants: input.Constants,
		Sheet: input.Sheet, HeadRow: input.HeadRow, DateOrder: input.DateOrder, ClearsBlanks: input.ClearsBlanks, Mapping: input.Mapping, Cells: input.Cells})
	if err != nil {
		return nil, err
	}
	l, is, isSure, err := r.Imports.Understand(ctx, input.File.File, entity, r.importable(ctx), mapping)
	if err != nil {
		return nil, err
	}
	payload := &model.BulkUnderstandPayload{
		Entity: new(model.BulkEntity(is)), IsEntityCertain: isSure || entity != "", Form: l.Form, Sheets: l.Sheets, RowCount: l.Rows, Columns: make([]*model.BulkFileColumn, len(l.Heads)),
		Remarks: remarksOf(l.Remarks), Doubts: UserErrors(l.Doubts, nil), UserErrors: []*model.UserError{},
	}
	if payload.Sheets == nil {
		payload.Sheets = []string{}
	}
	if l.Sheet != "" {
		payload.Sheet = &l.Sheet
	}
	if l.HeadRow > 0 {
		payload.HeadRow = &l.HeadRow
	}
	if l.Order != "" {
		payload.DateOrder = new(model.BulkDateOrder(l.Order))
	}
	for i, h := range l.Heads {
		column := &model.BulkFileColumn{Header: h.Name, IsLeftOut: h.IsLeftOut, IsEmpty: h.IsEmpty, Samples: make([]*model.BulkSample, len(h.Samples))}
		if h.Column != "" {
			column.Column = &h.Column
		}
		if h.Near != "" {
			column.Near = &h.Near
		}
		for n, s := range h.Samples {
			column.Samples[n] = &model.BulkSample{From: s.From, To: s.To, IsUnknown: s.IsUnknown}
		}
		payload.Columns[i] = column
	}
	return payload, nil
}

func remarksOf(all []bulk.Remark) []*model.BulkImportRemark {
	shown := make([]*model.BulkImportRemark, len(all))
	for i, r := range all {
		shown[i] = &model.BulkImportRemark{Message: r.Message, RowCount: r.Rows, RowNumbers: append([]int{}, r.First...)}
	}
	return shown
}

func (r mutationResolver) BulkImport(ctx context.Context, input model.BulkImportInput, dryRun bool) (*model.BulkImportPayload, error) {
	if err := NeedsScope(ctx, importScope(input.Entity)); err != nil {
		return nil, err
	}
	key := ""
	if given := convert.Value(input.Key); given != nil {
		key = *given
	}
	var compare bulkimport.Compare
	if given := convert.Value(input.Compare); given != nil {
		compare = bulkimport.Compare{Source: given.Source, IsWhole: bulkimport.Completeness(given.IsWhole)}
		if on := convert.Value(given.ReportedOn); on != nil {
			compare.On = *on
		}
	}
	mapping, err := r.importMapping(ctx, string(input.Entity), input)
	if err != nil {
		return nil, err
	}
	done, err := r.Imports.Run(ctx, bulkimport.Import{
		Compare: compare, Only: input.Rows.Value(), FileName: input.File.Filename,
		Entity: string(input.Entity), File: input.File.File, Mapping: mapping, Policy: bulkimport.Policy(input.ErrorPolicy),
		Key: key, Initiator: input.Initiator, DryRun: dryRun,
	})
	if err != nil {
		return nil, err
	}
	payload := &model.BulkImportPayload{
		Headers: append([]string{}, done.Header...),
		Rows:    make([]*model.BulkImportRow, len(done.Rejections)), Refusals: make([]*model.BulkImportRefusal, len(done.Refusals)), AcceptedCount: done.Accepted, RejectedCount: done.Rejected,
		Remarks: remarksOf(done.Remarks), Doubts: UserErrors(done.Doubts, nil), CreatedCount: done.Created, UpdatedCount: done.Updated, UnchangedCount: done.Unchanged, UserErrors: []*model.UserError{}, Applied: done.Applied,
	}
	for i, refusal := range done.Refusals {
		payload.Refusals[i] = &model.BulkImportRefusal{UserError: *UserErrors([]*problem.Error{refusal.Problem}, nil)[0], Said: refusal.Said, RowCount: refusal.Rows, RowNumbers: refusal.First}
	}
	payload.Changes = importChanges(ctx, done.Changes)
	if !dryRun {
		payload.Key = &done.Key
	}
	for i, row := range done.Rejections {
		payload.Rows[i] = &model.BulkImportRow{RowNumber: row.Number, UserErrors: UserErrors(row.Problems, nil), Said: append([]string{}, row.Said...), Cells: append([]string{}, row.Cells...)}
		if row.Key != "" {
			payload.Rows[i].Key = &row.Key
		}
	}
	return payload, nil
}

// importChanges shows what rows would change, with masks.
func importChanges(ctx context.Context, all []bulkimport.Change) []*model.BulkImportChange {
	changes := make([]*model.BulkImportChange, len(all))
	for i, c := range all {
		changes[i] = &model.BulkImportChange{RowNumber: c.Number, Key: c.Key, IsNew: c.IsNew, Difference: differenceOf(c), Notes: append([]string{}, c.Notes...), Values: make([]*model.BulkImportValue, len(c.Values))}
		for n, v := range c.Values {
			shown := convert.ChangedValues(ctx, v.Entity, v.Key, []past.Difference{v.Difference}, false)[0]
			changes[i].Values[n] = &model.BulkImportValue{Field: v.Field, EffectiveFrom: shown.EffectiveFrom, EffectiveThrough: shown.EffectiveThrough, Old: shown.Old, New: shown.New}
		}
	}
	return changes
}

func differenceOf(c bulkimport.Change) *model.BulkDifference {
	if c.Difference == "" {
		return nil
	}
	return new(model.BulkDifference(c.Difference))
}

// importScope is the scope that importing an entity needs.
func importScope(entity model.BulkEntity) string {
	switch entity {
	case model.BulkEntityProductionRecord, model.BulkEntityCommissionPayment:
		return "write:production"
	}
	return "write:agents"
}

func (r *Resolver) importMapping(ctx context.Context, entity string, input model.BulkImportInput) (m bulk.Mapping, err error) {
	m = bulk.Mapping{Skip: input.SkipColumns.Value(), Clear: input.ClearsBlanks}
	if given := convert.Value(input.Sheet); given != nil {
		m.Sheet = *given
	}
	if given := convert.Value(input.HeadRow); given != nil {
		m.HeadRow = *given
	}
	if given := convert.Value(input.DateOrder); given != nil {
		m.Order = bulk.Order(*given)
	}
	for _, c := range input.Constants.Value() {
		m.Constants = append(m.Constants, bulk.Constant{Column: c.Column, Value: c.Value})
	}
	for _, h := range input.Headers.Value() {
		m.Headers = append(m.Headers, bulk.Header{Name: h.Header, Column: h.Column})
	}
	for _, v := range input.Values.Value() {
		m.Values = append(m.Values, bulk.Value{Column: v.Column, From: v.From, To: v.To})
	}
	for _, c := range input.Cells.Value() {
		m.Cells = append(m.Cells, bulk.Cell{Row: c.RowNumber, Column: c.Column, Value: c.Value})
	}
	m.Kept, err = r.keptMapping(ctx, convert.Value(input.Mapping), entity)
	return m, err
}
