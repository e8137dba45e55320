package graph

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/audit"
)

func (r queryResolver) AuditLog(ctx context.Context, filter *model.AuditFilter, first *int, after *string, last *int, before *string, offset *int) (*model.AuditEntryConnection, error) {
	conditions := auditFilter(filter)
	conditions.Readable = readableEntities(ctx)
	list, err := r.Audit.List(ctx, conditions)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, pageArgs(ctx, first, after, last, before, offset), auditEntryView(ctx))
}

func (r agentResolver) AuditLog(ctx context.Context, obj *model.Agent, first *int, after *string, last *int, before *string, offset *int) (*model.AuditEntryConnection, error) {
	n := nested[*audit.Row]{relation: "auditLog", args: pageArgs(ctx, first, after, last, before, offset), list: r.Audit.ByAgents}
	return connection(ctx, n, obj.ID, auditEntryView(ctx))
}
