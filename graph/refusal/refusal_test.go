package refusal_test

import (
	"net/http"
	"testing"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/problem"
)

// Every refusal that GraphQL can answer is one for a door that runs operations in process,
// also if the error has lost its problem; only a fault of the server is none.
func TestEveryCodeIsARefusal(t *testing.T) {
	codes := map[string]int{refusal.BadUserInput: http.StatusBadRequest}
	for code, status := range refusal.Status {
		if status != http.StatusOK { // the registration of a query, which no stored operation needs
			codes[code] = status
		}
	}
	for code, status := range codes {
		refused := refusal.Of(&gqlerror.Error{Message: "no", Extensions: map[string]any{"code": code}})
		switch {
		case code == refusal.Internal:
			if refused != nil {
				t.Errorf("%s is a refusal: %v", code, refused)
			}
		case refused == nil || refused.HTTPStatus() != status || refused.Message != "no":
			t.Errorf("%s: %v, want %d", code, refused, status)
		}
		if kept := refusal.Of(refusal.Error(problem.Refused(status, "no"))); kept == nil || kept.HTTPStatus() != status {
			t.Errorf("%s: %v with its problem", code, kept)
		}
	}
}
