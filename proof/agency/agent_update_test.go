package agency_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
)

// property is one property of PATCH /agents/{agentCode}.
type property struct {
	name string
	// old and new are two values, as text; null is the text after null, or
	// empty when the property is required.
	old, new, null string
	set            func(in *agency.AgentUpdate, value *string)
	get            func(w *agentWorld, a *agentRow) string
}

const cleared = "(null)"

// properties are those of an update: every detail, by the table, and the identifier.
func properties() []property {
	all := []property{{"governmentIdentifier", "123-45-6789", "987-65-4321", cleared,
		func(in *agency.AgentUpdate, v *string) { in.GovernmentIdentifier = patch.Of(v) },
		func(w *agentWorld, a *agentRow) string {
			return w.plainOr(cleared, &a.GovernmentIdentifier)
		}}}
	special := map[string]property{
		"firstName": {old: "one name", new: "other name"}, "lastName": {old: "one name", new: "other name"},
		"email":       {old: "one@example.com", new: "other@example.com", null: cleared},
		"birthDate":   {old: "1980-05-04", new: "1981-06-05", null: cleared},
		"isDedicated": {old: "true", new: "false", null: "false"},
		"startDate":   {old: "2020-01-02T03:04:05Z", new: "2021-01-02T03:04:05.000001Z"},
	}
	for _, detail := range agency.AgentDetails {
		p, ok := special[detail.Name]
		if !ok {
			p = property{old: "one text", new: "other text", null: cleared}
		}
		p.name = detail.Name
		p.set = func(in *agency.AgentUpdate, v *string) { send(detail.Of(&in.Details), v) }
		p.get = func(_ *agentWorld, a *agentRow) string { return shown(detail.Of(&a.Details)) }
		all = append(all, p)
	}
	return all
}

// send sends a property as a text says it; nil is null.
func send(p patch.Property, v *string) {
	p.Dest()
	if v == nil {
		return
	}
	switch p := p.(type) {
	case *patch.Field[string]:
		*p = patch.Set(*v)
	case *patch.Field[bool]:
		*p = patch.Set(*v == "true")
	case *patch.Field[date.Date]:
		d, _ := date.Parse(*v)
		*p = patch.Set(d)
	case *patch.Field[time.Time]:
		at, _ := time.Parse(time.RFC3339Nano, *v)
		*p = patch.Set(at)
	}
}

func shown(p patch.Property) string {
	switch v := p.Any().(type) {
	case nil:
		return cleared
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(v)
	}
}

// "Property omitted: value unchanged. Property set to a value: value replaced.
// Property set to null: value cleared, where the field allows it. Setting a
// required field to null is a validation error" (Partial updates).
func TestUpdateEveryProperty(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		all := properties()
		setup := agency.AgentUpdate{Initiator: "setup"}
		for _, p := range all {
			p.set(&setup, &p.old)
		}
		w.must(w.UpdateAgent(w.ctx, "A1", setup))

		for i, p := range all {
			t.Run(p.name, func(t *testing.T) {
				update := func(value *string) (bool, error) {
					in := agency.AgentUpdate{Initiator: "edit"}
					p.set(&in, value)
					return w.UpdateAgent(w.ctx, "A1", in)
				}
				w.unchanged(func() {
					changed, err := update(&p.old)
					w.must(nil, err)
					equal(t, "the same value changes nothing", changed, false)
				})
				at := w.later()
				changed, err := update(&p.new)
				w.must(nil, err)
				equal(t, "changed", changed, true)
				a := w.agent("A1")
				equal(t, "replaced", p.get(w, a), p.new)
				equal(t, "lastModified", a.LastModified.UTC(), at)
				equal(t, "lastModifiedBy", a.LastModifiedBy, "edit")
				equal(t, "createdBy", a.CreatedBy, "hr-import")
				for j, other := range all {
					if j != i {
						equal(t, "omitted "+other.name, other.get(w, a), other.old)
					}
				}

				w.later()
				w.must(update(&p.old))
				if p.null == "" {
					w.unchanged(func() {
						_, err := update(nil)
						equal(t, "null", problems(err), []string{"NULL_NOT_ALLOWED " + p.name})
					})
					return
				}
				w.must(update(nil))
				equal(t, "cleared", p.get(w, w.agent("A1")), p.null)
				w.unchanged(func() {
					changed, err := update(nil)
					w.must(nil, err)
					equal(t, "null again changes nothing", changed, false)
				})
				w.must(update(&p.old))
			})
		}
	})
}

func TestUpdateRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		if _, err := w.Register(w.other, newcomer("THEIRS"), false); err != nil {
			t.Fatal(err)
		}
		w.unchanged(func() {
			_, err := w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{FirstName: patch.Set(" "), LastName: patch.Null[string](),
				Email: patch.Set("x"), StartDate: patch.Set(w.clock.Now().Add(time.Second))}})
			equal(t, "all at once", problems(err), []string{"REQUIRED initiator", "REQUIRED firstName", "NULL_NOT_ALLOWED lastName", "INVALID_FORMAT email", "OUT_OF_RANGE startDate"})
			_, err = w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{GovernmentIdentifier: patch.Set(" ***-**-6789"), Initiator: "edit"})
			equal(t, "a mask", problems(err), []string{"INVALID_FORMAT governmentIdentifier"})
			_, err = w.UpdateAgent(w.ctx, "NOBODY", agency.AgentUpdate{Initiator: "edit"})
			equal(t, "unknown agent", problems(err), []string{"UNKNOWN_AGENT"})
			_, err = w.UpdateAgent(w.ctx, "THEIRS", agency.AgentUpdate{Details: agency.Details{FirstName: patch.Set("Eve")}, Initiator: "edit"})
			equal(t, "an agent of another agency", problems(err), []string{"UNKNOWN_AGENT"})
		})
		changed, err := w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{MiddleName: patch.Set("  ")}, Initiator: "edit"})
		w.must(nil, err)
		equal(t, "blank clears; it was clear", changed, false)
	})
}

// A change of the spelling alone is a change: the identifier is shown as it
// was written last, and found in any spelling.
func TestUpdateSpellingOfIdentifier(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		in := newcomer("A1")
		in.GovernmentIdentifier = new("123-45-6789")
		w.register(in)
		changed, err := w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{GovernmentIdentifier: patch.Set("123456789"), Initiator: "edit"})
		w.must(nil, err)
		equal(t, "changed", changed, true)
		equal(t, "shown", w.plain(&w.agent("A1").GovernmentIdentifier), "123456789")
		equal(t, "found", w.find(agency.AgentFilter{GovernmentIdentifier: new("123 45 6789")}), []string{"A1"})
	})
}

// "DELETE /agents/{agentCode}: permanently removes the agent and related data"
// (Endpoints, Agents).
func TestDeleteRemovesAllThatBelongsToTheAgent(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		in := under("TOP", "GONE")
		in.GovernmentIdentifier, in.Teams[0].Level = new("123-45-6789"), new(10)
		in.Contact = agency.Contact{
			Addresses: map[agency.AddressKind]*agency.Address{agency.HomeAddress: {Jurisdiction: patch.Set("US-TX")}},
			Phones:    map[agency.PhoneKind]*agency.Phone{agency.CellPhone: {PhoneNumber: patch.Set("5550100")}},
		}
		w.register(in)
		w.must(w.UpsertCertification(w.ctx, certification.Upsert{AgentCode: "GONE", Type: "AML", Initiator: "import"}, false))
		w.must(w.applyStatus("GONE", "Suspended", agentToday, nil))
		w.later()
		id, err := w.DeleteAgent(w.ctx, "GONE", nil, "hr")
		w.must(id, err)
		gone := fmt.Sprint(id)
		for _, table := range []string{"agency_address", "agency_phone", "agency_pay_status_period", "agency_upline_period", "agency_level_period", "agency_certification"} {
			equal(t, table, w.count("SELECT count(*) FROM "+table+" WHERE tenant_id = $1 AND agent_id = $2", w.tenantID(), id), 0)
		}
		equal(t, "agent", w.agent("GONE") == nil, true)
		equal(t, "certification periods", w.count("SELECT count(*) FROM agency_certification_period WHERE tenant_id = $1", w.tenantID()), 0)
		equal(t, "the hierarchy is told", w.count("SELECT count(*) FROM hierarchy_change WHERE tenant_id = $1 AND version = 3 AND agent_id = "+gone, w.tenantID()), 1)
		_, err = w.DeleteAgent(w.ctx, "GONE", nil, "hr")
		equal(t, "a repeated DELETE", problems(err), []string{"UNKNOWN_AGENT"})
		equal(t, "the code is free again", w.register(under("TOP", "GONE")), "GONE")
	})
}

// An agent is deleted only when it is nobody's upline from today on; past
// reports keep its code.
func TestDeleteAndDownline(t *testing.T) {
	yesterday, tomorrow := agentToday.AddDays(-1), agentToday.AddDays(1)
	for _, c := range []struct {
		name          string
		from, through *date.Date
		refused       bool
	}{
		{"today and open", agentToday.AddDays(-10).Ptr(), nil, true},
		{"through today", agentToday.AddDays(-10).Ptr(), &agentToday, true},
		{"from tomorrow", &tomorrow, nil, true},
		{"a future day only", &tomorrow, &tomorrow, true},
		{"through yesterday", agentToday.AddDays(-10).Ptr(), &yesterday, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *agentWorld) {
				long := agentToday.AddDays(-100)
				w.register(since(newcomer("BOSS"), long))
				w.register(since(newcomer("A1"), long))
				w.must(w.applyUpline("A1", new("BOSS"), *c.from, c.through))
				if c.refused {
					w.unchanged(func() {
						_, err := w.DeleteAgent(w.ctx, "BOSS", nil, "hr")
						equal(t, "problems", problems(err), []string{"AGENT_HAS_DOWNLINE"})
						equal(t, "category", string(categories(err)[0]), "CONFLICT")
					})
					return
				}
				w.must(w.DeleteAgent(w.ctx, "BOSS", nil, "hr"))
				history := w.uplineHistory("A1")
				equal(t, "past reports keep the code", slices.Contains(history, span("BOSS", *c.from, c.through)), true)
				// A later change writes the part that is left with the code.
				w.must(w.applyUpline("A1", nil, agentToday.AddDays(-5), agentToday.AddDays(-5).Ptr()))
				equal(t, "split", strings.Join(w.uplineHistory("A1")[1:4], " | "),
					strings.Join([]string{span("BOSS", *c.from, agentToday.AddDays(-6).Ptr()), span("-", agentToday.AddDays(-5), agentToday.AddDays(-5).Ptr()),
						span("BOSS", agentToday.AddDays(-4), &yesterday)}, " | "))
			})
		})
	}
}

func TestDeleteRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.unchanged(func() {
			_, err := w.DeleteAgent(w.ctx, "A1", nil, " ")
			equal(t, "no initiator", problems(err), []string{"REQUIRED initiator"})
			_, err = w.DeleteAgent(w.other, "A1", nil, "hr")
			equal(t, "from another agency", problems(err), []string{"UNKNOWN_AGENT"})
		})
	})
}
