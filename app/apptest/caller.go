package apptest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/platform/oauth"
)

// Caller is a client of the server.
type Caller struct {
	world *World
	// tenant is the one in the client's paths.
	tenant string
	// token is sent as it is, unless it is empty and a new one is asked for.
	token, owner string
	scopes       []string
}

// As returns a client of a tenant that holds scopes, those of Agency by
// default.
func (w *World) As(tenantIdentifier string, scopes ...string) *Caller {
	if scopes == nil {
		scopes = Agency
	}
	return &Caller{world: w, tenant: tenantIdentifier, owner: tenantIdentifier, scopes: scopes}
}

// AsPlatform returns a client of the platform that acts in a tenant.
func (w *World) AsPlatform(tenantIdentifier string, scopes ...string) *Caller {
	return &Caller{world: w, tenant: tenantIdentifier, scopes: scopes}
}

// WithToken returns a client that sends a token of any kind to the paths of a
// tenant; "none" for no token at all.
func (w *World) WithToken(tenantIdentifier, token string) *Caller {
	return &Caller{world: w, tenant: tenantIdentifier, token: token}
}

// In returns the same client in the paths of another tenant.
func (c *Caller) In(tenantIdentifier string) *Caller {
	other := *c
	other.tenant = tenantIdentifier
	return &other
}

// Token returns an access token, new from the token endpoint.
func (c *Caller) Token(t T) string {
	t.Helper()
	if c.token != "" {
		return c.token
	}
	id, secret := c.Credentials(t)
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, oauth.TokenPath, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	c.world.ServeHTTP(w, r)
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("token endpoint answered %d: %s", w.Code, w.Body)
	}
	return answer.Token
}

// Credentials returns the id and the secret that the client asks for tokens with.
func (c *Caller) Credentials(t T) (id, secret string) {
	t.Helper()
	return c.world.client(t, c.owner, c.scopes)
}

// Send sends a request with the client's token. Of a path, {tenant} is
// replaced by the client's tenant.
func (c *Caller) Send(t T, method, path string, header http.Header, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	path = strings.ReplaceAll(path, "{tenant}", c.tenant)
	r := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(body))
	for name, values := range header {
		r.Header[name] = values
	}
	if body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "none" {
		r.Header.Set("Authorization", "Bearer "+c.Token(t))
	}
	w := httptest.NewRecorder()
	c.world.ServeHTTP(w, r)
	return w
}

// GraphQLPath is the GraphQL endpoint of the caller's tenant.
const GraphQLPath = "/graphql/{tenant}"

// Error is an error of a GraphQL response.
type Error struct {
	Message    string         `json:"message"`
	Path       []any          `json:"path"`
	Extensions map[string]any `json:"extensions"`
}

// Code returns extensions.code.
func (e Error) Code() string {
	code, _ := e.Extensions["code"].(string)
	return code
}

// Response is an answer of the GraphQL endpoint.
type Response struct {
	Data       any            `json:"data"`
	Errors     []Error        `json:"errors"`
	Extensions map[string]any `json:"extensions"`
}

// GraphQL sends an operation and returns its data and errors.
func (c *Caller) GraphQL(t T, query string, variables map[string]any) (data any, errs []Error) {
	t.Helper()
	r := c.GraphQLWith(t, nil, query, variables)
	return r.Data, r.Errors
}

// GraphQLWith is GraphQL with header fields, such as As-Of-Date.
func (c *Caller) GraphQLWith(t T, header http.Header, query string, variables map[string]any) (r Response) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	w := c.Send(t, http.MethodPost, GraphQLPath, header, body)
	decode := json.NewDecoder(w.Body)
	decode.UseNumber()
	if err := decode.Decode(&r); err != nil {
		t.Fatalf("GraphQL answered %d, and no JSON: %v", w.Code, err)
	}
	return r
}

// Query sends an operation that has to succeed and returns its data.
func (c *Caller) Query(t T, query string, variables map[string]any) any {
	t.Helper()
	data, errs := c.GraphQL(t, query, variables)
	if errs != nil {
		t.Fatalf("errors: %+v", errs)
	}
	return data
}

// REST sends a request to a documented path, given below the base path of
// agency management, such as /agents. A body is encoded as JSON.
func (c *Caller) REST(t T, method, path string, body any) (status int, header http.Header, answer []byte) {
	t.Helper()
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			t.Fatalf("encode: %v", err)
		}
	}
	w := c.Send(t, method, "/agency-management/{tenant}"+path, nil, encoded)
	return w.Code, w.Header(), w.Body.Bytes()
}

// At follows a path of names and indexes, with dots between, through decoded
// JSON: At(data, "agents.nodes.0.agentCode"). It returns nil where there is
// nothing.
func At(data any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch v := data.(type) {
		case map[string]any:
			data = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return nil
			}
			data = v[i]
		default:
			return nil
		}
	}
	return data
}

// Each follows a path in every element of a list: Each(data, "agents.nodes",
// "agentCode").
func Each(data any, list, path string) []any {
	rows, _ := At(data, list).([]any)
	values := make([]any, len(rows))
	for i, row := range rows {
		values[i] = At(row, path)
	}
	return values
}
