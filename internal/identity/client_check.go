package identity

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// ClientInput is a new client, or a partial update of one.
type ClientInput struct {
	// Name is only for a new client, whose id is the tenant's identifier, a dot and the
	// name. So no tenant can find out which clients others have.
	Name        string
	Description patch.Field[string]
	Scopes      patch.Field[[]string]
	ExpiresAt   patch.Field[time.Time]
	IsDisabled  patch.Field[bool]
	// IsPublic is only for a new client.
	IsPublic     bool
	RedirectURIs patch.Field[[]string]
	// PublicKeys is a JSON Web Key Set; null and empty for none.
	PublicKeys patch.Field[string]
	// TrustedDocuments is only for an update.
	TrustedDocuments patch.Field[DocumentMode]
}

// APIKeyInput is a new key.
type APIKeyInput struct {
	Name      string
	Scopes    []string
	ExpiresAt *time.Time
}

// clientNamePattern allows ids that fit into HTTP Basic and logs.
var clientNamePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,35}$`)

func (c *inputCheck) clientName(name string) {
	switch {
	case name == "":
		c.Refuse(problem.Required, "is required", "name")
	case !clientNamePattern.MatchString(name):
		c.Refuse(problem.InvalidFormat, "must be 1 to 36 letters, digits, dots, dashes and underscores, the first a letter or digit", "name")
	}
}

// client checks what a new client and an update have in common. held are the scopes that
// the client has, which may stay, even if only the operator can grant them.
func (c *inputCheck) client(s *clients, in *ClientInput, held ...string) {
	c.Clearable(&in.Description, maxDescription, "description")
	c.NotNull(in.Scopes, "scopes")
	if in.Scopes.Value != nil {
		in.Scopes = patch.Set(c.someScopes(known(s.scopes, held), *in.Scopes.Value))
	}
	c.expiry(in.ExpiresAt.Value, s.clock.Now())
	c.NotNull(in.IsDisabled, "isDisabled")
}

// someScopes checks the scopes of a client or a key, which is useless without any.
func (c *inputCheck) someScopes(known []string, names []string) []string {
	if len(names) == 0 {
		c.Refuse(problem.Required, "must name at least one scope", "scopes")
	}
	return c.scopes(known, names)
}

// known are the scopes that may be sent, given all there are and those already held.
func known(all, held []string) []string {
	known := slices.Clone(all)
	for _, scope := range held {
		if !slices.Contains(known, scope) {
			known = append(known, scope)
		}
	}
	return known
}

// sameScopes compares sets of scopes: clients made on the command line have them in
// another order.
func sameScopes(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (c *inputCheck) expiry(at *time.Time, now time.Time) {
	if at != nil && !at.After(now) {
		c.Refuse(problem.OutOfRange, "must be in the future", "expiresAt")
	}
}

// mayGrant refuses to hand out a scope that the caller does not hold, by its index among
// those that were sent: otherwise the scopes to create clients and roles would amount to
// all scopes. Scopes that are already held are not handed out.
func mayGrant(ctx context.Context, sent patch.Field[[]string], held ...string) error {
	if sent.Value == nil {
		return nil
	}
	caller, _ := tenant.CallerFrom(ctx)
	var refused problem.List
	for i, scope := range *sent.Value {
		if !caller.HasScope(scope) && !slices.Contains(held, scope) {
			refused.Add(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
				Message: "The caller does not hold the scope " + scope, Field: []string{"scopes", strconv.Itoa(i)}})
		}
	}
	return refused.Err()
}

// mayActAs refuses a change that would let the caller act as the client, unless the
// caller holds every scope of the client.
func mayActAs(ctx context.Context, client *Client) error {
	caller, _ := tenant.CallerFrom(ctx)
	for _, scope := range client.Scopes {
		if !caller.HasScope(scope) {
			return &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
				Message: "The caller does not hold all the scopes of the client, " + scope + " for one"}
		}
	}
	return nil
}

// maxRedirectURIs limits the redirect URIs of a client.
const maxRedirectURIs = 10

// redirectURIs checks the redirect URIs of a client: a public one has at least one.
func (c *inputCheck) redirectURIs(problemOf func(uri string) string, public bool, uris []string) {
	if public && len(uris) == 0 {
		c.Refuse(problem.Required, "must name at least one URI", "redirectUris")
	}
	c.AtMost(len(uris), maxRedirectURIs, "URIs", "redirectUris")
	for i, uri := range uris {
		if text := problemOf(uri); text != "" {
			c.Refuse(problem.InvalidFormat, text, "redirectUris", strconv.Itoa(i))
		}
	}
}

// maxPublicKeys limits the public keys of a client, in bytes.
const maxPublicKeys = 16 << 10

// publicKeys checks the public keys of a client, which is not public; empty for none.
func (c *inputCheck) publicKeys(problemOf func(text string) string, public bool, keys *string) {
	switch {
	case keys == nil || *keys == "":
	case public:
		c.Refuse(problem.NotApplicable, "is not for public clients, which prove nothing", "publicKeys")
	case len(*keys) > maxPublicKeys:
		c.TooLong(maxPublicKeys, "publicKeys")
	case publicPart(*keys) != *keys:
		c.Refuse(problem.InvalidFormat, "must hold public keys only, and there is a member of a private one: "+strings.Join(privateMembers, ", ")+". Make new keys, since this one was sent", "publicKeys")
	default:
		if text := problemOf(*keys); text != "" {
			c.Refuse(problem.InvalidFormat, text, "publicKeys")
		}
	}
}

// keepsSecret refuses what only a client that is not public can have.
func (c *Client) keepsSecret() error {
	if c.IsPublic {
		return problem.Clash(problem.InvalidFormat, "A public client keeps no secret", "clientId")
	}
	return nil
}

// sendsSecret refuses a secret for a client that signs assertions instead.
func (c *Client) sendsSecret() error {
	if c.PublicKeys != "" {
		return problem.Clash(problem.NotApplicable, "The client authenticates with its keys, and a secret would not count", "clientId")
	}
	return c.keepsSecret()
}
