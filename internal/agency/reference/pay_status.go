package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// PayStatusInput is a new or changed pay status: it "says whether the agent is active and
// can be paid" (Pay status).
type PayStatusInput struct {
	Name        patch.Field[string] `name:"name" column:"name" as:"pathName" needed:"true" about:"the key"`
	Description patch.Field[string] `name:"description" column:"description" as:"note" about:"what it is for"`
	IsActive    patch.Field[bool]   `name:"isActive" column:"is_active" needed:"true" about:"true or false: agents that have it are active"`
	CanBePaid   patch.Field[bool]   `name:"canBePaid" column:"can_be_paid" always:"true" about:"true or false; as isActive by default"`
	SortOrder   patch.Field[int]    `name:"sortOrder" column:"sort_order" always:"true" default:"0" about:"its place in lists; 0 by default"`
	Initiator   string
}

var payStatuses = referenceKind[PayStatusInput]{
	ReferenceTable: record.PayStatusTable, fields: fields.Of[PayStatusInput](),
	by: func(in *PayStatusInput) *string { return &in.Initiator },
	complete: func(in *PayStatusInput) {
		if in.CanBePaid.Value == nil {
			in.CanBePaid = in.IsActive
		}
	},
}

// IsPayStatus reports whether a pay status is configured.
func (s *Service) IsPayStatus(ctx context.Context, name string) (bool, error) {
	return record.PayStatusTable.IsConfigured(ctx, s.store, name)
}

// CreatePayStatus defines a pay status, and returns its id.
func (s *Service) CreatePayStatus(ctx context.Context, in PayStatusInput) (id int64, err error) {
	return payStatuses.add(ctx, s, in)
}

// UpdatePayStatus changes the pay status with a name, and returns its id. changed is
// false, and nothing is written, if everything sent was already so.
func (s *Service) UpdatePayStatus(ctx context.Context, name string, in PayStatusInput) (id int64, changed bool, err error) {
	return payStatuses.change(ctx, s, name, in)
}

// DeletePayStatus removes the pay status with a name unless it is in use, and returns its
// id.
func (s *Service) DeletePayStatus(ctx context.Context, name, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.PayStatusTable, name, initiator)
}
