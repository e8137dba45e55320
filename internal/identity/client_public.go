package identity

import (
	"strconv"

	"github.com/uplinehq/upline/internal/problem"
)

// maxRedirectURIs limits the redirect URIs of a client.
const maxRedirectURIs = 10

// redirectURIs checks the redirect URIs of a public client, which has at least one, or of
// another client, which has none.
func (c *inputCheck) redirectURIs(problemOf func(uri string) string, public bool, uris []string) {
	switch {
	case !public && len(uris) > 0:
		c.Refuse(problem.InvalidFormat, "is for public clients only", "redirectUris")
		return
	case public && len(uris) == 0:
		c.Refuse(problem.Required, "must name at least one URI", "redirectUris")
	}
	c.AtMost(len(uris), maxRedirectURIs, "URIs", "redirectUris")
	for i, uri := range uris {
		if text := problemOf(uri); text != "" {
			c.Refuse(problem.InvalidFormat, text, "redirectUris", strconv.Itoa(i))
		}
	}
}

// keepsSecret refuses what only a client with a secret can have.
func (c *Client) keepsSecret() error {
	if c.IsPublic {
		return problem.Clash(problem.InvalidFormat, "A public client keeps no secret", "clientId")
	}
	return nil
}
