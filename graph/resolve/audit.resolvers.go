package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) AuditLog(ctx context.Context, filter *model.AuditFilter, first *int, after *string, last *int, before *string, offset *int) (*model.AuditEntryConnection, error) {
	conditions := convert.AuditFilter(filter)
	conditions.Readable = convert.ReadableEntities(ctx)
	list, err := r.Audit.List(ctx, conditions)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, convert.AuditEntryView(ctx))
}

func (r queryResolver) AuditTrailCheck(ctx context.Context, head *string) (*model.AuditTrailCheck, error) {
	var expected audit.Head
	if head != nil {
		var err error
		if expected, err = audit.ParseHead(*head); err != nil {
			return nil, problem.Invalid(problem.InvalidFormat, "is the number of an entry, a colon, and its hash in hexadecimal digits, as a check tells it", "head")
		}
	}
	if err := r.Audit.Link(ctx); err != nil {
		return nil, err
	}
	report, err := r.Audit.Verify(ctx, expected)
	if err != nil {
		return nil, err
	}
	check := &model.AuditTrailCheck{IsIntact: !report.Broken(), EntryCount: report.Entries, Head: report.Head.String()}
	if report.Broken() {
		check.BrokenAt, check.Reason = &report.BrokenAt, &report.Reason
	}
	return check, nil
}

func (r agentResolver) AuditLog(ctx context.Context, obj *model.Object, first *int, after *string, last *int, before *string, offset *int) (*model.AuditEntryConnection, error) {
	n := nested[*audit.Row]{relation: "auditLog", args: paging(ctx), list: func(ctx context.Context, _ []int64) (listing.List[*audit.Row], error) { return r.Audit.ByAgents(ctx) }}
	return connection(ctx, n, obj.ID, convert.AuditEntryView(ctx))
}
