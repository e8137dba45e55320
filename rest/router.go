package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/paths"
)

// router serves the paths of the table.
func (d *door) router(apis []paths.API) *Handler {
	root := chi.NewRouter()
	h := &Handler{Router: root, schema: d.Executor.Schema()}
	root.Use(middleware.GetHead)
	root.NotFound(d.notFound)
	root.MethodNotAllowed(d.methodNotAllowed(root))
	d.publish(h)
	for _, a := range apis {
		tenant := chi.NewRouter()
		tenant.Use(noStore, d.authorize, d.negotiateVersion(a.Version), middleware.GetHead)
		for _, r := range a.Routes {
			made := sync.OnceValues(func() (*endpoint, error) { return d.endpoint(h.schema, a, r) })
			h.endpoints = append(h.endpoints, made)
			tenant.Method(r.Method, cmp.Or(r.Path, "/"), d.serve(made))
		}
		root.Mount(a.Base, tenant)
	}
	return h
}

// endpoint returns the endpoint of a route, bound to the door.
func (d *door) endpoint(schema *ast.Schema, a paths.API, r paths.Route) (*endpoint, error) {
	e, err := newEndpoint(schema, a, r)
	if err != nil {
		return nil, err
	}
	e.door = d
	return e, nil
}

// serve answers the requests for an endpoint, which is made with the first of them.
func (d *door) serve(made func() (*endpoint, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		e, err := made()
		if err != nil {
			d.refuse(w, r, err)
			return
		}
		e.ServeHTTP(w, r)
	}
}

func (d *door) notFound(w http.ResponseWriter, r *http.Request) {
	d.refuse(w, r, &problem.Error{Status: http.StatusNotFound, Code: "NOT_FOUND", Message: "There is no such path"})
}

// methodNotAllowed answers 405 with the methods the path has (RFC 9110
// §15.5.6: "The origin server MUST generate an Allow header field").
func (d *door) methodNotAllowed(root *chi.Mux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete} {
			if root.Match(chi.NewRouteContext(), method, path) {
				allowed = append(allowed, method)
			}
		}
		if slices.Contains(allowed, http.MethodGet) {
			allowed = append(allowed, http.MethodHead)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		d.refuse(w, r, &problem.Error{
			Status: http.StatusMethodNotAllowed, Code: "METHOD_NOT_ALLOWED",
			Message: "The path serves " + strings.Join(allowed, ", "),
		})
	}
}
