// Package playground serves the page in which an analyst explores an agency
// over GraphQL: sign-in, a date to look at the agency on, GraphiQL and ready
// queries. Every file of the page is embedded, and its content security policy
// lets the browser load nothing from another host. The package knows neither
// the schema nor the tenants' data; the page calls the public endpoints as any
// other client does.
package playground

import (
	"embed"
	"encoding/json"
	"net/http"

	"github.com/uplinehq/upline/internal/platform/asset"
)

//go:embed page assets
var embedded embed.FS

// Path is where Handler is to be mounted. The page calls ../oauth2/token and
// ../graphql/{tenant}, relative to it.
const Path = "/playground/"

// Config is what the page offers.
type Config struct {
	// Tenants are the identifiers to choose from. Without any, the page asks
	// for the identifier, so that it does not give away who is a customer.
	Tenants []string
	// Demo lets the page sign in by itself with Clients.
	Demo bool
	// Clients are the well-known clients of a demo. They are left out of the
	// page unless Demo is set, because everyone can read the page.
	Clients []Client
	// Examples are the queries of the examples menu, in its order; the first
	// one fills the editor of a first visit. See DefaultExamples.
	Examples []Example
}

// Client is a well-known API client of one tenant.
type Client struct {
	ClientID string `json:"clientId"`
	Secret   string `json:"secret"`
	Tenant   string `json:"tenant"`
}

// Example is one entry of the examples menu.
type Example struct {
	Name  string `json:"name"`
	Query string `json:"query"`
	// Variables is the text of a JSON object, or empty.
	Variables string `json:"variables"`
}

// Handler serves the page, its assets and its configuration below Path. Only
// GET and HEAD are answered; a name that is not part of the page is a 404.
func Handler(cfg Config) http.Handler {
	mux := http.NewServeMux()
	for _, dir := range []string{"page", "assets"} {
		for name, f := range asset.Read(embedded, dir) {
			if name == "index.html" {
				name = "{$}"
			}
			mux.Handle("GET "+Path+name, f)
		}
	}
	mux.Handle("GET "+Path+"config.json", serveConfig(cfg))
	return asset.Secured(contentSecurityPolicy, mux)
}

// contentSecurityPolicy allows what the page needs and no more. GraphiQL's
// dialogs and menus insert style elements, and its editor draws the marks under
// errors from data URLs.
const contentSecurityPolicy = "default-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; " +
	"object-src 'none'; " +
	"base-uri 'none'; " +
	"form-action 'none'; " +
	"frame-ancestors 'none'"

// serveConfig answers the configuration as JSON of its own, so that no value
// ever passes through HTML. It is not stored, because a demo's holds secrets.
func serveConfig(cfg Config) http.HandlerFunc {
	body := encodeConfig(cfg)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(body) // The client is gone when this fails.
	}
}

func encodeConfig(cfg Config) []byte {
	view := struct {
		Tenants  []string  `json:"tenants"`
		Clients  []Client  `json:"clients"`
		Examples []Example `json:"examples"`
	}{
		Tenants:  append([]string{}, cfg.Tenants...),
		Clients:  []Client{},
		Examples: append([]Example{}, cfg.Examples...),
	}
	if cfg.Demo {
		view.Clients = append(view.Clients, cfg.Clients...)
	}
	body, err := json.Marshal(view)
	if err != nil {
		panic(err) // Cannot happen: the view holds strings only.
	}
	return body
}
