package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity/preset"
)

func (r queryResolver) Presets(ctx context.Context, kind model.PresetKind, subject *string, first *int, after *string, last *int, before *string, offset *int) (*model.PresetConnection, error) {
	list, err := r.Resolver.Presets.List(ctx, preset.Kind(kind), subject)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, presetView)
}

func (r mutationResolver) PresetCreate(ctx context.Context, input model.PresetCreateInput) (*model.PresetPayload, error) {
	stored, err := r.Presets.Create(ctx, preset.Kind(input.Kind), preset.Input{Subject: input.Subject, Name: input.Name, Content: input.Content, IsShared: input.IsShared})
	return presetPayload(stored, err == nil, err)
}

func (r mutationResolver) PresetReplace(ctx context.Context, input model.PresetReplaceInput) (*model.PresetPayload, error) {
	stored, changed, err := r.Presets.Replace(ctx, input.ID, preset.Input{Name: input.Name, Content: input.Content, IsShared: input.IsShared})
	return presetPayload(stored, changed, err)
}

func presetPayload(stored *preset.Preset, changed bool, err error) (*model.PresetPayload, error) {
	shown, err := found(stored, err, presetView)
	return &model.PresetPayload{Preset: shown, Outcome: model.Outcome{Applied: changed}}, err
}

func (r mutationResolver) PresetDelete(ctx context.Context, input model.PresetDeleteInput) (*model.DeletePayload, error) {
	return convert.DeletedID(input.ID), r.Presets.Delete(ctx, input.ID)
}

func presetView(p *preset.Preset) *model.Preset { return &model.Preset{Preset: p} }
