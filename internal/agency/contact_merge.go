package agency

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// contactWriting is an update of a contact while it is under way.
type contactWriting struct {
	w         *record.Writing
	agentID   int64
	addresses map[AddressKind]patch.Field[Address]
	phones    map[PhoneKind]patch.Field[Phone]
	refused   record.Check
	// next holds the addresses and numbers that change; nil for one that is removed.
	next Contact
	// gone are the keys of the numbers that change.
	gone []record.Keyed
}

// merge works out what changes, and returns the names of the fields that do. It refuses
// the update with everything that is wrong in it.
func (u *contactWriting) merge(ctx context.Context) (fields []string, err error) {
	addresses, err := readAddresses(ctx, u.w, u.w.Tenant.ID, []int64{u.agentID})
	if err != nil {
		return nil, err
	}
	phones, err := readPhones(ctx, u.w, u.w.Tenant.ID, []int64{u.agentID})
	if err != nil {
		return nil, err
	}
	return u.mergeWith(ctx, addresses[u.agentID], phones[u.agentID])
}

// mergeWith is merge, given what is stored of the agent.
func (u *contactWriting) mergeWith(ctx context.Context, addresses map[AddressKind]*Address, phones map[PhoneKind]*Phone) (fields []string, err error) {
	u.next = Contact{Addresses: map[AddressKind]*Address{}, Phones: map[PhoneKind]*Phone{}}
	for _, kind := range addressKinds {
		if f := u.addresses[kind]; f.Sent {
			changed, err := u.mergeAddress(ctx, kind, addresses[kind], f.Value)
			if err != nil {
				return nil, err
			}
			fields = append(fields, changed...)
		}
	}
	for _, kind := range phoneKinds {
		if f := u.phones[kind]; f.Sent {
			fields = append(fields, u.mergePhone(kind, phones[kind], f.Value)...)
		}
	}
	return fields, u.refused.Err()
}

// mergeAddress merges the changes into an address; nil clears it. An address without any
// value left is removed.
func (u *contactWriting) mergeAddress(ctx context.Context, kind AddressKind, stored, change *Address) (changed []string, err error) {
	var next Address
	if stored != nil {
		next = *stored
	}
	if change == nil {
		change = AddressFields.Cleared()
	}
	changed = AddressFields.Become(&next, change)
	if j := next.Jurisdiction.Value; j != nil && slices.Contains(changed, "jurisdiction") {
		err = u.w.MustRefer(ctx, &u.refused.List, record.JurisdictionTable, *j, fieldOfAddress[kind], "jurisdiction")
	}
	if len(changed) > 0 {
		u.next.Addresses[kind] = nil
		if AddressFields.Given(&next) != nil {
			u.next.Addresses[kind] = &next
		}
	}
	return below(fieldOfAddress[kind], changed), err
}

// mergePhone merges the changes into a telephone number; nil removes it. A country code
// that is cleared becomes the default again.
func (u *contactWriting) mergePhone(kind PhoneKind, stored, change *Phone) []string {
	var before Phone
	if stored != nil {
		before = *stored
	}
	next, kept := PhoneFields.Cleared(), (*Phone)(nil)
	if change != nil {
		if stored == nil && !change.PhoneNumber.Sent {
			u.refused.Refuse(problem.Required, "is required for a new number", fieldOfPhone[kind], "phoneNumber")
		}
		*next = before
		PhoneFields.Become(next, change)
		PhoneFields.Complete(next)
		kept = next
	}
	changed := PhoneFields.Become(&before, next)
	if len(changed) > 0 {
		u.next.Phones[kind] = kept
		u.gone = append(u.gone, record.Keyed{AgentID: u.agentID, Source: sourceOf(kind), Keys: keysOfPhone(stored)})
	}
	return below(fieldOfPhone[kind], changed)
}

// write replaces the addresses and numbers that change.
func (u *contactWriting) write(ctx context.Context) error {
	for kind := range u.next.Addresses {
		if err := u.remove(ctx, "agency_address", string(kind)); err != nil {
			return err
		}
	}
	for kind := range u.next.Phones {
		if err := u.remove(ctx, "agency_phone", string(kind)); err != nil {
			return err
		}
	}
	return record.FirstOf(u.w.RemoveKeys(ctx, u.gone...), insertContacts(ctx, u.w, []contactOf{{u.agentID, u.next}}))
}

func (u *contactWriting) remove(ctx context.Context, table, kind string) error {
	return u.w.Later(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1 AND agent_id = $2 AND kind = $3", u.w.Tenant.ID, u.agentID, kind)
}
