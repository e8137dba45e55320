package identity

import (
	"strconv"

	"github.com/uplinehq/upline/internal/problem"
)

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
