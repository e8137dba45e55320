package rest

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

func publishedDocument(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(published(t, newBench(t)))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// Everything in the document says what it is: each operation, parameter, body,
// header, response, record and property.
func TestOpenAPIDescribesEverything(t *testing.T) {
	document := publishedDocument(t)
	demand := func(description string, what ...string) {
		if strings.TrimSpace(description) == "" {
			t.Errorf("%s is not described", strings.Join(what, " "))
		}
	}
	for name, schema := range document.Components.Schemas {
		demand(schema.Value.Description, name)
		for property, value := range schema.Value.Properties {
			demand(value.Value.Description, name, property)
		}
	}
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			demand(o.Summary, method, path, "summary")
			demand(o.Description, method, path)
			for _, p := range o.Parameters {
				demand(p.Value.Description, method, path, p.Value.Name)
			}
			if o.RequestBody != nil {
				demand(o.RequestBody.Value.Description, method, path, "body")
			}
			for status, r := range o.Responses.Map() {
				demand(*r.Value.Description, method, path, status)
				for name, h := range r.Value.Headers {
					demand(h.Value.Description, method, path, name)
				}
			}
		}
	}
}

// graphQL are words that mean something in GraphQL only: REST answers 404 where it
// has null, says nothing of reveal, and spells enums otherwise.
var graphQL = regexp.MustCompile(`; null (when|while) there|Null, with an error|\breveal\b|insightQueries|\b[mM]utation|\b(ACTIVE|HOLD|PENDING|SINGLE_CHOICE)\b`)

func TestOpenAPISpeaksOfREST(t *testing.T) {
	document := publishedDocument(t)
	refuse := func(text string, what ...string) {
		if found := graphQL.FindString(text); found != "" {
			t.Errorf("%s: %q in %q", strings.Join(what, " "), found, text)
		}
	}
	for name, schema := range document.Components.Schemas {
		if name == "Agent" && !strings.Contains(schema.Value.Properties["status"].Value.Description, "null when there is none") {
			t.Error("a property that is null does not say so")
		}
		refuse(strings.ReplaceAll(schema.Value.Description, "null when there", ""), name)
		for property, value := range schema.Value.Properties {
			refuse(strings.ReplaceAll(value.Value.Description, "null when there", ""), name, property)
		}
	}
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			refuse(o.Summary+o.Description, method, path)
			for _, p := range o.Parameters {
				refuse(p.Value.Description, method, path, p.Value.Name)
			}
		}
	}
	alias := document.Paths.Value("/agency-management/{tenantIdentifier}/aliases/{id}").Get
	if alias.Summary != "One alias" || alias.Description != "One alias. 404 when there is none." {
		t.Errorf("%q: %q", alias.Summary, alias.Description)
	}
}

// Each body has an example, which fits its schema; kin-openapi checks that when the
// document is validated.
func TestOpenAPIShowsExamples(t *testing.T) {
	document := publishedDocument(t)
	demand := func(content openapi3.Content, what ...string) {
		for mediaType, media := range content {
			if media.Example == nil && len(media.Examples) == 0 {
				t.Errorf("%s: no example of %s", strings.Join(what, " "), mediaType)
			}
		}
	}
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			if o.RequestBody != nil {
				demand(o.RequestBody.Value.Content, method, path)
			}
			for status, r := range o.Responses.Map() {
				demand(r.Value.Content, method, path, status)
				if more, ok := r.Value.Extensions[moreContent]; ok && !strings.Contains(toJSON(t, more), `"example":`) {
					t.Errorf("%s %s: no example of CSV", method, path)
				}
			}
		}
	}
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A list is typed as its JSON alone, and a change is a record or a preview, which a
// property of the preview's own tells apart.
func TestOpenAPITypesCanBeTold(t *testing.T) {
	for path, item := range publishedDocument(t).Paths.Map() {
		for method, o := range item.Operations() {
			for status, r := range o.Responses.Map() {
				if len(r.Value.Content) > 1 {
					t.Errorf("%s %s %s has %d media types", method, path, status, len(r.Value.Content))
				}
				media := r.Value.Content[jsonMediaType]
				if media == nil || len(media.Schema.Value.OneOf) == 0 {
					continue
				}
				record, preview := media.Schema.Value.OneOf[0].Value, media.Schema.Value.OneOf[1].Value
				if !slices.Contains(preview.Required, "applied") || record.Properties["applied"] != nil {
					t.Errorf("%s %s: a preview cannot be told from a record", method, path)
				}
			}
		}
	}
}

// Who reads the document learns where to get tokens, for a program and for a person,
// and what each scope allows.
func TestOpenAPISecurity(t *testing.T) {
	b := newBench(t, func(c *Config) { c.PublicURL = "https://upline.test/" })
	document, err := openapi3.NewLoader().LoadFromData(published(t, b))
	if err != nil {
		t.Fatal(err)
	}
	if url := document.Servers[0].URL; url != "https://upline.test" {
		t.Errorf("the server is %s", url)
	}
	flows := document.Components.SecuritySchemes[oauthScheme].Value.Flows
	if flows.ClientCredentials.TokenURL != "https://upline.test/oauth2/token" || flows.AuthorizationCode.AuthorizationURL != "https://upline.test/oauth2/authorize" {
		t.Errorf("flows %s", toJSON(t, flows))
	}
	if !maps.Equal(flows.ClientCredentials.Scopes, flows.AuthorizationCode.Scopes) || len(flows.ClientCredentials.Scopes) < 10 {
		t.Error("the scopes of the flows differ")
	}
	for name, description := range flows.ClientCredentials.Scopes {
		if !slices.Contains(bearer.Scopes, bearer.Scope{Name: name, Description: description}) {
			t.Errorf("%s is described as %q", name, description)
		}
	}
	if key := document.Components.SecuritySchemes[keyScheme].Value; key.Type != "http" || key.Scheme != "bearer" {
		t.Errorf("keys are %s", toJSON(t, key))
	}
	if info := document.Info; info.License.Identifier != "Apache-2.0" || info.Contact.Name == "" {
		t.Errorf("%s", toJSON(t, info))
	}
}
