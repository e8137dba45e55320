package identity

import (
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// Lengths, in characters.
const (
	maxName        = 100
	maxDescription = 1000
	// maxRoles limits the roles of one user, and maxScopes the scopes that are sent;
	// there are far fewer.
	maxRoles  = 50
	maxScopes = 100
	// maxExternalID limits what another system calls a user, in bytes.
	maxExternalID = 255
)

// inputCheck collects the problems of an input, so that all are reported together.
type inputCheck struct {
	check.Problems
	// least is the minimum length of a password.
	least int
}

// usernamePattern allows only names that fit into paths and logs, e-mail addresses among
// them. With letters of one alphabet no two names look the same.
var usernamePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]*$`)

func (c *inputCheck) username(in *UserInput) {
	in.Username = text.Trim(in.Username)
	switch {
	case in.Username == "":
		c.Refuse(problem.Required, "is required", "username")
	case utf8.RuneCountInString(in.Username) > maxName:
		c.TooLong(maxName, "username")
	default:
		c.Form(in.Username, usernamePattern, "must consist of letters, digits and . _ @ + -, and start with a letter or digit", "username")
	}
}

// input checks what a new user and an update have in common. "Setting a required field to
// null is a validation error" (Partial updates, 1).
func (c *inputCheck) input(in *UserInput) {
	// A user who should not sign in is made Pending; a password cannot be removed.
	c.NotNull(in.Password, "password")
	if in.Password.Value != nil {
		c.Add(passwordProblem(*in.Password.Value, c.least))
	}
	in.Email.Value = c.Email(in.Email.Value, check.MaxEmail, "email")
	if id := in.ExternalID.Value; id != nil && (*id == "" || len(*id) > maxExternalID || !text.Fit(*id)) {
		c.Refuse(problem.InvalidFormat, "must have 1 to "+strconv.Itoa(maxExternalID)+" characters", "externalId")
	}
	in.AgentCode.Value = check.Trimmed(in.AgentCode.Value)
	c.NotNull(in.Status, "status")
	if in.Status.Value != nil {
		check.One(c, tenant.UserStatuses, *in.Status.Value, "status")
	}
	if in.Roles.IsNull() { // the whole set is cleared
		in.Roles = patch.Set([]string{})
	}
	if in.Roles.Value != nil && !c.AtMost(len(*in.Roles.Value), maxRoles, "roles", "roles") {
		in.Roles.Value = nil // nobody looks for so many
	}
}

// sent returns the names of the fields that a new user has.
func (in UserInput) sent() []string {
	fields := []string{"status"}
	for _, f := range []struct {
		name string
		has  bool
	}{{"password", in.Password.Value != nil}, {"email", in.Email.Value != nil}, {"agentCode", in.AgentCode.Value != nil}, {"externalId", in.ExternalID.Value != nil}, {"roles", in.Roles.Value != nil && len(*in.Roles.Value) > 0}} {
		if f.has {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// scopes checks the scopes of a role, removes duplicates and sorts them as all scopes are
// shown.
func (c *inputCheck) scopes(known []string, names []string) []string {
	if !c.AtMost(len(names), maxScopes, "scopes", "scopes") {
		return nil
	}
	for i, name := range names {
		if !slices.Contains(known, name) {
			c.Refuse(problem.UnknownScope, "There is no such scope, or it is not one of roles", "scopes", strconv.Itoa(i))
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
