package graph

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/words/tenant"
)

func (r queryResolver) Viewer(ctx context.Context) (*model.Viewer, error) {
	t := tenant.From(ctx)
	caller, _ := tenant.CallerFrom(ctx)
	return &model.Viewer{
		Subject: caller.Subject, TenantIdentifier: t.Identifier, Scopes: caller.Scopes, TimeZone: t.Zone.String(),
		Today: r.today(ctx), DefaultPageSize: t.DefaultPageSize, MaxPageSize: t.MaxPageSize, IsLimited: caller.IsLimited(),
	}, nil
}
