package app_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

// A text that no database holds is refused at the edge, with and without a token: it is
// never a fault of the server.
func TestUnfitTextsAreRefusedAtTheEdge(t *testing.T) {
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		c := w.As(apptest.Acme)
		for _, odd := range []string{"%00", "%ff"} {
			for path, named := range map[string]string{
				oauth.AuthorizePath + "?response_type=code&client_id=" + odd:                       "client_id",
				oauth.SignOutPath + "?post_logout_redirect_uri=https://x.example&client_id=" + odd: "client_id",
				oauth.SignInPath + "?tenant=" + odd:                                                "tenant",
				"/agency-management/" + odd + "/agents":                                            "path",
				"/graphql/" + odd:                                                                  "path",
				"/mcp/" + odd:                                                                      "path",
				"/exports/" + odd + "/x":                                                           "path",
				"/agency-management/{tenant}/agents?firstName=" + odd:                              "firstName",
				"/agency-management/{tenant}/agents/" + odd:                                        "path",
				"/agency-management/{tenant}/aliases?identifier=" + odd:                            "identifier",
				"/agency-management/{tenant}/aliases?providerCompany=" + odd:                       "providerCompany",
				"/agency-management/{tenant}/agents?" + odd + "=x":                                 "?",
				"/graphql/{tenant}?query={agent(agentCode:$c){id}}&operationName=" + odd:           "operationName",
			} {
				answer := c.Send(t, http.MethodGet, path, nil, nil)
				if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), named) || !strings.Contains(answer.Body.String(), "U+0000") {
					t.Errorf("GET %s: %d %s, want 400 that names %s", path, answer.Code, answer.Body, named)
				}
			}
			for path, form := range map[string]string{
				oauth.TokenPath:         "grant_type=client_credentials&client_secret=x&client_id=" + odd,
				oauth.RevocationPath:    "token=x&client_secret=x&client_id=" + odd,
				oauth.IntrospectionPath: "token=x&client_secret=x&client_id=" + odd,
				oauth.AuthorizePath:     "response_type=code&client_id=" + odd,
				oauth.SignInPath:        "username=ana&password=x&tenant=" + odd,
			} {
				answer := sentForm(t, w, path, form, "")
				if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "U+0000") {
					t.Errorf("POST %s: %d %s", path, answer.Code, answer.Body)
				}
			}
		}
		for _, odd := range []string{"a\x00", "a%00", "a\xff", "a%ff"} {
			basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(odd+":x"))
			if answer := sentForm(t, w, oauth.TokenPath, "grant_type=client_credentials", basic); answer.Code != http.StatusUnauthorized {
				t.Errorf("%s: %d %s", basic, answer.Code, answer.Body)
			}
		}
		body := `{"identifier": "x\u0000", "initiator": "x", "providerCompany": "ACME"}`
		answer := c.Send(t, http.MethodPost, "/agency-management/{tenant}/agents/A1/aliases", nil, []byte(body))
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), `"identifier"`) {
			t.Errorf("a body: %d %s", answer.Code, answer.Body)
		}
	})
}

// sentForm sends a form with a header Authorization, if any.
func sentForm(t *testing.T, w http.Handler, path, form, authorization string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer
}
