package agency

import (
	"strings"
	"unicode"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/text"
)

// maxWords bounds the words of a search: each is looked for in every column.
const maxWords = 10

// searchWords returns the words of a search; commas separate them as blanks do.
func searchWords(search *string) []string {
	if search == nil {
		return nil
	}
	return strings.FieldsFunc(*search, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
}

// searchNames are the columns that a word of a search may begin, or begin a word of.
var searchNames = []string{"a.first_name_key", "a.last_name_key", "a.common_name_key"}

// searched adds the condition that every word fits, and one of them begins a whole value:
// that is what indexes answer, each for itself.
func searched(q *store.SQL, tenantID int64, words []string) {
	if len(words) == 0 {
		return
	}
	join := " AND a.id IN ("
	for _, word := range words {
		for _, begins := range beginnings(word) {
			q.Write(join+"SELECT a.id FROM agency_agent a WHERE a.tenant_id = ? AND "+begins.condition, append([]any{tenantID}, begins.values...)...)
			join = " UNION "
		}
	}
	q.Write(")")
	if len(words) == 1 {
		return
	}
	for _, word := range words {
		join := " AND ("
		for _, begins := range beginnings(word) {
			q.Write(join+begins.condition, begins.values...)
			join = " OR "
		}
		for _, column := range searchNames {
			q.Write(" OR "+column+` LIKE ? ESCAPE '\'`, "% "+escaped.Replace(text.SearchKey(word))+"%")
		}
		q.Write(")")
	}
}

// escaped makes the signs of a pattern plain characters.
var escaped = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

// beginning is a condition that an index answers, with its values.
type beginning struct {
	condition string
	values    []any
}

// beginnings are the conditions that a word begins a name, the code or the e-mail
// address, or is the NPN.
func beginnings(word string) []beginning {
	key := text.SearchKey(word)
	all := []beginning{
		{"a.npn = ?", []any{word}},
		{"a.email_key >= ? AND a.email_key < ? AND a.email_key <> ''", []any{key, key + last}},
	}
	for _, column := range searchNames {
		all = append(all, beginning{column + " >= ? AND " + column + " < ?", []any{key, key + last}})
	}
	for _, code := range []string{word, strings.ToUpper(word)} {
		all = append(all, beginning{"a.code >= ? AND a.code < ?", []any{code, code + last}})
	}
	return all
}
