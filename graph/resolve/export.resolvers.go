package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/follow"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) Export(ctx context.Context, id string) (*model.Export, error) {
	return r.exportByID(ctx, model.GlobalRowOf(model.ExportNode, id))
}

func (r *Resolver) exportByID(ctx context.Context, id int64) (*model.Export, error) {
	e, err := r.Exports.Export(ctx, id)
	return found(e, err, exportView)
}

func exportView(e *export.Export) *model.Export { return &model.Export{Export: e} }

func (r exportResolver) DownloadURL(ctx context.Context, obj *model.Export) (*string, error) {
	return r.Exports.URLOf(ctx, obj.Export), nil
}

func (r mutationResolver) ExportCreate(ctx context.Context, input model.ExportCreateInput) (*model.ExportCreatePayload, error) {
	if err := r.Identity.MayBring(ctx, "query"); err != nil {
		return &model.ExportCreatePayload{}, err
	}
	e, err := r.Exports.Create(ctx, export.Input{Query: input.Query, Variables: input.Variables.Value(), Path: input.ConnectionPath,
		Format: string(input.Format), OnDate: input.OnDate.Value(), Heads: views(input.Headings, func(h *model.ExportHeadingInput) *export.Head { return new(export.Head(*h)) })})
	shown, err := found(e, err, exportView)
	return &model.ExportCreatePayload{Export: shown, Applied: err == nil}, err
}

func (r mutationResolver) ExportDelete(ctx context.Context, input model.ExportDeleteInput) (*model.DeletePayload, error) {
	deleted, err := r.Exports.Delete(ctx, model.GlobalRowOf(model.ExportNode, input.ID))
	if !deleted {
		return &model.DeletePayload{}, err
	}
	return convert.DeletedID(input.ID), nil
}

func (r subscriptionResolver) ExportUpdated(ctx context.Context, id string) (<-chan *model.Export, error) {
	row := model.GlobalRowOf(model.ExportNode, id)
	e, err := r.exportByID(ctx, row)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, problem.Missing(problem.NotFoundCode, "There is no such export", "id")
	case e.IsOver():
		once := make(chan *model.Export, 1)
		once <- e
		close(once)
		return once, nil
	}
	return follow.Until(ctx, r.Log, func(ctx context.Context) (*tail.Subscription[*export.Export], error) {
		return r.Exports.Follow(ctx, row)
	},
		func(_ context.Context, e *export.Export) (*model.Export, error) { return exportView(e), nil }, (*export.Export).IsOver)
}
