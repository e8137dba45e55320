package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/scan"
)

// reply is a successful response.
type reply struct {
	status int
	header http.Header
	body   []byte
	// shown are the sensitive values that the body shows in full.
	shown audit.Shown
}

func (a *reply) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.body != nil {
		if a.header.Get("Content-Type") == "" {
			w.Header().Set("Content-Type", jsonMediaType)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // A failed write means that the client is gone.
}

// interrupted returns the error of an operation that had no response: its client has
// left, or a time limit of the request or of the executor has passed.
func interrupted(ctx context.Context) *problem.Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return problem.Interrupted()
	}
	return problem.TooLate()
}

// memberText returns a property that is a string or a number, as text.
func memberText(object []byte, name string) (string, error) {
	value, err := scan.Member(object, name)
	if err != nil || scan.IsNull(value) {
		return "", scan.ErrJSON
	}
	if value[0] != '"' {
		return string(value), nil
	}
	var text string
	err = json.Unmarshal(value, &text)
	return text, err
}
