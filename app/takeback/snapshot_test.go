package takeback

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
)

// cell is a value of an object, by the names of the trail: Agent A1 homeAddress.city.
type cell struct{ entity, key, field string }

func (c cell) String() string { return strings.TrimSpace(c.entity + " " + c.key + " " + c.field) }

// period is a period of a dated relation, in days from the first (day). The last day that
// counts stands for no end. parts are the value, by the paths below the relation's, as of a
// W9; the path of a plain one is empty.
type period struct {
	from, through int
	parts         map[string]string
}

func (p period) value() string {
	if plain, ok := p.parts[""]; ok {
		return plain
	}
	return text(p.parts)
}

// snapshot is all that the doors show of an agency. What has no value is not there.
type snapshot struct {
	plain map[cell]string
	dated map[cell][]period
	// ids are the global ids of objects, by their entity and key: of certifications and
	// aliases, too.
	ids map[cell]string
	// versions are the instants of scenarios, by their ids.
	versions map[string]string
}

// The days on which ledgers write lie between the first and the last one that counts.
const days = 60

var first, _ = date.Parse("2026-05-15")

func day(n int) string { return first.AddDays(n).String() }

func dayOf(text string) int {
	d, err := date.Parse(text)
	if err != nil {
		panic(err)
	}
	return int(d - first)
}

const address, phone, role = ` { line1 line2 city jurisdiction { code } postalCode country }`, ` { countryCode areaCode phoneNumber }`, ` { name }`

// asked is what agents are asked for: each field by the name that the trail has for it, with _
// for a dot.
const asked = `nodes { key: agentCode id agentCode firstName middleName lastName commonName suffix email birthDate gender npn customerId isDedicated startDate
	governmentIdentifier(reveal: true) homeAddress` + address + ` businessAddress` + address + ` cellPhone` + phone + ` homePhone` + phone + ` businessPhone` + phone + ` fax` + phone + `
	status: payStatusPeriods(first: 20) { nodes { effectiveFrom effectiveThrough status { name } } }
	teams_default_level: levelPeriods(first: 20) { nodes { effectiveFrom effectiveThrough level { value } } }
	teams_default_directUpline: uplinePeriods(first: 20) { nodes { effectiveFrom effectiveThrough uplineAgentCode } }
	w9: w9Periods(first: 20) { nodes { effectiveFrom effectiveThrough w9 { name businessName taxClassification exemptPayee address { streetAddress city state zipCode }
		accountNumber(reveal: true) taxpayerIdentifier(reveal: true) signature(reveal: true) signatureDate } } }
	payee { directDeposit { country accountHolderName bankName accountType routingNumber(reveal: true) institutionNumber(reveal: true) transitNumber(reveal: true) accountNumber(reveal: true) } }
	aliases(first: 10) { nodes { id identifier providerCompany { code } } } tags { name } }`

// everything asks for an agency, in documents that the limits let pass: aliases are entities.
var everything = []string{
	`{ Agent: agents(first: 8) { ` + asked + ` } }`,
	`{ certificationPeriods(first: 90) { nodes { effectiveFrom effectiveThrough status certification { databaseId id agent { agentCode } type { code }
		providerCompany { code } jurisdiction { code } identifier isResidentCertification isVerified note } } } }`,
	`{ CertificationType: certificationTypes { key: code id code name description category requiresJurisdiction requiresProviderCompany isEnabled }
	Jurisdiction: jurisdictions(country: "XX") { key: code id code name country kind isEnabled }
	PayStatus: payStatuses { key: name id name description isActive canBePaid sortOrder }
	AgentLevel: agentLevels { key: value id value name description isEnabled }
	ProviderCompany: providerCompanies { key: code id code name naicCode isEnabled }
	Tag: tags { key: name id name description color }
	Product: products { key: code id code name description lineOfAuthority isWatched isEnabled }
	productRules(onDate: "2026-01-01") { product rule effectiveFrom effectiveThrough jurisdictions certificationTypes requiresAll isResident providerCompany requiresActiveStatus minimumLevel uplineDepth } }`,
	`{ User: users(first: 10) { nodes { key: username id username email agentCode status roles { name } } }
	Role: roles(first: 50) { nodes { key: name id name description scopes limitedToDownline } }
	Client: clients { key: clientId clientId description scopes isDisabled isPublic redirectUris publicKeys expiresAt trustedDocuments }
	WebhookSubscription: webhookSubscriptions(first: 20) { nodes { key: id url events description headers { name } maxRetries retryDelayMinutes isOrdered isActive } }
	Scenario: scenarios(first: 20) { nodes { key: id id name description effectiveFrom state sharedWith reviews { username verdict } lastModified moves { agentCode newUplineAgentCode isNewRoot newLevel newPayStatus } } }
	tenantSettings { name timeZone defaultPageSize maxPageSize maskSensitive defaultUserStatus minPasswordLength valuesKeptYears passwordSignIn } }`,
}

func newSnapshot() *snapshot {
	return &snapshot{plain: map[cell]string{}, dated: map[cell][]period{}, ids: map[cell]string{}, versions: map[string]string{}}
}

// read reads an agency.
func read(t apptest.T, c *apptest.Caller, tenant string) *snapshot {
	t.Helper()
	s := newSnapshot()
	for _, document := range everything {
		for name, data := range c.Query(t, document, nil).(map[string]any) {
			switch name {
			case "certificationPeriods":
				s.certifications(nodes(data))
			case "productRules":
				s.rules(nodes(data))
			case "tenantSettings":
				s.plain[cell{"Tenant", tenant, ""}] = tenant
				s.object("Tenant", tenant, "", data)
			default:
				s.objects(name, nodes(data))
			}
		}
	}
	return s
}

// readAsKnown reads what is answered of earlier instants: agents and rules. Certifications are
// asked for by their ids, which are those of another snapshot.
func readAsKnown(t apptest.T, c *apptest.Caller, at time.Time, ids *snapshot) *snapshot {
	t.Helper()
	s := newSnapshot()
	instant := map[string]any{"at": at.Format(time.RFC3339Nano)}
	s.objects("Agent", nodes(apptest.At(c.Query(t, `query($at: DateTime) { agents(first: 8, asKnownAt: $at) { `+asked+` } }`, instant), "agents")))
	s.rules(nodes(apptest.At(c.Query(t, `query($at: DateTime) { productRules(onDate: "2026-01-01", asKnownAt: $at) { product rule effectiveFrom effectiveThrough
		jurisdictions certificationTypes requiresAll isResident providerCompany requiresActiveStatus minimumLevel uplineDepth } }`, instant), "productRules")))
	for of, id := range ids.ids {
		if strings.HasPrefix(of.field, "certifications.") {
			found := apptest.At(c.Query(t, `query($id: ID!, $at: DateTime) { certification(id: $id, asKnownAt: $at) { databaseId id agent { agentCode } type { code } providerCompany { code } jurisdiction { code }
				identifier isResidentCertification isVerified note periods(first: 20) { nodes { effectiveFrom effectiveThrough status } } } }`, map[string]any{"id": id, "at": instant["at"]}), "certification")
			if found == nil {
				continue
			}
			for _, p := range nodes(apptest.At(found, "periods")) {
				p.(map[string]any)["certification"] = found
				s.certifications([]any{p})
			}
		}
	}
	return s
}

// known is the part of a snapshot that readAsKnown reads.
func (s *snapshot) known() *snapshot {
	k := newSnapshot()
	for c, v := range s.plain {
		if c.entity == "Agent" {
			k.plain[c] = v
		}
	}
	for c, v := range s.dated {
		if c.entity == "Agent" || c.entity == "Product" {
			k.dated[c] = v
		}
	}
	return k
}

func nodes(data any) []any {
	if connection, ok := data.(map[string]any); ok {
		data = connection["nodes"]
	}
	list, _ := data.([]any)
	return list
}

func (s *snapshot) objects(entity string, all []any) {
	for _, node := range all {
		of := node.(map[string]any)
		key := fmt.Sprint(of["key"])
		if entity == "Scenario" {
			s.versions[key] = fmt.Sprint(of["lastModified"])
			for i, r := range nodes(of["reviews"]) {
				of["reviews"].([]any)[i] = fmt.Sprint(apptest.At(r, "username"), ": ", apptest.At(r, "verdict"))
			}
		}
		if id, ok := of["id"].(string); ok {
			s.ids[cell{entity, key, ""}] = id
		}
		for _, name := range []string{"key", "id", "lastModified"} {
			delete(of, name)
		}
		s.plain[cell{entity, key, ""}] = key
		s.object(entity, key, "", of)
	}
}

// object adds what lies below a path of an object.
func (s *snapshot) object(entity, key, path string, data any) {
	switch v := data.(type) {
	case map[string]any:
		if label, ok := labelOf(v); ok {
			s.object(entity, key, path, label)
			return
		}
		for name, below := range v {
			name = strings.ReplaceAll(name, "_", ".")
			switch {
			case name == "payee":
				s.object(entity, key, "", below)
			case name == "aliases":
				s.aliases(key, nodes(below))
			case isPeriods(below):
				s.periods(cell{entity, key, name}, nodes(below))
			default:
				s.object(entity, key, strings.TrimPrefix(path+"."+name, "."), below)
			}
		}
	default:
		if of := text(data); of != "" {
			s.plain[cell{entity, key, path}] = of
		}
	}
}

// labelOf returns the only value of an object that stands for it, as of a jurisdiction.
func labelOf(of map[string]any) (any, bool) {
	if len(of) == 1 {
		for _, name := range []string{"code", "name", "value"} {
			if label, ok := of[name]; ok {
				return label, true
			}
		}
	}
	return nil, false
}

func isPeriods(data any) bool {
	of, ok := data.(map[string]any)
	return ok && of["nodes"] != nil
}

// aliases adds those of an agent: each by itself, under a path that is not noted, since two
// companies may know the agent by the same.
func (s *snapshot) aliases(agent string, all []any) {
	for _, node := range all {
		name := fmt.Sprint(apptest.At(node, "identifier"))
		path := strings.TrimSpace(aliases + "." + name + " " + text(apptest.At(node, "providerCompany")))
		s.ids[cell{"Agent", agent, path}] = fmt.Sprint(apptest.At(node, "id"))
		s.plain[cell{"Agent", agent, "~" + path}] = name
	}
	s.join(agent)
}

// aliases is the field that lists them.
const aliases = "aliases"

// join makes the list of an agent's aliases.
func (s *snapshot) join(agent string) {
	var names []any
	for c, name := range s.plain {
		if c.entity == "Agent" && c.key == agent && strings.HasPrefix(c.field, "~"+aliases+".") {
			names = append(names, name)
		}
	}
	if delete(s.plain, cell{"Agent", agent, aliases}); names != nil {
		s.plain[cell{"Agent", agent, aliases}] = text(names)
	}
}

func (s *snapshot) certifications(periods []any) {
	for _, p := range periods {
		of := apptest.At(p, "certification").(map[string]any)
		agent, path := fmt.Sprint(apptest.At(of, "agent.agentCode")), "certifications."+fmt.Sprint(of["databaseId"])
		s.ids[cell{"Agent", agent, path}] = fmt.Sprint(of["id"])
		s.plain[cell{"Agent", agent, path}] = text(of["type"])
		for _, name := range []string{"isResidentCertification", "isVerified", "note"} {
			s.object("Agent", agent, path+"."+name, of[name])
		}
		for _, name := range []string{"providerCompany", "jurisdiction", "identifier"} { // are its key
			s.object("Agent", agent, "~"+path+"."+name, of[name])
		}
		s.addPeriod(cell{"Agent", agent, path + ".status"}, p, map[string]string{"": text(apptest.At(p, "status"))})
	}
}

func (s *snapshot) rules(periods []any) {
	for _, p := range periods {
		of := maps.Clone(p.(map[string]any))
		c := cell{"Product", fmt.Sprint(of["product"]), "rules." + fmt.Sprint(of["rule"])}
		parts := map[string]string{}
		for name, v := range of {
			if value := text(v); value != "" && !slices.Contains([]string{"product", "rule", "effectiveFrom", "effectiveThrough"}, name) {
				parts[name] = value
			}
		}
		s.addPeriod(c, p, parts)
	}
}

func (s *snapshot) periods(c cell, all []any) {
	for _, p := range all {
		parts := map[string]string{}
		for name, v := range p.(map[string]any) {
			if strings.HasPrefix(name, "effective") {
				continue
			}
			addParts(parts, "", v)
		}
		s.addPeriod(c, p, parts)
	}
}

func addParts(parts map[string]string, path string, data any) {
	of, isObject := data.(map[string]any)
	if label, ok := labelOf(of); ok && path == "" {
		data, isObject = label, false
	}
	if !isObject {
		if value := text(data); value != "" {
			parts[path] = value
		}
		return
	}
	for name, v := range of {
		addParts(parts, strings.TrimPrefix(path+"."+name, "."), v)
	}
}

func (s *snapshot) addPeriod(c cell, node any, parts map[string]string) {
	p := period{from: dayOf(fmt.Sprint(apptest.At(node, "effectiveFrom"))), through: days - 1, parts: parts}
	if through, ok := apptest.At(node, "effectiveThrough").(string); ok {
		p.through = min(dayOf(through), days-1)
	}
	s.dated[c] = append(s.dated[c], p)
	slices.SortFunc(s.dated[c], func(a, b period) int { return cmp.Compare(a.from, b.from) })
}

// text writes a value as the trail does: a list by its values, which are in no order here.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool, json.Number:
		return fmt.Sprint(v)
	case []any:
		all := make([]string, len(v))
		for i, one := range v {
			all[i] = text(one)
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	case map[string]any:
		if label, ok := labelOf(v); ok {
			return text(label)
		}
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// whole stands for the part that is all of a value.
const whole = "*"

// on returns a part of the value of a dated cell on each day; nil for none.
func (s *snapshot) on(c cell, part string) (all [days]*string) {
	for _, p := range s.dated[c] {
		value, ok := p.parts[part]
		if part == whole {
			value, ok = p.value(), true
		}
		if ok {
			for d := max(p.from, 0); d <= p.through; d++ {
				all[d] = &value
			}
		}
	}
	return all
}

// datedOf splits the path of a noted field into a dated cell and a part of its value.
func (s *snapshot) datedOf(c cell) (of cell, part string, ok bool) {
	if _, ok := s.dated[c]; ok {
		return c, "", true
	}
	if rest, isW9 := strings.CutPrefix(c.field, "w9."); isW9 {
		return cell{c.entity, c.key, "w9"}, rest, true
	}
	return c, "", false
}

// difference writes what differs from a snapshot.
func difference(is, want *snapshot) string {
	var b strings.Builder
	for _, c := range cells(is, want) {
		if a, w := is.show(c), want.show(c); a != w {
			fmt.Fprintf(&b, "\n  %s is %q, want %q", c, a, w)
		}
	}
	return b.String()
}

// cells are those of two snapshots, in order.
func cells(a, b *snapshot) []cell {
	all := map[cell]bool{}
	for _, s := range []*snapshot{a, b} {
		for c := range s.plain {
			all[c] = true
		}
		for c := range s.dated {
			all[c] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b cell) int { return strings.Compare(a.String(), b.String()) })
}

// show writes the value of a cell.
func (s *snapshot) show(c cell) string {
	if periods, ok := s.dated[c]; ok {
		var b strings.Builder
		for _, p := range periods {
			through := "…"
			if p.through < days-1 {
				through = day(p.through)[5:]
			}
			fmt.Fprintf(&b, "%s–%s %s; ", day(max(p.from, 0))[5:], through, p.value())
		}
		return b.String()
	}
	return s.plain[c]
}
