package recipe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/words/problem"
)

func (p *parser) columns(path []string, v any) {
	list := p.list(path, v, maxColumns)
	if none(v) {
		p.refuse(problem.Required, "must name at least one column", path)
	}
	places := map[string][]string{}
	for i, element := range list {
		here := at(path, i)
		object, ok := p.object(here, element)
		if !ok {
			continue
		}
		p.known(here, object, "field", "label", "format", "aggregate")
		f := p.field(below(here, "field"), object["field"])
		if f == nil {
			continue
		}
		c := Column{Field: f.Name, Aggregate: p.word(below(here, "aggregate"), object["aggregate"], aggregatesOf(f.Type))}
		c.Label = p.label(below(here, "label"), object["label"], c.key())
		c.Format = p.word(below(here, "format"), object["format"], formats[c.typeOf(f)])
		if places[c.key()] != nil {
			p.refuse(problem.DuplicateKey, "Another column is the same", below(here, "field"))
		}
		places[c.key()] = below(here, "field")
		p.d.Columns = append(p.d.Columns, c)
	}
	if !p.d.grouped() {
		return
	}
	for _, c := range p.d.Columns {
		if c.Aggregate == noAggregate && !slices.Contains(p.d.GroupBy, c.Field) {
			p.refuse(problem.NotApplicable, "needs an aggregate, or must be in groupBy, since other columns have an aggregate or rows are grouped", places[c.key()])
		}
	}
}

// label reads the heading of a column; by default it is the column's key.
func (p *parser) label(path []string, v any, byDefault string) string {
	if v == nil {
		return byDefault
	}
	text, ok := v.(string)
	text = strings.TrimSpace(text)
	if !ok || text == "" || utf8.RuneCountInString(text) > 100 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		p.refuse(problem.InvalidFormat, "must be 1 to 100 printable characters", path)
	}
	return text
}
