package identity

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// ClientInput is a new client, or a partial update of one.
type ClientInput struct {
	// Name is of a new client only; its id is the tenant's identifier, a dot and
	// the name. So no tenant can find out which clients others have.
	Name        string
	Description patch.Field[string]
	Scopes      patch.Field[[]string]
	ExpiresAt   patch.Field[time.Time]
	IsDisabled  patch.Field[bool]
}

// APIKeyInput is a new key.
type APIKeyInput struct {
	Name      string
	Scopes    []string
	ExpiresAt *time.Time
}

// clientNamePattern keeps ids fit for HTTP Basic and for logs.
var clientNamePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,35}$`)

func (c *check) clientName(name string) {
	switch {
	case name == "":
		c.refuse(problem.Required, "is required", "name")
	case !clientNamePattern.MatchString(name):
		c.refuse(problem.InvalidFormat, "must be 1 to 36 letters, digits, dots, dashes and underscores, the first a letter or digit", "name")
	}
}

// client checks what a new client and an update have in common.
func (c *check) client(s *Service, in *ClientInput) {
	c.description(&in.Description)
	if in.Scopes.IsNull() {
		c.refuse(problem.NullNotAllowed, "must not be null", "scopes")
	}
	if in.Scopes.Value != nil {
		c.someScopes(s, in.Scopes.Value)
	}
	c.expiry(in.ExpiresAt.Value, s.Clock.Now())
	if in.IsDisabled.IsNull() {
		c.refuse(problem.NullNotAllowed, "must not be null", "isDisabled")
	}
}

// someScopes checks the scopes of a client or a key, which is good for nothing
// without any.
func (c *check) someScopes(s *Service, names *[]string) {
	if len(*names) == 0 {
		c.refuse(problem.Required, "must name at least one scope", "scopes")
	}
	*names = c.scopes(s.Scopes, *names)
}

func (c *check) expiry(at *time.Time, now time.Time) {
	if at != nil && !at.After(now) {
		c.refuse(problem.OutOfRange, "must be in the future", "expiresAt")
	}
}

// keyName checks the name of a new key.
func (c *check) keyName(name string) string {
	named := patch.Set(name)
	blankIsNull(&named)
	if named.Value == nil {
		c.refuse(problem.Required, "is required", "name")
		return ""
	}
	if len([]rune(*named.Value)) > maxName {
		c.tooLong(maxName, "name")
	}
	if slices.ContainsFunc([]rune(*named.Value), func(r rune) bool { return !unicode.IsPrint(r) }) {
		c.refuse(problem.InvalidFormat, "must consist of printable characters", "name")
	}
	return *named.Value
}

// mayGrant refuses to hand out a scope that the caller does not hold, and those that
// only the operator of the platform hands out: a client that was trusted with one is
// not trusted to make others so.
func (s *Service) mayGrant(ctx context.Context, scopes []string) error {
	var refused problem.List
	for i, scope := range scopes {
		if slices.Contains(s.PlatformGranted, scope) {
			refused.Add(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
				Message: "Only the operator of the platform grants the scope " + scope, Field: []string{"scopes", strconv.Itoa(i)}})
		}
	}
	if err := refused.Err(); err != nil {
		return err
	}
	return holdsAll(ctx, scopes)
}

// holdsAll refuses a caller that does not hold all of some scopes: the scope that
// makes clients would otherwise be all scopes.
func holdsAll(ctx context.Context, scopes []string) error {
	caller, _ := tenant.CallerFrom(ctx)
	var refused problem.List
	for i, scope := range scopes {
		if !caller.HasScope(scope) {
			refused.Add(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
				Message: "The caller does not hold the scope " + scope, Field: []string{"scopes", strconv.Itoa(i)}})
		}
	}
	return refused.Err()
}
