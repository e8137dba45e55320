package edge

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rs/cors"

	"github.com/uplinehq/upline/internal/platform/oauth"
)

// AnyOrigin stands for every origin.
const AnyOrigin = "*"

// exposedHeaders are the headers of answers that pages of other origins may read, in
// addition to the few that browsers always show.
var exposedHeaders = []string{
	"Api-Version", "Content-Disposition", "ETag", "Hierarchy-Built-At", "Hierarchy-Stale", "Hierarchy-Version", "Idempotency-Replayed", "Link", "Location",
	"Operation-Cost", "Page-Index", "Page-Size", "RateLimit", "RateLimit-Policy", "Retry-After", "Total-Count",
	"Trace-Id", "traceparent", "Unreadable-Fields", "WWW-Authenticate",
}

// preflightSeconds is how long a browser may remember that a page may send a request.
const preflightSeconds = 600

// ParseOrigins checks origins as browsers write them, such as https://portal.example.
func ParseOrigins(texts []string) ([]string, error) {
	for _, text := range texts {
		u, err := url.Parse(text)
		if text != AnyOrigin && (err != nil || u.Scheme != "https" && u.Scheme != "http" || text != u.Scheme+"://"+u.Host || u.Hostname() == "" || strings.Contains(text, AnyOrigin) || text != strings.ToLower(text)) {
			return nil, fmt.Errorf("cors-origins: %q is neither * nor an origin such as https://portal.example", text)
		}
	}
	return texts, nil
}

// Origins are those whose pages may send requests to this server.
type Origins struct {
	// Server is the URL of the server, whose own pages may.
	Server string
	// Others are the other ones, or AnyOrigin; for a development server this machine is one.
	Others      []string
	Development bool
}

// Admits reports whether pages of an origin may send requests.
func (o Origins) Admits(page string) bool {
	return strings.EqualFold(page, Origin(o.Server)) || o.admitsOther(page)
}

func (o Origins) admitsOther(page string) bool {
	return slices.Contains(o.Others, AnyOrigin) || slices.Contains(o.Others, page) || o.Development && isLoopback(page)
}

// Origin is the Origin that a browser sends for pages of the server at a URL. It does not
// follow the host that a request names, which a proxy may change.
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// isLoopback reports whether an origin is this machine.
func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
}

// Across answers browsers that ask whether a page of another origin may send a
// request, and lets the page read the answer. No answer allows credentials: the browser
// sends no cookie, and the page brings a token like any other client. A server that
// admits no other origin does without it.
func (o Origins) Across(next http.Handler) http.Handler {
	if len(o.Others) == 0 && !o.Development {
		return next
	}
	options := cors.Options{
		AllowOriginFunc: o.admitsOther,
		AllowedMethods:  []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders:  []string{"*"}, // clients have headers of their own, such as apollographql-client-name
		ExposedHeaders:  exposedHeaders,
		MaxAge:          preflightSeconds,
	}
	if slices.Contains(o.Others, AnyOrigin) {
		options.AllowedOrigins, options.AllowOriginFunc = o.Others, nil
	}
	across := cors.New(options).Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if servesPrograms(r.URL.Path) {
			across.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// servesPrograms reports whether a path is for programs. All other paths are pages for
// people, such as the sign-in.
func servesPrograms(path string) bool {
	switch first := Door(path); {
	case slices.Contains(TokenDoors, first):
		return true
	case first == "oauth2":
		return path == oauth.TokenPath || path == oauth.RevocationPath || path == oauth.IntrospectionPath || path == oauth.UserInfoPath
	}
	return strings.HasPrefix(path, "/openapi") || strings.HasPrefix(path, "/.well-known/")
}
