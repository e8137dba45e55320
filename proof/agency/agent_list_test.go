package agency_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	words "github.com/uplinehq/upline/internal/text"
)

// find returns the codes of the agents that match today, in the default order.
func (w *agentWorld) find(f agency.AgentFilter) []string {
	w.t.Helper()
	return w.findOn(f, agentToday)
}

func (w *agentWorld) findOn(f agency.AgentFilter, on date.Date, orders ...listing.Order) []string {
	w.t.Helper()
	list, err := w.AgentList(w.ctx, f, orders, history.AsOf{Day: on})
	w.must(nil, err)
	codes := lines(w, texts(list, "a.code"), text)
	n, err := list.Count(w.ctx)
	w.must(n, err)
	equal(w.t.(*testing.T), "count", n, len(codes))
	return codes
}

// "query: agentCodes (list, up to 100), isActive, email, firstName, lastName,
// jurisdiction, governmentIdentifier, npn, modifiedSince" (Endpoints, Agents).
func TestAgentFilters(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		long := agentToday.AddDays(-100)
		top := since(newcomer("TOP"), long)
		top.LastName = patch.Set("李")
		w.register(top)
		ana := since(under("TOP", "ANA"), long)
		ana.FirstName, ana.LastName, ana.Email, ana.NPN = patch.Set("Élodie"), patch.Set("Åberg"), patch.Set("Elodie@Example.com"), patch.Set("123")
		ana.GovernmentIdentifier = new("123-45-6789")
		ana.Contact.Addresses = map[agency.AddressKind]*agency.Address{agency.HomeAddress: {Jurisdiction: patch.Set("US-TX")}, agency.BusinessAddress: {Jurisdiction: patch.Set("US-NY")}}
		w.register(ana)
		bob := since(under("TOP", "BOB"), long)
		bob.FirstName, bob.LastName, bob.Status = patch.Set("ELODIA"), patch.Set("O'Brien"), "Terminated"
		bob.CommonName = patch.Set("Lo Wei")
		bob.Contact.Addresses = map[agency.AddressKind]*agency.Address{agency.BusinessAddress: {Jurisdiction: patch.Set("US-TX")}}
		w.register(bob)
		cut := w.later()
		w.must(w.UpdateAgent(w.ctx, "BOB", agency.AgentUpdate{Details: agency.Details{MiddleName: patch.Set("X")}, Initiator: "edit"}))
		w.must(w.applyStatus("ANA", "Suspended", agentToday.AddDays(10), nil))
		theirs := newcomer("ANA")
		theirs.GovernmentIdentifier, theirs.Email = new("123-45-6789"), patch.Set("Elodie@Example.com")
		w.must(w.Register(w.other, theirs, false))

		for _, c := range []struct {
			name   string
			filter agency.AgentFilter
			want   string
		}{
			{"none", agency.AgentFilter{}, "ANA BOB TOP"},
			{"agentCodes", agency.AgentFilter{AgentCodes: []string{"BOB", "NOBODY", "ANA"}}, "ANA BOB"},
			{"agentCodes are exact", agency.AgentFilter{AgentCodes: []string{"ana"}}, ""},
			{"no agentCodes", agency.AgentFilter{AgentCodes: []string{}}, ""},
			{"active", agency.AgentFilter{IsActive: new(true)}, "ANA TOP"},
			{"inactive", agency.AgentFilter{IsActive: new(false)}, "BOB"},
			{"email in any case", agency.AgentFilter{Email: new("elodie@EXAMPLE.com")}, "ANA"},
			{"email is exact", agency.AgentFilter{Email: new("elodie@example")}, ""},
			{"first name, a prefix in any case, with or without accents", agency.AgentFilter{FirstName: new("elodi")}, "ANA BOB"},
			{"first name beyond ASCII", agency.AgentFilter{FirstName: new("éLO")}, "ANA BOB"},
			{"first name in decomposed form", agency.AgentFilter{FirstName: new("e\u0301lo")}, "ANA BOB"},
			{"last name beyond ASCII", agency.AgentFilter{LastName: new("åBERG")}, "ANA"},
			{"last name with a quote", agency.AgentFilter{LastName: new("o'b")}, "BOB"},
			{"a prefix is no pattern", agency.AgentFilter{LastName: new("%")}, ""},
			{"home or business jurisdiction", agency.AgentFilter{Jurisdiction: new("US-TX")}, "ANA BOB"},
			{"business jurisdiction", agency.AgentFilter{Jurisdiction: new("US-NY")}, "ANA"},
			{"governmentIdentifier", agency.AgentFilter{GovernmentIdentifier: new("123-45-6789")}, "ANA"},
			{"governmentIdentifier without dashes", agency.AgentFilter{GovernmentIdentifier: new("123456789")}, "ANA"},
			{"governmentIdentifier with spaces", agency.AgentFilter{GovernmentIdentifier: new(" 123 45 6789")}, "ANA"},
			{"governmentIdentifier is whole", agency.AgentFilter{GovernmentIdentifier: new("123-45-678")}, ""},
			{"npn", agency.AgentFilter{NPN: new("123")}, "ANA"},
			{"npn is whole", agency.AgentFilter{NPN: new("12")}, ""},
			{"modifiedSince, at or after", agency.AgentFilter{ModifiedSince: &cut}, "ANA BOB"},
			{"modifiedSince, after", agency.AgentFilter{ModifiedSince: new(cut.Add(time.Microsecond))}, ""},
			{"payStatus", agency.AgentFilter{PayStatus: []string{"Terminated", "Suspended"}}, "BOB"},
			{"direct upline", agency.AgentFilter{UplineAgentCode: new("TOP")}, "ANA BOB"},
			{"query: first and last name together", agency.AgentFilter{Query: new("élodie åberg")}, "ANA"},
			{"query: in any order, with a comma", agency.AgentFilter{Query: new("Åberg, Élo")}, "ANA"},
			{"query: every word must fit", agency.AgentFilter{Query: new("Élodie Quinn")}, ""},
			{"query: a name that differs by one letter, where no other fits", agency.AgentFilter{Query: new("Élodie O'Brien")}, "BOB"},
			{"query: a word within a name", agency.AgentFilter{Query: new("WEI elodia")}, "BOB"},
			{"query: common name", agency.AgentFilter{Query: new("lo wei")}, "BOB"},
			{"query: npn", agency.AgentFilter{Query: new("123")}, "ANA"},
			{"query: the beginning of an npn", agency.AgentFilter{Query: new("12")}, "ANA"},
			{"query: the beginning of an e-mail address", agency.AgentFilter{Query: new("elodie@EX")}, "ANA"},
			{"query: the beginning of a code in lower case", agency.AgentFilter{Query: new("bo")}, "BOB"},
			{"query: one character", agency.AgentFilter{Query: new("李")}, "TOP"},
			{"query: signs do not count", agency.AgentFilter{Query: new("% elo")}, "ANA BOB"},
			{"all must hold", agency.AgentFilter{UplineAgentCode: new("TOP"), IsActive: new(true), Jurisdiction: new("US-TX")}, "ANA"},
		} {
			equal(t, c.name, strings.Join(w.find(c.filter), " "), c.want)
		}

		// What is dated is looked up on the day asked for.
		equal(t, "active on the last day", w.findOn(agency.AgentFilter{IsActive: new(true)}, agentToday.AddDays(9)), []string{"ANA", "TOP"})
		equal(t, "active on the first day", w.findOn(agency.AgentFilter{IsActive: new(true)}, long), []string{"ANA", "TOP"})
		equal(t, "below an upline on the first day", w.findOn(agency.AgentFilter{UplineAgentCode: new("TOP")}, long), []string{"ANA", "BOB"})
		equal(t, "active later", w.findOn(agency.AgentFilter{IsActive: new(true)}, agentToday.AddDays(10)), []string{"TOP"})
		equal(t, "before anyone started nobody is active", w.findOn(agency.AgentFilter{IsActive: new(false)}, long.AddDays(-1)), []string{"ANA", "BOB", "TOP"})
		equal(t, "direct upline before", w.findOn(agency.AgentFilter{UplineAgentCode: new("TOP")}, long.AddDays(-1)), []string{})
	})
}

// A name is found by what it begins with, in any case, with or without accents on either side,
// as the search finds it.
func TestNamesAreFoundWithoutAccents(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("aáÀeéoöØnñsß")), 1, 4, -1)
		names := map[string]string{} // by code
		rapid.Check(t, func(r *rapid.T) {
			code := fmt.Sprintf("N%04d", len(names))
			in := newcomer(code)
			names[code] = letters.Draw(r, "name")
			in.LastName = patch.Set(names[code])
			w.register(in)
			begin := letters.Draw(r, "begin")
			want := []string{}
			for code, name := range names {
				if strings.HasPrefix(words.Fold(name), words.Fold(begin)) {
					want = append(want, code)
				}
			}
			slices.Sort(want)
			for _, f := range []agency.AgentFilter{{LastName: &begin}, {Or: []*agency.AgentFilter{{LastName: &begin}}}} {
				if got := w.find(f); !slices.Equal(got, want) {
					r.Fatalf("%q finds %v, want %v of %v", begin, got, want, names)
				}
			}
		})
	})
}

// "GET /agents agentCodes filter: up to 100 codes" (Limits).
func TestAgentCodesAtMost100(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("C099"))
		codes := make([]string, 101)
		for i := range codes {
			codes[i] = fmt.Sprintf("C%03d", i)
		}
		equal(t, "100", w.find(agency.AgentFilter{AgentCodes: codes[:100]}), []string{"C099"})
		_, err := w.AgentList(w.ctx, agency.AgentFilter{AgentCodes: codes}, nil, history.AsOf{Day: agentToday})
		equal(t, "101", problems(err), []string{"OUT_OF_RANGE filter.agentCodes"})
	})
}

// "Sortable agent fields: agentCode, firstName, lastName, commonName,
// startDate, lastModified" (Endpoints, Agents), each in both directions, page
// after page forwards and backwards.
func TestAgentOrder(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		// Ties in every field but the code; upper and lower case mixed.
		for i, names := range [][3]string{{"bea", "zed", ""}, {"Ana", "Young", "Annie"}, {"ana", "Young", "annie"}, {"Émile", "Adams", "Bo"}, {"Bea", "adams", ""}, {"Zoe", "Éluard", "zz"}} {
			in := since(newcomer(fmt.Sprintf("C%d", i)), agentToday.AddDays(-100*(i%3)-1))
			in.FirstName, in.LastName = patch.Set(names[0]), patch.Set(names[1])
			if names[2] != "" {
				in.CommonName = patch.Set(names[2])
			}
			w.register(in)
			if i%2 == 1 {
				w.later()
			}
		}
		for field, want := range map[string]string{
			"AGENT_CODE":    "C0 C1 C2 C3 C4 C5",
			"FIRST_NAME":    "C1 C2 C0 C4 C5 C3",
			"LAST_NAME":     "C3 C4 C1 C2 C0 C5",
			"COMMON_NAME":   "C0 C4 C1 C2 C3 C5",
			"START_DATE":    "C2 C5 C1 C4 C0 C3",
			"LAST_MODIFIED": "C0 C1 C2 C3 C4 C5",
		} {
			for _, desc := range []bool{false, true} {
				expected := strings.Fields(want)
				if desc {
					slices.Reverse(expected)
				}
				order := listing.Order{Field: field, Desc: desc}
				name := fmt.Sprintf("%s desc=%v", field, desc)
				equal(t, name, w.findOn(agency.AgentFilter{}, agentToday, order), expected)
				list, err := w.AgentList(w.ctx, agency.AgentFilter{}, []listing.Order{order}, history.AsOf{Day: agentToday})
				w.must(nil, err)
				equal(t, name+", forwards", w.walk(texts(list, "a.code"), true), expected)
				equal(t, name+", backwards", w.walk(texts(list, "a.code"), false), expected)
			}
		}
		mixed := []listing.Order{{Field: "START_DATE"}, {Field: "LAST_NAME", Desc: true}}
		list, err := w.AgentList(w.ctx, agency.AgentFilter{}, mixed, history.AsOf{Day: agentToday})
		w.must(nil, err)
		equal(t, "two clauses", strings.Join(w.walk(texts(list, "a.code"), true), " "), "C5 C2 C1 C4 C0 C3")
		equal(t, "two clauses, backwards", strings.Join(w.walk(texts(list, "a.code"), false), " "), "C5 C2 C1 C4 C0 C3")
		w.later()
		_, err = w.UpdateAgent(w.ctx, "C0", agency.AgentUpdate{Details: agency.Details{FirstName: patch.Set("Bo")}, Initiator: "desk"})
		w.must(nil, err)
		equal(t, "after a change", w.findOn(agency.AgentFilter{}, agentToday, listing.Order{Field: "LAST_MODIFIED"}), strings.Fields("C1 C2 C3 C4 C5 C0"))
	})
}

// walk reads a list two rows at a time, following the cursors.
func (w *agentWorld) walk(list listing.List[*string], forward bool) (codes []string) {
	w.t.Helper()
	two := 2
	args := page.Args{First: &two}
	if !forward {
		args = page.Args{Last: &two}
	}
	for {
		p, err := list.Page(w.ctx, args)
		w.must(nil, err)
		var rows []string
		for _, a := range p.Items {
			rows = append(rows, *a)
		}
		if forward {
			codes = append(codes, rows...)
		} else {
			codes = append(rows, codes...)
		}
		switch {
		case forward && p.HasNext:
			args.After = new(p.Cursor(p.Items[len(p.Items)-1]))
		case !forward && p.HasPrev:
			args.Before = new(p.Cursor(p.Items[0]))
		default:
			return codes
		}
	}
}
