package resolve

import (
	"context"
	"time"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
)

// The fields of Query that graph/read answers.

func (r queryResolver) Agent(ctx context.Context, _ string, _ *date.Date, _ *time.Time) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Agents(ctx context.Context, _ *agency.AgentFilter, _ []*model.Order, _ *date.Date, _ *time.Time, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) PayStatusPeriods(ctx context.Context, _ *record.PeriodFilter, _ []*model.Order, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Alias(ctx context.Context, _ string) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Aliases(ctx context.Context, _ *label.AliasFilter, _ []*model.Order, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Certification(ctx context.Context, _ string, _ *date.Date, _ *time.Time) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Certifications(ctx context.Context, _ *certification.Filter, _ []*model.Order, _ *date.Date, _ *time.Time, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) CertificationPeriods(ctx context.Context, _ *certification.PeriodFilter, _ []*model.Order, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) W9Periods(ctx context.Context, _ *record.PeriodFilter, _ []*model.Order, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) CertificationTypes(ctx context.Context) ([]*model.Object, error) {
	return r.Read.RootList(ctx)
}

func (r queryResolver) CertificationType(ctx context.Context, _ string) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Jurisdictions(ctx context.Context, _ *string) ([]*model.Object, error) {
	return r.Read.RootList(ctx)
}

func (r queryResolver) Jurisdiction(ctx context.Context, _ string) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) PayStatuses(ctx context.Context) ([]*model.Object, error) {
	return r.Read.RootList(ctx)
}

func (r queryResolver) PayStatus(ctx context.Context, _ string) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) AgentLevels(ctx context.Context, _ string) ([]*model.Object, error) {
	return r.Read.RootList(ctx)
}

func (r queryResolver) AgentLevel(ctx context.Context, _ string, _ int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) ProviderCompanies(ctx context.Context) ([]*model.Object, error) {
	return r.Read.RootList(ctx)
}

func (r queryResolver) Products(ctx context.Context) ([]*model.Object, error) {
	return r.Read.RootList(ctx)
}

func (r queryResolver) Product(ctx context.Context, _ string) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Tags(ctx context.Context) ([]*model.Object, error) {
	return r.Read.RootList(ctx)
}

func (r queryResolver) Tag(ctx context.Context, _ string) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) TagAssignments(ctx context.Context, _ *label.TagAssignmentFilter, _ []*model.Order, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) Team(ctx context.Context, _ string, _ *date.Date, _ *time.Time) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) UplinePeriods(ctx context.Context, _ string, _ *record.PeriodFilter, _ []*model.Order, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) LevelPeriods(ctx context.Context, _ string, _ *record.PeriodFilter, _ []*model.Order, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) UplineMembers(ctx context.Context, _ string, _ *model.UplineMemberFilter, _ *date.Date, _ *time.Time, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) DownlineMembers(ctx context.Context, _ string, _ *model.DownlineMemberFilter, _ *date.Date, _ *time.Time, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.Object, error) {
	return r.Read.Root(ctx)
}

func (r queryResolver) HierarchyBuild(ctx context.Context, _ string) (*model.Object, error) {
	return r.Read.Root(ctx)
}
