package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/uplinehq/upline/internal/problem"
)

// mcpPath is the path of the door of assistants, without the tenant.
const mcpPath = "/mcp/"

// resourcePath is where the metadata of protected resources is served (RFC 9728 §3.1:
// between the host and the path of the resource).
const resourcePath = "/.well-known/oauth-protected-resource"

// resource is the metadata that a resource publishes about itself (RFC 9728 §2). It names
// no scopes: a client would ask for all of them, and be refused for one that it does not
// hold. A client that asks for none gets those that it and the user hold.
type resource struct {
	Resource             string   `json:"resource"`
	Name                 string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
}

// mcpResource tells an assistant where its user signs in. The answer is the same for
// every tenant, so that nobody learns which tenants exist.
func (a *App) mcpResource(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_ = json.NewEncoder(w).Encode(resource{ // a failed write means that the client is gone
		Resource: a.Issuer + mcpPath + url.PathEscape(r.PathValue("tenantIdentifier")), Name: "Upline",
		AuthorizationServers: []string{a.Issuer}, BearerMethods: []string{"header"},
	})
}

// leadToSignIn names the metadata in the challenge for requests without a good token (RFC
// 9728 §5.1).
func (a *App) leadToSignIn(r *http.Request, refused *problem.Error) *problem.Error {
	if refused.Status != http.StatusUnauthorized {
		return refused
	}
	leading := *refused
	leading.Challenge += fmt.Sprintf(`, resource_metadata="%s"`, a.Issuer+resourcePath+mcpPath+url.PathEscape(r.PathValue("tenantIdentifier")))
	return &leading
}
