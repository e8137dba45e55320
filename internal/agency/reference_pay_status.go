package agency

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/paystatus"
	"github.com/uplinehq/upline/internal/words/patch"
)

// PayStatus is a pay status the agency defined: it "says whether the agent is
// active and can be paid" (Pay status).
type PayStatus = db.PayStatus

// PayStatusInput is a new or changed pay status.
type PayStatusInput struct {
	Name, Description   patch.Field[string]
	IsActive, CanBePaid patch.Field[bool]
	SortOrder           patch.Field[int]
	Initiator           string
}

// PayStatuses reads all pay statuses, in their order.
func (s *Service) PayStatuses(ctx context.Context) ([]*PayStatus, error) {
	return s.store.Ent().PayStatus.Query().Order(paystatus.BySortOrder(), paystatus.ByName()).All(ctx)
}

func (c *inputCheck) payStatus(in *PayStatusInput) {
	in.Initiator = c.Initiator(in.Initiator)
	c.Clearable(&in.Description, maxNote, "description")
	c.NotNull(in.IsActive, "isActive")
	c.NotNull(in.CanBePaid, "canBePaid")
	c.NotNull(in.SortOrder, "sortOrder")
}

// CreatePayStatus defines a pay status.
func (s *Service) CreatePayStatus(ctx context.Context, in PayStatusInput) (row *PayStatus, err error) {
	if err := checkNewPayStatus(&in); err != nil {
		return nil, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, err = w.createPayStatus(ctx, in)
		return err
	})
	return row, err
}

func checkNewPayStatus(in *PayStatusInput) error {
	var c inputCheck
	c.referenceName(&in.Name, "name")
	needed(&c, in.IsActive, "isActive")
	c.payStatus(in)
	return c.Err()
}

func (w *writing) createPayStatus(ctx context.Context, in PayStatusInput) (*PayStatus, error) {
	row, err := w.PayStatus.Create().SetName(*in.Name.Value).SetNillableDescription(in.Description.Value).
		SetIsActive(*in.IsActive.Value).SetCanBePaid(or(in.CanBePaid, *in.IsActive.Value)).SetSortOrder(or(in.SortOrder, 0)).
		SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
	return row, payStatusTable.added(w, *in.Name.Value, err)
}

// UpdatePayStatus changes the pay status of a name. changed is false when
// everything sent was already so; nothing is then written.
func (s *Service) UpdatePayStatus(ctx context.Context, name string, in PayStatusInput) (row *PayStatus, changed bool, err error) {
	if err := checkChangedPayStatus(&in, name); err != nil {
		return nil, false, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, changed, err = w.updatePayStatus(ctx, name, in)
		return err
	})
	return row, changed, err
}

func checkChangedPayStatus(in *PayStatusInput, name string) error {
	var c inputCheck
	fixed(&c, in.Name, name, "name")
	c.payStatus(in)
	return c.Err()
}

func (w *writing) updatePayStatus(ctx context.Context, name string, in PayStatusInput) (row *PayStatus, changed bool, err error) {
	id, err := w.lockReference(ctx, payStatusTable, name)
	if err != nil {
		return nil, false, err
	}
	row, err = w.PayStatus.Query().Where(paystatus.ID(id)).Only(ctx)
	if err != nil {
		return nil, false, err
	}
	r := &revision{table: payStatusTable, key: name, id: id, at: &row.LastModified, by: &row.LastModifiedBy}
	reviseOptional(r, "description", "description", &row.Description, in.Description)
	revise(r, "isActive", "is_active", &row.IsActive, in.IsActive)
	revise(r, "canBePaid", "can_be_paid", &row.CanBePaid, in.CanBePaid)
	revise(r, "sortOrder", "sort_order", &row.SortOrder, in.SortOrder)
	changed, err = r.save(ctx, w)
	return row, changed, err
}

// DeletePayStatus removes the pay status of a name, unless it is in use, and
// returns its id.
func (s *Service) DeletePayStatus(ctx context.Context, name, initiator string) (int64, error) {
	return s.deleteReference(ctx, payStatusTable, name, initiator)
}
