package agency_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// "firstName, lastName: Yes; status: Yes; teams: Yes; initiator: Yes" (Agent):
// what is missing is reported together.
func TestRegistrationReportsAllThatIsMissing(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.unchanged(func() {
			_, err := w.Register(w.ctx, agency.Registration{Details: agency.Details{FirstName: patch.Set(" "), LastName: patch.Set("\t")}}, false)
			equal(t, "problems", problems(err), []string{"REQUIRED initiator", "REQUIRED firstName", "REQUIRED lastName", "REQUIRED status", "REQUIRED teams"})
		})
	})
}

// "Creating an agent also creates the agent's payee, contact and team
// membership records" (Agent).
func TestRegistrationStoresEverything(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		w.later()
		in := under("TOP", "A1")
		in.Details = agency.Details{
			FirstName: in.FirstName, MiddleName: patch.Set(" Maria "), LastName: in.LastName, CommonName: patch.Set("Annie"),
			Gender: patch.Set("Female"), Email: patch.Set("ana@example.com"), NPN: patch.Set("18998877"), CustomerID: patch.Set("C-7"),
			BirthDate: patch.Of(day(time.May, 4)), IsDedicated: patch.Set(true), StartDate: patch.Set(time.Date(2024, time.February, 1, 8, 30, 0, 0, time.UTC)),
		}
		in.GovernmentIdentifier = new("123-45-6789")
		in.Teams[0].Level = new(20)
		in.Contact = agency.Contact{
			Addresses: map[agency.AddressKind]*agency.Address{
				agency.HomeAddress:     {Line1: patch.Set("1 Main St"), City: patch.Set("Austin"), Jurisdiction: patch.Set("US-TX"), PostalCode: patch.Set("78701"), Country: patch.Set("US")},
				agency.BusinessAddress: nil,
			},
			Phones: map[agency.PhoneKind]*agency.Phone{
				agency.CellPhone: {AreaCode: patch.Set("512"), PhoneNumber: patch.Set("5550100")},
				agency.Fax:       {CountryCode: patch.Set("44"), PhoneNumber: patch.Set("2079460000")},
			},
		}
		w.register(in)

		a := w.agent("A1")
		equal(t, "names", []any{a.FirstName.Any(), a.MiddleName.Any(), a.LastName.Any(), a.CommonName.Any()}, []any{"Ana", "Maria", "Diaz", "Annie"})
		equal(t, "texts", []any{a.Gender.Any(), a.Email.Any(), a.NPN.Any(), a.CustomerID.Any(), a.BirthDate.OrZero().String()}, []any{"Female", "ana@example.com", "18998877", "C-7", "2026-05-04"})
		equal(t, "dedicated", a.IsDedicated.OrZero(), true)
		equal(t, "startDate", a.StartDate.OrZero().UTC(), in.StartDate.OrZero())
		now := w.clock.Now()
		equal(t, "stamps", []any{a.CreatedAt.UTC(), a.CreatedBy, a.LastModified.UTC(), a.LastModifiedBy}, []any{now, "hr-import", now, "hr-import"})
		equal(t, "governmentIdentifier", w.plain(&a.GovernmentIdentifier), "123-45-6789")

		addresses, phones := w.addresses("A1"), w.phones("A1")
		equal(t, "addresses", len(addresses), 1)
		equal(t, "home", addresses[agency.HomeAddress].Jurisdiction.OrZero(), "US-TX")
		// "countryCode defaults to 1" (Agent).
		equal(t, "cell", phoneText(phones[agency.CellPhone]), "+1 512 5550100")
		equal(t, "fax", phones[agency.Fax].CountryCode.OrZero(), "44")

		equal(t, "pay status", w.statusHistory("A1"), []string{"Active 2024-02-01.."})
		equal(t, "upline", w.uplineHistory("A1"), []string{"TOP 2024-02-01.."})
		equal(t, "level", w.levelHistory("A1"), []string{"20 2024-02-01.."})
		equal(t, "recordedBy", w.count("SELECT count(*) FROM agency_upline_period WHERE tenant_id = $1 AND recorded_by = 'hr-import' AND recorded_at = $2", w.tenantID(), now), 1)
		equal(t, "change of the hierarchy", w.count("SELECT count(*) FROM hierarchy_change WHERE tenant_id = $1 AND agent_id = $2", w.tenantID(), a.ID), 1)
	})
}

// "startDate: defaults to now; cannot be in the future or before 1900-01-01"
// (Agent).
func TestRegistrationStartDate(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("NOW"))
		equal(t, "default", w.agent("NOW").StartDate.OrZero().UTC(), w.clock.Now())
		equal(t, "first day", w.statusHistory("NOW"), []string{"Active 2026-06-15.."})
		for _, c := range []struct {
			name  string
			start time.Time
			want  []string
		}{
			{"now", w.clock.Now(), []string{}},
			{"the next microsecond", w.clock.Now().Add(time.Microsecond), []string{"OUT_OF_RANGE startDate"}},
			{"first instant of 1900", time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), []string{}},
			{"the instant before", time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Microsecond), []string{"OUT_OF_RANGE startDate"}},
		} {
			in := newcomer("")
			in.StartDate = patch.Set(c.start)
			_, err := w.Register(w.ctx, in, false)
			equal(t, c.name, problems(err), c.want)
		}
	})
}

// "agentCode: generated when omitted; if supplied must not already be in use
// in the agency" (Agent); a code in use is a conflict.
func TestRegistrationCode(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		equal(t, "given", w.register(newcomer("X.1-a_B")), "X.1-a_B")
		equal(t, "generated", w.register(newcomer("")), "A100001")
		w.register(newcomer("A100002"))
		equal(t, "generated past one in use", w.register(newcomer("")), "A100003")
		in := newcomer("")
		in.AgentCode = new("  ")
		equal(t, "blank is omitted", w.register(in), "A100004")

		w.unchanged(func() {
			_, err := w.Register(w.ctx, newcomer("X.1-a_B"), false)
			equal(t, "in use", problems(err), []string{"AGENT_CODE_IN_USE agentCode"})
			equal(t, "category", categories(err), []problem.Category{problem.Conflict})
		})
		if _, err := w.Register(w.other, newcomer("X.1-a_B"), false); err != nil {
			t.Errorf("the code of another agency's agent: %v", err)
		}
		code, err := w.Register(w.other, newcomer(""), false)
		w.must(code, err)
		equal(t, "each agency counts by itself", code, "A100001")
	})
}

func TestRegistrationRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		in, err := w.Register(w.other, newcomer("THEIRS"), false)
		w.must(in, err)
		for _, c := range []struct {
			name string
			edit func(*agency.Registration)
			want []string
		}{
			{"a status that is not a configured pay status", func(in *agency.Registration) { in.Status = "Angry" }, []string{"UNKNOWN_STATUS status"}},
			{"teams: only team default", func(in *agency.Registration) { in.Teams[0].Team = "west" }, []string{"UNKNOWN_TEAM teams.0.team"}},
			{"the team twice", func(in *agency.Registration) { in.Teams = append(in.Teams, agency.TeamAssignment{Team: "default"}) }, []string{"DUPLICATE_KEY teams.1.team"}},
			{"the upline must be an existing agent", func(in *agency.Registration) { in.Teams[0].DirectUpline = new("NOBODY") }, []string{"UNKNOWN_UPLINE teams.0.membership.directUpline"}},
			{"the upline of another agency", func(in *agency.Registration) { in.Teams[0].DirectUpline = new("THEIRS") }, []string{"UNKNOWN_UPLINE teams.0.membership.directUpline"}},
			{"the level must be configured", func(in *agency.Registration) { in.Teams[0].Level = new(11) }, []string{"UNKNOWN_LEVEL teams.0.membership.level"}},
			{"status, upline and level together", func(in *agency.Registration) {
				in.Status, in.Teams[0].DirectUpline, in.Teams[0].Level = "Angry", new("NOBODY"), new(11)
			}, []string{"UNKNOWN_STATUS status", "UNKNOWN_UPLINE teams.0.membership.directUpline", "UNKNOWN_LEVEL teams.0.membership.level"}},
			{"its own upline", func(in *agency.Registration) {
				in.AgentCode, in.Teams[0].DirectUpline = new("SELF"), new("SELF")
			}, []string{"CIRCULAR_HIERARCHY teams.0.membership.directUpline"}},
			{"a jurisdiction that is not configured", func(in *agency.Registration) {
				in.Contact.Addresses = map[agency.AddressKind]*agency.Address{agency.BusinessAddress: {Jurisdiction: patch.Set("XX-XX")}}
			}, []string{"UNKNOWN_JURISDICTION businessAddress.jurisdiction"}},
			{"a phone without a number", func(in *agency.Registration) {
				in.Contact.Phones = map[agency.PhoneKind]*agency.Phone{agency.HomePhone: {AreaCode: patch.Set("512")}}
			}, []string{"REQUIRED homePhone.phoneNumber"}},
			{"a code that cannot stand in a URL", func(in *agency.Registration) { in.AgentCode = new("A/1") }, []string{"INVALID_FORMAT agentCode"}},
			{"a code of 21 characters", func(in *agency.Registration) { in.AgentCode = new(strings.Repeat("A", 21)) }, []string{"TOO_LONG agentCode"}},
			{"an e-mail address without an at sign", func(in *agency.Registration) { in.Email = patch.Set("ana.example.com") }, []string{"INVALID_FORMAT email"}},
			{"a name of 101 characters", func(in *agency.Registration) { in.FirstName = patch.Set(strings.Repeat("é", 101)) }, []string{"TOO_LONG firstName"}},
			{"a name that is not UTF-8", func(in *agency.Registration) { in.LastName = patch.Set("a\xff") }, []string{"INVALID_FORMAT lastName"}},
			{"an identifier of three digits", func(in *agency.Registration) { in.GovernmentIdentifier = new("1-2-3") }, []string{"INVALID_FORMAT governmentIdentifier"}},
			{"the mask of an identifier", func(in *agency.Registration) { in.GovernmentIdentifier = new("***-**-6789") }, []string{"INVALID_FORMAT governmentIdentifier"}},
			{"an identifier of three letters of several bytes", func(in *agency.Registration) { in.GovernmentIdentifier = new("äöü") }, []string{"INVALID_FORMAT governmentIdentifier"}},
			{"an e-mail address with what nobody sees", func(in *agency.Registration) { in.Email = patch.Set("an\u200ba@acme.example") }, []string{"INVALID_FORMAT email"}},
			{"an initiator of two lines", func(in *agency.Registration) { in.Initiator = "ana\nadmin" }, []string{"INVALID_FORMAT initiator"}},
			{"no initiator", func(in *agency.Registration) { in.Initiator = "  " }, []string{"REQUIRED initiator"}},
		} {
			w.unchanged(func() {
				in := newcomer("")
				c.edit(&in)
				_, err := w.Register(w.ctx, in, false)
				equal(t, c.name, problems(err), c.want)
			})
		}
	})
}

// A dry run checks all that the registration checks, and writes nothing: no
// row, no job, and no agent code is used up.
func TestRegistrationDryRun(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		w.unchanged(func() {
			code, err := w.Register(w.ctx, under("TOP", ""), true)
			w.must(code, err)
			equal(t, "the code it would get", code, "A100001")
			_, err = w.Register(w.ctx, newcomer("TOP"), true)
			equal(t, "refused as the registration", problems(err), []string{"AGENT_CODE_IN_USE agentCode"})
			_, err = w.Register(w.ctx, under("NOBODY", ""), true)
			equal(t, "refused as the registration", problems(err), []string{"UNKNOWN_UPLINE teams.0.membership.directUpline"})
		})
		equal(t, "code", w.register(newcomer("")), "A100001")
	})
}

// "Not idempotent: each call creates a new agent" (Endpoints, Agents), also
// when many come at once: no code is given twice.
func TestRegistrationsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		const calls = 24
		codes := make(chan string, calls)
		for range calls {
			go func() {
				code, err := w.Register(w.ctx, under("TOP", ""), false)
				if err != nil {
					t.Error(err)
				}
				codes <- code
			}()
		}
		var all []string
		for range calls {
			all = append(all, <-codes)
		}
		slices.Sort(all)
		equal(t, "distinct codes", len(slices.Compact(all)), calls)
		equal(t, "agents", w.count("SELECT count(*) FROM agency_agent WHERE tenant_id = $1", w.tenantID()), calls+1)
	})
}

// The first day of a new agent's histories is the day it is for the tenant.
func TestRegistrationDayIsTheTenants(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.must(nil, w.setZone("Pacific/Kiritimati")) // UTC+14
		w.register(newcomer("A1"))
		equal(t, "first day", w.statusHistory("A1"), []string{span("Active", date.Of(2026, time.June, 16), nil)})
	})
}
