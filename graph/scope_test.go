package graph_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/rest/resttest"
)

// everything is all that a mutation of the schema can change.
const everything = `{ agents { nodes { agentCode firstName lastModified lastModifiedBy } }
	payStatusPeriods { nodes { id recordedAt } } uplinePeriods { nodes { id recordedAt } } levelPeriods { nodes { id recordedAt } }
	certifications { nodes { id lastModified } } certificationPeriods { nodes { id recordedAt } }
	aliases { nodes { id } } tags { name lastModified } tagAssignments { nodes { tag { name } } }
	certificationTypes { code lastModified } jurisdictions { code lastModified } payStatuses { name lastModified }
	applications { nodes { id lastModified } } agentLevels { value lastModified } providerCompanies { code lastModified } hierarchyBuild { version queuedAt }
	users { nodes { username lastModified } } roles { nodes { name lastModified } } }`

// "Each operation requires the scope listed for it in Endpoints; DELETE
// /agents/{agentCode} requires delete:agents, separate from write:agents"
// (Authentication, 1): generated from the schema, for every root field.
func TestEveryRootFieldNeedsItsScope(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		all := w.As(apptest.Acme, bearer.TenantScopes()...)
		newAgent(t, all, "A1", "", "2025-01-01")
		certification := apptest.At(succeed(t, all, upsert, object{"input": object{"agentCode": "A1", "type": "AML",
			"isResidentCertification": true, "isVerified": true, "initiator": "x"}}), "result.certification.id").(string)
		before, err := json.Marshal(all.Query(t, everything, nil))
		if err != nil {
			t.Fatal(err)
		}
		schema := w.Graph.Schema()
		documented := map[string]string{}
		for _, row := range resttest.ScopeTable(t) {
			documented[row.Kind+"."+row.Name] = row.Scope
		}
		for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
			for _, field := range root.Fields {
				if strings.HasPrefix(field.Name, "__") {
					continue
				}
				want, ok := documented[root.Name+"."+field.Name]
				delete(documented, root.Name+"."+field.Name)
				switch {
				case !ok:
					t.Errorf("%s.%s has no row in docs/scopes.md", root.Name, field.Name)
				case want == "none" && root == schema.Subscription: // who may follow what is in TestExportBelongsToWhoAsked
				case want == "none":
					if _, errs := w.As(apptest.Acme, "read:tokens").GraphQL(t, document(schema, root, field, certification), nil); errs != nil {
						t.Errorf("%s with any token: %+v", field.Name, errs)
					}
				case field.Name == "bulkImport" || field.Name == "bulkUnderstand": // takes a file: TestImportNeedsTheScopeOfItsRows
				case field.Name == "bulkImports": // each scope shows the imports of its rows: TestImportsAreOfTheirScopes
				case root == schema.Subscription: // answers over a stream
					refusedStream(t, w, document(schema, root, field, certification), want)
				default:
					tryScope(t, w, field.Name, want, document(schema, root, field, certification), root == schema.Query)
				}
			}
		}
		for name := range documented {
			if !strings.Contains(name, "/") {
				t.Errorf("docs/scopes.md has a row of %s, which is not in the schema", name)
			}
		}
		after, err := json.Marshal(all.Query(t, everything, nil))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "nothing was changed", string(after), string(before))

		// The same mutations do something for those who may: the documents are
		// not refused for another reason.
		for _, field := range schema.Mutation.Fields {
			if field.Name == "bulkImport" || field.Name == "bulkUnderstand" {
				continue
			}
			data, errs := all.GraphQL(t, document(schema, schema.Mutation, field, certification), nil)
			if errs != nil || apptest.At(data, field.Name) == nil {
				t.Errorf("%s with all scopes: %+v", field.Name, errs)
			}
		}
	})
}

// "scope write:agents, write:production for the two fact entities": of a file, its
// rows say which.
func TestImportNeedsTheScopeOfItsRows(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		facts := map[string]string{"PRODUCTION_RECORD": "write:production", "COMMISSION_PAYMENT": "write:production"}
		for _, entity := range w.Graph.Schema().Types["BulkEntity"].EnumValues {
			want := cmp.Or(facts[entity.Name], "write:agents")
			document := ""
			send := func(scopes ...string) apptest.Response {
				input, _, _ := strings.Cut(document, "(")
				return w.As(apptest.Acme, scopes...).Upload(t, "mutation($input: B"+input[1:]+"Input!) { "+document+" }", object{"entity": entity.Name}, "agentCode\nA1\n")
			}
			for _, document = range []string{"bulkImport(input: $input, dryRun: true) { rejectedCount }", "bulkUnderstand(input: $input) { rowCount }"} {
				if r := send(scopesBut(want)...); len(r.Errors) != 1 || r.Errors[0].Code() != "FORBIDDEN" || r.Errors[0].Extensions["requiredScope"] != want {
					t.Errorf("%s without %s: %+v", entity.Name, want, r.Errors)
				}
				if r := send(want); len(r.Errors) > 0 {
					t.Errorf("%s with %s: %+v", entity.Name, want, r.Errors)
				}
			}
		}
	})
}

// refusedStream asks for a subscription with every scope but the one it needs.
func refusedStream(t *testing.T, w *apptest.World, operation, want string) {
	t.Helper()
	body, err := json.Marshal(object{"query": operation})
	if err != nil {
		t.Fatal(err)
	}
	answer := w.As(apptest.Acme, scopesBut(want)...).Send(t, http.MethodPost, apptest.GraphQLPath, http.Header{"Accept": {"text/event-stream"}}, body).Body.String()
	if !strings.Contains(answer, `"requiredScope":"`+want+`"`) || !strings.Contains(answer, "FORBIDDEN") || !strings.Contains(answer, "event: complete") {
		t.Errorf("%s without %s: %s", operation, want, answer)
	}
}

// scopesBut are all scopes but one.
func scopesBut(scope string) []string {
	return slices.DeleteFunc(bearer.TenantScopes(), func(s string) bool { return s == scope })
}

// tryScope sends an operation with every scope but its own, and with nothing but
// its own.
func tryScope(t *testing.T, w *apptest.World, name, want, operation string, isQuery bool) {
	t.Helper()
	data, errs := w.As(apptest.Acme, scopesBut(want)...).GraphQL(t, operation, nil)
	if len(errs) != 1 || errs[0].Code() != "FORBIDDEN" || errs[0].Extensions["requiredScope"] != want || apptest.At(data, name) != nil {
		t.Errorf("%s without %s: %v %+v", name, want, data, errs)
	}
	if isQuery {
		if _, errs := w.As(apptest.Acme, want).GraphQL(t, operation, nil); len(errs) > 0 && errs[0].Code() != "BAD_USER_INPUT" {
			t.Errorf("%s with %s: %+v", name, want, errs)
		}
	}
}

// document writes an operation of one root field with its required arguments.
func document(schema *ast.Schema, root *ast.Definition, field *ast.FieldDefinition, certification string) string {
	var arguments []string
	for _, a := range field.Arguments {
		if a.Type.NonNull && a.DefaultValue == nil {
			arguments = append(arguments, a.Name+": "+value(schema, a.Name, a.Type, certification))
		}
	}
	text := field.Name
	if arguments != nil {
		text += "(" + strings.Join(arguments, ", ") + ")"
	}
	if kind := schema.Types[field.Type.Name()].Kind; kind != ast.Scalar && kind != ast.Enum {
		text += " { __typename }"
	}
	return fmt.Sprintf("%s { %s }", strings.ToLower(root.Name), text)
}

// value writes a value that fits a field of the name.
func value(schema *ast.Schema, name string, typ *ast.Type, certification string) string {
	if typ.Elem != nil {
		return "[" + value(schema, name, typ.Elem, certification) + "]"
	}
	named, ok := map[string]string{"agentCode": `"A1"`, "status": `"Active"`, "team": `"default"`, "type": `"AML"`, "name": `"Active"`, "code": `"AML"`,
		"id": `"` + certification + `"`, "ids": `"` + certification + `"`, "certificationId": `"` + certification + `"`, "value": "10", "level": "10", "effectiveFrom": `"2026-07-01"`,
		"fromDate": `"2026-07-01"`, "toDate": `"2026-07-01"`, "from": `"2026-06-01T00:00:00Z"`, "through": `"2026-06-02T00:00:00Z"`}[name]
	definition := schema.Types[typ.NamedType]
	switch {
	case definition.Name == "_Any":
		return `{__typename: "Agent", agentCode: "A1"}`
	case definition.Kind == ast.InputObject:
		var fields []string
		for _, f := range definition.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				fields = append(fields, f.Name+": "+value(schema, f.Name, f.Type, certification))
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case definition.Kind == ast.Enum:
		return definition.EnumValues[0].Name
	case typ.NamedType == "Date":
		return `"2026-07-01"`
	case ok:
		return named
	case typ.NamedType == "DateTime":
		return `"2026-07-01T00:00:00Z"`
	case typ.NamedType == "Int", typ.NamedType == "Long":
		return "1"
	case typ.NamedType == "Boolean":
		return "true"
	case typ.NamedType == "JSON":
		return "{}"
	}
	return `"x"`
}
