package bulk

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/text"
)

// alsoCalled is what files of the trade call columns: licence lists of states, templates of
// platforms, statements of carriers. A head that may be two things, such as Paid, is none.
var alsoCalled = map[string]string{
	"agentCode":   "agent|agent id|agent number|agent code|producer|producer id|producer code|producer number|broker id|broker number|party unique id|broker unique id|code",
	"agent.npn":   "npn|npn number|national producer number|agent npn|producer npn|writing agent npn|nipr number",
	"agent.alias": "writing number|writing code|writing agent number|writing broker id|agent writing number|carrier agent number",
	"agent.email": "agent email|producer email",
	"agent.name":  "agent name|producer name|broker name|writing agent|writing agent name|agent full name",
	"fullName":    "name|full name|agent name|producer name|broker name|licensee name|licensee",
	"firstName":   "first|given name|forename|name first", "lastName": "last|surname|family name|name last", "middleName": "middle|middle initial|name middle",
	"suffix":                     "name suffix|generation",
	"commonName":                 "nickname|preferred name|goes by|known as",
	"email":                      "e mail|email address|e mail address|mail|business email|work email|contact email",
	"npn":                        "npn number|national producer number|producer npn|agent npn",
	"birthDate":                  "dob|date of birth|birthday|birth day|date birth",
	"startDate":                  "hire date|hired|contract date|start|started|start date|date hired|date of hire|join date",
	"customerId":                 "customer number|crm id|external id",
	"governmentIdentifier":       "ssn|sin|tax id|social security number|ssn tin|social|tax identification number",
	"level":                      "agent level|rank|contract level|comp level|compensation level|requested level",
	"teams.default.directUpline": "upline code|upline id|upline number|upline agent code|upline agent id",
	"teams.default.level":        "level|agent level|rank|contract level|comp level|compensation level|requested level",
	"upline.any":                 "upline|direct upline|reports to|manager|hierarchy|supervisor|reports to unique id|broker reports to unique id|parent broker id|upline name",
	"upline.npn":                 "upline npn|direct upline npn|manager npn",
	"upline.email":               "upline email|manager email",
	"uplineAgentCode":            "upline code|upline id|upline number",
	"homeAddress.line1":          "address|street|address 1|address line 1|line 1|home address|home street|residence address|street address|home address 1|residence address 1|mailing address|mailing address 1",
	"homeAddress.line2":          "address 2|address line 2|line 2|home address 2|suite|unit|apartment|residence address 2|mailing address 2",
	"homeAddress.city":           "city|town|home city|residence city|mailing city",
	"homeAddress.jurisdiction":   "state|st|home state|province|residence state|mailing state|state province|resident state",
	"homeAddress.postalCode":     "zip|zip code|postal code|postcode|pstl cd|home zip|residence zip|mailing zip",
	"homeAddress.country":        "country|home country",
	"businessAddress.line1":      "business address|business address 1|work address|office address|business street",
	"businessAddress.line2":      "business address 2|work address 2|office address 2",
	"businessAddress.city":       "business city|work city|office city", "businessAddress.jurisdiction": "business state|work state|office state",
	"businessAddress.postalCode": "business zip|work zip|office zip|business zip code|business postal code",
	"cellPhone.phoneNumber":      "cell|mobile|cell phone|mobile phone|phone|primary phone|cell number|mobile number|phone number|telephone",
	"homePhone.phoneNumber":      "home phone|home number|residence phone",
	"businessPhone.phoneNumber":  "work phone|business phone|office phone|work number|business number", "fax.phoneNumber": "fax|fax number",
	"type":                    "license type|certification type|line|loa|line of authority|lines of authority|qualification|license class|license type description|license tycl description|tycl description|appointment tycl description|loa name",
	"jurisdiction":            "state|st|state code|for state|license state|province|appointment state|state name|jurisdiction code",
	"identifier":              "license number|license id|license|license identification|certificate number",
	"providerCompany":         "carrier|carrier code|company|company code|company name|carrier name|insurer|insurance company|insurance company name|provider|appointing entity|appointing entity name|cocode|naic|naic id|naic number|naic code|company naic",
	"isResidentCertification": "resident|is resident|residency|residency type|residency status|resident indicator|is residence license|resident license|resident license indicator|resident nonresident",
	"isVerified":              "verified|is verified",
	"status":                  "pay status|license status|current status|active|is active|appointed|appointment status|status of license|state of license|agent status|loa status|license status code",
	"effectiveFrom":           "from|effective|effective date|begin|begin date|start|start date|valid from|since",
	"effectiveThrough":        "through|to|until|end|end date|valid through|valid to|effective to",
	"issueDate":               "issued|issue date|original issue date|license issue date|date issued|license effective date|effective date|effective|appointment active date|appointment issue date|appointment effective date|appointment date|granted date|rts start|active date|date issue license original|loa issue date|license issued",
	"expirationDate":          "expires|expiry|expiration|expiration date|expiry date|license expiration date|appointment expiration date|term date|rts end|date expire license|license expiration|expires on|valid through|valid to",
	"statusDate":              "status date|license status date|status reason date|date of status",
	"annualPremium":           "premium|annualized premium|annual premium|ap|target premium",
	"policyNumber":            "policy|policy id|contract number|certificate id|policy contract number",
	"productLine":             "product|product name|product type|plan|line of business",
	"submittedOn":             "submitted|submit date|submission date|application date|submitted date|app date|date submitted",
	"issuedOn":                "issued|issue date|policy issue date|date issued",
	"placedOn":                "placed|in force date|placed date|inforce date|date placed",
	"amount":                  "commission|commission amount|paid amount|comm amount|comp|amount paid|net commission|commission paid",
	"paidOn":                  "pay date|payment date|paid date|statement date|pmt posted date|date paid",
	"reference":               "transaction id|reference number|statement number",
	"name":                    "company name|carrier name|full name", "naicCode": "naic|cocode|naic number|naic id",
}

// spelt is how the words of heads are written out.
var spelt = map[string]string{"no": "number", "num": "number", "nbr": "number", "nr": "number", "dt": "date", "eff": "effective", "exp": "expiration", "lic": "license", "licence": "license",
	"licensed": "license", "addr": "address", "desc": "description", "orig": "original", "comm": "commission", "cert": "certification", "tel": "phone", "telephone": "phone", "address1": "address 1", "address2": "address 2", "line1": "line 1", "line2": "line 2"}

// heading returns a head as it is compared: License Issue Dt. and licenseIssueDate are the same.
func heading(head string) string {
	var b strings.Builder
	before := ' '
	for _, r := range strings.ReplaceAll(head, "#", " number ") {
		if r >= 'A' && r <= 'Z' && before >= 'a' && before <= 'z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	pieces := text.Pieces(text.Fold(b.String()))
	for i, p := range pieces {
		if full := spelt[p]; full != "" {
			pieces[i] = full
		}
	}
	return strings.Join(pieces, " ")
}

// called has the columns by what heads call them, as heading writes it.
var called = func() map[string][]string {
	of := map[string][]string{}
	for column, names := range alsoCalled {
		for name := range strings.SplitSeq(names, "|") {
			of[heading(name)] = append(of[heading(name)], column)
		}
	}
	return of
}()

// How well a head names a column.
const (
	byOthers = iota + 1
	byLastPart
	byItsName
)

// candidates returns how well a head names each column that it may be.
func (n names) candidates(head string) map[int]int {
	is, fits := heading(head), map[int]int{}
	if is == "" {
		return nil
	}
	for i, c := range n.columns {
		last := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
		switch {
		case is == heading(c.Name):
			fits[i] = byItsName
		case c.Kind != Key && is == heading(last) && !strings.HasPrefix(c.Name, "business") && !strings.HasPrefix(c.Name, "fax"):
			fits[i] = byLastPart
		case slices.Contains(called[is], c.Name):
			fits[i] = byOthers
		}
	}
	return fits
}

// understood finds the column of each head that the mapping says nothing of: each column
// once, the best fit first. A column that stands for one which the file has is none, nor is
// one that has the same value in all rows.
func (n names) understood(heads []string, header []int, constants map[int]string) {
	type fit struct{ head, column, how int }
	var fits []fit
	for i, head := range heads {
		if header[i] == unknown {
			for column, how := range n.candidates(head) {
				if _, said := constants[column]; said {
					continue
				}
				fits = append(fits, fit{i, column, how})
			}
		}
	}
	slices.SortFunc(fits, func(a, b fit) int {
		if a.how != b.how {
			return b.how - a.how
		}
		if a.column != b.column {
			return n.rank(a.column) - n.rank(b.column)
		}
		return a.head - b.head
	})
	for _, f := range fits {
		if header[f.head] == unknown && !slices.ContainsFunc(header, func(taken int) bool { return n.isTaken(f.column, taken) }) {
			header[f.head] = f.column
		}
	}
}

// rank orders the columns that a head may be: what is good of a licence before the period
// of a status, an agent's own property before what names it.
func (n names) rank(column int) int {
	switch name := n.columns[column].Name; {
	case name == "issueDate" || name == "expirationDate":
		return column - 2*len(n.columns)
	}
	return column
}

// isTaken reports whether a column is there already, itself or as another that stands for it.
func (n names) isTaken(column, taken int) bool {
	if taken < 0 {
		return false
	}
	return column == taken || n.instead(column, taken) || n.instead(taken, column)
}

// instead reports whether a column stands for another.
func (n names) instead(column, other int) bool {
	c, o := n.columns[column], n.columns[other]
	if c.Kind == FullName {
		return o.Name == "firstName" || o.Name == "lastName"
	}
	return c.For != "" && (c.For == o.Name || c.For == o.For)
}

// KindOf returns the entity whose columns the heads of a file fit best, or that of a layout that
// is known; isSure is false if another one fits as well.
func KindOf(file io.ReadSeeker, entities map[string][]Column, m Mapping) (best string, isSure bool, err error) {
	most := -1 << 20
	for _, name := range slices.Sorted(maps.Keys(entities)) {
		l := &Layout{file: file, columns: Extended(entities[name]), own: len(entities[name])}
		if err := l.begin(Mapping{Sheet: m.Sheet, HeadRow: m.HeadRow}); err != nil {
			return "", false, err
		}
		if k := known(l.cells); k != nil && entities[k.Entity] != nil {
			return k.Entity, true, nil
		}
		switch rated := l.rate(); {
		case rated > most:
			most, best, isSure = rated, name, true
		case rated == most:
			isSure = false
		}
	}
	return best, isSure && most > 0, nil
}

// rate says how well the heads fit: a column that is known counts one, a required one that
// is missing takes two away.
func (l *Layout) rate() (n int) {
	for _, column := range l.header {
		if column >= 0 {
			n += 2
		}
	}
	for i, c := range l.columns[:l.own] {
		if c.Required && !slices.ContainsFunc(l.header, func(has int) bool { return l.names.isTaken(i, has) }) {
			n -= 3
		}
	}
	return n
}
