package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/uplinehq/upline/app/apptest"
)

// An assistant that knows nothing but the address of the door and the id of its client
// finds where its user signs in, with the SDK's own OAuth client, and gets what client
// and user may do, as long as the user may.
func TestAssistantFindsTheSignIn(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		address := apptest.Issuer + "/mcp/" + apptest.Acme
		answer := w.browser(t).get(t, "/.well-known/oauth-protected-resource/mcp/"+apptest.Acme)
		var described map[string]any
		if err := json.Unmarshal([]byte(answer.text), &described); err != nil || described["resource"] != address || described["scopes_supported"] != nil {
			t.Errorf("the metadata: %d %s", answer.StatusCode, answer.text)
		}
		opened := 0
		signIn, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
			PreregisteredClient: &oauthex.ClientCredentials{ClientID: "web"}, RedirectURL: webCallback, Client: &http.Client{Transport: w},
			AuthorizationCodeFetcher: func(_ context.Context, asked *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				opened++
				back := w.browser(t).signIn(t, strings.TrimPrefix(asked.URL, apptest.Issuer), "ana", anaPassword).back(t)
				return &auth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: w},
			DisableStandaloneSSE: true, MaxRetries: -1, OAuthHandler: signIn}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		has := func(name string) bool {
			return slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == name })
		}
		if !has("agents") || has("applications") || has("users") || has("agentUpdate") || opened != 1 {
			t.Errorf("who signed in %d times has %d tools", opened, len(list.Tools))
		}
	})
}
