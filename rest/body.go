package rest

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/input"
)

// readBody returns the body of a request, which must say that it is JSON.
func (d *door) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !input.IsJSON(r.Header.Get("Content-Type")) {
		return nil, &problem.Error{
			Status: http.StatusUnsupportedMediaType, Code: "UNSUPPORTED_MEDIA_TYPE",
			Message: "The body must be application/json",
		}
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, &problem.Error{
			Status: http.StatusUnsupportedMediaType, Code: "UNSUPPORTED_MEDIA_TYPE",
			Message: "The body must not be compressed",
		}
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, bodyTooLarge(tooLarge.Limit)
	case err != nil:
		return nil, problem.List{problem.Invalid(problem.InvalidFormat, "The body could not be read to its end")}
	}
	return data, nil
}

func bodyTooLarge(limit int64) *problem.Error {
	return &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "BODY_TOO_LARGE",
		Message: "The body is larger than allowed", Details: map[string]any{"maxBytes": limit},
	}
}
