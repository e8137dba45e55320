package graph

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// ofOtherAreas are the fields of an agent that other areas answer.
var ofOtherAreas = map[string]string{
	"Agent.users": "identity", "Agent.application": "onboarding", "Agent.recruits": "onboarding", "Agent.auditLog": "the audit trail",
}

// Every field of what graph/read reads is answered, wherever it can be reached from Query.
func TestEveryFieldIsRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		schema := server.schema
		seen, reached := map[string]bool{}, 0
		var visit func(of *ast.Definition, before, after string)
		visit = func(of *ast.Definition, before, after string) {
			for _, f := range of.Fields {
				below := schema.Types[f.Type.Name()]
				if strings.HasPrefix(f.Name, "__") || of == schema.Query && !isRead(schema, below.Name) || ofOtherAreas[of.Name+"."+f.Name] != "" {
					continue
				}
				reached++
				asked := before + f.Name + requiredArguments(f)
				document := "{ " + asked + after + " }"
				if !below.IsLeafType() {
					document = "{ " + asked + " { __typename }" + after + " }"
				}
				for _, err := range server.Execute(ctx, document, "", nil).Errors {
					if err.Extensions["code"] == refusal.Internal {
						t.Errorf("%s: %v", document, err)
					}
				}
				if !below.IsLeafType() && !seen[below.Name] {
					seen[below.Name] = true
					visit(below, asked+" { ", " }"+after)
				}
			}
		}
		visit(schema.Query, "", "")
		if reached < 250 {
			t.Errorf("%d fields were reached, want those of the schema", reached)
		}
	})
}

// requiredArguments are some for a field that has to have them.
func requiredArguments(f *ast.FieldDefinition) string {
	var given []string
	for _, a := range f.Arguments {
		if !a.Type.NonNull || a.DefaultValue != nil {
			continue
		}
		value := map[string]string{"Int": "1", "Date": `"2026-01-01"`, "DateTime": `"2026-01-01T00:00:00Z"`}[a.Type.Name()]
		switch {
		case a.Type.Elem != nil:
			value = "[]"
		case value == "" && Schema().Types[a.Type.Name()].Kind == ast.Enum:
			value = Schema().Types[a.Type.Name()].EnumValues[0].Name
		case value == "" && Schema().Types[a.Type.Name()].Kind == ast.InputObject:
			value = "{}"
		case value == "":
			value = `"1"`
		}
		given = append(given, a.Name+": "+value)
	}
	if len(given) == 0 {
		return ""
	}
	return "(" + strings.Join(given, ", ") + ")"
}
