package agency

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
)

// AddressKind tells the addresses of an agent apart.
type AddressKind string

// The addresses of an agent.
const (
	HomeAddress     AddressKind = "HOME"
	BusinessAddress AddressKind = "BUSINESS"
)

// PhoneKind tells the telephone numbers of an agent apart.
type PhoneKind string

// The telephone numbers of an agent.
const (
	CellPhone     PhoneKind = "CELL"
	HomePhone     PhoneKind = "HOME"
	BusinessPhone PhoneKind = "BUSINESS"
	Fax           PhoneKind = "FAX"
)

// Address is a postal address, or the changes of one.
type Address struct {
	Line1        patch.Field[string] `name:"line1" column:"line1" as:"text" about:"street"`
	Line2        patch.Field[string] `name:"line2" column:"line2" as:"text" about:"second line"`
	City         patch.Field[string] `name:"city" column:"city" as:"text" about:"town"`
	Jurisdiction patch.Field[string] `name:"jurisdiction" column:"jurisdiction" as:"text" about:"a configured jurisdiction"`
	PostalCode   patch.Field[string] `name:"postalCode" column:"postal_code" as:"text" about:"postal code"`
	Country      patch.Field[string] `name:"country" column:"country" as:"text" about:"country"`
}

// Phone is a telephone number, or the changes of one. "countryCode defaults to 1"
// (Resources, "Agent").
type Phone struct {
	CountryCode patch.Field[string] `name:"countryCode" column:"country_code" as:"countryCode" default:"1" about:"1 by default"`
	AreaCode    patch.Field[string] `name:"areaCode" column:"area_code" as:"areaCode" about:"area code"`
	PhoneNumber patch.Field[string] `name:"phoneNumber" column:"phone_number" as:"phoneNumber" needed:"true" about:"number; required when one of the others is given. One that begins with + is split into the three"`
}

// The tables of fields of a contact.
var (
	AddressFields = fields.Of[Address]()
	PhoneFields   = fields.Of[Phone]()
)

// Contact holds the addresses and telephone numbers of an agent.
type Contact struct {
	Addresses map[AddressKind]*Address
	Phones    map[PhoneKind]*Phone
}

func readAddresses(ctx context.Context, q store.Querier, tenantID int64, agentIDs []int64) (map[int64]map[AddressKind]*Address, error) {
	return readOfKinds[AddressKind](ctx, q, tenantID, agentIDs, "agency_address", AddressFields)
}

// readOfKinds reads the rows that a table has of agents. An agent has at most one row of
// each kind.
func readOfKinds[K ~string, T any](ctx context.Context, q store.Querier, tenantID int64, agentIDs []int64, table string, lines fields.Table[T]) (map[int64]map[K]*T, error) {
	byAgent := make(map[int64]map[K]*T, len(agentIDs))
	_, err := store.Collect(ctx, q, func(r store.Scanner) (struct{}, error) {
		var (
			id   int64
			kind K
			row  = new(T)
		)
		err := r.Scan(append([]any{&id, &kind}, lines.Dest(row)...)...)
		if byAgent[id] == nil {
			byAgent[id] = map[K]*T{}
		}
		byAgent[id][kind] = row
		return struct{}{}, err
	}, "SELECT agent_id, kind, "+strings.Join(lines.Columns(), ", ")+" FROM "+table+" WHERE tenant_id = $1 AND "+q.In("agent_id", "$2"), tenantID, q.List(agentIDs))
	return byAgent, err
}

func readPhones(ctx context.Context, q store.Querier, tenantID int64, agentIDs []int64) (map[int64]map[PhoneKind]*Phone, error) {
	return readOfKinds[PhoneKind](ctx, q, tenantID, agentIDs, "agency_phone", PhoneFields)
}

// fieldOfAddress and fieldOfPhone are the names of each kind's input field.
var (
	fieldOfAddress = map[AddressKind]string{HomeAddress: "homeAddress", BusinessAddress: "businessAddress"}
	fieldOfPhone   = map[PhoneKind]string{CellPhone: "cellPhone", HomePhone: "homePhone", BusinessPhone: "businessPhone", Fax: "fax"}
)

// addressKinds and phoneKinds are all kinds, in the order in which problems are reported.
var (
	addressKinds = []AddressKind{HomeAddress, BusinessAddress}
	phoneKinds   = []PhoneKind{CellPhone, HomePhone, BusinessPhone, Fax}
)

// checkContact checks the contact of a new agent, and tidies its texts. A telephone
// number has to have its number; an address without any value is dropped.
func checkContact(c *record.Check, in *Contact) {
	for _, kind := range addressKinds {
		a := in.Addresses[kind]
		if a != nil {
			c.Properties(AddressFields, a, fieldOfAddress[kind])
		}
		if a == nil || AddressFields.Given(a) == nil {
			delete(in.Addresses, kind)
		}
	}
	for _, kind := range phoneKinds {
		p := in.Phones[kind]
		if p == nil {
			delete(in.Phones, kind)
			continue
		}
		if p.PhoneNumber.Value == nil {
			p.PhoneNumber = patch.Set("")
		}
		c.Properties(PhoneFields, p, fieldOfPhone[kind])
		PhoneFields.Complete(p)
	}
}

// The columns of an agent's address and telephone number.
var (
	newAddressColumns = slices.Concat([]string{"tenant_id", "agent_id", "kind"}, AddressFields.Columns())
	newPhoneColumns   = slices.Concat([]string{"tenant_id", "agent_id", "kind"}, PhoneFields.Columns())
)

// contactOf is the contact of an agent, or a part of it.
type contactOf struct {
	agentID int64
	Contact
}

// insertContacts adds the addresses and telephone numbers of agents.
func insertContacts(ctx context.Context, w *record.Writing, all []contactOf) error {
	addresses := contactRows(w.Tenant.ID, all, addressKinds, AddressFields, func(c Contact) map[AddressKind]*Address { return c.Addresses })
	if err := w.CopyLater(ctx, "agency_address", newAddressColumns, addresses); err != nil {
		return fmt.Errorf("address: %w", err)
	}
	phones := contactRows(w.Tenant.ID, all, phoneKinds, PhoneFields, func(c Contact) map[PhoneKind]*Phone { return c.Phones })
	if err := w.CopyLater(ctx, "agency_phone", newPhoneColumns, phones); err != nil {
		return fmt.Errorf("phone: %w", err)
	}
	return w.AddKeys(ctx, keysOfContacts(all)...)
}

func contactRows[K ~string, T any](tenantID int64, all []contactOf, kinds []K, lines fields.Table[T], of func(Contact) map[K]*T) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		var row []any
		for _, c := range all {
			for _, kind := range kinds {
				v := of(c.Contact)[kind]
				if v == nil {
					continue
				}
				if row = lines.Append(append(row[:0], tenantID, c.agentID, string(kind)), v); !yield(row) {
					return
				}
			}
		}
	}
}

// The kinds as enumerations.
var (
	AddressKinds = enum.Of(HomeAddress, BusinessAddress)
	PhoneKinds   = enum.Of(CellPhone, HomePhone, BusinessPhone, Fax)
)

func (c Contact) given() (names []string) {
	for _, kind := range addressKinds {
		if a := c.Addresses[kind]; a != nil {
			names = append(names, below(fieldOfAddress[kind], AddressFields.Given(a))...)
		}
	}
	for _, kind := range phoneKinds {
		if p := c.Phones[kind]; p != nil {
			names = append(names, below(fieldOfPhone[kind], PhoneFields.Given(p))...)
		}
	}
	return names
}

// keysOfPhone are the keys that a telephone number gives; none for nil.
func keysOfPhone(p *Phone) record.Keys {
	if p == nil {
		return nil
	}
	return record.Keys{}.OfPhone(p.CountryCode.OrZero(), p.AreaCode.OrZero(), p.PhoneNumber.OrZero())
}

// sourceOf is the source of the keys of a telephone number.
func sourceOf(kind PhoneKind) int64 { return int64(-1 - slices.Index(phoneKinds, kind)) }

func keysOfContacts(all []contactOf) (keys []record.Keyed) {
	for _, c := range all {
		for _, kind := range phoneKinds {
			keys = append(keys, record.Keyed{AgentID: c.agentID, Source: sourceOf(kind), Keys: keysOfPhone(c.Phones[kind])})
		}
	}
	return keys
}

// below returns the paths of the fields of a record that is itself a field.
func below(field string, names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = field + "." + name
	}
	return paths
}
