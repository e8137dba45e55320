package rest

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"github.com/uplinehq/upline/rest/openapi30"
)

// The paths of the OpenAPI document, in 3.1 and in 3.0.
const (
	DocumentPath      = "/openapi.json"
	OlderDocumentPath = "/openapi-3.0.json"
)

// publish serves the OpenAPI document of the endpoints. It is built on the first request
// for it, since most processes never get one.
func (d *door) publish(root *chi.Mux, endpoints []*endpoint) {
	for path, adapt := range map[string]func(*openapi3.T){DocumentPath: func(*openapi3.T) {}, OlderDocumentPath: openapi30.Rewrite} {
		document := sync.OnceValues(func() ([]byte, error) {
			described, err := describe(d.Executor.Schema(), endpoints, d.PublicURL)
			if err != nil {
				return nil, err
			}
			adapt(described)
			return json.Marshal(described)
		})
		root.Get(path, func(w http.ResponseWriter, r *http.Request) {
			body, err := document()
			if err != nil {
				d.refuse(w, r, err)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body) // A failed write means that the client is gone.
		})
	}
}
