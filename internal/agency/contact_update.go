package agency

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// ContactUpdate holds the changes of an agent's addresses and telephone numbers. What is
// omitted stays, down to the single property.
type ContactUpdate struct {
	Addresses map[AddressKind]patch.Field[Address]
	Phones    map[PhoneKind]patch.Field[Phone]
	Initiator string
}

// UpdateContact changes addresses and telephone numbers. changed is false when
// everything sent was already so; nothing is then written.
func (e *editor) UpdateContact(ctx context.Context, code string, in ContactUpdate) (changed bool, err error) {
	var sent record.Check
	in.Initiator = sent.Initiator(in.Initiator)
	addresses, phones := checkContactUpdate(&sent, in)
	err = e.writer.Write(ctx, in.Initiator, false, func(ctx context.Context, w *record.Writing) error {
		agentID, err := w.LockAgent(ctx, code)
		if err != nil {
			return err
		}
		u := contactWriting{w: w, agentID: agentID, addresses: addresses, phones: phones}
		u.refused.List = slices.Clone(sent.List)
		names, err := u.merge(ctx)
		changed = len(names) > 0
		if err != nil || !changed {
			return err
		}
		if err := u.write(ctx); err != nil {
			return err
		}
		return w.TouchAgent(ctx, agentID, names...)
	})
	return changed, err
}

// checkContactUpdate checks what was sent, and returns it without the blanks around its
// texts.
func checkContactUpdate(c *record.Check, in ContactUpdate) (map[AddressKind]patch.Field[Address], map[PhoneKind]patch.Field[Phone]) {
	addresses, phones := map[AddressKind]patch.Field[Address]{}, map[PhoneKind]patch.Field[Phone]{}
	for _, kind := range addressKinds {
		addresses[kind] = checkedPart(c, in.Addresses[kind], AddressFields, fieldOfAddress[kind])
	}
	for _, kind := range phoneKinds {
		phones[kind] = checkedPart(c, in.Phones[kind], PhoneFields, fieldOfPhone[kind])
	}
	return addresses, phones
}

func checkedPart[T any](c *record.Check, f patch.Field[T], lines fields.Table[T], field string) patch.Field[T] {
	if f.Value == nil {
		return f
	}
	part := *f.Value
	c.Properties(lines, &part, field)
	return patch.Set(part)
}
