package check

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

const (
	// MaxAgentCode: "recruiterAgentCode: max 20 characters" (Limits).
	MaxAgentCode = 20
	// MaxEmail is a limit of mail itself (RFC 5321, 4.5.3.1).
	MaxEmail = 254
	// MaxIdentifier bounds an SSN, SIN or EIN, dashes and blanks included:
	// "governmentIdentifier (application): max 24 characters" (Limits).
	MaxIdentifier = 24

	// minIdentifier is the least number of characters: of a shorter identifier, a mask
	// that shows the end would show all.
	minIdentifier = 4
)

var (
	emailForm        = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)
	codeForm         = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	jurisdictionForm = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{2}$`)
)

// UUID returns an id in the form in which both databases keep it; ok is false if it is no
// UUID. An id in capitals is the same id, but SQLite compares texts; the other forms that
// uuid.Validate takes, no database has.
func UUID(id string) (key string, ok bool) {
	return strings.ToLower(id), len(id) == 36 && uuid.Validate(id) == nil
}

// isInvisible reports whether a character can differ without being seen: controls, format
// characters such as the zero-width space, and blanks other than the space.
func isInvisible(r rune) bool { return !unicode.IsPrint(r) }

// Name returns a name without the blanks around it. It refuses invisible characters,
// since people tell names apart by sight.
func (p *Problems) Name(s string, limit int, field ...string) string {
	s = p.filled(s, field...)
	p.holds(s, limit, isInvisible, "must consist of printable characters", field...)
	return s
}

// PathName is Name for a name that becomes a segment of a path. It refuses commas, which
// separate names in filters, and the segments . and .., which clients remove from paths
// (RFC 3986, 5.2.4).
func (p *Problems) PathName(s string, limit int, field ...string) string {
	s = p.filled(s, field...)
	if s == "." || s == ".." {
		p.Refuse(problem.InvalidFormat, "must not be . or ..", field...)
	}
	p.holds(s, limit, func(r rune) bool { return r == '/' || r == ',' || isInvisible(r) }, "must consist of printable characters other than / and comma", field...)
	return s
}

// Code checks the characters of a code that becomes part of URLs.
func (p *Problems) Code(s string, field ...string) {
	p.Form(s, codeForm, "must consist of letters, digits, dots, dashes and underscores, and start with a letter or digit", field...)
}

// Form refuses a text that does not match a form, and gives the form in the details.
func (p *Problems) Form(s string, form *regexp.Regexp, message string, field ...string) {
	if !form.MatchString(s) {
		p.Add(problem.Invalid(problem.InvalidFormat, message, field...).With("pattern", form.String()))
	}
}

// Email returns an e-mail address without the blanks around it; nil for a blank one. It
// refuses invisible characters, so that no two addresses look the same.
func (p *Problems) Email(s *string, limit int, field ...string) *string {
	s = Trimmed(s)
	switch {
	case s == nil:
	case utf8.RuneCountInString(*s) > limit:
		p.TooLong(limit, field...)
	case !emailForm.MatchString(*s) || !utf8.ValidString(*s) || strings.ContainsFunc(*s, isInvisible):
		p.Refuse(problem.InvalidFormat, "must be an e-mail address", field...)
	}
	return s
}

// Jurisdiction checks a code: "jurisdiction must match the pattern XX-XX"
// (Application).
func (p *Problems) Jurisdiction(s string, field ...string) {
	p.Form(s, jurisdictionForm, "must have the form XX-XX, such as US-TX", field...)
}

// Identifier checks an SSN, SIN or EIN in any notation, and returns it with ASCII digits
// and letters in place of full-width ones.
func (p *Problems) Identifier(s *string, field ...string) *string {
	if s == nil {
		return nil
	}
	narrow := text.Narrow(*s)
	if utf8.RuneCountInString(text.Identifier(narrow)) < minIdentifier {
		p.Refuse(problem.InvalidFormat, "must have at least four letters or digits", field...)
	}
	return &narrow
}

// IsMask reports whether a text is the mask of a sensitive value.
func IsMask(s string) bool { return strings.HasPrefix(s, "*") }

// Whole refuses a mask in the place of a sensitive value: a client that sends back what
// it has read must not replace a tax id by its last digits.
func (p *Problems) Whole(s *string, field ...string) {
	if s != nil && IsMask(*s) {
		p.Refuse(problem.InvalidFormat, "is the mask of a value: give all of it, or leave it out", field...)
	}
}
