package rest

import (
	"regexp"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/rest/record"
)

// wording rewrites descriptions of the schema, which speak of GraphQL, for REST.
type wording struct {
	// values has the REST spelling of enum values that are spelled differently.
	values map[string]string
}

// auditSurface is an enum that no path shows: its REST is the name of this API.
const auditSurface = "AuditSurface"

func newWording(schema *ast.Schema) wording {
	w := wording{values: map[string]string{}}
	for _, def := range schema.Types {
		if def.Kind != ast.Enum || strings.HasPrefix(def.Name, "__") || def.Name == auditSurface {
			continue
		}
		for value, spelling := range record.Spellings(def) {
			if spelling != value {
				w.values[value] = spelling
			}
		}
	}
	return w
}

// replacements rewrite sentences that are true of GraphQL only.
var replacements = strings.NewReplacer(
	"Null, with an error, when", "Null, and named in the header "+unreadableHeader+", when",
	"Only the last four characters are shown unless reveal is true.", "All of it: treat it as highly sensitive.",
	"Nothing of it is shown unless reveal is true.", "All of it: treat it as highly sensitive.",
	"Unless reveal is true, sensitive values show only their last four characters, and a signature is hidden.", "All of it: treat it as highly sensitive.",
	"Unless reveal is true, account and routing numbers show only their last four digits, and Canada's short numbers are hidden.", "The numbers in full: treat them as highly sensitive.",
	"The integer id REST uses.", "The integer id.",
	"The id REST uses.", "The id.",
	"Global id, or the integer id REST uses.", "The integer id, or the global id of GraphQL.",
	"Global id, or the id REST uses.", "The id, or the global id of GraphQL.",
	"Which query; insightQueries lists them.", "Which query: its slug, such as headcount.",
)

// capitals matches words that may be values of an enum.
var capitals = regexp.MustCompile(`\b[A-Z]{2,}(?:_[A-Z]+)*\b`)

// text returns a description of the schema, rewritten for REST.
func (w wording) text(description string) string {
	return capitals.ReplaceAllStringFunc(replacements.Replace(description), func(word string) string {
		if spelling, ok := w.values[word]; ok {
			return spelling
		}
		return word
	})
}

// none matches the end of a sentence that says when GraphQL answers null.
var none = regexp.MustCompile(`; null (when|while) `)

// operation describes the operation of an endpoint: where GraphQL answers null, REST
// answers 404. A path without a date answers as of today.
func (w wording) operation(e *endpoint) string {
	description := w.text(e.answers().Definition.Description)
	if e.operation.Definition.VariableDefinitions.ForName("onDate") == nil {
		description = strings.Replace(description, " as of a date;", ", as of today;", 1)
	}
	return none.ReplaceAllString(description, ". 404 $1 ")
}

// property is text for a property of a response. If the property is absent where GraphQL
// has null, it says so.
func (w wording) property(m record.Property) string {
	if m.Absent {
		return none.ReplaceAllString(w.text(m.Description), "; absent $1 ")
	}
	return w.text(m.Description)
}

// firstSentence returns the text before the first full stop.
func firstSentence(description string) string {
	first, _, _ := strings.Cut(description, ". ")
	return strings.TrimSuffix(first, ".")
}
