package agency

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// AddressKind says which of an agent's addresses one is.
type AddressKind string

// The addresses of an agent.
const (
	HomeAddress     AddressKind = "HOME"
	BusinessAddress AddressKind = "BUSINESS"
)

// PhoneKind says which of an agent's telephone numbers one is.
type PhoneKind string

// The telephone numbers of an agent.
const (
	CellPhone     PhoneKind = "CELL"
	HomePhone     PhoneKind = "HOME"
	BusinessPhone PhoneKind = "BUSINESS"
	Fax           PhoneKind = "FAX"
)

// Address is a postal address.
type Address struct{ Line1, Line2, City, Jurisdiction, PostalCode, Country *string }

// Phone is a telephone number. CountryCode defaults to 1 (Resources, "Agent").
type Phone struct {
	CountryCode string
	AreaCode    *string
	PhoneNumber string
}

// Contact is how to reach an agent.
type Contact struct {
	Addresses map[AddressKind]*Address
	Phones    map[PhoneKind]*Phone
}

// Addresses reads the addresses of agents.
func (s *Service) Addresses(ctx context.Context, agentIDs []int64) (map[int64]map[AddressKind]*Address, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return readAddresses(ctx, s.store, tenantID, agentIDs)
}

func readAddresses(ctx context.Context, q store.Querier, tenantID int64, agentIDs []int64) (map[int64]map[AddressKind]*Address, error) {
	byAgent := make(map[int64]map[AddressKind]*Address, len(agentIDs))
	_, err := store.Collect(ctx, q, func(r store.Scanner) (struct{}, error) {
		var (
			id   int64
			kind AddressKind
			a    Address
		)
		err := r.Scan(&id, &kind, &a.Line1, &a.Line2, &a.City, &a.Jurisdiction, &a.PostalCode, &a.Country)
		if byAgent[id] == nil {
			byAgent[id] = map[AddressKind]*Address{}
		}
		byAgent[id][kind] = &a
		return struct{}{}, err
	}, "SELECT agent_id, kind, line1, line2, city, jurisdiction, postal_code, country FROM agency_address WHERE tenant_id = $1 AND "+
		q.In("agent_id", "$2"), tenantID, q.List(agentIDs))
	return byAgent, err
}

// Phones reads the telephone numbers of agents.
func (s *Service) Phones(ctx context.Context, agentIDs []int64) (map[int64]map[PhoneKind]*Phone, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return readPhones(ctx, s.store, tenantID, agentIDs)
}

func readPhones(ctx context.Context, q store.Querier, tenantID int64, agentIDs []int64) (map[int64]map[PhoneKind]*Phone, error) {
	byAgent := make(map[int64]map[PhoneKind]*Phone, len(agentIDs))
	_, err := store.Collect(ctx, q, func(r store.Scanner) (struct{}, error) {
		var (
			id   int64
			kind PhoneKind
			p    Phone
		)
		err := r.Scan(&id, &kind, &p.CountryCode, &p.AreaCode, &p.PhoneNumber)
		if byAgent[id] == nil {
			byAgent[id] = map[PhoneKind]*Phone{}
		}
		byAgent[id][kind] = &p
		return struct{}{}, err
	}, "SELECT agent_id, kind, country_code, area_code, phone_number FROM agency_phone WHERE tenant_id = $1 AND "+
		q.In("agent_id", "$2"), tenantID, q.List(agentIDs))
	return byAgent, err
}

// fieldOfAddress and fieldOfPhone are the input fields of each kind.
var (
	fieldOfAddress = map[AddressKind]string{HomeAddress: "homeAddress", BusinessAddress: "businessAddress"}
	fieldOfPhone   = map[PhoneKind]string{CellPhone: "cellPhone", HomePhone: "homePhone", BusinessPhone: "businessPhone", Fax: "fax"}
)

// The kinds, in the order in which problems are reported.
var (
	addressKinds = []AddressKind{HomeAddress, BusinessAddress}
	phoneKinds   = []PhoneKind{CellPhone, HomePhone, BusinessPhone, Fax}
)

// "countryCode defaults to 1" (Resources, "Agent").
const defaultCountryCode = "1"

// Lengths of the parts of a telephone number, in characters.
const (
	maxCountryCode = 4
	maxAreaCode    = 10
	maxPhoneNumber = 20
)

func (c *inputCheck) contact(in *Contact) {
	for _, kind := range addressKinds {
		a := in.Addresses[kind]
		if a == nil {
			delete(in.Addresses, kind)
			continue
		}
		for _, p := range a.parts(new(AddressUpdate)) {
			*p.text = c.Optional(*p.text, maxText, fieldOfAddress[kind], p.field)
		}
		if *a == (Address{}) {
			delete(in.Addresses, kind)
		}
	}
	for _, kind := range phoneKinds {
		p := in.Phones[kind]
		if p == nil {
			delete(in.Phones, kind)
			continue
		}
		if p.CountryCode == "" {
			p.CountryCode = defaultCountryCode
		}
		field := fieldOfPhone[kind]
		p.CountryCode = c.Required(p.CountryCode, maxCountryCode, field, "countryCode")
		p.AreaCode = c.Optional(p.AreaCode, maxAreaCode, field, "areaCode")
		p.PhoneNumber = c.Required(p.PhoneNumber, maxPhoneNumber, field, "phoneNumber")
	}
}

// contactProblems adds the references of a contact that are not configured to
// what is refused.
func (w *writing) contactProblems(ctx context.Context, in Contact, refused *problem.List) error {
	for _, kind := range addressKinds {
		if a := in.Addresses[kind]; a != nil && a.Jurisdiction != nil {
			if err := w.mustRefer(ctx, refused, jurisdictionTable, *a.Jurisdiction, fieldOfAddress[kind], "jurisdiction"); err != nil {
				return err
			}
		}
	}
	return nil
}

// insertContact writes the contact of a new agent.
func (w *writing) insertContact(ctx context.Context, agentID int64, in Contact) error {
	for kind, a := range in.Addresses {
		err := w.Address.Create().SetAgentID(agentID).SetKind(string(kind)).SetNillableLine1(a.Line1).SetNillableLine2(a.Line2).
			SetNillableCity(a.City).SetNillableJurisdiction(a.Jurisdiction).SetNillablePostalCode(a.PostalCode).SetNillableCountry(a.Country).Exec(ctx)
		if err != nil {
			return fmt.Errorf("address: %w", err)
		}
	}
	for kind, p := range in.Phones {
		err := w.Phone.Create().SetAgentID(agentID).SetKind(string(kind)).SetCountryCode(p.CountryCode).
			SetNillableAreaCode(p.AreaCode).SetPhoneNumber(p.PhoneNumber).Exec(ctx)
		if err != nil {
			return fmt.Errorf("phone: %w", err)
		}
	}
	return nil
}
