package bulk

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// names finds the column of a header or a property, by its name in small letters.
type names struct {
	columns []Column
	byName  map[string]int
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
)

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// newNames returns the names of columns, those that headers adds, and those that are
// skipped.
func newNames(columns []Column, m Mapping) (names, error) {
	n := names{columns: columns, byName: make(map[string]int, len(columns)+len(m.Headers)+len(m.Skip))}
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
	for _, c := range n.columns {
		for _, name := range append(strings.Split(alsoCalled[c.Name], "|"), c.Name, c.Name[strings.LastIndexByte(c.Name, '.')+1:]) {
			if is := heading(name); is != "" && of[is] == "" {
				all, of[is] = append(all, is), c.Name
			}
		}
	}
	is := heading(head)
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
		case !unicode.IsLetter(r) && !strings.ContainsRune(" _-./#()", r):
			return false
		}
	}
	return cell != "" && utf8.RuneCountInString(cell) <= maxShown && digits <= 2
}
