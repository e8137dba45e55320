package agency

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/words/patch"
)

// ContactUpdate are the changes of how to reach an agent. What is omitted
// stays, of addresses and numbers part by part.
type ContactUpdate struct {
	Addresses map[AddressKind]patch.Field[AddressUpdate]
	Phones    map[PhoneKind]patch.Field[PhoneUpdate]
	Initiator string
}

// AddressUpdate are the changes of an address.
type AddressUpdate struct{ Line1, Line2, City, Jurisdiction, PostalCode, Country patch.Field[string] }

// PhoneUpdate are the changes of a telephone number.
type PhoneUpdate struct{ CountryCode, AreaCode, PhoneNumber patch.Field[string] }

// UpdateContact changes addresses and telephone numbers. changed is false when
// everything sent was already so; nothing is then written.
func (s *Service) UpdateContact(ctx context.Context, code string, in ContactUpdate) (changed bool, err error) {
	var sent inputCheck
	in.Initiator = sent.Initiator(in.Initiator)
	addresses, phones := sent.contactUpdate(in)
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		agentID, err := w.lockAgent(ctx, code)
		if err != nil {
			return err
		}
		u := contactWriting{w: w, agentID: agentID, addresses: addresses, phones: phones}
		u.refused.List = slices.Clone(sent.List)
		fields, err := u.merge(ctx)
		changed = len(fields) > 0
		if err != nil || !changed {
			return err
		}
		if err := u.write(ctx); err != nil {
			return err
		}
		return w.touchAgent(ctx, agentID, fields...)
	})
	return changed, err
}

// addressPart is a text of an address: its field, where it is and where its
// change is.
type addressPart struct {
	field  string
	text   **string
	change *patch.Field[string]
}

// parts are the texts of an address beside their changes.
func (a *Address) parts(u *AddressUpdate) []addressPart {
	return []addressPart{
		{"line1", &a.Line1, &u.Line1}, {"line2", &a.Line2, &u.Line2}, {"city", &a.City, &u.City},
		{"jurisdiction", &a.Jurisdiction, &u.Jurisdiction}, {"postalCode", &a.PostalCode, &u.PostalCode}, {"country", &a.Country, &u.Country},
	}
}

// contactUpdate checks what was sent and returns it without the blanks around
// its texts.
func (c *inputCheck) contactUpdate(in ContactUpdate) (map[AddressKind]patch.Field[AddressUpdate], map[PhoneKind]patch.Field[PhoneUpdate]) {
	addresses, phones := map[AddressKind]patch.Field[AddressUpdate]{}, map[PhoneKind]patch.Field[PhoneUpdate]{}
	for _, kind := range addressKinds {
		f := in.Addresses[kind]
		if f.Value != nil {
			u := *f.Value
			for _, p := range new(Address).parts(&u) {
				c.Clearable(p.change, maxText, fieldOfAddress[kind], p.field)
			}
			f = patch.Set(u)
		}
		addresses[kind] = f
	}
	for _, kind := range phoneKinds {
		f := in.Phones[kind]
		if f.Value != nil {
			u, field := *f.Value, fieldOfPhone[kind]
			c.Clearable(&u.CountryCode, maxCountryCode, field, "countryCode")
			c.Clearable(&u.AreaCode, maxAreaCode, field, "areaCode")
			c.Kept(&u.PhoneNumber, maxPhoneNumber, field, "phoneNumber")
			f = patch.Set(u)
		}
		phones[kind] = f
	}
	return addresses, phones
}
