package agency_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// person registers somebody with a name, and perhaps an e-mail address and an NPN.
func (w *agentWorld) person(code, first, last, email, npn string, phones map[agency.PhoneKind]*agency.Phone) {
	w.t.Helper()
	in := newcomer(code)
	in.FirstName, in.LastName = patch.Set(first), patch.Set(last)
	if email != "" {
		in.Email = patch.Set(email)
	}
	if npn != "" {
		in.NPN = patch.Set(npn)
	}
	in.Contact.Phones = phones
	w.register(in)
}

func number(country, area, local string) *agency.Phone {
	return &agency.Phone{CountryCode: patch.Set(country), AreaCode: patch.Set(area), PhoneNumber: patch.Set(local)}
}

// searched are agents with all that is searched for; "old name" is an alias.
func searched(w *agentWorld) {
	w.person("A2", "Ana", "Ortiz", "ana.ortiz@agency.example", "10002222", map[agency.PhoneKind]*agency.Phone{agency.CellPhone: number("1", "512", "555-0142")})
	w.person("A10", "Anatol", "Diaz", "anatol@other.example", "10003333", nil)
	w.person("A100", "Maria", "Garcia Lopez", "m.garcia@agency.example", "20004444", map[agency.PhoneKind]*agency.Phone{agency.BusinessPhone: number("1", "(212)", "555 0199")})
	w.person("B7", "Garcia", "Anderson", "ga@agency.example", "30005555", nil)
	w.person("B8", "José", "Núñez", "jose@agency.example", "", nil)
	w.person("B9", "Seán", "O'Brien", "", "40006666", nil)
	w.person("C1", "小明", "王", "ming@agency.example", "", nil)
	w.person("C2", "花子", "山田", "", "", nil)
	w.person("C3", "Anne-Marie", "Straße", "am@agency.example", "", nil)
	w.person("C4", "Øystein", "Łukasz", "", "", map[agency.PhoneKind]*agency.Phone{agency.HomePhone: number("49", "030", "901820")})
	w.person("C5", "Johnson", "Williamson", "", "", nil)
	w.person("D-2040", "Zoe", "Quick", "zoe+work@agency.example", "", nil)
	w.person("D-2041", "Ed", "Li", "", "", nil)
	common := newcomer("E1")
	common.FirstName, common.LastName, common.CommonName, common.MiddleName = patch.Set("Robert"), patch.Set("De la Cruz"), patch.Set("Bobby"), patch.Set("Xavier")
	w.register(common)
	for _, a := range []struct{ agent, identifier string }{{"B8", "Maiden-Müller"}, {"D-2041", "WN-77812"}} {
		w.must(w.CreateAlias(w.ctx, a.agent, label.AliasInput{Identifier: a.identifier, Initiator: "desk"}))
	}
}

// What people type leads to whom they mean.
func TestSearches(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		searched(w)
		for _, c := range [][2]string{
			{"Ortiz", "A2"}, {"ortiz", "A2"}, {"ORTIZ", "A2"}, // a surname
			{"Ana Ortiz", "A2"}, {"Ortiz Ana", "A2"}, {"Ortiz, Ana", "A2"}, {"ort an", "A2"}, // both, in any order
			{"ana", "A2"}, {"anat", "A10"}, // the whole word before its beginning
			{"Garcia", "A100"}, {"garcia anderson", "B7"}, {"lopez", "A100"}, {"garcia lopez", "A100"}, {"garcia-lopez", "A100"},
			{"nunez", "B8"}, {"NÚÑEZ", "B8"}, {"nu\u0301n\u0303ez jose", "B8"}, // accents
			{"obrien", "B9"}, {"O'Brien", "B9"}, {"o’brien", "B9"}, {"brien", "B9"},
			{"王", "C1"}, {"明", "C1"}, {"王小明", "C1"}, {"小明 王", "C1"}, {"田", "C2"}, {"山田花子", "C2"}, // one character
			{"marie", "C3"}, {"Anne-Marie", "C3"}, {"strasse", "C3"}, {"STRAẞE", "C3"},
			{"oystein", "C4"}, {"lukasz", "C4"},
			{"liams", "C5"}, {"hnso", "C5"}, // a part
			{"A2", "A2"}, {"a10", "A10"}, {"A100", "A100"}, {"d-20", "D-2040"}, {"2041", "D-2041"}, {"d2041", "D-2041"}, {"204", "D-2040"}, // codes
			{"10003333", "A10"}, {"2000", "A100"}, // an NPN
			{"ana.ortiz@agency.example", "A2"}, {"ANA.ORTIZ@agency", "A2"}, {"ortiz@agency", "A2"}, {"other.example", "A10"}, {"m.garcia", "A100"}, {"zoe+work@agency.example", "D-2040"},
			{"5125550142", "A2"}, {"(512) 555-0142", "A2"}, {"+1 512 555 0142", "A2"}, {"001-512-555-0142", "A2"}, {"1.512.555.0142", "A2"}, {"555-0142", "A2"}, {"0142", "A2"}, {"512555", "A2"},
			{"+1 (212) 555 0199 garcia", "A100"}, {"+49 30 901820", "C4"}, {"030 901820", "C4"}, {"０３０９０１８２０", "C4"},
			{"Maiden", "B8"}, {"muller", "B8"}, {"Maiden-Müller", "B8"}, {"WN-77812", "D-2041"}, {"77812", "D-2041"}, // an old name, an alias
			{"Bobby", "E1"}, {"Xavier", "E1"}, {"delacruz", "E1"}, {"de la cruz robert", "E1"}, {"bob cruz", "E1"},
		} {
			found := w.find(agency.AgentFilter{Query: &c[0]})
			if len(found) == 0 || found[0] != c[1] {
				t.Errorf("%q finds %v, not %s first", c[0], found, c[1])
			}
		}
		for _, nobody := range []string{"zzz", "ana li", "na ortiz", "5125550143", "9999", "garcia 5550142", "ortiz' OR '1'='1", "mid"} {
			equal(t, nobody, w.find(agency.AgentFilter{Query: &nobody}), []string{})
		}
		equal(t, "nothing but signs", problems(w.refused(agency.AgentFilter{Query: new("% - _")})), []string{"INVALID_FORMAT filter.query"})
		equal(t, "eleven words", problems(w.refused(agency.AgentFilter{Query: new("a b c d e f g h i j k")})), []string{"OUT_OF_RANGE filter.query"})
		equal(t, "ranked", w.find(agency.AgentFilter{Query: new("garcia")}), []string{"A100", "B7"})
		equal(t, "a word before its beginning", w.find(agency.AgentFilter{Query: new("ana")}), []string{"A2", "A10"})
		equal(t, "in another order", w.findOn(agency.AgentFilter{Query: new("an")}, agentToday, listing.Order{Field: "AGENT_CODE_NATURAL", Desc: true}), []string{"C3", "B7", "A10", "A2"})
		equal(t, "a letter that is a word", w.find(agency.AgentFilter{Query: new("m")}), []string{})
		equal(t, "in the order of numbers", w.findOn(agency.AgentFilter{}, agentToday, listing.Order{Field: "AGENT_CODE_NATURAL"})[:5], []string{"A2", "A10", "A100", "B7", "B8"})
	})
}

func (w *agentWorld) refused(f agency.AgentFilter) error {
	_, err := w.AgentList(w.ctx, f, nil, history.AsOf{Day: agentToday})
	return err
}

// keys are all keys there are, with their places and without the ids of aliases.
func (w *agentWorld) keys() map[string]bool {
	w.t.Helper()
	found, err := store.Collect(w.ctx, w.store, func(r store.Scanner) (s string, err error) {
		var agent, source, place int64
		var key string
		err = r.Scan(&agent, &source, &key, &place)
		return fmt.Sprint(agent, " ", source, " ", key, " ", place), err
	}, "SELECT agent_id, source, key, place FROM agency_agent_key WHERE tenant_id = $1", w.tenantID())
	w.must(found, err)
	all := map[string]bool{}
	for _, k := range found {
		all[k] = true
	}
	return all
}

// Whatever is written, the keys are those of what is stored then; the job that fills them
// in finds the same.
func TestKeysAreThoseOfTheAgents(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		dice := rand.New(rand.NewPCG(1, 2))
		names := []string{"Ana", "Ann", "José Luis", "O'Brien", "王", "Müller-Lüdenscheidt", "X"}
		name := func() patch.Field[string] { return patch.Set(names[dice.IntN(len(names))]) }
		codes, aliases := []string{}, []int64{}
		for i := range 12 {
			codes = append(codes, fmt.Sprintf("K%02d", i))
			w.person(codes[i], *name().Value, *name().Value, "x@y.example", "", map[agency.PhoneKind]*agency.Phone{agency.CellPhone: number("1", "512", "5550100")})
		}
		for i := range 60 {
			code := codes[dice.IntN(len(codes))]
			var err error
			switch dice.IntN(4) {
			case 0:
				_, err = w.UpdateAgent(w.ctx, code, agency.AgentUpdate{Details: agency.Details{FirstName: name(), CommonName: name(), Email: patch.Null[string]()}, Initiator: "desk"})
			case 1:
				phone := patch.Set(*number("1", "212", fmt.Sprintf("555%04d", dice.IntN(9))))
				if dice.IntN(3) == 0 {
					phone = patch.Null[agency.Phone]()
				}
				_, err = w.UpdateContact(w.ctx, code, agency.ContactUpdate{Phones: map[agency.PhoneKind]patch.Field[agency.Phone]{agency.CellPhone: phone}, Initiator: "desk"})
			case 2:
				var id int64
				id, err = w.CreateAlias(w.ctx, code, label.AliasInput{Identifier: fmt.Sprint(*name().Value, " ", i), Initiator: "desk"})
				aliases = append(aliases, id)
			case 3:
				if len(aliases) > 0 {
					err = w.DeleteAlias(w.ctx, aliases[0], "desk")
					aliases = aliases[1:]
				}
			}
			w.must(nil, err)
		}
		w.must(w.DeleteAgent(w.ctx, codes[0], nil, "desk"))
		kept := w.keys()
		w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM agency_agent_key WHERE tenant_id = $1", w.tenantID())
			return err
		}))
		equal(t, "without keys", w.find(agency.AgentFilter{Query: new("K0")}), []string{})
		w.must(nil, w.FillKeys(w.ctx))
		if filled := w.keys(); !maps.Equal(kept, filled) || len(filled) < 100 {
			for k := range kept {
				if !filled[k] {
					t.Error("kept, and not to be:", k)
				}
			}
			for k := range filled {
				if !kept[k] {
					t.Error("missing:", k)
				}
			}
		}
		w.must(nil, w.FillKeys(w.ctx))
		equal(t, "filled once more", len(w.keys()), len(kept))
	})
}

// Filters inside filters mean what they say, whatever is not known of an agent.
func TestFiltersInsideFilters(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		mid := under("TOP", "MID")
		mid.Email, mid.NPN = patch.Set("mid@agency.example"), patch.Set("1")
		mid.Teams[0].Level = new(10)
		mid.Contact.Addresses = map[agency.AddressKind]*agency.Address{agency.HomeAddress: {Jurisdiction: patch.Set("US-TX")}}
		w.register(since(mid, agentToday.AddDays(-9)))
		low := under("MID", "LOW")
		low.Contact.Addresses = map[agency.AddressKind]*agency.Address{agency.BusinessAddress: {Jurisdiction: patch.Set("US-TX")}}
		low.GovernmentIdentifier = new("123-45-6789")
		w.register(since(low, agentToday.AddDays(-3)))
		cut := w.later()
		w.must(w.UpdateAgent(w.ctx, "LOW", agency.AgentUpdate{Details: agency.Details{MiddleName: patch.Set("X")}, Initiator: "desk"}))
		type f = agency.AgentFilter
		for _, c := range []struct {
			name   string
			filter f
			want   string
		}{
			{"not, where nothing is known", f{Not: &f{NPN: new("1")}}, "LOW TOP"},
			{"not by an e-mail address", f{Not: &f{Email: new("mid@agency.example")}}, "LOW TOP"},
			{"not by what is sealed", f{Not: &f{GovernmentIdentifier: new("123456789")}}, "MID TOP"},
			{"not everybody", f{Not: &f{}}, ""},
			{"or", f{Or: []*f{{NPN: new("1")}, {AgentCodes: []string{"TOP"}}}}, "MID TOP"},
			{"or everybody", f{Or: []*f{{NPN: new("1")}, {}}}, "LOW MID TOP"},
			{"or, and besides", f{HomeJurisdiction: new("US-TX"), Or: []*f{{NPN: new("1")}, {AgentCodes: []string{"TOP"}}}}, "MID"},
			{"or by query", f{Or: []*f{{Query: new("lo")}, {Query: new("top")}}}, "LOW TOP"},
			{"not by query", f{Query: new("ana"), Not: &f{Query: new("to")}}, "MID LOW"},
			{"not one of several", f{Not: &f{Or: []*f{{DownlineOf: new("MID")}, {UplineAgentCode: new("TOP")}}}}, "TOP"},
			{"not not", f{Not: &f{Not: &f{Level: []int{10}}}}, "MID"},
			{"modified, inside", f{Or: []*f{{ModifiedSince: &cut}, {Not: &f{ModifiedSince: &cut}}}, Not: &f{ModifiedSince: &cut}}, "MID TOP"},
			{"home", f{HomeJurisdiction: new("US-TX")}, "MID"},
			{"level", f{Level: []int{10, 20}}, "MID"},
			{"a downline", f{DownlineOf: new("TOP")}, "LOW MID"},
			{"a downline inside a query", f{DownlineOf: new("MID"), Query: new("diaz")}, "LOW"},
			{"nobody's downline", f{DownlineOf: new("WHO")}, ""},
		} {
			equal(t, c.name, strings.Join(w.find(c.filter), " "), c.want)
		}
		equal(t, "a downline in the past", w.findOn(f{DownlineOf: new("TOP")}, agentToday.AddDays(-5)), []string{"MID"})
		equal(t, "a level in the past", w.findOn(f{Not: &f{Level: []int{10}}}, agentToday.AddDays(-10)), []string{"LOW", "MID", "TOP"})
		equal(t, "a downline later", w.findOn(f{DownlineOf: new("TOP")}, agentToday.AddDays(9)), []string{"LOW", "MID"})

		deep := f{}
		for range 5 {
			deep = f{Not: &deep}
		}
		for name, c := range map[string]struct {
			filter f
			want   []string
		}{
			"too deep":          {deep, []string{"OUT_OF_RANGE filter.not.not.not.not.not"}},
			"too many":          {f{Or: slices.Repeat([]*f{{}}, 20)}, []string{"OUT_OF_RANGE filter"}},
			"none":              {f{Or: []*f{}}, []string{"REQUIRED filter.or"}},
			"a blank text":      {f{Or: []*f{{}, {Not: &f{Email: new(" ")}}}}, []string{"INVALID_FORMAT filter.or.1.not.email"}},
			"an unknown level":  {f{Not: &f{Level: []int{10, 11}}}, []string{"UNKNOWN_LEVEL filter.not.level"}},
			"an unknown tag":    {f{Tag: []string{"none"}}, []string{"UNKNOWN_TAG filter.tag"}},
			"an unknown type":   {f{Holds: &agency.Holding{Type: new("none")}}, []string{"UNKNOWN_CERTIFICATION_TYPE filter.holds.type"}},
			"too many codes":    {f{Or: []*f{{AgentCodes: make([]string, 101)}}}, nil},
			"words in a filter": {f{Not: &f{Query: new("-")}}, []string{"INVALID_FORMAT filter.not.query"}},
		} {
			if found := problems(w.refused(c.filter)); c.want != nil {
				equal(t, name, found, c.want)
			} else if len(found) == 0 || found[0] != "OUT_OF_RANGE filter.or.0.agentCodes" {
				t.Error(name, found)
			}
		}
	})
}

// Holding and lacking a certification is of the day, and of one certification.
func TestHoldingACertification(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		texas, ends := full(), licenceToday.AddDays(30)
		texas.EffectiveThrough = &ends
		w.upsert(texas)
		second := full()
		second.AgentCode, second.Jurisdiction, second.Status = "A2", new("US-NY"), new("EXPIRED")
		w.upsert(second)
		find := func(f agency.AgentFilter, on date.Date) string {
			list, err := w.AgentList(w.ctx, f, nil, history.AsOf{Day: on})
			w.must(list, err)
			p, err := texts(list, "a.code").Page(w.ctx, page.Args{})
			w.must(p, err)
			codes := make([]string, len(p.Items))
			for i, code := range p.Items {
				codes[i] = *code
			}
			return strings.Join(codes, " ")
		}
		type h = agency.Holding
		for name, c := range map[string]struct {
			condition    h
			holds, lacks string
			day          date.Date
		}{
			"any":                  {h{}, "A1 A2", "", licenceToday},
			"of a type":            {h{Type: &texas.Type}, "A1 A2", "", licenceToday},
			"of another type":      {h{Type: new("AML")}, "", "A1 A2", licenceToday},
			"for a jurisdiction":   {h{Jurisdiction: new("US-TX")}, "A1", "A2", licenceToday},
			"with a status":        {h{Status: []string{"EXPIRED"}}, "A2", "A1", licenceToday},
			"of one certification": {h{Jurisdiction: new("US-TX"), Status: []string{"EXPIRED"}}, "", "A1 A2", licenceToday},
			"for a provider":       {h{ProviderCompany: new("QRY")}, "", "A1 A2", licenceToday},
			"that ends by then":    {h{ExpiresFrom: &licenceToday, ExpiresThrough: &ends}, "A1", "A2", licenceToday},
			"that ends before":     {h{ExpiresThrough: ends.AddDays(-1).Ptr()}, "", "A1 A2", licenceToday},
			"before there was one": {h{}, "", "A1 A2", licenceToday.AddDays(-4000)},
		} {
			equal(t, name+": holds", find(agency.AgentFilter{Holds: &c.condition}, c.day), c.holds)
			equal(t, name+": lacks", find(agency.AgentFilter{Lacks: &c.condition}, c.day), c.lacks)
		}
	})
}
