package graph

import (
	"github.com/uplinehq/upline/graph/encode"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
)

// address encodes one of an agent's addresses.
func (e *encoders) address(kind agency.AddressKind) encode.Compile[*model.Agent] {
	type view = *agency.Address
	object := &encode.Type[view]{Names: []string{"Address"}, Fields: map[string]encode.Compile[view]{
		"line1":        encode.OptionalText(func(a view) *string { return a.Line1 }),
		"line2":        encode.OptionalText(func(a view) *string { return a.Line2 }),
		"city":         encode.OptionalText(func(a view) *string { return a.City }),
		"jurisdiction": onlyKeyOf("Jurisdiction", "code", func(a view) *string { return a.Jurisdiction }),
		"postalCode":   encode.OptionalText(func(a view) *string { return a.PostalCode }),
		"country":      encode.OptionalText(func(a view) *string { return a.Country }),
	}}
	return related(object, e.addressesOf, func(all map[agency.AddressKind]*agency.Address, _ *model.Agent) (view, bool) {
		return all[kind], all[kind] != nil
	})
}

func (e *encoders) addressesOf(r *encode.Run, _ *model.Agent) *loader.Batch[map[agency.AddressKind]*agency.Address] {
	return e.r.addresses(r.Ctx)
}

// phone encodes one of an agent's telephone numbers.
func (e *encoders) phone(kind agency.PhoneKind) encode.Compile[*model.Agent] {
	type view = *agency.Phone
	object := &encode.Type[view]{Names: []string{"Phone"}, Fields: map[string]encode.Compile[view]{
		"countryCode": encode.Text(func(p view) string { return p.CountryCode }),
		"areaCode":    encode.OptionalText(func(p view) *string { return p.AreaCode }),
		"phoneNumber": encode.Text(func(p view) string { return p.PhoneNumber }),
	}}
	return related(object, e.phonesOf, func(all map[agency.PhoneKind]*agency.Phone, _ *model.Agent) (view, bool) {
		return all[kind], all[kind] != nil
	})
}

func (e *encoders) phonesOf(r *encode.Run, _ *model.Agent) *loader.Batch[map[agency.PhoneKind]*agency.Phone] {
	return e.r.phones(r.Ctx)
}
