package bulk

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// alsoCalled is what files of the trade call columns: licence lists of states, templates of
// platforms, statements of carriers. The order of words does not count, and braces stand for
// each of some words. Of two heads of a file that call one column, the first here is it. A head
// that may be two things, such as Paid, is none.
var alsoCalled = map[string]string{
	"agentCode":       "{agent,producer,broker,advisor,employee,emp,worker,representative,rep,associate,personnel,user}{ id, code, number}|agent|producer|lookup code|party unique id|broker unique id|code",
	"agent.npn":       "{,agent ,producer ,broker ,advisor ,writing agent ,licensee ,individual }{npn,npn number,national producer number}|nipr number",
	"agent.alias":     "{,agent ,carrier ,writing agent ,company ,producer }writing {number,code,id}|writing {agent,broker,producer} {number,id,code}|carrier agent {number,id,code}|{carrier,company} producer {number,code,id}",
	"agent.email":     "{agent,producer,broker,advisor} email{, address}",
	"agent.name":      "{agent,producer,broker,advisor,licensee,writing agent,writing producer,appointee,representative,payee}{ name, full name}|writing agent|licensee|name|full name|individual{, name}",
	"agent.firstName": "{,agent ,producer }first{, name}|given name|name first", "agent.lastName": "{,agent ,producer }last{, name}|surname|family name|name last|last name or business name",
	"fullName":  "name|full name|{agent,producer,broker,advisor,licensee,employee,payee}{ name, full name}|licensee",
	"firstName": "first|given name|forename|name first|fname|{agent,producer,legal} first name", "lastName": "last|surname|family name|name last|lname|{agent,producer,legal} last name|last name or business name", "middleName": "middle|middle initial|name middle|mi|mname",
	"suffix":                     "name suffix|generation",
	"commonName":                 "nickname|preferred name|goes by|known as",
	"email":                      "{,business ,work ,contact ,primary ,preferred ,personal ,agent ,producer }{email,e mail,mail}{, address}",
	"npn":                        "{,agent ,producer ,broker ,individual }{npn,npn number,national producer number}|nipr number",
	"birthDate":                  "dob|date birth|birthday|birth day|birthdate",
	"startDate":                  "{hire,contract,contracted,start,join,joined,onboarding,appointment} date|hired|start|started|hire|date hired",
	"customerId":                 "customer number|crm id|external id",
	"governmentIdentifier":       "ssn|sin|tax id|social security number|ssn tin|social|tax identification number|social security",
	"level":                      "{,agent ,new ,contract ,comp ,compensation ,commission ,requested ,current }level|rank|title level",
	"teams.default.directUpline": "upline {code,id,number,agent code,agent id}",
	"teams.default.level":        "{,agent ,contract ,comp ,compensation ,commission ,requested ,current }level|rank",
	"upline.any":                 "{upline,direct upline,upline agent,reports to,manager,supervisor,hierarchy}{, name}|immediate upline|{manager,supervisor} {id,code,number}|reports to unique id|broker reports to unique id|parent broker id",
	"upline.npn":                 "{upline,direct upline,manager,upline agent,supervisor} {npn,national producer number}",
	"upline.email":               "{upline,manager,supervisor} email{, address}",
	"uplineAgentCode":            "{,new }upline {code,id,number}",
	"homeAddress.line1":          "{,home ,residence ,mailing ,street ,primary }{address,address 1,address line 1,street,street 1}|line 1",
	"homeAddress.line2":          "{,home ,residence ,mailing }{address 2,address line 2,street 2}|line 2|suite|unit|apartment",
	"homeAddress.city":           "{,home ,residence ,mailing ,primary ,home address ,mailing address }city|town",
	"homeAddress.jurisdiction":   "{,home ,residence ,mailing ,resident ,primary ,home address ,mailing address }{state,state code}|st|province|state province",
	"homeAddress.postalCode":     "{,home ,residence ,mailing ,primary ,home address ,mailing address }{zip,zip code,postal code,postcode}|pstl cd",
	"homeAddress.country":        "country|home country",
	"businessAddress.line1":      "{business,work,office} {address,address 1,address line 1,street}",
	"businessAddress.line2":      "{business,work,office} {address 2,address line 2}",
	"businessAddress.city":       "{business,work,office} city", "businessAddress.jurisdiction": "{business,work,office} state",
	"businessAddress.postalCode": "{business,work,office} {zip,zip code,postal code}",
	"cellPhone.phoneNumber":      "{cell,mobile,primary,cellular,personal} {phone,number,phone number}|{cell,mobile,phone}{, number}",
	"homePhone.phoneNumber":      "{home,residence} {phone,number,phone number}",
	"businessPhone.phoneNumber":  "{work,business,office} {phone,number,phone number}", "fax.phoneNumber": "fax{, number}",
	"type":                    "{loa,line,license line,authority line}{, name, description}|qualification|{certification,license} type{, description}|{license tycl,tycl,appointment tycl} description|license {code,class}{, description}",
	"jurisdiction":            "{,appointment ,license ,loa ,issue ,for ,certification }{state,state code,state name,province,province code}|st|jurisdiction code",
	"identifier":              "{license,certificate,certification,appointment}{ number, id, identification}|license",
	"providerCompany":         "{carrier,company,insurer,insurance company,provider,appointing entity,appointing company,appointing carrier,sponsor,sponsoring insurer}{, name, code}|{company,carrier} {cocode,naic}|naic company code|{,naic }{cocode,co code}|naic{, id, number, code}",
	"isResidentCertification": "resident|residency{, type, status}|resident {indicator,nonresident,non resident,license,license indicator,flag,res nonres}|res non res|resident license|residence license|home state indicator|nonresident resident|non nonresident|res nonres",
	"isVerified":              "verified",
	"note":                    "{status,term,termination,status change,appointment termination} reason{, description, code}|reason|comment|comments|remark|remarks|notes",
	"status":                  "{loa,license,appointment,agent,producer,pay,current,rts,certification,employment,employee,worker}{ status, status code}|active{, inactive, indicator, flag}|appointment|status license",
	"effectiveFrom":           "from|effective{, date}|{contract,level,upline,hierarchy,status} effective{, date}|begin{, date}|start{, date}|valid from|since",
	"effectiveThrough":        "through|to|until|end{, date}|valid {through,to}|effective to",
	"issueDate":               "{loa ,authority }{issue,effective} date|{appointment,license appointment,carrier appointment} {issue,effective,active,approval,start} date|appointment date|{,license ,certification }{issue,original issue,effective,original effective,granted,active,approval,approved,original issue license,first issue,start} date|date granted|effective|issue|license issue|original issue|{rts,ready to sell} {start,date,start date,effective date}",
	"expirationDate":          "{,license ,appointment ,certification ,loa ,license renewal }expiration{, date, date license, on}|{appointment ,license ,}{term,termination,end} date|rts end{, date}|expiration license|valid {through,to}",
	"statusDate":              "{,license ,loa ,appointment ,current }{status,status reason,status effective,status change} date|date status changed",
	"annualPremium":           "premium|{annual,annualized,target} premium|annualized premium amount|ap|anp",
	"policyNumber":            "policy{, id, contract number}|contract number|certificate id|{account,acct} policy",
	"productLine":             "product{, name, type, line}|plan{, name}|line business",
	"submittedOn":             "submitted|submit date|submission date|application date|submitted date|app date|date application signed",
	"issuedOn":                "issue|issue date|policy issue date",
	"placedOn":                "placed|in force date|placed date|inforce date|placement date",
	"amount":                  "{,paid ,net ,total ,earned ,gross }commission{, amount, payable}|{comp,compensation} amount|comp|{paid,payment,net} amount|commission {paid,earned,due}",
	"paidOn":                  "{pay,payment,paid,statement,payout,check,posted payment,posting,commission,paid commission} date",
	"reference":               "{transaction,reference,statement,check}{ id, number}|policy{, number, id}|policy contract number|contract number",
	"name":                    "company name|carrier name|full name", "naicCode": "naic|{,naic }{cocode,co code}|naic {number,id,code}|naic company code",
}

// expanded returns the names that a text with braces stands for.
func expanded(names string) (all []string) {
	before, rest, has := strings.Cut(names, "{")
	if !has {
		return []string{names}
	}
	inner, after, _ := strings.Cut(rest, "}")
	for one := range strings.SplitSeq(inner, ",") {
		all = append(all, expanded(before+one+after)...)
	}
	return all
}

// spelt is how the words of heads are written out, besideHeads are those that say nothing.
var (
	spelt = map[string]string{"no": "number", "num": "number", "nbr": "number", "dt": "date", "eff": "effective", "exp": "expiration", "expires": "expiration", "expiry": "expiration", "expire": "expiration", "lic": "license", "licence": "license",
		"licences": "license", "licenses": "license", "licensed": "license", "issued": "issue", "issuance": "issue", "appt": "appointment", "appts": "appointment", "appointed": "appointment", "appointments": "appointment", "lines": "line", "amt": "amount", "pmt": "payment", "stmt": "statement", "prem": "premium", "annualised": "annualized",
		"addr": "address", "desc": "description", "orig": "original", "comm": "commission", "cert": "certification", "tel": "phone", "telephone": "phone", "address1": "address 1", "address2": "address 2", "line1": "line 1", "line2": "line 2", "ind": "indicator", "cnty": "county"}
	besideHeads = map[string]bool{"of": true, "the": true, "is": true, "s": true}
)

// asideInHeads is what a head says beside its name: (required), (MM/DD/YYYY), (Y/N).
var asideInHeads = regexp.MustCompile(`(?i)\((s|required|optional|if any|y/n|yes/no|active/inactive|resident/non-?resident|usd|\$|[mdy]{1,4}[ /.-]?[mdy]{1,4}[ /.-]?[mdy]{1,4})\)`)

// writtenSigns are the signs in heads that say something.
var writtenSigns = strings.NewReplacer("#", " number ", "%", " percent ")

// wordsOf returns the words of a head: License Issue Dt. and licenseIssueDate have the same.
func wordsOf(head string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range writtenSigns.Replace(asideInHeads.ReplaceAllString(head, "")) {
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
	return slices.DeleteFunc(pieces, func(p string) bool { return besideHeads[p] })
}

// heading returns a head as it is compared: Date Issued and Issue Date are the same.
func heading(head string) string {
	pieces := wordsOf(strings.Join(wordsOf(head), " ")) // what is written out may be several words
	slices.Sort(pieces)
	return strings.Join(pieces, " ")
}

// calling is a column that heads call so, as the place-th of its names.
type calling struct {
	column string
	place  int
}

// called has the columns by what heads call them, as heading writes it.
var called = sync.OnceValue(func() map[string][]calling {
	of := map[string][]calling{}
	for column, names := range alsoCalled {
		place := 0
		for group := range strings.SplitSeq(names, "|") {
			for _, name := range expanded(group) {
				place++
				if is := heading(name); !slices.ContainsFunc(of[is], func(c calling) bool { return c.column == column }) {
					of[is] = append(of[is], calling{column, place})
				}
			}
		}
	}
	return of
})

// How well a head names a column.
const (
	byOthers = iota + 1
	byLastPart
	byItsName
)

// naming is how a head names a column: how well, and as which of its names.
type naming struct{ how, place int }

// index has the columns that each head may be, as heading writes it.
func (n names) index() map[string]map[int]naming {
	of := map[string]map[int]naming{}
	note := func(head string, column, how, place int) {
		if of[head] == nil {
			of[head] = map[int]naming{}
		}
		if of[head][column].how < how {
			of[head][column] = naming{how, place}
		}
	}
	at := map[string]int{}
	for i, c := range n.columns {
		at[c.Name] = i
		note(heading(c.Name), i, byItsName, 0)
		if last := c.Name[strings.LastIndexByte(c.Name, '.')+1:]; c.Kind != Key && c.Kind != NamePart && !strings.HasPrefix(c.Name, "business") && !strings.HasPrefix(c.Name, "fax") {
			note(heading(last), i, byLastPart, 0)
		}
	}
	for head, all := range called() {
		for _, c := range all {
			if i, has := at[c.column]; has {
				note(head, i, byOthers, c.place)
			}
		}
	}
	return of
}

// candidates returns how a head names each column that it may be.
func (n names) candidates(head string) map[int]naming {
	is := heading(head)
	if fits := n.called[is]; fits != nil || is == "" {
		return fits
	}
	if first, ok := strings.CutPrefix(is, "1 "); ok { // Email 1, Phone 1
		return n.called[first]
	}
	return nil
}

// understood finds the column of each head that the mapping says nothing of: each column
// once, the best fit first. A column that stands for one which the file has is none, nor is
// one that has the same value in all rows.
func (n names) understood(heads []string, header []int, constants map[int]string) {
	type fit struct {
		head, column int
		naming
	}
	var fits []fit
	hasAddress := slices.ContainsFunc(heads, func(head string) bool { return ofAddress[heading(head)] })
	for i, head := range heads {
		if header[i] == unknown {
			for column, how := range n.candidates(head) {
				if _, said := constants[column]; said || hasAddress && n.columns[column].Name == "jurisdiction" && ofAnything[heading(head)] {
					continue
				}
				fits = append(fits, fit{i, column, how})
			}
		}
	}
	slices.SortFunc(fits, func(a, b fit) int {
		return cmp.Or(b.how-a.how, n.rank(a.column)-n.rank(b.column), a.place-b.place, a.head-b.head)
	})
	for _, f := range fits {
		if header[f.head] == unknown && !slices.ContainsFunc(header, func(taken int) bool { return n.isTaken(f.column, taken) }) {
			header[f.head] = f.column
		}
	}
	for _, f := range fits {
		if header[f.head] == unknown && slices.ContainsFunc(header, func(taken int) bool { return n.saysAgain(f.column, taken) }) {
			header[f.head] = again
		}
	}
}

// ofAddress are heads of an address, and ofAnything those of a state that beside them may be that of
// the address, and not where a licence holds.
var (
	ofAddress  = map[string]bool{"city": true, "town": true, "zip": true, heading("zip code"): true, heading("postal code"): true, heading("pstl_cd"): true}
	ofAnything = map[string]bool{"state": true, "st": true, heading("state code"): true, "province": true}
)

// rank orders the columns that a head may be: what is good of a licence before the period
// of a status, an agent's own property before what names it.
func (n names) rank(column int) int {
	switch name := n.columns[column].Name; {
	case name == "issueDate" || name == "expirationDate", n.columns[column].Kind == FullName:
		return column - 2*len(n.columns)
	case n.columns[column].Kind == Code && n.columns[column].Name == "npn":
		return column - 3*len(n.columns)
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

// instead reports whether a column stands for another. An agent may be named in several ways at
// once, but for one that the rows are about: its number is then a property.
func (n names) instead(column, other int) bool {
	c, o := n.columns[column], n.columns[other]
	if c.Kind == FullName {
		return o.Name == "firstName" || o.Name == "lastName"
	}
	return c.For != "" && c.For == "agentCode" && n.have("firstName") && (c.For == o.Name || c.For == o.For)
}

// stands reports whether a column of a file is another, or says what that does.
func (n names) stands(column, has int) bool {
	return has >= 0 && (column == has || n.instead(has, column) || n.columns[has].For == n.columns[column].Name)
}

// saysAgain reports whether a column says nothing that another one does not say: a whole name
// beside its parts, a provider company by its number beside its name.
func (n names) saysAgain(column, taken int) bool {
	if taken < 0 {
		return false
	}
	return n.columns[column].Kind == FullName && n.instead(column, taken) || column == taken && n.columns[column].List == ProviderCompanies
}

// names finds the column of a header or a property, by its name in small letters.
type names struct {
	columns []Column
	byName  map[string]int
	// called has the columns by what heads call them.
	called map[string]map[int]naming
	// skipsOthers is true if what nobody understands is left out.
	skipsOthers bool
}

// allOthers in Mapping.Skip stands for all that nobody understands.
const allOthers = "*"

const (
	// skipped stands for the column of a header that is left out.
	skipped = -1 - iota
	// unknown stands for that of a header that nobody understands.
	unknown
	// empty stands for that of a column without any value.
	empty
	// again stands for that of a header which says what another one does.
	again
)

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// newNames returns the names of columns, those that headers adds, and those that are
// skipped.
func newNames(columns []Column, m Mapping) (names, error) {
	n := names{columns: columns, byName: make(map[string]int, len(columns)+len(m.Headers)+len(m.Skip))}
	n.called = n.index()
	for i, c := range columns {
		n.byName[fold(c.Name)] = i
	}
	added := make(map[string]int, len(m.Headers)+len(m.Skip))
	var wrong problem.List
	for _, h := range m.Headers {
		i, known := n.byName[fold(h.Column)]
		if !known {
			wrong.Add(n.unknown("The header "+quote(h.Name)+" is mapped to what is no column", "headers"))
		}
		if _, again := added[fold(h.Name)]; again {
			wrong.Add(problem.Invalid(problem.DuplicateKey, "must not map the header "+quote(h.Name)+" twice; case, and blanks around it, tell no two apart", "headers"))
		}
		added[fold(h.Name)] = i
	}
	for _, name := range m.Skip {
		if name == allOthers {
			n.skipsOthers = true
			continue
		}
		if _, mapped := added[fold(name)]; mapped || fold(name) == "" {
			wrong.Add(problem.Invalid(problem.DuplicateKey, "must name each header once, and none that is mapped: "+quote(name), "skipColumns"))
		}
		added[fold(name)] = skipped
	}
	maps.Copy(n.byName, added)
	for _, h := range m.Headers {
		if added[fold(h.Name)] != skipped && n.skips(h.Name) {
			wrong.Add(problem.Invalid(problem.DuplicateKey, "must name no header above one that is mapped: "+quote(h.Name), "skipColumns"))
		}
	}
	return n, wrong.Err()
}

// quote quotes a name that somebody gave, shortened to maxShown.
func quote(name string) string {
	if runes := []rune(name); len(runes) > maxShown {
		name = string(runes[:maxShown]) + "…"
	}
	return strconv.Quote(name)
}

// maxShown bounds the length of names that messages repeat.
const maxShown = 60

// column returns the column of a header or a property. Everything below a name that is
// left out is left out too, nested or with a dotted name.
func (n names) column(name string) (column int, known bool) {
	name = fold(name)
	for i := range len(name) - 1 {
		if name[i] == '.' && name[i+1] != ' ' && n.byName[name[:i]] == skipped {
			return skipped, true
		}
	}
	column, known = n.byName[name]
	return column, known
}

// have reports whether there is a column of a name.
func (n names) have(column string) bool {
	return slices.ContainsFunc(n.columns, func(c Column) bool { return c.Name == column })
}

// skips reports whether a name is left out.
func (n names) skips(name string) bool {
	column, known := n.column(name)
	return known && column == skipped
}

// below returns the columns of all names below one, in their order.
func (n names) below(name string) (columns []int) {
	prefix := fold(name) + "."
	for of, column := range n.byName {
		if strings.HasPrefix(of, prefix) {
			columns = append(columns, column)
		}
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// unknown is the problem of a name that is not a column; it lists the names there are.
func (n names) unknown(message string, field ...string) *problem.Error {
	all := make([]string, len(n.columns))
	for i, c := range n.columns {
		all[i] = c.Name
	}
	return problem.Invalid(problem.UnknownField, message+". Columns are "+strings.Join(all, ", "), field...).With("columns", all)
}

// header returns the heads of a row, told apart by their places where they are equal, and
// the column of each: unknown for one that says nothing that is known.
func (n names) header(cells []string, constants map[int]string) (heads []string, columns []int, err error) {
	heads, columns = make([]string, len(cells)), make([]int, len(cells))
	for i, cell := range cells {
		heads[i] = text.Trim(cell)
		if heads[i] == "" || slices.ContainsFunc(heads[:i], func(before string) bool { return fold(before) == fold(heads[i]) }) {
			heads[i] = strings.TrimSpace(heads[i] + " (column " + strconv.Itoa(i+1) + ")")
		}
		column, known := n.column(cell)
		if cell == WhatIsWrong {
			column, known = skipped, true
		}
		if columns[i] = column; !known {
			columns[i] = unknown
		}
		if byPlace, known := n.column(heads[i]); known {
			columns[i] = byPlace
		} else if first := slices.Index(columns[:i], column); first >= 0 && column >= 0 && columns[i] != unknown {
			if n.byName[fold(cell)] == column && fold(cell) == fold(cells[first]) && fold(cell) != fold(n.columns[column].Name) {
				columns[i] = unknown // the second of two equal heads, of which the mapping names the first
				continue
			}
			return nil, nil, problem.List{whole(problem.DuplicateKey, "The headers of the columns "+strconv.Itoa(first+1)+" and "+strconv.Itoa(i+1)+" both mean "+n.columns[column].Name)}
		}
	}
	n.understood(heads, columns, constants)
	return heads, columns, nil
}

// refuseUnknown is the problem of heads that nobody understands and nobody has left out.
func (n names) refuseUnknown(heads, cells []string, unknown []int) error {
	isHeader := len(unknown) < len(cells) || n.isHeader(cells)
	which := make([]string, len(unknown))
	for k, i := range unknown {
		if which[k] = strconv.Itoa(i + 1); isHeader && looksLikeName(cells[i]) {
			which[k] += " (" + quote(heads[i]) + ")"
			if near := n.near(cells[i]); near != "" {
				which[k] = strings.TrimSuffix(which[k], ")") + ": " + near + "?)"
			}
		}
	}
	said, advice := "The header of column ", " cannot be used: name it as a column, map it, or skip it"
	if len(which) > 1 {
		said, advice = "The headers of the columns ", " cannot be used: name them as columns, map them, or skip them"
	}
	return problem.List{n.unknown(said+strings.Join(which, ", ")+advice, "file")}
}

// near returns the column that a head may mean; "" for none.
func (n names) near(head string) string {
	var all []string
	of := map[string]string{}
	note := func(name, column string) {
		if is := strings.Join(wordsOf(name), " "); is != "" && of[is] == "" {
			all, of[is] = append(all, is), column
		}
	}
	for _, c := range n.columns {
		note(c.Name, c.Name)
		note(c.Name[strings.LastIndexByte(c.Name, '.')+1:], c.Name)
		for group := range strings.SplitSeq(alsoCalled[c.Name], "|") {
			for _, name := range expanded(group) {
				note(name, c.Name)
			}
		}
	}
	is := strings.Join(wordsOf(head), " ")
	if nearest := text.Nearest(is, all); len(is) > 3 && strings.HasPrefix(nearest, is[:3]) {
		return of[nearest]
	}
	return ""
}

var wordOfName = regexp.MustCompile(`\p{Lu}?\p{Ll}{2,}`)

// isHeader reports whether a row without a column is the header of another system: all of
// it may be repeated, and two cells at least have words of our names, as "Producer Code" has
// of agentCode. A row of data is not repeated.
func (n names) isHeader(cells []string) bool {
	words := map[string]bool{}
	for _, c := range n.columns {
		for _, word := range wordOfName.FindAllString(c.Name, -1) {
			words[strings.ToLower(word)] = true
		}
	}
	alike := 0
	for _, cell := range cells {
		if !looksLikeName(cell) {
			return false
		}
		if slices.ContainsFunc(wordOfName.FindAllString(cell, -1), func(word string) bool { return words[strings.ToLower(word)] }) {
			alike++
		}
	}
	return alike > 1
}

// looksLikeName reports whether a message may repeat a cell of the header. The first row
// of a file without a header is data, which has digits, signs or many words.
func looksLikeName(cell string) bool {
	cell = strings.TrimSpace(cell)
	digits := 0
	for _, r := range cell {
		switch {
		case unicode.IsDigit(r):
			digits++
		case !unicode.IsLetter(r) && !strings.ContainsRune(" _-./#()%?*&'+", r):
			return false
		}
	}
	return cell != "" && utf8.RuneCountInString(cell) <= maxShown && digits <= 2
}
