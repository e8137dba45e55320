// Package workbench serves the page for the people of an agency: its graph on any
// day. The page is made from the sources in the folder web and compiled in; it
// calls the public endpoints as any other client does, and its content security
// policy lets the browser load nothing from another host.
package workbench

import (
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/uplinehq/upline/internal/platform/asset"
)

// Path is where Handler is to be mounted.
const Path = "/workbench/"

//go:embed dist
var embedded embed.FS

// Config is what the page is told of the server.
type Config struct {
	// Playground says that the server has that page, too.
	Playground bool `json:"playground"`
}

// Handler serves the page and its files below Path. Which of its views a path
// names the page itself knows: whatever is no file answers with the page.
func Handler(cfg Config) http.Handler {
	files := asset.Read(embedded, "dist")
	mux := http.NewServeMux()
	for name, f := range files {
		if strings.HasPrefix(name, "assets/") {
			f.Forever()
		}
		mux.Handle("GET "+Path+name, f)
	}
	mux.Handle("GET "+Path+"config.json", serveConfig(cfg))
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		if path.Ext(r.URL.Path) != "" {
			http.NotFound(w, r)
			return
		}
		files["index.html"].ServeHTTP(w, r)
	})
	return asset.Secured(contentSecurityPolicy, mux)
}

// contentSecurityPolicy allows what the page needs and no more. The component
// library sets its variables in style elements; pictures of the hierarchy are drawn
// from blobs.
const contentSecurityPolicy = "default-src 'none'; " +
	"script-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; " +
	"connect-src 'self'; " +
	"font-src 'self'; " +
	"base-uri 'none'; " +
	"form-action 'self'; " +
	"frame-ancestors 'none'"

func serveConfig(cfg Config) http.HandlerFunc {
	body, err := json.Marshal(cfg)
	if err != nil {
		panic(err) // Cannot happen: there are only flags in it.
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(body) // The client is gone when this fails.
	}
}
