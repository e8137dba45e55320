package app

import (
	"net/http"
	"slices"

	"github.com/uplinehq/upline/app/pages/reference"
	"github.com/uplinehq/upline/app/pages/workbench"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

// pagePaths are the paths of the pages for people, the most important first.
var pagePaths = []string{workbench.Path, playground.Path}

// servedPages are those of pagePaths that this server has.
func (c Config) servedPages() []string {
	return slices.DeleteFunc(slices.Clone(pagePaths), func(path string) bool { return slices.Contains(c.Without, path) })
}

// afterSignIn are the folders that the sign-in page may lead to. On a server without
// pages it only says who is signed in.
func (c Config) afterSignIn() []string {
	if served := c.servedPages(); len(served) > 0 {
		return served
	}
	return []string{oauth.SignOutPath}
}

// pages adds the pages for people. The root leads to the first one.
func (a *App) pages(mux *http.ServeMux) {
	served := a.servedPages()
	handlers := map[string]http.Handler{
		workbench.Path:  workbench.Handler(workbench.Config{Playground: slices.Contains(served, playground.Path)}),
		playground.Path: playground.Handler(a.Playground),
	}
	mux.Handle(reference.Path, reference.Handler())
	for _, path := range served {
		mux.Handle(path, handlers[path])
	}
	if len(served) > 0 {
		mux.Handle("GET /{$}", http.RedirectHandler(served[0], http.StatusFound))
	}
}
