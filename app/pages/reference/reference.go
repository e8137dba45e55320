// Package reference serves the page that shows the OpenAPI document of this server:
// searchable, with requests that can be tried, and the GraphQL that each operation
// runs. The viewer is Scalar's, compiled in (scalar.LICENSE.txt); the page loads
// nothing from another host.
package reference

import (
	"embed"
	"net/http"

	"github.com/uplinehq/upline/internal/platform/asset"
)

// Path is where Handler is to be mounted.
const Path = "/docs/"

//go:embed page
var embedded embed.FS

// contentSecurityPolicy allows what the page needs and no more. The viewer puts its
// styles into style elements.
const contentSecurityPolicy = "default-src 'none'; " +
	"script-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; " +
	"connect-src 'self'; " +
	"font-src 'self'; " +
	"base-uri 'none'; " +
	"form-action 'none'; " +
	"frame-ancestors 'none'"

// Handler serves the page and its files below Path.
func Handler() http.Handler {
	mux := http.NewServeMux()
	for name, f := range asset.Read(embedded, "page") {
		if name == "index.html" {
			name = "{$}"
		}
		mux.Handle("GET "+Path+name, f)
	}
	return asset.Secured(contentSecurityPolicy, mux)
}
