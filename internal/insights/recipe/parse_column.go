package recipe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

func (p *parser) readColumns(n node) {
	if n.none() {
		p.refuse(problem.Required, "must name at least one column", n)
	}
	places := map[string]node{}
	for object := range p.objects(n, maxColumns, "field", "label", "format", "aggregate") {
		by := object.at("field")
		f := p.field(by)
		if f == nil {
			continue
		}
		c := column{expression: expression{f, p.word(object.at("aggregate"), f.aggregates())}}
		c.label = p.label(object.at("label"), c.key())
		c.format = p.word(object.at("format"), formats[c.typ()])
		if _, again := places[c.key()]; again {
			p.refuse(problem.DuplicateKey, "Another column is the same", by)
		}
		places[c.key()] = by
		p.columns = append(p.columns, c)
	}
	if !p.grouped() {
		return
	}
	for _, c := range p.columns {
		if c.aggregate == noAggregate && !slices.Contains(p.groupBy, c.expression) {
			p.refuse(problem.NotApplicable, "needs an aggregate, or must be in groupBy, since other columns have an aggregate or rows are grouped", places[c.key()])
		}
	}
}

// readChart reads the key of the column whose numbers a chart shows.
func (p *parser) readChart(n node) {
	var numbers []string
	for _, c := range p.columns {
		if t := c.typ(); t == value.Integer || t == value.Decimal {
			numbers = append(numbers, c.key())
		}
	}
	key, _ := n.value.(string)
	if n.value != nil && !slices.Contains(numbers, key) {
		p.unknown(problem.InvalidFormat, n, numbers)
	}
	p.chart = key
}

// label reads the heading of a column; by default it is the column's key.
func (p *parser) label(n node, byDefault string) string {
	if n.value == nil {
		return byDefault
	}
	text, ok := n.value.(string)
	text = strings.TrimSpace(text)
	if !ok || text == "" || utf8.RuneCountInString(text) > 100 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		p.refuse(problem.InvalidFormat, "must be 1 to 100 printable characters", n)
	}
	return text
}
