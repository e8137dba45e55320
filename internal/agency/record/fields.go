package record

import (
	"regexp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// textRule checks a text that was sent, and tidies it.
type textRule func(c *Check, p *patch.Field[string], always bool, path []string)

// textRules are the rules of texts, by the tag "as" of their lines.
var textRules = map[string]textRule{
	"name":         upTo(MaxName, nil),
	"text":         upTo(MaxText, nil),
	"note":         upTo(maxNote, nil),
	"email":        email,
	"code":         upTo(maxReferenceCode, (*Check).Code), // which becomes part of URLs
	"pathName":     pathName,
	"tag":          tagName,
	"jurisdiction": asSent((*Check).Jurisdiction), // "id in the form XX-XX" (Reference data)
	"country":      asSent(formed(countryPattern, "must be a country code of two capital letters")),
	"color":        upTo(MaxText, formed(colorPattern, "must be # and six hexadecimal digits")),
	"category":     asSent(oneOf(CertificationCategories)),
	"kind":         asSent(oneOf(JurisdictionKinds)),

	"taxClassification": upTo(MaxText, oneOf(TaxClassifications)),
	"exemptPayee":       upTo(10, nil),
	"signature":         upTo(100, nil),
	"taxID":             upTo(check.MaxIdentifier, nil),
	"bankCountry":       asSent(oneOf(BankCountries)),
	"accountType":       asSent(oneOf(BankAccountTypes)),
	"bankNumber":        bankNumber,
	"countryCode":       upTo(4, nil),
	"areaCode":          upTo(10, nil),
	"phoneNumber":       upTo(20, nil),
}

var (
	countryPattern = regexp.MustCompile(`^[A-Z]{2}$`)
	colorPattern   = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)
)

// form checks the form of a text.
type form func(c *Check, s string, path ...string)

// upTo is the rule of a text with at most so many characters; blanks around it are
// removed.
func upTo(limit int, looks form) textRule {
	return func(c *Check, p *patch.Field[string], always bool, path []string) {
		if always {
			c.Kept(p, limit, path...)
		} else {
			c.Clearable(p, limit, path...)
		}
		if looks != nil && p.Value != nil && *p.Value != "" {
			looks(c, *p.Value, path...)
		}
	}
}

// asSent is the rule of a text that is kept exactly as it was sent.
func asSent(looks form) textRule {
	return func(c *Check, p *patch.Field[string], _ bool, path []string) {
		c.NotNull(*p, path...)
		if p.Value != nil {
			looks(c, *p.Value, path...)
		}
	}
}

func email(c *Check, p *patch.Field[string], _ bool, path []string) {
	p.Value = c.Email(p.Value, check.MaxEmail, path...)
}

// pathName is the rule of a name that becomes a segment of a path.
func pathName(c *Check, p *patch.Field[string], _ bool, path []string) {
	c.NotNull(*p, path...)
	if p.Value != nil {
		*p = patch.Set(c.PathName(*p.Value, MaxName, path...))
	}
}

// bankNumber is the rule of a number of an account, which is kept in plain digits even if
// it was typed in full-width ones. CheckBankDetails checks how many there are, since that
// depends on the country.
func bankNumber(_ *Check, p *patch.Field[string], _ bool, _ []string) {
	if p.Value = check.Trimmed(p.Value); p.Value != nil {
		p.Value = new(text.Narrow(*p.Value))
	}
}

func formed(pattern *regexp.Regexp, message string) form {
	return func(c *Check, s string, path ...string) { c.Form(s, pattern, message, path...) }
}

func oneOf[T ~string](of enum.Set[T]) form {
	return func(c *Check, s string, path ...string) { check.One(c, of, s, path...) }
}

// Property checks the sent value of a line, and tidies a text.
func (c *Check) Property(l fields.Line, p patch.Property, path ...string) {
	path = slices.Concat(path, l.Field())
	if s, ok := p.(*patch.Field[string]); ok {
		textRules[l.As](c, s, l.Always, path)
		return
	}
	if l.Always {
		c.NotNull(p, path...)
	}
	if n, ok := p.(*patch.Field[int]); ok && n.Value != nil && l.As == "level" {
		c.Range(*n.Value, 0, MaxLevel, path...)
	}
}

// Properties checks the sent values of a record's lines; path is the path of the record
// in the input.
func (c *Check) Properties(lines []fields.Line, record any, path ...string) {
	for _, l := range lines {
		c.Property(l, l.Of(record), path...)
	}
}

// Needed refuses an omitted property that a new record must have.
func (c *Check) Needed(l fields.Line, p patch.Property, path ...string) {
	if l.Needed && !p.IsSent() {
		c.Refuse(problem.Required, "is required", slices.Concat(path, l.Field())...)
	}
}

// TextOf returns a record's text of a line; nil if it has none.
func TextOf(l fields.Line, record any) *string { return l.Of(record).(*patch.Field[string]).Value }

// tagName is the rule of a name that becomes a segment of a path, and is not reserved.
func tagName(c *Check, p *patch.Field[string], always bool, path []string) {
	pathName(c, p, always, path)
	if p.Value != nil && strings.EqualFold(*p.Value, assignedTags) {
		c.Refuse(problem.ReservedName, "must not be "+assignedTags+", which is reserved", path...)
	}
}

// assignedTags is the name that no tag can have: GET /tags/assigned lists the
// assignments.
const assignedTags = "assigned"
