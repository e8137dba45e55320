package rest

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/paths"
)

// noStore keeps answers out of caches: they are "treated as highly sensitive"
// (specification, Authentication, 4).
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// authorize admits callers who may act in the tenant of the path. It comes before
// everything else, so that a caller without a token learns nothing about paths.
func (d *door) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := d.Authorize(r, tenantOf(r))
		if err != nil {
			d.refuse(w, r, err)
			return
		}
		if traceID := d.TraceID(ctx); traceID != "" {
			w.Header().Set("Trace-Id", traceID)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// tenantOf returns the tenant that a path names; nil for a path without a tenant.
func tenantOf(r *http.Request) *string {
	if !slices.Contains(chi.RouteContext(r.Context()).URLParams.Keys, paths.TenantParameter) {
		return nil
	}
	identifier := pathParameter(r, paths.TenantParameter)
	return &identifier
}

// negotiateVersion serves the one version that an API has. A request may select it with
// the header Api-Version, or with the parameter v of a media type it accepts.
func (d *door) negotiateVersion(version string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Api-Version", version)
			if asked := askedVersion(r); asked != "" && asked != version {
				d.refuse(w, r, problem.List{{
					Category: problem.Validation, Code: "UNSUPPORTED_API_VERSION",
					Message: "The supported versions of this API are: " + version,
					Details: map[string]any{"supported": []string{version}},
				}})
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

func askedVersion(r *http.Request) string {
	if version := r.Header.Get("Api-Version"); version != "" {
		return version
	}
	for accepted := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if _, params, err := mime.ParseMediaType(accepted); err == nil && params["v"] != "" {
			return params["v"]
		}
	}
	return ""
}

// pathParameter returns a part of the path, decoded. The router keeps it encoded
// only when the path has more than one encoding, as with %2F.
func pathParameter(r *http.Request, name string) string {
	value := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return value
	}
	return unescapePath(value)
}
