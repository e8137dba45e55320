package bulk

import (
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/text"
)

// Kind says what the values of a column are, and so how the files of others write them.
type Kind int

// The kinds. A text stays as it is.
const (
	Text Kind = iota
	// Code is a text of digits and letters that is no number, whatever a spreadsheet made of it.
	Code
	// Postal is a postal code, which a spreadsheet may have taken its zeros from.
	Postal
	// Phone is a telephone number.
	Phone
	// Day is a day, and Instant a day or an instant.
	Day
	Instant
	// Flag is yes or no.
	Flag
	// Whole is an integer, Money an amount.
	Whole
	Money
	// Word is a key of the list that Column.List names.
	Word
	// Agent is the code of an agent. Its column has others beside it (Extended), by which
	// files without our codes name agents.
	Agent
	// Key is what else than its code names an agent, FullName a name in one cell.
	Key
	FullName
	// NamePart is a part of the name by which an agent is found.
	NamePart
	// Company is the provider company that the agent's alias is at.
	Company
)

// Lists of words.
const (
	Jurisdictions         = "jurisdictions"
	CertificationTypes    = "certificationTypes"
	ProviderCompanies     = "providerCompanies"
	PayStatuses           = "payStatuses"
	AgentLevels           = "agentLevels"
	CertificationStatuses = "certificationStatuses"
)

// Of returns the column with the kind of its values.
func (c Column) Of(k Kind) Column {
	c.Kind = k
	return c
}

// Or returns the column with what a new record gets without it.
func (c Column) Or(value string) Column {
	c.Default = value
	return c
}

// In returns the column with the list that its values are from.
func (c Column) In(list string) Column {
	c.Kind, c.List = Word, list
	return c
}

// KeyBy says by what else than its code an agent is found.
type KeyBy string

// The keys of agents.
const (
	ByNPN     KeyBy = "npn"
	ByEmail   KeyBy = "email"
	ByName    KeyBy = "name"
	ByAlias   KeyBy = "alias"
	ByLicence KeyBy = "licence"
	// ByAny is the code, or any of the first three.
	ByAny KeyBy = "any"

	byCode KeyBy = "code"
)

var keysBy = []struct {
	by  KeyBy
	doc string
}{
	{ByNPN, "its National Producer Number"}, {ByEmail, "its e-mail address"}, {ByName, "its name, if only one agent has it"},
	{ByAlias, "its alias at the provider company, such as a writing number"}, {ByLicence, "the number of one of its licences, in the jurisdiction of the row"},
	{ByAny, "its code, National Producer Number, e-mail address or name"},
}

// Extended returns the columns of an entity, and those that stand for some of them in the
// files of others.
func Extended(columns []Column) []Column {
	all := slices.Clone(columns)
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
	}
	for _, c := range columns {
		if c.Kind != Agent {
			continue
		}
		of := "agent"
		if c.Name != "agentCode" {
			of = "upline"
		}
		for _, k := range keysBy {
			all = append(all, Column{Name: of + "." + string(k.by), Doc: "in place of " + c.Name + ": " + k.doc, Kind: Key, For: c.Name, By: k.by})
		}
		if of == "agent" && !has("firstName") {
			for _, part := range []string{"firstName", "lastName"} {
				all = append(all, Column{Name: "agent." + part, Doc: "in place of agentCode: a part of its name, if only one agent has it", Kind: NamePart, For: c.Name, By: ByName})
			}
		}
		if of == "agent" && !has("providerCompany") {
			all = append(all, Column{Name: "agent.company", Doc: "the provider company that agent.alias is at", Kind: Company, List: ProviderCompanies})
		}
	}
	if has("firstName") && has("lastName") {
		all = append(all, Column{Name: "fullName", Doc: "the whole name, as Doe, Ada M or Ada M Doe; in place of firstName, middleName, lastName and suffix", Kind: FullName})
	}
	return all
}

// Meaning is a word of a list: a key, and what else files call it.
type Meaning struct {
	Value string
	Names []string
}

// words finds the keys of a list.
type words struct {
	keys   map[string]bool
	byName map[string]string // by the folded name; several meanings are none
	// canBeSeveral is true for a list of which a cell may name several, areStatuses for one of
	// statuses, which may be followed by a reason.
	canBeSeveral, areStatuses bool
}

func plain(s string) string {
	return strings.Join(text.Pieces(text.Fold(strings.ReplaceAll(s, "&", " and "))), " ")
}

func newWords(list string, all []Meaning) *words {
	w := &words{keys: map[string]bool{}, byName: map[string]string{}, canBeSeveral: list == CertificationTypes, areStatuses: list == CertificationStatuses}
	for _, m := range all {
		w.keys[m.Value] = true
	}
	for _, m := range all {
		for _, name := range append(m.Names, m.Value) {
			if is := plain(name); is != "" {
				if other, again := w.byName[is]; again && other != m.Value {
					w.byName[is] = ""
					continue
				}
				w.byName[is] = m.Value
			}
		}
	}
	return w
}

// find returns what a text means: a key, or several of them; none if that is not known.
func (w *words) find(s string) []string {
	if w.keys[s] {
		return []string{s}
	}
	is := plain(s)
	if key := w.byName[is]; key != "" {
		return []string{key}
	}
	switch {
	case w.canBeSeveral:
		return w.several(strings.Fields(is))
	case w.areStatuses:
		return w.withReason(s)
	}
	return nil
}

// withReason reads a status that is followed by a reason, such as Inactive - Voluntary: what is
// active for some reason may not be, and is not known.
func (w *words) withReason(s string) []string {
	first, _, has := strings.Cut(strings.ReplaceAll(s, " (", " - "), " - ")
	if key := w.byName[plain(first)]; has && key != "" && key != "ACTIVE" {
		return []string{key}
	}
	return nil
}

// besideNames are words beside the names of lines of authority.
var besideNames = map[string]bool{"and": true, "incl": true, "including": true, "insurance": true, "agent": true, "producer": true, "general": true, "gen": true, "lines": true, "line": true, "hmo": true, "only": true, "major": true, "individual": true,
	"nonres": true, "nonresident": true, "non": true, "res": true, "resident": true}

// several reads words as names one after the other, the longest first.
func (w *words) several(pieces []string) (keys []string) {
	for len(pieces) > 0 {
		n := len(pieces)
		for ; n > 0; n-- {
			if key := w.byName[strings.Join(pieces[:n], " ")]; key != "" {
				if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
				break
			}
		}
		if n == 0 {
			if !besideNames[pieces[0]] {
				return nil
			}
			n = 1
		}
		pieces = pieces[n:]
	}
	return keys
}
