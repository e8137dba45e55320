package resolve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity/tenants"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

func (r queryResolver) TenantSettings(ctx context.Context) (*model.TenantSettings, error) {
	return &model.TenantSettings{Tenant: tenant.From(ctx)}, nil
}

func (r mutationResolver) TenantSettingsUpdate(ctx context.Context, input model.TenantSettingsInput) (*model.TenantSettingsPayload, error) {
	var nulls problem.List
	in := tenants.Settings{
		Name: notNull(&nulls, input.Name, "name"), TimeZone: notNull(&nulls, input.TimeZone, "timeZone"),
		DefaultPageSize: notNull(&nulls, input.DefaultPageSize, "defaultPageSize"), MaxPageSize: notNull(&nulls, input.MaxPageSize, "maxPageSize"),
		MaskSensitive: notNull(&nulls, input.MaskSensitive, "maskSensitive"), DefaultUserStatus: (*string)(notNull(&nulls, input.DefaultUserStatus, "defaultUserStatus")),
		MinPasswordLength: notNull(&nulls, input.MinPasswordLength, "minPasswordLength"),
	}
	if err := nulls.Err(); err != nil {
		return &model.TenantSettingsPayload{}, err
	}
	t, changed, err := r.Tenants.Update(ctx, in)
	if err != nil {
		return &model.TenantSettingsPayload{}, err
	}
	return &model.TenantSettingsPayload{Settings: &model.TenantSettings{Tenant: t}, Applied: changed}, nil
}

// notNull is a field that may be omitted, but not null.
func notNull[T any](nulls *problem.List, o graphql.Omittable[*T], field string) *T {
	if o.IsSet() && o.Value() == nil {
		nulls.Add(problem.Invalid(problem.NullNotAllowed, "Must not be null", field))
	}
	return o.Value()
}
