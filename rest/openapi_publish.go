package rest

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/uplinehq/upline/rest/openapi30"
)

// The paths of the OpenAPI document, in 3.1 and in 3.0.
const (
	DocumentPath      = "/openapi.json"
	OlderDocumentPath = "/openapi-3.0.json"
)

// publish serves the OpenAPI document of all paths. It is built on the first request
// for it, since most processes never get one.
func (d *door) publish(h *Handler) {
	for path, adapt := range map[string]func(*openapi3.T){DocumentPath: func(*openapi3.T) {}, OlderDocumentPath: openapi30.Rewrite} {
		document := sync.OnceValues(func() ([]byte, error) {
			endpoints, err := h.all()
			if err != nil {
				return nil, err
			}
			described, err := describe(h.schema, endpoints, d.PublicURL)
			if err != nil {
				return nil, err
			}
			adapt(described)
			return json.Marshal(described)
		})
		h.Get(path, func(w http.ResponseWriter, r *http.Request) {
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
