package rest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/rest/paths"
)

// OpenAPI returns the OpenAPI 3.1 document of all paths on a schema, as JSON. A server at
// publicURL publishes the same document at /openapi.json. Without a URL the addresses in
// it are relative. The error says which stored operation fits neither the schema nor the
// table.
func OpenAPI(schema *ast.Schema, publicURL string) ([]byte, error) {
	endpoints, err := newEndpoints(schema, paths.All)
	if err != nil {
		return nil, err
	}
	document, err := describe(schema, endpoints, publicURL)
	if err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

func newDescriber(schema *ast.Schema, examples recordedExamples) *describer {
	return &describer{schema: schema, words: newWording(schema), examples: examples, components: openapi3.Schemas{}, scopes: map[string]string{}}
}

// describe returns the OpenAPI 3.1 document of the endpoints.
func describe(schema *ast.Schema, endpoints []*endpoint, publicURL string) (*openapi3.T, error) {
	examples, err := readExamples()
	if err != nil {
		return nil, err
	}
	d := newDescriber(schema, examples)
	d.components["Problem"] = problemSchema()
	paths := openapi3.NewPaths()
	for _, e := range endpoints {
		operation, err := d.operation(e)
		if err != nil {
			return nil, fmt.Errorf("rest: %s: %w", e.route.Operation, err)
		}
		path := e.api.Base + e.route.Path
		item := paths.Value(path)
		if item == nil {
			item = &openapi3.PathItem{}
			paths.Set(path, item)
		}
		item.SetOperation(e.route.Method, operation)
	}
	url := strings.TrimSuffix(publicURL, "/")
	return &openapi3.T{
		OpenAPI: "3.1.0",
		Info: &openapi3.Info{
			Title:       "Upline",
			Version:     "1",
			Description: aboutDocument,
			Contact:     &openapi3.Contact{Name: "Upline", URL: "https://github.com/uplinehq/upline"},
			License:     &openapi3.License{Name: "Apache 2.0", Identifier: "Apache-2.0"},
		},
		Servers: openapi3.Servers{{URL: cmp.Or(url, "/"), Description: "This server."}},
		Tags:    tags(endpoints),
		Paths:   paths,
		Components: &openapi3.Components{
			Schemas:         d.components,
			Responses:       d.problems(),
			SecuritySchemes: d.security(url),
		},
	}, nil
}

const aboutDocument = "An insurance agency as one dated graph: agents, who is above whom, certifications, pay statuses, W9s. " +
	"Any day of it can be read, as it is known now or as it was known at an earlier instant.\n\n" +
	"Each operation is a stored GraphQL operation: `x-graphql` holds its document, whose variables are the parameters and the body. " +
	"Its examples were recorded from a server; reading it takes no token. " +
	"A [collection for Postman](/docs/upline.postman_collection.json) is made of it."

func tags(endpoints []*endpoint) openapi3.Tags {
	var tags openapi3.Tags
	for _, e := range endpoints {
		if tags.Get(e.api.Title) == nil {
			tags = append(tags, &openapi3.Tag{Name: e.api.Title, Description: "Version " + e.api.Version + "."})
		}
	}
	return tags
}

// The names of the security schemes.
const (
	oauthScheme = "oauth2"
	keyScheme   = "apiKey"
)

func (d *describer) security(url string) openapi3.SecuritySchemes {
	return openapi3.SecuritySchemes{
		oauthScheme: {Value: &openapi3.SecurityScheme{
			Type: "oauth2", Description: "Access tokens: a program gets them with its own credentials, or for a person who signs in (PKCE with S256).",
			Flows: &openapi3.OAuthFlows{
				ClientCredentials: &openapi3.OAuthFlow{TokenURL: url + oauth.TokenPath, Scopes: d.scopes},
				AuthorizationCode: &openapi3.OAuthFlow{
					AuthorizationURL: url + oauth.AuthorizePath, TokenURL: url + oauth.TokenPath, RefreshURL: url + oauth.TokenPath, Scopes: d.scopes},
			}}},
		keyScheme: {Value: &openapi3.SecurityScheme{Type: "http", Scheme: "bearer", Description: "An API key, sent as a bearer token is. It holds the scopes that it was made with."}},
	}
}

// errUnknownScope is the error of a schema that names a scope which does not exist.
var errUnknownScope = errors.New("there is no such scope")

// scope returns the scope that a root field needs, and adds its description to the
// document.
func (d *describer) scope(field *ast.FieldDefinition) (string, error) {
	directive := field.Directives.ForName("hasScope")
	if directive == nil {
		return "", nil
	}
	name := directive.Arguments.ForName("scope").Value.Raw
	for _, s := range bearer.Scopes {
		if s.Name == name {
			d.scopes[name] = s.Description
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, errUnknownScope)
}
