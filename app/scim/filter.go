package scim

import (
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/identity"
)

const (
	// maxFilter limits a filter, in bytes, and maxNested how deep it nests: databases limit
	// how deep their expressions do.
	maxFilter = 2000
	maxNested = 20
)

// fields are the attributes that filters name, in lower case, and the fields of users.
var fields = map[string]string{"id": "id", "username": "userName", "externalid": "externalId", "active": "active",
	"emails": "email", "emails.value": "email", "meta.created": "created", "meta.lastmodified": "lastModified"}

// filter reads a filter of RFC 7644 §3.4.2.2; the zero condition for none.
func filter(text string) (*identity.Condition, error) {
	if text == "" {
		return &identity.Condition{}, nil
	}
	if len(text) > maxFilter {
		return nil, errFilter
	}
	p := parser{words: words(text)}
	c, err := p.any("")
	if err != nil || p.peek() != "" {
		return nil, errFilter
	}
	return c, nil
}

var errFilter = invalid("invalidFilter", "The filter is not one of RFC 7644 §3.4.2.2, or names an attribute that cannot be filtered by")

// words splits a filter: parentheses, brackets, texts in quotes, and what is between
// spaces.
func words(text string) (all []string) {
	for text = strings.TrimLeft(text, " \t"); text != ""; text = strings.TrimLeft(text, " \t") {
		end := 1
		switch {
		case strings.ContainsRune("()[]", rune(text[0])):
		case text[0] == '"':
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
		default:
			if end = strings.IndexAny(text, " \t()[]\""); end < 0 {
				end = len(text)
			}
		}
		all, text = append(all, text[:end]), text[end:]
	}
	return all
}

type parser struct {
	words []string
	// nested is how many parentheses and brackets are open.
	nested int
}

func (p *parser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *parser) next() string {
	word := p.peek()
	if word != "" {
		p.words = p.words[1:]
	}
	return word
}

// any reads what or joins; within is the attribute of the brackets around it.
func (p *parser) any(within string) (*identity.Condition, error) {
	return p.joined("or", within, p.all, func(c []*identity.Condition) *identity.Condition { return &identity.Condition{Any: c} })
}

func (p *parser) all(within string) (*identity.Condition, error) {
	return p.joined("and", within, p.one, func(c []*identity.Condition) *identity.Condition { return &identity.Condition{All: c} })
}

func (p *parser) joined(word, within string, read func(string) (*identity.Condition, error), join func([]*identity.Condition) *identity.Condition) (*identity.Condition, error) {
	var parts []*identity.Condition
	for {
		c, err := read(within)
		if err != nil {
			return nil, err
		}
		if parts = append(parts, c); !strings.EqualFold(p.peek(), word) {
			if len(parts) == 1 {
				return c, nil
			}
			return join(parts), nil
		}
		p.next()
	}
}

// one reads a comparison, or a filter in parentheses or brackets.
func (p *parser) one(within string) (*identity.Condition, error) {
	word := p.next()
	switch {
	case strings.EqualFold(word, "not") && p.peek() == "(":
		c, err := p.one(within)
		return &identity.Condition{Not: c}, err
	case word == "(":
		return p.closed(")", within)
	case p.peek() == "[" && within == "":
		p.next()
		return p.selected(attribute(word))
	}
	name := attribute(word)
	if within != "" {
		// An address has no type of its own here: it is the one there is, of work.
		if op := strings.ToLower(p.peek()); within == "emails" && (name == "type" || name == "primary") && op == "eq" {
			p.next()
			value := strings.ToLower(strings.Trim(p.next(), `"`))
			return &identity.Condition{Field: "email", Op: map[bool]string{true: "pr", false: "none"}[value == "work" || value == "true"]}, nil
		}
		name = within + "." + name
	}
	return p.compared(name)
}

// selected reads the brackets behind an attribute, and what they may be followed by: a
// comparison of a part of what they select, as in emails[type eq "work"].value eq "x".
func (p *parser) selected(name string) (*identity.Condition, error) {
	c, err := p.closed("]", name)
	if err != nil || !strings.HasPrefix(p.peek(), ".") {
		return c, err
	}
	part, err := p.compared(name + strings.ToLower(p.next()))
	return &identity.Condition{All: []*identity.Condition{c, part}}, err
}

// compared reads the operator and the value that an attribute is compared with.
func (p *parser) compared(name string) (*identity.Condition, error) {
	field, ok := fields[name]
	if !ok {
		return nil, errFilter
	}
	c := &identity.Condition{Field: field, Op: strings.ToLower(p.next())}
	if c.Op == "pr" {
		return c, nil
	}
	var err error
	c.Value, err = valueOf(field, c.Op, p.next())
	return c, err
}

func (p *parser) closed(end, within string) (*identity.Condition, error) {
	if p.nested++; p.nested > maxNested {
		return nil, errFilter
	}
	defer func() { p.nested-- }()
	c, err := p.any(within)
	if err == nil && p.next() != end {
		err = errFilter
	}
	return c, err
}

// attribute is the name of an attribute in lower case, without its schema.
func attribute(name string) string {
	name = strings.ToLower(name)
	return strings.TrimPrefix(strings.TrimPrefix(name, strings.ToLower(userSchema)+":"), strings.ToLower(groupSchema)+":")
}

// valueOf reads what a field is compared with.
func valueOf(field, op, word string) (any, error) {
	text, err := strconv.Unquote(word)
	switch identity.ConditionFields[field].(type) {
	case bool:
		// Entra sends booleans as texts.
		if truth, isBool := booleanOf(strings.Trim(word, `"`)); isBool && (op == "eq" || op == "ne") {
			return truth, nil
		}
		return nil, errFilter
	case time.Time:
		when, bad := time.Parse(time.RFC3339, text)
		if err != nil || bad != nil || !strings.Contains("eq ne gt ge lt le", op) || len(op) != 2 {
			return nil, errFilter
		}
		return when, nil
	}
	if err != nil || !strings.Contains("eq ne co sw ew gt ge lt le", op) || len(op) != 2 || strings.ContainsRune(text, 0) {
		return nil, errFilter
	}
	return text, nil
}

func booleanOf(value any) (truth, ok bool) {
	switch value := value.(type) {
	case bool:
		return value, true
	case string:
		truth, err := strconv.ParseBool(strings.ToLower(value))
		return truth, err == nil
	}
	return false, false
}
