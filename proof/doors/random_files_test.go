package doors_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

// someHeads are what files call columns: the first one is ours.
var someHeads = map[string][]string{
	"agentCode": {"agentCode", "Agent ID", "Producer Code", "AGENT_NO", "Employee ID", "Agent Code*"}, "firstName": {"firstName", "First Name", "FIRST", "Given name"},
	"lastName": {"lastName", "Last Name", "Surname"}, "fullName": {"fullName", "Name", "Full Name"}, "status": {"status", "Pay Status"},
	"startDate": {"startDate", "Hire Date", "Contract Dt"}, "birthDate": {"birthDate", "DOB", "Date of Birth"}, "npn": {"npn", "NPN Number", "National Producer #"},
	"email": {"email", "E-mail Address", "Email 1", "Preferred Email"}, "homeAddress.jurisdiction": {"homeAddress.jurisdiction", "State", "Home State"},
	"homeAddress.postalCode": {"homeAddress.postalCode", "Zip Code", "ZIP"}, "cellPhone.phoneNumber": {"cellPhone.phoneNumber", "Mobile", "Cell Phone", "Phone 1"}, "teams.default.level": {"teams.default.level", "Level", "Contract Level"},

	"agent.npn": {"agent.npn", "NPN", "Producer NPN"}, "agent.email": {"agent.email", "Producer Email"}, "agent.name": {"agent.name", "Agent Name"},
	"type": {"type", "LOA", "License TYCL Desc", "Line(s) of Authority", "Lines"}, "jurisdiction": {"jurisdiction", "License State", "forState"}, "identifier": {"identifier", "License Number", "LICENSE_NUM", "Lic No."},
	"isResidentCertification": {"isResidentCertification", "Residency Type", "Resident?", "Res/Non-Res"}, "issueDate": {"issueDate", "License Issue Date", "Orig. Issue Dt", "Date Issued", "Issued (required)"}, "expirationDate": {"expirationDate", "Exp Date", "License Expiration Date", "Date Expires", "Lic. Exp. Dt."},
}

// writtenFile is a file that was written in a layout of somebody else's.
type writtenFile struct {
	bytes string
	order string // of its days, if they have one
}

// layout draws how a file is written.
type layout struct {
	*rapid.T
	dayForm string
}

func (l *layout) one(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(l.T, label)
}

func (l *layout) yes(label string) bool { return rapid.Bool().Draw(l.T, label) }

func (l *layout) isDayFirst() bool {
	return strings.HasPrefix(l.dayForm, "2/") || strings.HasPrefix(l.dayForm, "02.")
}

// day writes a day in the form of the file.
func (l *layout) day(iso string) string {
	if iso == "" {
		never := "12/31/9999"
		if l.isDayFirst() {
			never = "31/12/9999"
		}
		return l.one("none", "", "N/A", "NULL", "-", "00/00/0000", "PERPETUAL", never)
	}
	at, _ := time.Parse(time.DateOnly, iso)
	if l.dayForm == "serial" {
		return strconv.Itoa(int(at.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24))
	}
	return strings.ToUpper(at.Format(l.dayForm))
}

// words writes a value of a column as others do.
func (l *layout) words(column, value string) string {
	is := func(of ...string) string { return l.one("word", append(of, value)...) }
	if value == wrongValue {
		return value
	}
	switch column {
	case "homeAddress.jurisdiction", "jurisdiction":
		return map[string]func() string{"US-TX": func() string { return is("TX", "tx", "Texas") }, "US-FL": func() string { return is("FL", "FLORIDA") }, "CA-ON": func() string { return is("ON", "Ontario") }}[value]()
	case "isResidentCertification":
		if value == "true" {
			return is("Y", "yes", "Resident", "R", "1", "TRUE")
		}
		return is("N", "no", "Non-Resident", "NR", "0", "FALSE")
	case "type":
		return map[string]func() string{"LIFE": func() string { return is("Life", "LIFE INSURANCE") }, "HEALTH": func() string { return is("Accident & Health", "Health", "A&H") },
			"LIFE;HEALTH": func() string { return l.one("word", "Life & Health", "LIFE, HEALTH", "Life; Accident and health") }}[value]()
	case "startDate", "birthDate", "issueDate", "expirationDate":
		return l.day(value)
	case "cellPhone.phoneNumber":
		d := value
		return l.one("phone", "("+d[:3]+") "+d[3:6]+"-"+d[6:], d, d[:3]+"."+d[3:6]+"."+d[6:], "1-"+d[:3]+"-"+d[3:6]+"-"+d[6:], "+1"+d)
	case "npn", "identifier", "homeAddress.postalCode", "agent.npn":
		if !strings.HasPrefix(column, "agent") && l.yes("guarded") {
			return "=\"" + value + "\""
		}
	}
	return value
}

// write writes rows, by column, as a file: with other heads, in another order, with noise.
func (l *layout) write(columns []string, rows []map[string]string) writtenFile {
	l.dayForm = l.one("days", "2006-01-02", "1/2/2006", "01/02/2006", "2/1/2006", "02.01.2006", "02-Jan-2006", "2-Jan-06", "Jan 2, 2006", "20060102", "serial", "2006-01-02T00:00:00", "1/2/2006 03:04:05 PM")
	columns = rapid.Permutation(columns).Draw(l.T, "order")
	form := l.one("form", "a text", "a text", "a workbook", "lines of JSON")
	if form == "lines of JSON" {
		return writtenFile{bytes: l.lines(columns, rows), order: l.order()}
	}
	var table [][]string
	head := []string{}
	for _, c := range columns {
		head = append(head, l.one("head", someHeads[c]...))
	}
	noise := l.yes("an unknown column")
	if noise {
		head = append(head, "Zork")
	}
	isEmpty := l.yes("an empty column")
	if isEmpty {
		head = append(head, "")
	}
	if l.yes("a title") && len(head) > 2 {
		table = append(table, append([]string{"Producer list of somebody"}, make([]string, len(head)-1)...))
	}
	table = append(table, head)
	for _, row := range rows {
		cells := []string{}
		for _, c := range columns {
			cells = append(cells, l.words(c, row[c]))
		}
		if noise {
			cells = append(cells, "x")
		}
		if isEmpty {
			cells = append(cells, "")
		}
		table = append(table, cells)
		if len(head) > 2 && l.yes("the heads again") {
			table = append(table, head)
		}
		if l.yes("an empty row") {
			table = append(table, make([]string, len(head)))
		}
	}
	if l.yes("totals") && len(head) > 2 {
		table = append(table, append([]string{"Total records: " + strconv.Itoa(len(rows))}, make([]string, len(head)-1)...))
	}
	f := writtenFile{order: l.order()}
	if form == "a workbook" {
		f.bytes = workbookOf(l.T, table)
	} else {
		f.bytes = l.text(table)
	}
	return f
}

func (l *layout) order() string {
	return map[bool]string{true: "DAY_FIRST", false: "MONTH_FIRST"}[l.isDayFirst()]
}

// lines writes rows as lines of JSON, whose properties have the names of columns: nested, or with
// dots.
func (l *layout) lines(columns []string, rows []map[string]string) string {
	var b strings.Builder
	isNested := l.yes("nested")
	for _, row := range rows {
		line := object{}
		for _, c := range columns {
			value := unguarded(l.words(c, row[c]))
			above, below, has := strings.Cut(c, ".")
			switch inner, _ := line[above].(object); {
			case !has || !isNested || strings.Contains(below, "."):
				line[c] = value
			case inner == nil:
				line[above] = object{below: value}
			default:
				inner[below] = value
			}
		}
		text, err := json.Marshal(line)
		if err != nil {
			l.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// unguarded is a cell without what keeps a spreadsheet from taking it for a number: a workbook and
// JSON have texts.
func unguarded(cell string) string {
	if inner, ok := strings.CutPrefix(cell, "=\""); ok {
		return strings.TrimSuffix(inner, "\"")
	}
	return cell
}

func workbookOf(t *rapid.T, table [][]string) string {
	b := excelize.NewFile()
	for i, row := range table {
		for n, cell := range row {
			at, _ := excelize.CoordinatesToCellName(n+1, i+1)
			if err := b.SetCellStr("Sheet1", at, unguarded(cell)); err != nil {
				t.Fatal(err)
			}
		}
	}
	buffer, err := b.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

// text writes a table with a separator, an end of lines and an encoding.
func (l *layout) text(table [][]string) string {
	separator, end := l.one("separator", ",", ";", "\t", "|", "^", "~"), l.one("end", "\n", "\r\n", "\r")
	var b strings.Builder
	if l.yes("says its separator") {
		b.WriteString("sep=" + separator + end)
	}
	for _, row := range table {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(separator)
			}
			if strings.ContainsAny(cell, ",;\t|^~\"\n") && !strings.HasPrefix(cell, "=\"") {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			b.WriteString(cell)
		}
		b.WriteString(end)
	}
	switch s := b.String(); l.one("encoding", "UTF-8", "mark", "UTF-16", "other UTF-16", "UTF-32", "Windows", "Mac") {
	case "mark":
		return "\uFEFF" + s
	case "UTF-16":
		return inEncoding(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(s))
	case "other UTF-16":
		return inEncoding(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(s))
	case "UTF-32":
		return inEncoding(utf32.UTF32(utf32.LittleEndian, utf32.UseBOM).NewEncoder().String(s))
	case "Mac":
		if is, err := charmap.Macintosh.NewEncoder().String(s); err == nil {
			return is
		}
		return s
	case "Windows":
		if is, err := charmap.Windows1252.NewEncoder().String(s); err == nil {
			return is
		}
		return s
	default:
		return s
	}
}

func inEncoding(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

// canonical writes rows as our own columns have them.
func canonical(columns []string, rows []map[string]string) string {
	var b strings.Builder
	b.WriteString(strings.Join(columns, "\t") + "\n")
	for _, row := range rows {
		for i, c := range columns {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(row[c])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Rows of a random agency, written in a random layout of somebody else's and brought in, give
// the agency that the same rows give in our own columns; where the days of a file do not tell
// their order, it is asked, and nothing is written.
func TestRandomFiles(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		round := 0
		ours, theirs := w.As(apptest.Acme), w.As(apptest.Umbra)
		rapid.Check(t, func(t *rapid.T) {
			round++
			l := &layout{T: t}
			agents, licences := randomAgency(t, round)
			npns := []any{}
			for _, a := range agents {
				npns = append(npns, object{"npn": a["npn"]})
			}
			areGenerated := l.yes("codes are generated")
			for _, f := range []struct {
				entity           string
				columns, foreign []string
				rows             []map[string]string
			}{
				{"AGENT", slices.Sorted(maps.Keys(agents[0])), foreignAgents(l, agents, areGenerated), agents},
				{"CERTIFICATION", slices.Sorted(maps.Keys(licences[0])), foreignLicences(l, areGenerated), licences},
			} {
				plain := f.rows
				if f.entity == "CERTIFICATION" {
					plain = split(f.rows)
				}
				mustBe(t, "in our columns", outcomeOf(t, ours, f.entity, canonical(f.columns, plain), nil), fmt.Sprintf("%d/0/%d/0/0 applied true", len(plain), len(plain)))
				file := l.write(f.foreign, named(f.rows, agents))
				more := object{"skipColumns": []any{"*"}}
				if areGenerated && f.entity == "AGENT" {
					more["constants"] = constants("agentCode", "generated")
					if strings.HasPrefix(file.bytes, "{") { // a line of JSON has its key
						file.bytes = canonical(f.columns, f.rows)
						delete(more, "constants")
					}
				}
				is := outcomeOf(t, theirs, f.entity, file.bytes, more)
				if strings.Contains(is, "whether it begins with the month") {
					more["dateOrder"] = file.order
					is = outcomeOf(t, theirs, f.entity, file.bytes, more)
				}
				mustBe(t, "in theirs", is, fmt.Sprintf("%d/0/%d/0/0 applied true", len(plain), len(plain)))
			}
			const all = `query($npns: [AgentFilter!]!) { agents(first: 50, filter: {or: $npns}) { nodes { firstName middleName lastName npn email startDate birthDate payStatus { name } homeAddress { jurisdiction { code } postalCode } cellPhone { countryCode areaCode phoneNumber } membership { level { value } }
				certifications(first: 20) { nodes { type { code } jurisdiction { code } identifier isResidentCertification periods(first: 5) { nodes { status effectiveFrom effectiveThrough } } } } } } }`
			of := object{"npns": npns}
			have, want := fmt.Sprint(ours.Query(t, all, of)), fmt.Sprint(theirs.Query(t, all, of))
			if have != want || strings.Count(have, "firstName") != len(agents) {
				t.Fatalf("in our columns\n%s\nin theirs\n%s", have, want)
			}
		})
	})
}

func outcomeOf(t *rapid.T, c *apptest.Caller, entity, file string, more object) string {
	sent := object{"entity": entity, "initiator": "hr"}
	maps.Copy(sent, more)
	r := c.Upload(t, fmt.Sprintf(bringIn, false), sent, file)
	if r.Errors != nil {
		t.Fatalf("%s: %+v", entity, r.Errors)
	}
	p := apptest.At(r.Data, "bulkImport").(object)
	if is := outcome(p); p["applied"] == true {
		return is
	}
	return fmt.Sprint(outcome(p), p["userErrors"], p["refusals"])
}

func mustBe(t *rapid.T, what, is, want string) {
	if is != want {
		t.Fatalf("%s: %s; want %s", what, is, want)
	}
}

// randomAgency makes up some agents and their licences.
func randomAgency(t *rapid.T, round int) (agents, licences []map[string]string) {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	day := func(label string, from, to int) string {
		return time.Date(rapid.IntRange(from, to).Draw(t, label), time.Month(rapid.IntRange(1, 12).Draw(t, label)), rapid.IntRange(1, 28).Draw(t, label), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "agents") {
		code := fmt.Sprintf("R%d-%d", round, i)
		agents = append(agents, map[string]string{
			"agentCode": code, "firstName": pick("first", "Ana", "José", "Null", "Zoë") + letter(round) + letter(i), "lastName": pick("last", "Muñoz", "Null", "O'Neil", "King"), "status": "Active", "startDate": day("start", 2015, 2025), "birthDate": day("birth", 1940, 2007),
			"npn": fmt.Sprintf("0%d%03d", round, i), "email": strings.ToLower(code) + "@example.org", "homeAddress.jurisdiction": pick("state", "US-TX", "US-FL", "CA-ON"), "homeAddress.postalCode": pick("zip", "01234", "75201", "33130-0044"),
			"cellPhone.phoneNumber": pick("phone", "5125550147", "3055550188"), "teams.default.level": pick("level", "10", "20", "50")})
		for n := range rapid.IntRange(1, 2).Draw(t, "licences") {
			licences = append(licences, map[string]string{"agentCode": code, "type": pick("type", "LIFE", "HEALTH", "LIFE;HEALTH"), "jurisdiction": pick("state", "US-TX", "US-FL", "CA-ON"), "identifier": fmt.Sprintf("00%d%d", i, n),
				"isResidentCertification": pick("resident", "true", "false"), "issueDate": day("issued", 2010, 2025), "expirationDate": pick("expires", "", day("expires", 2027, 2035))})
		}
	}
	return agents, licences
}

// letter writes a number as letters, so that names differ.
func letter(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, strconv.Itoa(n))
}

// foreignAgents are the columns of agents in a file of others.
func foreignAgents(l *layout, agents []map[string]string, withoutCodes bool) []string {
	columns := slices.Sorted(maps.Keys(agents[0]))
	if withoutCodes {
		columns = slices.DeleteFunc(columns, func(c string) bool { return c == "agentCode" })
	}
	if l.yes("the whole name") {
		columns = slices.DeleteFunc(columns, func(c string) bool { return c == "firstName" || c == "lastName" })
		columns = append(columns, "fullName")
	}
	return columns
}

// foreignLicences are the columns of licences in a file of others, which names agents in
// some way.
func foreignLicences(l *layout, withoutCodes bool) []string {
	keys := []string{l.one("key", "agent.npn", "agent.email", "agent.name")}
	if !withoutCodes && l.yes("by code") {
		keys[0] = "agentCode"
	}
	if keys[0] != "agent.name" && l.yes("another key") {
		keys = append(keys, "agent.name")
	}
	return append(keys, "type", "jurisdiction", "identifier", "isResidentCertification", "issueDate", "expirationDate")
}

// named adds to rows what else names their agents.
func named(rows, agents []map[string]string) (all []map[string]string) {
	for _, row := range rows {
		i := slices.IndexFunc(agents, func(a map[string]string) bool { return a["agentCode"] == row["agentCode"] })
		a, one := agents[i], maps.Clone(row)
		one["agent.npn"], one["agent.email"] = strings.TrimLeft(a["npn"], "0"), strings.ToUpper(a["email"])
		one["agent.name"] = a["lastName"] + ", " + a["firstName"]
		one["fullName"] = a["lastName"] + ", " + a["firstName"]
		all = append(all, one)
	}
	return all
}

// split returns a row for each line of authority.
func split(rows []map[string]string) (all []map[string]string) {
	for _, row := range rows {
		for kind := range strings.SplitSeq(row["type"], ";") {
			one := maps.Clone(row)
			one["type"] = kind
			all = append(all, one)
		}
	}
	return all
}
