package identity

import (
	"strconv"

	"github.com/uplinehq/upline/internal/words/problem"
)

// maxRedirectURIs bounds those of a client.
const maxRedirectURIs = 10

// redirectURIs checks those of a public client, which has at least one, and of any
// other, which has none.
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

// keepsSecret refuses a public client what only one with a secret has.
func (c *Client) keepsSecret() error {
	if c.IsPublic {
		return problem.Clash(problem.InvalidFormat, "A public client keeps no secret", "clientId")
	}
	return nil
}
