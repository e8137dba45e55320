package bulk

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// kept is a mapping as it is kept: by people under a name, and with each import.
type kept struct {
	// Columns are the heads of the file; one without a column is left out.
	Columns   map[string]keptColumn `json:"columns"`
	Constants map[string]string     `json:"constants"`
	Order     Order                 `json:"dateOrder,omitempty"`
	Clear     bool                  `json:"clearsBlanks"`
}

type keptColumn struct {
	Column string            `json:"column"`
	Values map[string]string `json:"values"`
}

// KeptUnder is a mapping as it is kept under a name, for files of an entity.
type KeptUnder struct {
	Entity  string
	Content []byte
}

// KeptOf reads the mapping of a name, of those that are kept for files of some entities: that of
// the entity which is asked for, or the only one.
func KeptOf(name, entity string, of []*KeptUnder) (*KnownLayout, error) {
	all := slices.DeleteFunc(slices.Clone(of), func(k *KeptUnder) bool { return entity != "" && k.Entity != entity })
	switch {
	case len(all) == 0:
		return nil, problem.Invalid(problem.NotFoundCode, "No mapping of such rows is kept as "+quote(name), "mapping")
	case len(all) > 1:
		return nil, problem.Invalid(problem.Required, "Mappings of several kinds of rows are kept as "+quote(name)+": say what the rows are", "entity")
	}
	return parseKept(name, all[0].Entity, all[0].Content)
}

func parseKept(name, entity string, content []byte) (*KnownLayout, error) {
	var k kept
	if err := json.Unmarshal(content, &k); err != nil {
		return nil, problem.Invalid(problem.InvalidFormat, "is kept in a form that files are not read by", "mapping")
	}
	l := &KnownLayout{Title: name, Entity: entity, Headers: map[string]string{}, Values: map[string]map[string]string{}, Constants: map[string]string{}, Order: k.Order, Clear: k.Clear}
	maps.Copy(l.Constants, k.Constants)
	for _, head := range slices.Sorted(maps.Keys(k.Columns)) {
		if c := k.Columns[head]; c.Column == "" {
			l.Skip = append(l.Skip, head)
		} else {
			l.Headers[head], l.Values[head] = c.Column, c.Values
		}
	}
	return l, nil
}

// Kept returns how the file is read, for the next one with the same heads: what each head is, and
// of m the values for all rows. A day for all rows is that of one file, and nothing that is
// sensitive is kept.
func (l *Layout) Kept(m Mapping) []byte {
	k := kept{Columns: map[string]keptColumn{}, Constants: map[string]string{}, Order: l.Order, Clear: l.clear}
	for _, h := range l.Heads {
		if h.Column != "" || h.IsLeftOut {
			k.Columns[h.Name] = l.keptColumn(h.Column)
		}
	}
	if l.form.isJSON {
		for _, h := range m.Headers {
			delete(k.Columns, h.Column)
			k.Columns[h.Name] = l.keptColumn(h.Column)
		}
		for _, name := range m.Skip {
			k.Columns[name] = l.keptColumn("")
		}
	}
	for _, c := range m.Constants {
		if at := l.columns[l.names.byName[fold(c.Column)]]; at.Kind != Day && at.Kind != Instant && isKeepable(at, c.Value) {
			k.Constants[at.Name] = c.Value
		}
	}
	body, _ := json.Marshal(k) // texts in maps
	return body
}

func (l *Layout) keptColumn(name string) keptColumn {
	k := keptColumn{Values: map[string]string{}}
	at, known := l.names.byName[fold(name)]
	if !known || at < 0 {
		return k
	}
	k.Column = l.columns[at].Name
	for from, to := range l.values[at] {
		if isKeepable(l.columns[at], from) && isKeepable(l.columns[at], to) {
			k.Values[from] = to
		}
	}
	return k
}

// HeadOf is a head of a file, and the column that it is; empty if it is not used.
type HeadOf struct {
	Name   string `json:"name"`
	Column string `json:"column,omitempty"`
}

// HeadsOf returns the heads of the file with their columns.
func (l *Layout) HeadsOf() []HeadOf {
	all := make([]HeadOf, len(l.Heads))
	for i, h := range l.Heads {
		all[i] = HeadOf{h.Name, h.Column}
	}
	return all
}

// Keepable returns what the file has in a row (Row.Read), by column, without what nobody is to
// see: sensitive columns, and tax ids wherever they stand.
func (l *Layout) Keepable(read []string) map[string]string {
	all := map[string]string{}
	for i, value := range read {
		if value = text.Trim(value); value != "" && isKeepable(l.columns[i], value) {
			all[l.columns[i].Name] = value
		}
	}
	return all
}

var (
	// writtenTaxID is a tax id as people write it, bareTaxID one without signs.
	writtenTaxID = regexp.MustCompile(`(^|\D)(\d{3}[- ]\d{2}[- ]\d{4}|\d{2}-\d{7}|\d{3}[- ]\d{3}[- ]\d{3})(\D|$)`)
	bareTaxID    = regexp.MustCompile(`(^|\D)\d{9}(\D|$)`)
)

// isKeepable reports whether a value may be kept. Nine digits are no tax id in a column of codes,
// such as National Producer Numbers.
func isKeepable(c Column, value string) bool {
	isOfCodes := c.Kind == Code || c.Kind == Key || c.Kind == Agent || c.Kind == Phone || c.Kind == Postal
	return !c.Sensitive && !writtenTaxID.MatchString(value) && (isOfCodes || !bareTaxID.MatchString(value)) && !strings.ContainsRune(value, 0)
}
