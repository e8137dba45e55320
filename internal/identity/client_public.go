package identity

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

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
	case publicPart(*keys) != *keys:
		c.Refuse(problem.InvalidFormat, "must hold public keys only, and there is a member of a private one: "+strings.Join(privateMembers, ", ")+". Make new keys, since this one was sent", "publicKeys")
	default:
		if text := problemOf(*keys); text != "" {
			c.Refuse(problem.InvalidFormat, text, "publicKeys")
		}
	}
}

// privateMembers are the members of a JSON Web Key that only its owner may know (RFC 7518
// §6.2.2, §6.3.2, §6.4.1).
var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

// publicPart returns a JSON Web Key Set without the private members that it has, at whatever
// place; one without any as it is.
func publicPart(text string) string {
	if !hasPrivate(text) {
		return text
	}
	var set any
	if json.Unmarshal([]byte(text), &set) != nil {
		return ""
	}
	public, err := json.Marshal(withoutPrivate(set))
	if err != nil {
		return ""
	}
	return string(public)
}

// hasPrivate reads each member of each object, also one that is named again afterwards.
func hasPrivate(text string) bool {
	decode := json.NewDecoder(strings.NewReader(text))
	var inObject []bool
	isName := false
	for {
		token, err := decode.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			inObject = append(inObject, token == json.Delim('{'))
		case json.Delim('}'), json.Delim(']'):
			inObject = inObject[:len(inObject)-1]
		default:
			if name, isText := token.(string); isText && isName && isPrivate(name) {
				return true
			} else if isName {
				isName = false
				continue
			}
		}
		isName = len(inObject) > 0 && inObject[len(inObject)-1]
	}
}

func isPrivate(name string) bool { return slices.Contains(privateMembers, strings.ToLower(name)) }

func withoutPrivate(value any) any {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(name string, _ any) bool { return isPrivate(name) })
		for name, one := range value {
			value[name] = withoutPrivate(one)
		}
	case []any:
		for i, one := range value {
			value[i] = withoutPrivate(one)
		}
	}
	return value
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
