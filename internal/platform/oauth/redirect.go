package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// RedirectProblem says what is wrong with a redirect URI that is to be registered,
// empty for nothing.
//
// RFC 6749 §3.1.2: "The redirection endpoint URI MUST be an absolute URI … MUST NOT
// include a fragment component". It is https, or http on the machine of the
// browser (RFC 8252 §7.3), or the scheme of an application, which has a period in
// its name (RFC 8252 §8.4).
func RedirectProblem(uri string) string {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "" || u.Opaque != "" || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "must be an absolute URI"
	case len(uri) > maxRedirectURI:
		return "must not be longer than 500 characters"
	case strings.Contains(uri, "#"):
		return "must not have a fragment"
	case u.User != nil:
		return "must not have a user"
	case strings.Contains(uri, "*"):
		return "must not have a wildcard"
	case u.Scheme == "https" && u.Hostname() != "", u.Scheme == "http" && isLoopback(u.Hostname()), strings.Contains(u.Scheme, "."):
		return ""
	}
	return "must begin with https://, with http:// and a loopback address, or with a scheme that has a period"
}

const maxRedirectURI = 500

// registered reports whether a redirect URI is one of the client's. RFC 6749 §3.1.2.3
// compares as RFC 3986 §6.2.1, "Simple String Comparison". For http on a loopback address
// the port may differ, since an application gets it from the system (RFC 8252 §7.3).
func (c Client) registered(uri string) bool {
	if slices.Contains(c.RedirectURIs, uri) {
		return true
	}
	before, after, ok := cutPort(uri)
	return ok && slices.ContainsFunc(c.RedirectURIs, func(known string) bool {
		knownBefore, knownAfter, ok := cutPort(known)
		return ok && before == knownBefore && after == knownAfter
	})
}

// cutPort removes the port from an http URI of a loopback IP address.
func cutPort(uri string) (before, after string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Fragment != "" || strings.ContainsAny(uri, "#\\") {
		return "", "", false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil || !ip.IsLoopback() {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(uri, "http://"+u.Host)
	return "http://" + u.Hostname(), rest, ok
}

// assured reports whether an answer to a redirect URI can only reach the client itself.
// An https address belongs to whoever has its certificate; an address or a scheme on the
// user's machine belongs to whichever program took it (RFC 8252 §8.6).
func assured(uri string) bool { return strings.HasPrefix(uri, "https://") }

// withAnswer adds parameters to a redirect URI, and keeps the URI's own (RFC 6749
// §4.1.2).
func withAnswer(uri string, answer url.Values) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri // registered URIs can always be parsed
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += answer.Encode()
	return u.String()
}
