package identity

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// Lengths, in characters.
const (
	maxName        = 100
	maxDescription = 1000
	maxEmail       = 254 // RFC 5321, 4.5.3.1
	// maxRoles bounds the roles of one user, and maxScopes the scopes that are sent:
	// there are far fewer.
	maxRoles  = 50
	maxScopes = 100
)

// check collects the problems of an input, so that all are reported together.
type check struct {
	problem.List
	// least are the characters that a password has at least.
	least int
}

func (c *check) refuse(code problem.Code, message string, field ...string) {
	c.Add(problem.Invalid(code, message, field...))
}

// usernamePattern keeps names fit for paths and logs, an e-mail address among
// them; with letters of one alphabet no two names look the same.
var usernamePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]*$`)

func (c *check) username(in *UserInput) {
	in.Username = text.Trim(in.Username)
	switch {
	case in.Username == "":
		c.refuse(problem.Required, "is required", "username")
	case len(in.Username) > maxName:
		c.tooLong(maxName, "username")
	case !usernamePattern.MatchString(in.Username):
		c.refuse(problem.InvalidFormat, "must consist of letters, digits and . _ @ + -, and start with a letter or digit", "username")
	}
}

func (c *check) tooLong(limit int, field ...string) {
	c.Add(problem.Invalid(problem.TooLong, "must not be longer than "+strconv.Itoa(limit)+" characters", field...).With("max", limit))
}

// input checks what a new user and an update have in common. "Setting a required
// field to null is a validation error" (Partial updates, 1).
func (c *check) input(in *UserInput) {
	// Who should not sign in is made Pending; there is no way back to no password.
	if in.Password.IsNull() {
		c.refuse(problem.NullNotAllowed, "must not be null", "password")
	}
	if in.Password.Value != nil {
		c.Add(passwordProblem(*in.Password.Value, c.least))
	}
	c.email(&in.Email)
	blankIsNull(&in.AgentCode)
	if in.Status.IsNull() {
		c.refuse(problem.NullNotAllowed, "must not be null", "status")
	}
	if in.Status.Value != nil {
		_, err := tenant.UserStatuses.Parse(*in.Status.Value, "status")
		c.Add(problem.From(err)...)
	}
	if in.Roles.IsNull() { // the whole set is cleared
		in.Roles = patch.Set([]string{})
	}
	if in.Roles.Value != nil && len(*in.Roles.Value) > maxRoles {
		c.refuse(problem.OutOfRange, "must not be more than "+strconv.Itoa(maxRoles), "roles")
		in.Roles.Value = nil // nobody looks for so many
	}
}

var emailPattern = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)

func (c *check) email(f *patch.Field[string]) {
	blankIsNull(f)
	if f.Value == nil {
		return
	}
	switch email := *f.Value; {
	case utf8.RuneCountInString(email) > maxEmail:
		c.tooLong(maxEmail, "email")
	case !emailPattern.MatchString(email) || strings.ContainsFunc(email, isInvisible) || !utf8.ValidString(email):
		c.refuse(problem.InvalidFormat, "must be an e-mail address", "email")
	}
}

// isInvisible tells what two texts may differ in and look the same: controls,
// format characters such as the zero-width space, and blanks other than the
// space.
func isInvisible(r rune) bool { return !unicode.IsPrint(r) }

// blankIsNull takes the blanks around a text away; a text of nothing else clears
// the field.
func blankIsNull(f *patch.Field[string]) {
	if f.Value == nil {
		return
	}
	trimmed := text.Trim(*f.Value)
	if f.Value = &trimmed; trimmed == "" {
		f.Value = nil
	}
}

// sent names the fields that a new user has.
func (in UserInput) sent() []string {
	fields := []string{"status"}
	for _, f := range []struct {
		name string
		has  bool
	}{{"password", in.Password.Value != nil}, {"email", in.Email.Value != nil}, {"agentCode", in.AgentCode.Value != nil}, {"roles", in.Roles.Value != nil && len(*in.Roles.Value) > 0}} {
		if f.has {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// scopes checks the scopes of a role and puts them into the order in which all
// are shown, each once.
func (c *check) scopes(known []string, names []string) []string {
	if len(names) > maxScopes {
		c.refuse(problem.OutOfRange, "must not be more than "+strconv.Itoa(maxScopes), "scopes")
		return nil
	}
	for i, name := range names {
		if !slices.Contains(known, name) {
			c.refuse(problem.UnknownScope, "There is no such scope, or it is not one of roles", "scopes", strconv.Itoa(i))
		}
	}
	var held []string
	for _, name := range known {
		if slices.Contains(names, name) {
			held = append(held, name)
		}
	}
	return held
}

// description of a role.
func (c *check) description(f *patch.Field[string]) {
	blankIsNull(f)
	if f.Value == nil {
		return
	}
	if utf8.RuneCountInString(*f.Value) > maxDescription {
		c.tooLong(maxDescription, "description")
	}
	if !utf8.ValidString(*f.Value) || strings.ContainsFunc(*f.Value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		c.refuse(problem.InvalidFormat, "must not contain control characters", "description")
	}
}

// roleName checks the name of a new role.
func (c *check) roleName(name string) string {
	name = text.Trim(name)
	switch {
	case name == "":
		c.refuse(problem.Required, "is required", "name")
	case utf8.RuneCountInString(name) > maxName:
		c.tooLong(maxName, "name")
	case strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == ',' || isInvisible(r) }):
		c.refuse(problem.InvalidFormat, "must consist of printable characters other than / and ,", "name")
	}
	return name
}
