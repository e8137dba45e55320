package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/rest/paths"
)

func (d *door) router(apis []paths.API) (*Handler, error) {
	schema := d.Executor.Schema()
	endpoints, err := newEndpoints(schema, apis)
	if err != nil {
		return nil, err
	}
	root := chi.NewRouter()
	root.Use(noSniff, middleware.GetHead)
	root.NotFound(d.notFound)
	root.MethodNotAllowed(d.methodNotAllowed(root))
	d.publish(root, endpoints)
	for _, a := range apis {
		tenant := chi.NewRouter()
		tenant.Use(noStore, d.authorize, d.negotiateVersion(a.Version), middleware.GetHead)
		for _, e := range endpoints {
			if e.api.Base == a.Base {
				e.door = d
				tenant.Method(e.route.Method, cmp.Or(e.route.Path, "/"), e)
			}
		}
		root.Mount(a.Base, tenant)
	}
	return &Handler{root, schema, endpoints}, nil
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
