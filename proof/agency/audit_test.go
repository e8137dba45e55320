package agency_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// lastEntry returns the fields that the newest audit entry names, sorted.
func (w *agentWorld) lastEntry() (fields []string) {
	w.t.Helper()
	w.must(nil, w.app.Audit.Link(w.ctx))
	var text []byte
	_, err := store.One(w.ctx, w.store, []any{&text}, "SELECT changes FROM audit_entry WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1", w.tenantID())
	w.must(nil, err)
	var changes []audit.Change
	w.must(nil, json.Unmarshal(text, &changes))
	for _, c := range changes {
		fields = append(fields, c.Field)
	}
	slices.Sort(fields)
	return fields
}

// The entry of a registration names every field that was given, as those of
// updates do.
func TestRegistrationNamesWhatWasGiven(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		equal(t, "only what is required", w.lastEntry(), []string{"agentCode", "firstName", "lastName", "status"})
		in := under("A1", "A2")
		in.Teams[0].Level, in.StartDate, in.IsDedicated = new(10), patch.Set(w.clock.Now().Add(-time.Hour)), patch.Set(true)
		in.MiddleName, in.CommonName, in.Gender, in.Email, in.NPN, in.CustomerID =
			patch.Set("M"), patch.Set("An"), patch.Set("f"), patch.Set("a@b"), patch.Set("1"), patch.Set("2")
		in.BirthDate, in.GovernmentIdentifier = patch.Set(date.Of(1980, 1, 1)), new("900-12-3456")
		in.Contact = agency.Contact{
			Addresses: map[agency.AddressKind]*agency.Address{agency.HomeAddress: {City: patch.Set("Austin"), Line2: patch.Set("2")}, agency.BusinessAddress: {Country: patch.Set("US")}},
			Phones:    map[agency.PhoneKind]*agency.Phone{agency.CellPhone: {PhoneNumber: patch.Set("5550100")}, agency.Fax: {AreaCode: patch.Set("512"), PhoneNumber: patch.Set("5550101")}},
		}
		w.register(in)
		equal(t, "everything", w.lastEntry(), []string{"agentCode", "birthDate", "businessAddress.country", "cellPhone.countryCode", "cellPhone.phoneNumber",
			"commonName", "customerId", "email", "fax.areaCode", "fax.countryCode", "fax.phoneNumber", "firstName", "gender", "governmentIdentifier",
			"homeAddress.city", "homeAddress.line2", "isDedicated", "lastName", "middleName", "npn", "startDate", "status",
			"teams.default.directUpline", "teams.default.level"})
	})
}

// An agent that an import adds with a tax id has an entry of its own, with the same
// fingerprint as one that is registered; the others of the file share one.
func TestImportedTaxIDsHaveFingerprints(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		in := newcomer("A1")
		in.GovernmentIdentifier = new("900-12-3456")
		w.register(in)
		const entries = "SELECT count(*) FROM audit_entry WHERE tenant_id = $1"
		before := w.count(entries, w.tenantID())
		w.apply(w.ImportAgents(), true, "agentCode=B1 firstName=Bo lastName=Ek status=Active governmentIdentifier=900123456",
			"agentCode=B2 firstName=Cy lastName=Ek status=Active", "agentCode=B3 firstName=Di lastName=Ek status=Active governmentIdentifier=900-12-9999",
			"agentCode=B4 firstName=Ed lastName=Ek status=Active")
		equal(t, "entries of the import", w.count(entries, w.tenantID())-before, 3)
		fingerprint := func(code string) string {
			var text []byte
			_, err := store.One(w.ctx, w.store, []any{&text}, `SELECT e.changes FROM audit_entry e JOIN audit_entry_key k ON k.tenant_id = e.tenant_id AND k.seq = e.seq
				WHERE e.tenant_id = $1 AND k.entity_key = $2`, w.tenantID(), code)
			w.must(nil, err)
			var changes []audit.Change
			w.must(nil, json.Unmarshal(text, &changes))
			for _, c := range changes {
				if c.Field == "governmentIdentifier" {
					return c.Fingerprint
				}
			}
			return ""
		}
		equal(t, "the same number", fingerprint("B1"), fingerprint("A1"))
		if fingerprint("B1") == "" || fingerprint("B3") == "" || fingerprint("B1") == fingerprint("B3") || fingerprint("B2") != "" {
			t.Errorf("fingerprints %q, %q and, without a number, %q", fingerprint("B1"), fingerprint("B3"), fingerprint("B2"))
		}
	})
}

// A W9 is compared with all whose days it takes, and with none where there was none: the
// entry names what differs on any day.
func TestW9PeriodNamesWhatDiffers(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("A1"), agentToday.AddDays(-60)))
		w.must(w.applyW9("A1", someW9("Ana"), agentToday, agentToday.AddDays(9).Ptr()))
		equal(t, "the first", w.lastEntry(), []string{"w9.name", "w9.taxClassification"})
		w.must(w.applyW9("A1", payee.W9Details{Name: patch.Set("Ana"), TaxClassification: patch.Set("INDIVIDUAL"), Address: payee.W9Address{City: patch.Set("Austin")}}, agentToday.AddDays(5), nil))
		equal(t, "another city, and days that had no W9", w.lastEntry(), []string{"w9.address.city", "w9.name", "w9.taxClassification"})
		w.must(w.applyW9("A1", someW9("Ana"), agentToday, nil))
		equal(t, "no city any more", w.lastEntry(), []string{"w9.address.city"})
	})
}

// An agent code can be used again after its agent was deleted. The trail of the
// new agent is its own, also when all of it happened at one instant; that of the
// code is in the tenant's trail.
func TestTrailOfACodeUsedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for range 2 {
			w.register(newcomer("A1"))
			w.must(w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{Email: patch.Set("a@b.example")}, Initiator: "first"}))
			w.must(w.DeleteAgent(w.ctx, "A1", nil, "first"))
		}
		w.register(newcomer("A1"))
		w.must(w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{NPN: patch.Set("12")}, Initiator: "second"}))
		list, err := w.app.Audit.ByAgents(w.ctx)
		w.must(list, err)
		id := w.agent("A1").ID
		pages, err := list.Pages(w.ctx, []int64{id}, page.Args{})
		w.must(pages, err)
		var initiators []string
		for _, row := range pages[id].Items {
			initiators = append(initiators, row.Initiator)
		}
		equal(t, "the agent's", initiators, []string{"second", "hr-import"})
		equal(t, "the code's", w.count("SELECT count(*) FROM audit_entry_key WHERE tenant_id = $1 AND entity_key = 'A1'", w.tenantID()), 8)
	})
}
