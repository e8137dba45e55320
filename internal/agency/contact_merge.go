package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// contactWriting is an update of a contact under way.
type contactWriting struct {
	w         *writing
	agentID   int64
	addresses map[AddressKind]patch.Field[AddressUpdate]
	phones    map[PhoneKind]patch.Field[PhoneUpdate]
	refused   inputCheck
	// next are the addresses and numbers that change; nil for one that goes.
	next Contact
}

// merge decides what changes and returns the fields that do. It refuses the
// update with all that is wrong in it.
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

// mergeWith is merge with what is stored of the agent.
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

// mergeAddress merges the changes of an address, nil to clear it. One of which
// nothing is left is removed.
func (u *contactWriting) mergeAddress(ctx context.Context, kind AddressKind, stored *Address, change *AddressUpdate) (fields []string, err error) {
	var before Address
	if stored != nil {
		before = *stored
	}
	next := before
	if change == nil {
		next, change = Address{}, new(AddressUpdate)
	}
	was := before.parts(change)
	for i, p := range next.parts(change) {
		*p.text = p.change.Or(*p.text)
		if !same(*was[i].text, *p.text) {
			fields = append(fields, fieldOfAddress[kind]+"."+p.field)
		}
	}
	if j := next.Jurisdiction; j != nil && !same(before.Jurisdiction, j) {
		err = u.w.mustRefer(ctx, &u.refused.List, jurisdictionTable, *j, fieldOfAddress[kind], "jurisdiction")
	}
	if len(fields) > 0 {
		u.next.Addresses[kind] = nil
		if next != (Address{}) {
			u.next.Addresses[kind] = &next
		}
	}
	return fields, err
}

// mergePhone merges the changes of a telephone number, nil to clear it.
func (u *contactWriting) mergePhone(kind PhoneKind, stored *Phone, change *PhoneUpdate) (fields []string) {
	var next *Phone
	if change != nil {
		if stored == nil && !change.PhoneNumber.Sent {
			u.refused.Refuse(problem.Required, "is required for a new number", fieldOfPhone[kind], "phoneNumber")
		}
		next = change.mergedInto(stored)
	}
	before, after := stored.texts(), next.texts()
	for i, name := range []string{"countryCode", "areaCode", "phoneNumber"} {
		if !same(before[i], after[i]) {
			fields = append(fields, fieldOfPhone[kind]+"."+name)
		}
	}
	if len(fields) > 0 {
		u.next.Phones[kind] = next
	}
	return fields
}

// mergedInto returns a number after the update. "countryCode defaults to 1"
// (Resources, "Agent"): cleared, it is that again.
func (u *PhoneUpdate) mergedInto(stored *Phone) *Phone {
	next := Phone{CountryCode: defaultCountryCode}
	if stored != nil {
		next = *stored
	}
	switch {
	case u.CountryCode.Value != nil:
		next.CountryCode = *u.CountryCode.Value
	case u.CountryCode.IsNull():
		next.CountryCode = defaultCountryCode
	}
	next.AreaCode = u.AreaCode.Or(next.AreaCode)
	if u.PhoneNumber.Value != nil {
		next.PhoneNumber = *u.PhoneNumber.Value
	}
	return &next
}

// texts are the country code, area code and number, nil for what there is not.
func (p *Phone) texts() (texts [3]*string) {
	if p != nil {
		texts = [3]*string{&p.CountryCode, p.AreaCode, &p.PhoneNumber}
	}
	return texts
}

// write replaces the addresses and numbers that change.
func (u *contactWriting) write(ctx context.Context) error {
	for kind, a := range u.next.Addresses {
		if err := u.remove(ctx, "agency_address", string(kind)); err != nil {
			return err
		}
		if a == nil {
			delete(u.next.Addresses, kind)
		}
	}
	for kind, p := range u.next.Phones {
		if err := u.remove(ctx, "agency_phone", string(kind)); err != nil {
			return err
		}
		if p == nil {
			delete(u.next.Phones, kind)
		}
	}
	return u.w.insertContact(ctx, u.agentID, u.next)
}

func (u *contactWriting) remove(ctx context.Context, table, kind string) error {
	_, err := u.w.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1 AND agent_id = $2 AND kind = $3", u.w.Tenant.ID, u.agentID, kind)
	return err
}
