package bulk

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// rawRows reads the rows of a file as they are, without the lines that are none.
type rawRows struct {
	*Layout
	grid
}

// rawRow is a row of the file: a record, and why it is left out, if it is.
type rawRow struct {
	record
	leftOut string
}

func (l *Layout) raw() (*rawRows, error) {
	g, err := l.grid()
	return &rawRows{l, g}, err
}

const (
	aboveHeads = "Lines above the heads are left out."
	isTotals   = "Lines of totals, or about the file itself, are left out."
	isHeads    = "Lines that repeat the heads are left out."
)

func (r *rawRows) next() (rawRow, error) {
	for {
		rec, err := r.grid.next()
		row := rawRow{record: rec}
		switch {
		case err != nil:
			return row, err
		case r.form.isJSON:
			r.mend(&row)
			return row, nil
		case isBlank(rec.cells) && rec.problems == nil || rec.number == r.HeadRow:
			continue
		case rec.number < r.HeadRow:
			row.leftOut = aboveHeads
			return row, nil
		case len(rec.cells) > 1 && slices.EqualFunc(rec.cells, r.cells, func(a, b string) bool { return text.Trim(a) == text.Trim(b) }):
			row.leftOut = isHeads
			return row, nil
		case isTotal(rec.cells):
			row.leftOut = isTotals
			return row, nil
		case rec.problems == nil:
			r.place(&row)
			r.mend(&row)
		}
		return row, nil
	}
}

// mend puts what is mended in the place of what the file has in a row.
func (l *Layout) mend(r *rawRow) {
	if r.given == nil {
		return
	}
	for column, value := range l.mended[r.number] {
		r.given.Values[column], r.given.Given[column] = value, value != "" || l.clear
		if head := l.headOf(column); head >= 0 && head < len(r.cells) {
			r.cells[head] = value
		}
	}
}

// aboutFile begins the lines that reports have below their rows.
var aboutFile = regexp.MustCompile(`(?i)^\W*((grand |sub|sub-|report )?totals?\b|(total |number of |count of )?(records?|rows|count)\s*:|end of (report|file|list)\b|page \d+|(run|printed|generated|created|report run|as) (on|at|by|of|date)\b|confidential\b|source:)`)

// isTotal reports whether a row is about the file itself: it begins with such a word, and
// has few cells.
func isTotal(cells []string) bool {
	first := slices.IndexFunc(cells, func(c string) bool { return text.Trim(c) != "" })
	return first >= 0 && len(cells) > 2 && filled(cells)*2 <= len(cells) && aboutFile.MatchString(text.Trim(cells[first]))
}

// place puts the cells of a row where its columns are.
func (r *rawRows) place(row *rawRow) {
	cells := row.cells
	for len(cells) > len(r.header) && text.Trim(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	short := len(cells) < len(r.header) && !r.form.isSheet && slices.ContainsFunc(r.Layout.cells[len(cells):], func(head string) bool { return text.Trim(head) != "" })
	if len(cells) > len(r.header) || short {
		row.problems = refused("The row has " + strconv.Itoa(len(cells)) + " cells, and the header has " + strconv.Itoa(len(r.header)))
		return
	}
	row.given = newRow(row.number, len(r.columns))
	for i, cell := range cells {
		column := r.header[i]
		if column < 0 {
			continue
		}
		if text.Trim(cell) != "" {
			row.given.Values[column], row.given.Given[column] = strings.Clone(cell), true
		}
	}
	if r.clear {
		for _, column := range r.header {
			if column >= 0 {
				row.given.Given[column] = true
			}
		}
	}
}

// Reader reads the rows of a file one after the other. It keeps none of them.
type Reader struct {
	rows *rawRows
	// Keys has the codes of the agents that Key columns name.
	keys Keys
	// more are the rows that the last one stands for, besides the one that was returned.
	more []Row
	// leavesOut is true if rows about agents who are not there are left out; strangers counts them.
	leavesOut bool
	strangers []int
	// Keeps has rows say what the file has in them (Row.Read).
	Keeps bool
}

// Strangers returns the numbers of the rows that were left out so far, since their agents are not
// there.
func (r *Reader) Strangers() []int { return r.strangers }

// Keys has what the keys of agents in a file mean: a code, or why there is none.
type Keys map[Reference]Found

// Reference is a key of an agent as a file has it.
type Reference struct {
	By KeyBy
	// Key is the key, and Within what it holds in: a provider company or a jurisdiction.
	Key, Within string
}

// Found is the agent of a key.
type Found struct {
	Code string
	// Candidates are the agents that it may be, if it is not one.
	Candidates []string
}

// Reader returns a reader of the file from its beginning. keys has what References finds. It may
// leave out the rows of agents who are not there: lists of states have everybody.
func (l *Layout) Reader(keys Keys, leavesOut bool) (*Reader, error) {
	rows, err := l.raw()
	return &Reader{rows: rows, keys: keys, leavesOut: leavesOut}, err
}

// Read returns the next row, or io.EOF. For a row that is refused it returns the Number and
// what is wrong; the next call reads on behind it. An error that is a problem means that
// the rest of the file cannot be read.
func (r *Reader) Read() (Row, []*problem.Error, error) {
	if len(r.more) > 0 {
		row := r.more[0]
		r.more = r.more[1:]
		return row, nil, nil
	}
	for {
		raw, err := r.rows.next()
		if err != nil {
			return Row{Number: raw.number}, nil, err
		}
		if raw.leftOut != "" {
			continue
		}
		var read []string
		if r.Keeps && raw.given != nil {
			read = slices.Clone(raw.given.Values)
		}
		if raw.problems != nil {
			return Row{Number: raw.number, Read: read}, raw.problems, nil
		}
		raw.given.Read = read
		rows, problems := r.rows.understand(*raw.given, r.keys)
		if r.leavesOut && slices.ContainsFunc(problems, func(p *problem.Error) bool { return p.Code == problem.UnknownAgent && p.Details == nil }) {
			r.strangers = append(r.strangers, raw.number)
			continue
		}
		if problems != nil {
			return Row{Number: raw.number, Read: read}, problems, nil
		}
		r.more = rows[1:]
		return rows[0], nil, nil
	}
}

// understand returns the rows that a row stands for, in the columns of the entity.
func (l *Layout) understand(row Row, keys Keys) (rows []Row, problems []*problem.Error) {
	each, problems := l.fill(&row)
	problems = append(problems, l.named(&row, keys)...)
	if problems != nil {
		return nil, problems
	}
	row.Values, row.Given = row.Values[:l.own:l.own], row.Given[:l.own:l.own]
	if each == nil {
		return []Row{row}, nil
	}
	row.Remarks = append(row.Remarks, "A row names several values of "+l.columns[each.column].Name+", and stands for as many rows.")
	for _, value := range each.values {
		one := row
		one.Values, one.Given = slices.Clone(row.Values), slices.Clone(row.Given)
		one.Values[each.column] = value
		rows, row.Remarks = append(rows, one), nil
	}
	return rows, nil
}

// severalValues are those that one cell names.
type severalValues struct {
	column int
	values []string
}

// fill puts what the values of a row mean in their place, and constants where it says
// nothing. A cell that names several values leaves its column as it is.
func (l *Layout) fill(row *Row) (each *severalValues, problems []*problem.Error) {
	for i := range l.columns {
		c := &l.columns[i]
		if constant, ok := l.constants[i]; ok && !row.Given[i] {
			row.Values[i], row.Given[i] = constant, true
		}
		if !row.Given[i] || row.Values[i] == "" {
			if c.List == CertificationStatuses && l.has(c.Name) && !l.form.isJSON {
				problems = append(problems, problem.Invalid(problem.Required, "is not said, although the file has a column for it", path(c.Name)...))
			}
			continue
		}
		values, wrong := l.value(i, row.Values[i], row)
		for _, message := range wrong {
			problems = append(problems, problem.Invalid(problem.InvalidFormat, message, path(c.Name)...))
		}
		switch len(values) {
		case 0:
			row.Values[i], row.Given[i] = "", l.clear
			if c.List == CertificationStatuses && wrong == nil {
				problems = append(problems, problem.Invalid(problem.Required, "is not said, although the file has a column for it", path(c.Name)...))
			}
		case 1:
			row.Values[i] = values[0]
		default:
			each = &severalValues{i, values}
		}
	}
	return each, problems
}

// named puts the codes of agents in place of their keys, and the parts of a name in place
// of the whole.
func (l *Layout) named(row *Row, keys Keys) (problems []*problem.Error) {
	for i := l.own; i < len(l.columns); i++ {
		if l.columns[i].Kind == FullName && row.Given[i] && row.Values[i] != "" {
			l.split(row, row.Values[i])
		}
	}
	for _, of := range l.keyed {
		problems = append(problems, of.find(l, row, keys)...)
	}
	return problems
}

// keyedBy is a column that keys of agents stand for, with those that a file has.
type keyedBy struct {
	at   int
	keys []int
	// isOwn is true if the column itself is one of them.
	isOwn bool
}

// findKeys notes which columns of the file are keys, and of what.
func (l *Layout) findKeys() {
	l.keyed = nil
	for at, c := range l.columns[:l.own] {
		if c.Kind != Agent {
			continue
		}
		of := keyedBy{at: at}
		for i := l.own; i < len(l.columns); i++ {
			if k := l.columns[i]; k.For == c.Name && l.has(k.Name) && (k.Kind == Key || k.Name == "agent.lastName") {
				of.keys = append(of.keys, i)
			}
		}
		if npn, is := l.names.byName["npn"]; is && at == 0 && len(of.keys) == 0 && l.names.have("firstName") && !l.form.isJSON && !l.has(c.Name) && l.has("npn") {
			of.keys = []int{npn} // a roster without our codes
		}
		if of.isOwn = len(of.keys) > 0 && l.has(c.Name); len(of.keys) > 0 {
			l.keyed = append(l.keyed, of)
		}
	}
}

// isByNPN reports whether agents are found by a number that is a property of theirs.
func (l *Layout) isByNPN() bool {
	return slices.ContainsFunc(l.keyed, func(of keyedBy) bool { return of.at == 0 && l.columns[of.keys[0]].For == "" })
}

// each calls f for each key that a row has.
func (of keyedBy) each(l *Layout, row *Row, f func(column int, r Reference)) {
	if of.isOwn && row.Given[of.at] && row.Values[of.at] != "" && len(of.keys) > 0 {
		f(of.at, Reference{By: byCode, Key: text.Trim(row.Values[of.at])})
	}
	for _, i := range of.keys {
		if row.Given[i] && row.Values[i] != "" {
			f(i, l.reference(i, row))
		}
	}
}

// find puts the code of the agent of a row in its place: of several keys one has to be its, and none
// another's.
func (of keyedBy) find(l *Layout, row *Row, keys Keys) (problems []*problem.Error) {
	var code, by string
	var possible []string
	others, count := []string(nil), 0
	var first *problem.Error
	of.each(l, row, func(i int, r Reference) {
		c, found := l.columns[i], keys[r]
		switch count++; {
		case found.Code == "":
			others = append(others, l.called(i))
			if possible == nil {
				possible = found.Candidates
			}
			if first == nil || len(first.Details) == 0 && len(found.Candidates) > 0 {
				first = notFound(c, l.columns[of.at], found)
			}
		case code == "":
			code, by = found.Code, l.called(i)
		case code != found.Code:
			problems = append(problems, problem.Invalid(problem.UnknownAgent, "is of "+found.Code+", and "+by+" of "+code, path(c.Name)...).With("candidates", []string{code, found.Code}))
		}
	})
	switch {
	case problems != nil || count == 0:
		return problems
	case code == "" && of.isOwn && row.Given[of.at] && count == 1: // its entity says what is wrong with a code
		return nil
	case code == "":
		return []*problem.Error{first}
	case len(others) > 0 && !(len(others) == 1 && slices.Contains(possible, code)):
		row.Remarks = append(row.Remarks, "An agent is found by "+by+", and by "+strings.Join(others, " and ")+" it is not: look whether they are about the same.")
	}
	row.Values[of.at], row.Given[of.at] = code, true
	return nil
}

func notFound(c, of Column, found Found) *problem.Error {
	code := problem.UnknownAgent
	if of.Name != "agentCode" {
		code = problem.UnknownUpline
	}
	switch {
	case c.For == "" && c.Name == "npn":
		return problem.Invalid(code, "is of no agent here, and for a new one the file has no agentCode: give the file a column of codes, or agentCode the value generated for all rows", path(c.Name)...)
	case len(found.Candidates) == 0:
		return problem.Invalid(code, "is of no agent here", path(c.Name)...)
	}
	return problem.Invalid(code, "may be "+strings.Join(found.Candidates, ", ")+": map the value to the code of one", path(c.Name)...).With("candidates", found.Candidates)
}

// reference returns the key that a column of a row has.
func (l *Layout) reference(column int, row *Row) Reference {
	c, key := l.columns[column], row.Values[column]
	if c.Kind == NamePart {
		if first, ok := l.names.byName[fold("agent.firstName")]; ok && row.Given[first] {
			key = row.Values[first] + " " + key
		}
	}
	if c.For == "" {
		c.By = ByNPN
	}
	r := Reference{By: c.By, Key: plainKey(c.By, key)}
	within := map[KeyBy][]string{ByAlias: {"providerCompany", "agent.company"}, ByLicence: {"jurisdiction"}}[c.By]
	for _, name := range within {
		if i, ok := l.names.byName[fold(name)]; ok && i >= 0 && row.Given[i] {
			r.Within = row.Values[i]
		}
	}
	return r
}

// References calls f for each key of an agent that the file has, again and again if several
// rows have it. If it is nobody's, isNew is true for that of a new agent, who gets a code. A key that
// the mapping translates is a code.
func (l *Layout) References(f func(r Reference, isNew bool)) error {
	if len(l.keyed) == 0 {
		return nil
	}
	return l.eachRow(func(row *Row) {
		for _, of := range l.keyed {
			of.each(l, row, func(_ int, r Reference) { f(r, l.generates && of.at == 0 && r.Key != "") })
		}
	})
}

// Introduces calls f for each name of the agents that the rows of a file are about.
func (l *Layout) Introduces(f func(r Reference, code string)) error {
	if !l.has("agentCode") || !l.names.have("firstName") {
		return nil
	}
	at := func(row *Row, column string) string {
		if i := l.names.byName[fold(column)]; row.Given[i] {
			return row.Values[i]
		}
		return ""
	}
	return l.eachRow(func(row *Row) {
		if whole := l.names.byName[fold("fullName")]; row.Given[whole] {
			l.split(row, row.Values[whole])
		}
		a := Introduction{Code: text.Trim(at(row, "agentCode")), NPN: at(row, "npn"), Email: at(row, "email"), First: at(row, "firstName"), Middle: at(row, "middleName"), Last: at(row, "lastName"), Suffix: at(row, "suffix")}
		a.Names(f)
	})
}

// Introduction is what names an agent.
type Introduction struct{ Code, NPN, Email, First, Middle, Last, Suffix string }

// Names calls f for each way to name an agent.
func (a Introduction) Names(f func(r Reference, code string)) {
	for by, keys := range map[KeyBy][]string{
		byCode: {a.Code}, ByNPN: {a.NPN}, ByEmail: {a.Email},
		ByName: {a.First + " " + a.Last, a.First + " " + a.Middle + " " + a.Last, a.Last + " " + a.First, a.Last + " " + a.First + " " + a.Middle,
			a.First + " " + a.Last + " " + a.Suffix, a.Last + " " + a.Suffix + " " + a.First, a.First + " " + a.Middle + " " + a.Last + " " + a.Suffix},
	} {
		for i, key := range keys {
			if r := (Reference{By: by, Key: plainKey(by, key)}); r.Key != "" && !slices.ContainsFunc(keys[:i], func(before string) bool { return plainKey(by, before) == r.Key }) {
				f(r, a.Code)
			}
		}
	}
}

// plainKey returns a key as it is compared.
func plainKey(by KeyBy, key string) string {
	key = text.Trim(key)
	switch by {
	case ByNPN:
		return strings.TrimLeft(key, "0")
	case ByEmail:
		return strings.ToLower(key)
	case ByName:
		return plain(key)
	}
	return key
}

// Ways are the single ways to name an agent that a reference stands for.
func (r Reference) Ways() (ways []Reference) {
	if r.By != ByAny {
		return []Reference{r}
	}
	for _, by := range []KeyBy{byCode, ByNPN, ByEmail, ByName} {
		if key := plainKey(by, r.Key); key != "" {
			ways = append(ways, Reference{By: by, Key: key})
		}
	}
	return ways
}

// split reads a whole name: Doe, Ada M Jr or Ada M Doe Jr.
func (l *Layout) split(row *Row, name string) {
	put := func(column, value string) {
		if i, ok := l.names.byName[fold(column)]; ok && i >= 0 && value != "" && !row.Given[i] {
			row.Values[i], row.Given[i] = value, true
		}
	}
	var suffix string
	take := func(words []string) []string {
		if n := len(words); n > 1 && isSuffix(words[n-1]) {
			suffix, words = strings.Trim(words[n-1], ","), words[:n-1]
		}
		return words
	}
	last, rest, byComma := strings.Cut(name, ",")
	if byComma && isSuffix(strings.TrimSpace(rest)) {
		suffix, name, byComma = strings.TrimSpace(rest), last, false
	}
	var given []string
	if byComma {
		given, last = take(strings.Fields(strings.ReplaceAll(rest, ",", " "))), strings.Join(take(strings.Fields(last)), " ")
	} else if words := take(strings.Fields(name)); len(words) > 0 {
		given, last = words[:len(words)-1], words[len(words)-1]
		for len(given) > 1 && isParticle(given[len(given)-1]) {
			given, last = given[:len(given)-1], given[len(given)-1]+" "+last
		}
	}
	put("lastName", last)
	put("suffix", suffix)
	if len(given) > 0 {
		put("firstName", given[0])
		put("middleName", strings.Join(given[1:], " "))
	}
}

func isSuffix(word string) bool {
	switch strings.ToUpper(strings.Trim(word, ".,")) {
	case "JR", "SR", "II", "III", "IV":
		return true
	}
	return false
}

func isParticle(word string) bool {
	switch strings.ToLower(word) {
	case "de", "da", "del", "della", "der", "den", "di", "dos", "du", "la", "le", "van", "von", "st.", "bin", "al", "mac":
		return true
	}
	return false
}

func (l *Layout) has(column string) bool {
	i, ok := l.names.byName[fold(column)]
	_, constant := l.constants[i]
	return ok && (constant || l.form.isJSON || slices.Contains(l.header, i))
}

// noValue are the words for none.
var noValue = map[string]bool{"n/a": true, "na": true, "#n/a": true, "null": true, "none": true, "nil": true, "-": true, "--": true, "\u2013": true, "\u2014": true, "n.a.": true, "not applicable": true}

// shortened is a number as a spreadsheet shows one that is too long for its cell.
var shortened = regexp.MustCompile(`^-?\d(\.\d+)?[eE]\+\d{1,3}$`)

var spreadsheetErrors = map[string]bool{"#REF!": true, "#VALUE!": true, "#NAME?": true, "#DIV/0!": true, "#NUM!": true, "#NULL!": true}

// value returns what a value of a column is read as: nothing, or several; and what is wrong
// with it.
func (l *Layout) value(column int, raw string, row *Row) (values, wrong []string) {
	c := &l.columns[column]
	value := text.Trim(raw)
	switch {
	case !text.Fit(raw):
		return nil, []string{"must be text in UTF-8"}
	case strings.ContainsRune(raw, unicode.ReplacementChar) && l.form.encoding != "UTF-8":
		return nil, []string{"has a character that was lost when the file was made"}
	}
	if to, mapped := l.values[column][value]; mapped {
		if to == "" {
			return nil, nil
		}
		if c.Kind != Key {
			return []string{to}, nil
		}
		at := l.names.byName[fold(c.For)] // a key that is chosen is a code
		row.Values[at], row.Given[at], row.Given[column] = to, true, false
		return []string{""}, nil
	}
	if c.Kind == Text {
		return []string{raw}, nil
	}
	if words := l.words[c.List]; words != nil {
		if keys := words.find(value); keys != nil {
			return keys, nil
		}
	}
	switch {
	case noValue[strings.ToLower(value)]:
		return nil, nil
	case spreadsheetErrors[value]:
		return nil, []string{"is an error of a spreadsheet"}
	}
	switch c.Kind {
	case Code, Phone, Postal, Agent, Key:
		if shortened.MatchString(value) {
			return nil, []string{"is a number that a spreadsheet has shortened, such as 1.92E+07: its digits are lost. Bring the file with this column as text"}
		}
		if c.Kind == Postal && l.lostZero(value) {
			row.Remarks = append(row.Remarks, "A postal code in "+l.called(column)+" has one digit less than those of the United States: a spreadsheet may have taken its zero.")
		}
	case Day, Instant:
		day, none := l.days[column].read(value)
		if none {
			return nil, nil
		}
		value = day
	case Flag:
		value = flag(value)
	case Whole:
		value = strings.TrimSuffix(strings.ReplaceAll(value, ",", ""), ".0")
	case Money:
		value = money(value)
	}
	return []string{value}, nil
}

var fewDigits = regexp.MustCompile(`^(\d{4}|\d{8}|\d{4}-\d{4})$`)

func (*Layout) lostZero(value string) bool { return fewDigits.MatchString(value) }

// means reports whether a word of a list means something.
func (l *Layout) means(column int, word string) bool {
	words := l.words[l.columns[column].List]
	_, mapped := l.values[column][word]
	return mapped || words == nil || words.find(word) != nil || noValue[strings.ToLower(word)]
}

// flag returns true or false for the words that mean them; others as they are.
func flag(value string) string {
	switch plain(value) {
	case "true", "t", "yes", "y", "1", "x", "r", "res", "resident", "active", "verified":
		return "true"
	case "false", "f", "no", "n", "0", "nr", "nonres", "non res", "nonresident", "non resident", "inactive":
		return "false"
	}
	return value
}

var grouped = regexp.MustCompile(`^\d{1,3}(,\d{3})*(\.\d*)?$`)

// money returns an amount as a decimal number: $1,234.50, (35.20) and 35.20- are some.
func money(value string) string {
	bare := strings.NewReplacer("$", "", " ", "", "\u00a0", "", "USD", "", "CAD", "").Replace(value)
	negative := false
	if inner, ok := strings.CutPrefix(bare, "("); ok && strings.HasSuffix(inner, ")") {
		bare, negative = strings.TrimSuffix(inner, ")"), true
	} else if inner, ok := strings.CutSuffix(bare, "-"); ok {
		bare, negative = inner, true
	} else if inner, ok := strings.CutPrefix(bare, "-"); ok {
		bare, negative = inner, true
	}
	if !grouped.MatchString(bare) && strings.Contains(bare, ",") {
		return value
	}
	bare = strings.TrimSuffix(strings.ReplaceAll(bare, ",", ""), ".")
	if negative {
		bare = "-" + bare
	}
	return bare
}

// path is where the value of a column stands in the input of a single operation.
func path(column string) []string { return strings.Split(column, ".") }
