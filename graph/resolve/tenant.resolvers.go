package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/tenant"
)

func (r queryResolver) TenantSettings(ctx context.Context) (*model.TenantSettings, error) {
	return &model.TenantSettings{Tenant: tenant.From(ctx)}, nil
}

func (r mutationResolver) TenantSettingsUpdate(ctx context.Context, input directory.Settings) (*model.TenantSettingsUpdatePayload, error) {
	t, changed, err := r.Tenants.Update(ctx, input)
	r.Identity.Reread() // sessions end with the passwords that began them
	if err != nil {
		return &model.TenantSettingsUpdatePayload{}, err
	}
	return &model.TenantSettingsUpdatePayload{Settings: &model.TenantSettings{Tenant: t}, Applied: changed}, nil
}
