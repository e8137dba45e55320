package app

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/problem"
)

// A refusal is the same at every door, in the form of each: its status, its words, when
// to try again and what is wrong with the token.
func TestRefusalAtEachDoor(t *testing.T) {
	busy := told(&admission.Refusal{Reason: admission.QueueFull})
	unknown := problem.Refused(http.StatusUnauthorized, "a bearer token is required")
	unknown.Challenge = `Bearer realm="upline"`
	for _, c := range []struct {
		path    string
		refused *problem.Error
		code    string
	}{
		{"/graphql/acme", busy, `"code":"UNAVAILABLE"`}, {"/graphql/acme", unknown, `"code":"UNAUTHENTICATED"`},
		{"/graphql/acme", problem.Refused(http.StatusRequestURITooLong, "The path is too long"), `"code":"BAD_USER_INPUT"`}, {"/graphql/acme", problem.Fault(), `"code":"INTERNAL_SERVER_ERROR"`},
		{"/agency-management/acme/agents", busy, `"code":"UNAVAILABLE"`}, {"/mcp/acme", unknown, `"code":"UNAUTHENTICATED"`},
		{"/agency-management/acme/agents", problem.Refused(http.StatusRequestURITooLong, "The path is too long"), `"code":"INVALID_REQUEST"`},
		{"/oauth2/token", busy, `"error":"temporarily_unavailable"`}, {"/oauth2/token", problem.Fault(), `"error":"server_error"`},
		{"/oauth2/token", problem.Refused(http.StatusRequestURITooLong, "The path is too long"), `"error":"invalid_request"`},
	} {
		w := httptest.NewRecorder()
		refuse(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, c.path, nil), c.refused)
		again := ""
		if c.refused == busy {
			again = "1"
		}
		if w.Code != c.refused.Status || !strings.Contains(w.Body.String(), c.code) || !strings.Contains(w.Body.String(), c.refused.Message) ||
			w.Header().Get("Retry-After") != again || w.Header().Get("WWW-Authenticate") != c.refused.Challenge {
			t.Errorf("%s: %d %v %s", c.path, w.Code, w.Header(), w.Body)
		}
	}
}

// A panic is a fault of the server in the form of the door.
func TestPanicAtADoor(t *testing.T) {
	a := &observer{log: slog.New(slog.DiscardHandler)}
	w := httptest.NewRecorder()
	a.recovered(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") })).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/agency-management/acme/agents", nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"code":"INTERNAL_SERVER_ERROR"`) || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
