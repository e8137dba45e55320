package input

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
)

// Parameter is a variable, or a field of one, that comes from the URL.
type Parameter struct {
	Name string
	// Field is what it is called in GraphQL, if that is another name.
	Field       string
	Description string
	Type        *ast.Type
	// Sensitive is true for a value that who sees it masked cannot search by.
	Sensitive bool
}

// OnlyOnce refuses a parameter or property that has several values where it takes one.
const OnlyOnce = "is given more than once"

// Parameters reads the query parameters that are given.
func (c *Checker) Parameters(params []Parameter, query url.Values, into map[string]any) {
	for _, p := range params {
		if query.Has(p.Name) {
			into[cmp.Or(p.Field, p.Name)] = c.Parameter(p, query[p.Name])
		}
	}
}

// Parameter checks a parameter by its type. The values of a list are repeated
// or separated by commas.
func (c *Checker) Parameter(p Parameter, given []string) any {
	path := []string{p.Name}
	if c.Masked && p.Sensitive {
		c.Refuse(problem.NotApplicable, "cannot be given here: it is sensitive", path)
		return nil
	}
	if p.Type.Elem == nil {
		if len(given) > 1 {
			c.Refuse(problem.InvalidFormat, OnlyOnce, path)
			return nil
		}
		return c.Value(p.Type, plain(p.Type, given[0]), path)
	}
	list := []any{}
	for part := range strings.SplitSeq(strings.Join(given, ","), ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			// An empty list could mean a condition that nothing meets, or no condition:
			// the sender meant neither.
			c.Refuse(problem.InvalidFormat, "must not have an empty element", path)
			return nil
		}
		before := len(c.Found)
		if list = append(list, c.Value(p.Type.Elem, plain(p.Type.Elem, part), path)); len(c.Found) > before {
			return nil
		}
	}
	return list
}

// plain turns the text of a parameter into the JSON value it stands for. A text that
// stands for none stays as it is, so that the check of its type refuses it.
func plain(t *ast.Type, text string) any {
	switch {
	case t.NamedType == "Int":
		return json.Number(text)
	case t.NamedType == "Boolean" && text == "true":
		return true
	case t.NamedType == "Boolean" && text == "false":
		return false
	default:
		return text
	}
}
