package upline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/uplinehq/upline/graph/breaking"
)

// The rules of the GraphQL schema.

// schemaDocument reads graph/schema.
func schemaDocument(t *testing.T) *ast.SchemaDocument {
	t.Helper()
	names, err := filepath.Glob("graph/schema/*.graphql")
	if err != nil || len(names) == 0 {
		t.Fatalf("no schema: %v", err)
	}
	var sources []*ast.Source
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: name, Input: string(text)})
	}
	doc, err := parser.ParseSchemas(sources...)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// named is a part of the schema that people read.
type named struct {
	kind, name, description string
	pos                     *ast.Position
}

// parts returns all types, fields, arguments, enum values and directives.
func parts(doc *ast.SchemaDocument) []named {
	var all []named
	arguments := func(owner string, list ast.ArgumentDefinitionList) {
		for _, a := range list {
			all = append(all, named{"argument", a.Name, a.Description, a.Position})
		}
	}
	for _, d := range doc.Directives {
		all = append(all, named{"directive", d.Name, d.Description, d.Position})
		arguments(d.Name, d.Arguments)
	}
	for _, d := range doc.Definitions {
		all = append(all, named{"type", d.Name, d.Description, d.Position})
	}
	for _, d := range slices.Concat(doc.Definitions, doc.Extensions) {
		for _, f := range d.Fields {
			all = append(all, named{"field", f.Name, f.Description, f.Position})
			arguments(d.Name+"."+f.Name, f.Arguments)
		}
		for _, v := range d.EnumValues {
			all = append(all, named{"enum value", v.Name, v.Description, v.Position})
		}
	}
	return all
}

// TestSchemaDescriptions: the schema is the documentation of the API, so
// nothing in it is without a description.
func TestSchemaDescriptions(t *testing.T) {
	for _, p := range parts(schemaDocument(t)) {
		if p.description == "" {
			t.Errorf("%s:%d: the %s %s has no description", p.pos.Src.Name, p.pos.Line, p.kind, p.name)
		}
	}
}

// TestSchemaNames: PascalCase types, camelCase fields, arguments and
// directives, UPPER_SNAKE enum values.
func TestSchemaNames(t *testing.T) {
	forms := map[string]*regexp.Regexp{
		"type":       regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`),
		"field":      regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`),
		"argument":   regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`),
		"directive":  regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`),
		"enum value": regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`),
	}
	for _, p := range parts(schemaDocument(t)) {
		name := p.name
		if filepath.Base(p.pos.Src.Name) == "federation.graphql" {
			name = strings.TrimPrefix(name, "_") // as Apollo Federation names them
		}
		if !forms[p.kind].MatchString(name) {
			t.Errorf("%s:%d: the %s %s is not named like one", p.pos.Src.Name, p.pos.Line, p.kind, p.name)
		}
	}
}

// unscoped are the root fields that need no scope, with the reason.
var unscoped = map[string]string{
	"Query._service":             "the schema is public",
	"Query.scopes":               "what each scope allows is public, as the OpenAPI document says it",
	"Query.viewer":               "it tells the holder of a token about the token",
	"Query.export":               "it shows an export to who asked for it",
	"Mutation.exportCreate":      "it takes the scopes of the fields that its query selects",
	"Mutation.exportDelete":      "it deletes an export of who asked for it",
	"Mutation.viewerSessionsEnd": "it ends the sessions of who calls",
	"Query.presets":              "it shows what the caller keeps, and what everybody may see",
	"Mutation.presetCreate":      "it keeps what is the caller's own; what is everybody's takes write:recipes",
	"Mutation.presetReplace":     "it changes what is the caller's own; what is everybody's takes write:recipes",
	"Mutation.presetDelete":      "it forgets what is the caller's own; what is everybody's takes write:recipes",
	"Query.tenantSettings":       "what holds for everybody of the tenant, none of it a secret",
	"Subscription.exportUpdated": "it shows an export to who asked for it",
}

// TestEveryRootFieldHasAScope: "Each operation requires the scope listed for it
// in Endpoints" (Authentication, 1). Both doors run this schema, so a root field
// without @hasScope would be open on both.
func TestEveryRootFieldHasAScope(t *testing.T) {
	doc := schemaDocument(t)
	seen := map[string]bool{}
	for _, d := range slices.Concat(doc.Definitions, doc.Extensions) {
		if !slices.Contains([]string{"Query", "Mutation", "Subscription"}, d.Name) {
			continue
		}
		for _, f := range d.Fields {
			name := d.Name + "." + f.Name
			seen[name] = true
			if scoped := f.Directives.ForName("hasScope") != nil; scoped == (unscoped[name] != "") {
				t.Errorf("%s:%d: %s has a scope: %t", f.Position.Src.Name, f.Position.Line, name, scoped)
			}
		}
	}
	for name := range unscoped {
		if !seen[name] {
			t.Errorf("there is no %s: take it out of the table unscoped", name)
		}
	}
}

// deprecation is what a deprecation tells: what to use instead, and the day from which it may
// be gone.
var deprecation = regexp.MustCompile(`^Use .+ instead; gone after \d{4}-\d\d-\d\d\.$`)

// TestDeprecationsTellWhatToDo: "deprecations with a date and a replacement"
// (docs/schema-changes.md).
func TestDeprecationsTellWhatToDo(t *testing.T) {
	text, err := os.ReadFile("schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`@deprecated(?:\(reason: "([^"]*)"\))?`).FindAllStringSubmatch(string(text), -1) {
		if !deprecation.MatchString(found[1]) {
			t.Errorf("%s must be like: Use x instead; gone after 2027-01-31.", found[0])
		}
	}
}

// promisedSchema is what clients may rely on: the schema as it was promised last.
const promisedSchema = "docs/schema.promised.graphql"

// TestSchemaBreaksNobody: "From 1.0 on the schema only grows" (docs/schema-changes.md).
// A release writes the promise anew: cp schema.graphql docs/schema.promised.graphql.
func TestSchemaBreaksNobody(t *testing.T) {
	var loaded []*ast.Schema
	for _, path := range []string{promisedSchema, "schema.graphql"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		loaded = append(loaded, gqlparser.MustLoadSchema(&ast.Source{Name: path, Input: string(text)}))
	}
	for _, change := range breaking.Changes(loaded[0], loaded[1]) {
		t.Errorf("%s: %s. Clients rely on it (docs/schema-changes.md)", change.Coordinate, change.Message)
	}
}

// TestProblemsAreInTheSchema: areas return problem.Code and problem.Category,
// and the schema lists what clients may meet.
func TestProblemsAreInTheSchema(t *testing.T) {
	doc := schemaDocument(t)
	for enum, typeName := range map[string]string{"UserErrorCode": "Code", "ErrorCategory": "Category"} {
		d := doc.Definitions.ForName(enum)
		if d == nil {
			t.Errorf("the schema has no enum %s", enum)
			continue
		}
		codes := constants(t, "internal/problem", typeName)
		for _, code := range codes {
			if d.EnumValues.ForName(code) == nil {
				t.Errorf("enum %s lacks %s", enum, code)
			}
		}
		for _, v := range d.EnumValues {
			if !slices.Contains(codes, v.Name) {
				t.Errorf("internal/problem lacks %s of the enum %s", v.Name, enum)
			}
		}
	}
}

// TestForkOfTheExecutor: our own loop over the fields of a query says of which gqlgen it is a
// fork. With another version somebody looks whether what gqlgen generates has changed.
func TestForkOfTheExecutor(t *testing.T) {
	modules, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	executor, err := os.ReadFile("cmd/generate/executor.txt")
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`github.com/99designs/gqlgen (v\S+)`).FindSubmatch(modules)
	fork := regexp.MustCompile(`a fork of what gqlgen (v\S+)`).FindSubmatch(executor)
	if used == nil || fork == nil || string(used[1]) != string(fork[1]) {
		t.Errorf("cmd/generate/executor.txt is a fork of gqlgen %s, and go.mod has %s", fork, used)
	}
}
