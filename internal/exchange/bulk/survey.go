package bulk

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Schema is what the rows of a file can be.
type Schema struct {
	// Entity is what the rows are, for layouts that are known; empty for any other.
	Entity string
	// Columns are those of the entity.
	Columns []Column
	// Words are the meanings of the words of each list.
	Words map[string][]Meaning
	Today date.Date
}

// Layout is how a file is read: what the mapping says of it, and what the file itself tells.
type Layout struct {
	// Form is how it is written, for people: its encoding, its separator.
	Form string
	// Sheets are the sheets of a workbook, and Sheet the one that is read.
	Sheets []string
	Sheet  string
	// HeadRow is the line with the heads; 0 for lines of JSON.
	HeadRow int
	Heads   []Head
	// Order is the order of the parts of days; empty where the file has none that tell.
	Order Order
	// Rows counts the rows, without the lines that are left out.
	Rows int
	// Remarks say what is understood of the file as a whole.
	Remarks []Remark
	// Doubts are to be answered by the mapping before anything of the file is written.
	Doubts problem.List

	file      io.ReadSeeker
	form      form
	book      sheets
	columns   []Column // Extended
	own       int      // so many of them are the entity's
	names     names
	header    []int
	cells     []string // of the row of heads
	values    values
	mended    mendedCells
	constants map[int]string
	words     map[string]*words
	days      []dayReader
	clear     bool
	keyed     []keyedBy
	// generates is true if agents whose National Producer Number nobody has are new, and get a code.
	generates bool
}

// Head is a column of the file.
type Head struct {
	Name string
	// Column is what it is; empty if it is not used.
	Column string
	// IsLeftOut is true if the mapping leaves it out, IsEmpty if no row has a value in it. One
	// that is not used and neither of these has to be left out, or mapped.
	IsLeftOut, IsEmpty bool
	// Near is the column that it may mean, if it is not known.
	Near string
	// Samples are some of its values.
	Samples []Sample
}

// Sample is a value of a file, and what it is read as.
type Sample struct {
	From, To string
	// IsUnknown is true for a word that means nothing which is configured.
	IsUnknown bool
}

// Remark is something to know of a file, or of some of its rows.
type Remark struct {
	Message string
	// Rows counts the rows that it is about, and First are the first of them.
	Rows  int
	First []int
}

const (
	// headsWithin are the rows among which the heads are looked for.
	headsWithin = 40
	// someSamples bounds the samples of a column, someWords those of one whose values are words.
	someSamples = 4
	someWords   = 60
)

// Survey reads a file once, and finds out how it is read. A fault of the file or of the
// mapping is a problem; other errors are those of reading the file.
func Survey(file io.ReadSeeker, s Schema, m Mapping) (*Layout, error) {
	l := &Layout{file: file, columns: Extended(s.Columns), own: len(s.Columns), clear: m.Clear, Order: m.Order, words: map[string]*words{}}
	for list, all := range s.Words {
		l.words[list] = newWords(list, all)
	}
	l.days = make([]dayReader, len(l.columns))
	if err := l.begin(m); err != nil {
		return nil, err
	}
	k, says := known(l.cells), "The heads are those of: "
	if m.Kept != nil {
		k, says = m.Kept, "The mapping is that which is kept as: "
	}
	if k != nil && k.Entity == s.Entity {
		m = k.under(m, l.cells)
		m.HeadRow, l.Heads, l.Order, l.clear = l.HeadRow, nil, m.Order, m.Clear
		if err := l.begin(m); err != nil {
			return nil, err
		}
		l.remark(says + k.Title + ". The file is read as such; what is chosen here counts more.")
	}
	var wrong *problem.Error
	if l.values, wrong = l.newValues(m.Values); wrong != nil {
		return nil, wrong
	}
	if l.mended, wrong = l.newCells(m.Cells); wrong != nil {
		return nil, wrong
	}
	seen, err := l.look()
	if err != nil {
		return nil, err
	}
	if l.findKeys(); l.generates && !l.isByNPN() {
		return nil, problem.Invalid(problem.InvalidFormat, "Codes are generated for a file that has National Producer Numbers, and no agentCode", "constants")
	}
	l.decide(seen, s.Today)
	l.describe(seen)
	return l, nil
}

// begin opens the file, and finds its heads.
func (l *Layout) begin(m Mapping) error {
	l.Remarks = nil
	if err := l.open(m); err != nil {
		return err
	}
	return l.findHeads(m.HeadRow)
}

func (l *Layout) open(m Mapping) (err error) {
	if l.names, err = newNames(l.columns, m); err != nil {
		return err
	}
	var wrong *problem.Error
	constants := slices.DeleteFunc(slices.Clone(m.Constants), func(c Constant) bool {
		return fold(c.Column) == "agentcode" && text.Trim(c.Value) == Generated && l.names.have("firstName")
	})
	l.generates = len(constants) < len(m.Constants)
	if l.constants, wrong = newConstants(l.names, constants); wrong != nil {
		return wrong
	}
	if l.form, err = formOf(l.file); err != nil {
		return err
	}
	l.Form = l.form.String()
	if !l.form.isSheet {
		return nil
	}
	if l.book, err = l.openSheets(); err != nil {
		return err
	}
	l.Sheets = l.book.names()
	if l.Sheet = m.Sheet; l.Sheet == "" {
		if l.Sheet = l.Sheets[0]; len(l.Sheets) > 1 {
			l.remark("The workbook has the sheets " + strings.Join(l.Sheets, ", ") + ", of which " + l.Sheet + " is read.")
		}
	}
	return nil
}

// sheets are what a workbook has.
type sheets interface {
	names() []string
	open(name string) (grid, error)
}

func (l *Layout) openSheets() (sheets, error) {
	if l.form.isReport {
		return &report{l.file}, nil
	}
	return openWorkbook(l.file)
}

func (l *Layout) remark(message string, rows ...int) {
	l.Remarks = append(l.Remarks, Remark{message, len(rows), rows[:min(len(rows), 5)]})
}

// grid opens the file from its beginning.
func (l *Layout) grid() (grid, error) {
	if l.form.isSheet {
		return l.book.open(l.Sheet)
	}
	in, err := l.form.textOf(l.file)
	switch {
	case err != nil:
		return nil, err
	case l.form.isJSON:
		if mark, _ := in.Peek(len(utf8Mark)); string(mark) == utf8Mark {
			_, err = in.Discard(len(utf8Mark))
		}
		return &jsonLines{in: in, columns: l.columns, names: l.names}, err
	}
	return newTable(in, l.form)
}

const utf8Mark = "\uFEFF"

// findHeads finds the row of the heads: the first of those that name the most columns, or
// the first with several cells where none does.
func (l *Layout) findHeads(chosen int) error {
	if l.form.isJSON {
		return nil
	}
	g, err := l.grid()
	if err != nil {
		return err
	}
	best, rows := -1, 0
	for range headsWithin + max(0, chosen) {
		r, err := g.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if isBlank(r.cells) && r.problems == nil {
			continue
		}
		if r.problems != nil && rows == 0 && chosen == 0 && !l.form.isSheet {
			return whole(problem.InvalidFormat, "The header row is not CSV")
		}
		fit := l.fit(r.cells)
		rows++
		switch {
		case chosen == r.number, chosen == 0 && fit > best && (fit > 1 || rows == 1 || fit*2 > filled(r.cells)):
		case chosen == 0 && best == 0 && filled(l.cells) < 2 && filled(r.cells) > 1 && fit == 0: // a title above heads of which none is known
		default:
			continue
		}
		best, l.HeadRow, l.cells = fit, r.number, slices.Clone(r.cells)
		if chosen > 0 {
			break
		}
	}
	if c, ok := g.(*sheetGrid); ok {
		_ = c.in.Close() // it was read only
	}
	if l.cells == nil {
		if chosen > 0 {
			return problem.Invalid(problem.OutOfRange, "is a line that the file does not have", "headRow")
		}
		return whole(problem.Required, "The file is empty")
	}
	if len(l.cells) > maxColumns {
		return whole(problem.TooLong, "The file has more than "+strconv.Itoa(maxColumns)+" columns")
	}
	heads, header, err := l.names.header(l.cells, l.constants)
	l.header = header
	for _, name := range heads {
		l.Heads = append(l.Heads, Head{Name: name})
	}
	return err
}

// fit counts the cells of a row that name columns.
func (l *Layout) fit(cells []string) (n int) {
	for _, cell := range cells {
		if _, known := l.names.column(cell); known || len(cell) < maxName && len(l.names.candidates(cell)) > 0 {
			n++
		}
	}
	return n
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func filled(cells []string) (n int) {
	for _, cell := range cells {
		if text.Trim(cell) != "" {
			n++
		}
	}
	return n
}

func isBlank(cells []string) bool { return filled(cells) == 0 }

// seen is what a survey has seen of the rows.
type seen struct {
	days    map[int]*dayForms
	all     dayForms
	samples [][]string // of the heads
	words   []map[string]bool
	foreign string // a value with a letter that is not ASCII
	left    map[string][]int
	columns map[int]bool // that a row has
}

// look goes through all rows.
func (l *Layout) look() (*seen, error) {
	s := &seen{days: map[int]*dayForms{}, samples: make([][]string, len(l.Heads)), words: make([]map[string]bool, len(l.columns)), left: map[string][]int{}, columns: map[int]bool{}}
	rows, err := l.raw()
	if err != nil {
		return nil, err
	}
	strange := maps.Clone(l.mended)
	for {
		r, err := rows.next()
		if r.given != nil {
			delete(strange, r.number)
		}
		switch {
		case errors.Is(err, io.EOF) && len(strange) > 0:
			return nil, problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be of rows that can be mended, not of line %d", slices.Min(slices.Collect(maps.Keys(strange)))), "cells")
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return nil, err
		case r.leftOut != "":
			s.left[r.leftOut] = append(s.left[r.leftOut], r.number)
			continue
		}
		l.Rows++
		for i := range r.cells {
			if s.foreign == "" && l.form.isOld && !isASCII(r.cells[i]) {
				s.foreign = strings.Clone(r.cells[i])
			}
			if i < len(s.samples) {
				s.sample(&s.samples[i], r.cells[i])
			}
		}
		if r.given == nil {
			continue
		}
		for i, value := range r.given.Values {
			if r.given.Given[i] {
				s.columns[i] = true
				s.note(l, i, text.Trim(value))
			}
		}
	}
}

func (*seen) sample(of *[]string, cell string) {
	if cell = text.Trim(cell); cell != "" && len(*of) < someSamples && !slices.Contains(*of, cell) {
		*of = append(*of, strings.Clone(cell))
	}
}

func (s *seen) note(l *Layout, i int, value string) {
	c := &l.columns[i]
	switch c.Kind {
	case Day, Instant:
		if _, mapped := l.values[i][value]; value == "" || mapped {
			return
		}
		if s.days[i] == nil {
			s.days[i] = &dayForms{}
		}
		s.days[i].note(l.called(i), value)
		s.all.note(l.called(i), value)
	case Word, Flag, Company:
		if s.words[i] == nil {
			s.words[i] = map[string]bool{}
		}
		if len(s.words[i]) < someWords && !s.words[i][value] {
			s.words[i][strings.Clone(value)] = true
		}
	}
}

// decide settles what only the whole file tells: the order of days, and which numbers are
// days of a spreadsheet.
func (l *Layout) decide(s *seen, today date.Date) {
	if len(s.all.dayFirst) == 0 && len(s.all.monthFirst) == 0 {
		s.all.dayFirst, s.all.monthFirst = s.all.ofNone.dayFirst, s.all.ofNone.monthFirst
	}
	for _, h := range l.Heads {
		switch told := orderTold.FindString(h.Name); {
		case told != "" && strings.HasPrefix(strings.ToLower(told), "d"):
			s.all.dayFirst = appendOnce(s.all.dayFirst, h.Name)
		case told != "":
			s.all.monthFirst = appendOnce(s.all.monthFirst, h.Name)
		}
	}
	if l.Order == "" && s.all.numeric > 0 {
		switch {
		case len(s.all.dayFirst) > 0 && len(s.all.monthFirst) > 0:
			l.Order = MonthFirst
			l.doubt("Some days begin with the day (" + strings.Join(s.all.dayFirst, ", ") + "), and some with the month (" + strings.Join(s.all.monthFirst, ", ") + "): say which order the file has; the others are refused")
		case len(s.all.dayFirst) > 0 || s.all.dots == s.all.numeric && len(s.all.monthFirst) == 0:
			l.Order = DayFirst
		default:
			if l.Order = MonthFirst; len(s.all.monthFirst) == 0 && s.all.open {
				l.doubt("No day of the file tells whether it begins with the month or with the day: say which")
			}
		}
		if l.Order == DayFirst {
			l.remark("Days are read with the day first.")
		}
	}
	for i, c := range l.columns {
		of := s.days[i]
		if of == nil {
			of = &dayForms{}
		}
		l.days[i] = dayReader{isEnd: isEnd(c.Name), order: l.Order, latest: latestOf(c.Name, today), yearFirst: of.yearFirst == of.compact, serial: of.serial > 0 && of.serial*2 >= of.all}
		if l.days[i].serial {
			l.remark("The column " + l.called(i) + " has the numbers that a spreadsheet keeps for days: they are read as days.")
		}
	}
	for _, c := range l.columns[:l.own] {
		if c.Default != "" && !l.form.isJSON && !l.has(c.Name) && !slices.ContainsFunc(l.columns, func(o Column) bool { return o.For == c.Name && l.has(o.Name) }) {
			l.remark("The file does not say " + c.Name + ": a new row gets " + c.Default + ".")
		}
	}
	if s.foreign != "" {
		l.remark("The file is not UTF-8. It is read as " + l.form.encoding + ", so that it says " + quote(s.foreign) + ".")
	}
	for why, rows := range s.left {
		l.remark(why, rows...)
	}
	slices.SortFunc(l.Remarks, func(a, b Remark) int { return strings.Compare(a.Message, b.Message) })
}

func (l *Layout) doubt(message string) {
	l.Doubts.Add(problem.Invalid(problem.Required, message, "dateOrder"))
}

// describe tells what becomes of each head.
func (l *Layout) describe(s *seen) {
	if l.form.isJSON {
		for i := range l.columns {
			if s.columns[i] {
				l.Heads = append(l.Heads, Head{Name: l.columns[i].Name, Column: l.columns[i].Name, Samples: l.samplesOf(i, nil, s)})
			}
		}
		return
	}
	for i := range l.Heads {
		h := &l.Heads[i]
		h.IsEmpty = len(s.samples[i]) == 0 && (l.Rows > 0 || text.Trim(l.cells[i]) == "")
		switch column := l.header[i]; {
		case column >= 0:
			h.Column, h.Samples = l.columns[column].Name, l.samplesOf(column, s.samples[i], s)
		case column == again:
			l.header[i], h.IsLeftOut = skipped, true
			l.remark("The column " + h.Name + " says what another column says, and is left out.")
		case column == skipped || l.names.skipsOthers:
			l.header[i], h.IsLeftOut = skipped, true
		case h.IsEmpty:
			l.header[i] = empty
		default:
			h.Near = l.names.near(h.Name)
		}
		if h.Column == "" {
			for _, from := range s.samples[i] {
				h.Samples = append(h.Samples, Sample{From: from})
			}
		}
	}
}

// samplesOf returns samples of a column: for words all that the file has.
func (l *Layout) samplesOf(column int, some []string, s *seen) (samples []Sample) {
	c := l.columns[column]
	if c.Sensitive {
		return nil
	}
	if s.words[column] != nil {
		some = some[:0]
		for word := range s.words[column] {
			some = append(some, word)
		}
		slices.Sort(some)
	}
	for _, from := range some {
		to, refused := l.value(column, from, &Row{})
		samples = append(samples, Sample{From: from, To: strings.Join(to, ", "), IsUnknown: c.List != "" && len(refused) == 0 && from != "" && !l.means(column, from)})
	}
	return samples
}

// Err is what has to be said of heads before the file is read.
func (l *Layout) Err() error {
	var all []int
	for i, column := range l.header {
		if column == unknown {
			all = append(all, i)
		}
	}
	if all == nil {
		return nil
	}
	return l.names.refuseUnknown(l.Header(), l.cells, all)
}

// eachRow calls f for each row that is not refused, with its values understood, but for
// the keys of agents.
func (l *Layout) eachRow(f func(row *Row)) error {
	rows, err := l.raw()
	if err != nil {
		return err
	}
	for {
		r, err := rows.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case r.leftOut != "" || r.problems != nil:
			continue
		}
		_, _ = l.fill(r.given) // what is wrong with a value is said where the row is read
		f(r.given)
	}
}

// WhatIsWrong is the head above what is wrong with the rows in a file of rejected rows, whose
// other heads are those of the file. An import leaves it out.
const WhatIsWrong = "What is wrong"

// Cells returns what the file has in the first of some rows, by their numbers, as long as it
// is not too much to show.
func (l *Layout) Cells(of map[int]bool) (map[int][]string, error) {
	cells, left := map[int][]string{}, mostShown
	err := l.EachCells(func(number int) bool { return of[number] }, func(number int, row []string) error {
		if left <= 0 {
			return io.EOF
		}
		for _, cell := range row {
			cells[number] = append(cells[number], strings.Clone(cell))
			left -= len(cell)
		}
		return nil
	})
	return cells, err
}

// EachCells calls f with what the file has in some rows, under its heads: of lines of JSON, what
// they have of its columns. An io.EOF of f ends it.
func (l *Layout) EachCells(of func(number int) bool, f func(number int, cells []string) error) error {
	rows, err := l.raw()
	for err == nil {
		var r rawRow
		if r, err = rows.next(); err == nil && r.leftOut == "" && of(r.number) {
			if l.form.isJSON && r.given != nil {
				for _, h := range l.Heads {
					r.cells = append(r.cells, r.given.Values[l.names.byName[fold(h.Column)]])
				}
			}
			err = f(r.number, r.cells)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// mostShown bounds the cells of rejected rows that are shown, in bytes.
const mostShown = 2 << 20

// Header returns the heads of the file.
func (l *Layout) Header() []string {
	heads := make([]string, len(l.Heads))
	for i, h := range l.Heads {
		heads[i] = h.Name
	}
	return heads
}

// KindOf returns the entity whose columns the heads of a file fit best, or that of a layout that
// is known; isSure is false if another one fits nearly as well.
func KindOf(file io.ReadSeeker, entities map[string][]Column, m Mapping) (best string, isSure bool, err error) {
	if k := m.Kept; k != nil && entities[k.Entity] != nil {
		return k.Entity, true, nil
	}
	all := map[string]*Layout{}
	for _, name := range slices.Sorted(maps.Keys(entities)) {
		l := &Layout{file: file, columns: Extended(entities[name]), own: len(entities[name])}
		if err := l.begin(Mapping{Sheet: m.Sheet, HeadRow: m.HeadRow}); err != nil {
			return "", false, err
		}
		if k := known(l.cells); k != nil && entities[k.Entity] != nil {
			return k.Entity, true, nil
		}
		all[name] = l
	}
	of := map[string]int{} // how many entities have a head
	for _, l := range all {
		for i := range l.Heads {
			if l.ownColumn(i) {
				of[l.Heads[i].Name]++
			}
		}
	}
	most, next := -1e9, -1e9
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch rated := all[name].rate(of); {
		case rated > most:
			most, next, best = rated, most, name
		case rated > next:
			next = rated
		}
	}
	return best, most > 0.5 && most-next > 0.2, nil
}

// ownColumn reports whether a head is one of the entity's own columns.
func (l *Layout) ownColumn(head int) bool { return l.header[head] >= 0 && l.header[head] < l.own }

// vague are heads that files of many kinds have.
var vague = map[string]bool{"premium": true, "type": true, "name": true, "status": true, "state": true, "code": true, "date effective": true}

func tells(head string) float64 {
	if vague[heading(head)] {
		return 0.5
	}
	return 1
}

// rate says how well the heads fit: one that few other entities have tells more, and a required
// column that is missing tells against it.
func (l *Layout) rate(of map[string]int) (fit float64) {
	for i, h := range l.Heads {
		switch {
		case l.ownColumn(i):
			fit += tells(h.Name) / float64(of[h.Name])
		case l.header[i] >= 0:
			fit += 0.2
		}
	}
	for i, c := range l.columns[:l.own] {
		if c.Required && !slices.ContainsFunc(l.header, func(has int) bool { return l.names.stands(i, has) }) {
			fit -= 0.4
		}
	}
	return fit
}

// headOf returns the head of the file that is a column; -1 for none.
func (l *Layout) headOf(column int) int {
	if l.form.isJSON {
		return slices.IndexFunc(l.Heads, func(h Head) bool { return h.Column == l.columns[column].Name })
	}
	return slices.Index(l.header, column)
}

// called returns what the file calls a column, or our name of one that it does not have.
func (l *Layout) called(column int) string {
	if head := l.headOf(column); head >= 0 {
		return l.Heads[head].Name
	}
	return l.columns[column].Name
}

// taxID is what may be a tax id, in whatever column it is.
var taxID = regexp.MustCompile(`\d{3}\D?\d{2}\D?\d{4}|\d{3}\D?\d{3}\D?\d{3}`)

// Said says what is wrong with a row in the words of its file: its head, its value and what is
// wanted. cells are what the file has in the row; without them, and of sensitive columns, no value
// is repeated.
func (l *Layout) Said(p *problem.Error, cells []string) string {
	field := strings.Join(p.Field, ".")
	column, known := l.names.byName[fold(field)]
	if !known || column < 0 {
		return strings.TrimSpace(field + " " + p.Message)
	}
	c, head := l.columns[column], l.headOf(column)
	if head < 0 && p.Code == problem.Required && c.Required && !l.form.isJSON {
		return "The file has no column for " + c.Name + " (" + c.Doc + "): say which one it is, or give it one value for all rows"
	}
	said := l.called(column)
	if head >= 0 && head < len(cells) && !c.Sensitive {
		if value := text.Trim(cells[head]); value != "" && !taxID.MatchString(value) {
			said += " " + quote(value)
		}
	}
	wanted := l.wanted(c, p.Message)
	if first := []rune(wanted); len(first) > 0 && unicode.IsUpper(first[0]) {
		said += ":"
	}
	return said + " " + wanted
}

// wanted is what is wrong with a value, and which ones are good.
func (l *Layout) wanted(c Column, message string) string {
	switch {
	case message == date.ErrFormat.Error() && c.Kind == Day:
		order := map[Order]string{MonthFirst: ", or with the month first, as 2/15/2026", DayFirst: ", or with the day first, as 15/2/2026"}[l.Order]
		return "is no day: wanted is one as 2026-02-15" + order
	case c.List == CertificationStatuses && l.words[c.List] != nil && strings.HasSuffix(message, "is not recognized."):
		return message + " Known are " + strings.Join(slices.Sorted(maps.Keys(l.words[c.List].keys)), ", ") + ", and what sources call them."
	}
	return message
}
