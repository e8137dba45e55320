package agency_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
)

// address writes an address as text, a dash for what is missing.
func addressText(a *agency.Address) string {
	if a == nil {
		return "none"
	}
	var parts []string
	for _, l := range agency.AddressFields {
		parts = append(parts, orCleared(l.Of(a).(*patch.Field[string]).Value))
	}
	return strings.Join(parts, "|")
}

func phoneText(p *agency.Phone) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprintf("+%s %s %s", p.CountryCode.OrZero(), orCleared(p.AreaCode.Value), p.PhoneNumber.OrZero())
}

func (w *agentWorld) address(code string, kind agency.AddressKind) string {
	w.t.Helper()
	return addressText(w.addresses(code)[kind])
}

func (w *agentWorld) phone(code string, kind agency.PhoneKind) string {
	w.t.Helper()
	return phoneText(w.phones(code)[kind])
}

func (w *agentWorld) addresses(code string) map[agency.AddressKind]*agency.Address {
	w.t.Helper()
	return ofKinds[agency.AddressKind](w, code, "agency_address", agency.AddressFields)
}

func (w *agentWorld) phones(code string) map[agency.PhoneKind]*agency.Phone {
	w.t.Helper()
	return ofKinds[agency.PhoneKind](w, code, "agency_phone", agency.PhoneFields)
}

// ofKinds reads the rows that a table has of an agent, by their kinds.
func ofKinds[K ~string, T any](w *agentWorld, code, table string, lines fields.Table[T]) map[K]*T {
	w.t.Helper()
	all := map[K]*T{}
	_, err := store.Collect(w.ctx, w.store, func(r store.Scanner) (struct{}, error) {
		var kind K
		row := new(T)
		err := r.Scan(append(lines.Dest(row), &kind)...)
		all[kind] = row
		return struct{}{}, err
	}, "SELECT "+strings.Join(lines.Columns(), ", ")+", kind FROM "+table+" WHERE tenant_id = $1 AND agent_id = $2", w.tenantID(), w.agent(code).ID)
	w.must(nil, err)
	return all
}

func home(u agency.Address) agency.ContactUpdate {
	return agency.ContactUpdate{Initiator: "edit", Addresses: map[agency.AddressKind]patch.Field[agency.Address]{agency.HomeAddress: patch.Set(u)}}
}

func cell(u agency.Phone) agency.ContactUpdate {
	return agency.ContactUpdate{Initiator: "edit", Phones: map[agency.PhoneKind]patch.Field[agency.Phone]{agency.CellPhone: patch.Set(u)}}
}

// housed registers an agent with a home address and a cell phone.
func (w *agentWorld) housed(code string) {
	in := newcomer(code)
	in.Contact = agency.Contact{
		Addresses: map[agency.AddressKind]*agency.Address{agency.HomeAddress: {Line1: patch.Set("1 Main"), City: patch.Set("Austin"), Jurisdiction: patch.Set("US-TX"), PostalCode: patch.Set("78701")}},
		Phones:    map[agency.PhoneKind]*agency.Phone{agency.CellPhone: {CountryCode: patch.Set("52"), AreaCode: patch.Set("512"), PhoneNumber: patch.Set("5550100")}},
	}
	w.register(in)
}

// Partial updates hold for the parts of an address: "Property omitted: value
// unchanged. Property set to a value: value replaced. Property set to null:
// value cleared".
func TestContactAddressIsMergedPartByPart(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.housed("A1")
		const before = "1 Main|-|Austin|US-TX|78701|-"
		equal(t, "registered", strings.ReplaceAll(w.address("A1", agency.HomeAddress), orCleared(nil), "-"), before)
		for i, line := range agency.AddressFields {
			name := line.Name
			part := func(a *agency.Address) *patch.Field[string] { return line.Of(a).(*patch.Field[string]) }
			var set, cleared agency.Address
			value := map[bool]string{true: "US-OK", false: " new "}[name == "jurisdiction"]
			*part(&set), *part(&cleared) = patch.Set(value), patch.Null[string]()
			was := strings.Split(w.address("A1", agency.HomeAddress), "|")
			changed, err := w.UpdateContact(w.ctx, "A1", home(set))
			w.must(changed, err)
			want := slices.Clone(was)
			want[i] = strings.TrimSpace(value)
			equal(t, name+" set: only that is replaced", w.address("A1", agency.HomeAddress), strings.Join(want, "|"))
			w.must(w.UpdateContact(w.ctx, "A1", home(cleared)))
			want[i] = orCleared(nil)
			equal(t, name+" null: only that is cleared", w.address("A1", agency.HomeAddress), strings.Join(want, "|"))
			*part(&set) = patch.Set(map[bool]string{true: "US-TX", false: "kept"}[name == "jurisdiction"])
			w.must(w.UpdateContact(w.ctx, "A1", home(set)))
		}
		equal(t, "the cell phone stays", w.phone("A1", agency.CellPhone), "+52 512 5550100")
		equal(t, "who changed the agent", w.agent("A1").LastModifiedBy, "edit")
	})
}

// An address or number set to null is cleared as a whole, and so is an address
// of which nothing is left.
func TestContactNullClearsTheWhole(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.housed("A1")
		null := patch.Null[string]()
		w.must(w.UpdateContact(w.ctx, "A1", home(agency.Address{Line1: null, City: patch.Set(" "), Jurisdiction: null, PostalCode: null})))
		equal(t, "nothing is left", w.address("A1", agency.HomeAddress), "none")
		equal(t, "rows of it", w.count("SELECT count(*) FROM agency_address WHERE tenant_id = $1", w.tenantID()), 0)
		w.must(w.UpdateContact(w.ctx, "A1", home(agency.Address{City: patch.Set("Tulsa")})))
		w.must(w.UpdateContact(w.ctx, "A1", agency.ContactUpdate{Initiator: "edit",
			Addresses: map[agency.AddressKind]patch.Field[agency.Address]{agency.HomeAddress: patch.Null[agency.Address]()},
			Phones:    map[agency.PhoneKind]patch.Field[agency.Phone]{agency.CellPhone: patch.Null[agency.Phone]()}}))
		equal(t, "address", w.address("A1", agency.HomeAddress), "none")
		equal(t, "phone", w.phone("A1", agency.CellPhone), "none")
	})
}

// "countryCode defaults to 1" (Resources, "Agent"), for a new number and for a
// cleared one; a stored one stays when it is omitted.
func TestContactPhone(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.housed("A1")
		w.must(w.UpdateContact(w.ctx, "A1", cell(agency.Phone{AreaCode: patch.Null[string]()})))
		equal(t, "omitted stays", w.phone("A1", agency.CellPhone), "+52 "+orCleared(nil)+" 5550100")
		w.must(w.UpdateContact(w.ctx, "A1", cell(agency.Phone{CountryCode: patch.Null[string](), PhoneNumber: patch.Set(" 5550199 ")})))
		equal(t, "null is 1", w.phone("A1", agency.CellPhone), "+1 "+orCleared(nil)+" 5550199")
		fax := agency.ContactUpdate{Initiator: "edit", Phones: map[agency.PhoneKind]patch.Field[agency.Phone]{
			agency.Fax: patch.Set(agency.Phone{PhoneNumber: patch.Set("5550111")})}}
		w.must(w.UpdateContact(w.ctx, "A1", fax))
		equal(t, "a new number", w.phone("A1", agency.Fax), "+1 "+orCleared(nil)+" 5550111")
	})
}

// What is wrong is refused all together, with the path of each, and nothing is
// changed: "a required field set to null is a validation error" (Partial
// updates, 1), and a jurisdiction has to be configured (Reference data).
func TestContactUpdateRefused(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.housed("A1")
		in := agency.ContactUpdate{
			Addresses: map[agency.AddressKind]patch.Field[agency.Address]{
				agency.HomeAddress:     patch.Set(agency.Address{Line1: patch.Set(strings.Repeat("x", 256)), Jurisdiction: patch.Set("US-ZZ")}),
				agency.BusinessAddress: patch.Set(agency.Address{City: patch.Set("a\x00b")}),
			},
			Phones: map[agency.PhoneKind]patch.Field[agency.Phone]{
				agency.CellPhone:     patch.Set(agency.Phone{PhoneNumber: patch.Null[string]()}),
				agency.HomePhone:     patch.Set(agency.Phone{AreaCode: patch.Set("512")}),
				agency.BusinessPhone: patch.Set(agency.Phone{PhoneNumber: patch.Null[string]()}),
			},
		}
		w.unchanged(func() {
			_, err := w.UpdateContact(w.ctx, "A1", in)
			equal(t, "problems", problems(err), []string{"REQUIRED initiator", "TOO_LONG homeAddress.line1", "INVALID_FORMAT businessAddress.city",
				"NULL_NOT_ALLOWED cellPhone.phoneNumber", "NULL_NOT_ALLOWED businessPhone.phoneNumber",
				"UNKNOWN_JURISDICTION homeAddress.jurisdiction", "REQUIRED homePhone.phoneNumber"})
			_, err = w.UpdateContact(w.ctx, "NOBODY", home(agency.Address{City: patch.Set("Austin")}))
			equal(t, "nobody", problems(err), []string{"UNKNOWN_AGENT"})
			_, err = w.UpdateContact(w.other, "A1", home(agency.Address{City: patch.Set("Austin")}))
			equal(t, "an agent of another tenant", problems(err), []string{"UNKNOWN_AGENT"})
		})
	})
}

// What is already so changes nothing: no row, and no stamp of the agent.
func TestContactUpdateThatChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.housed("A1")
		for name, in := range map[string]agency.ContactUpdate{
			"nothing":            {Initiator: "edit"},
			"the same":           home(agency.Address{City: patch.Set(" Austin "), Country: patch.Null[string](), Jurisdiction: patch.Set("US-TX")}),
			"the same number":    cell(agency.Phone{CountryCode: patch.Set("52"), PhoneNumber: patch.Set("5550100")}),
			"an empty change":    home(agency.Address{}),
			"clear what is none": {Initiator: "edit", Phones: map[agency.PhoneKind]patch.Field[agency.Phone]{agency.Fax: patch.Null[agency.Phone]()}},
			"an empty address":   {Initiator: "edit", Addresses: map[agency.AddressKind]patch.Field[agency.Address]{agency.BusinessAddress: patch.Set(agency.Address{City: patch.Set(" ")})}},
		} {
			w.unchanged(func() {
				changed, err := w.UpdateContact(w.ctx, "A1", in)
				w.must(changed, err)
				equal(t, name+": changed", changed, false)
			})
		}
	})
}

func orCleared(s *string) string {
	if s == nil {
		return cleared
	}
	return *s
}
