package doors_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
)

// "Any connection of any query becomes a file": each connection of the schema does, and
// has the rows that its pages have.
func TestEveryConnectionIsExported(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		f := newForeign(t, w)
		createRecipe(t, w.AsPlatform("", readRecipes, writeRecipes), recipeBody("A", "agents", agentCodes))
		c := w.As(apptest.Umbra, allScopes...)
		c.Query(t, `mutation { commissionPaymentRecord(input: {agentCode: "UMBRA1", paidOn: "2026-01-02", amount: "5"}) { applied } }`, nil)
		found := f.connections(w.Graph.Schema())
		if len(found) < 30 {
			t.Errorf("only %d connections are found", len(found))
		}
		for _, way := range found {
			rows, want := way.exported(t, w, c)
			if !slices.Equal(rows, want) {
				t.Errorf("%s is exported as %.500q; its pages have %.500q", way.path(), rows, want)
			}
			if len(want) == 0 && way.rows.Name != "WebhookDelivery" { // nothing was delivered
				t.Errorf("%s has no rows to compare", way.path())
			}
		}
	})
}

// way leads from the root of a query to a connection.
type way struct {
	steps []string
	// calls are the steps with their arguments, variables those of these.
	calls     []string
	variables object
	declared  []string
	// rows is the type of the rows.
	rows *ast.Definition
}

func (v way) path() string { return strings.Join(v.steps, ".") }

// connections finds the shortest way to each connection, through single objects.
func (f *foreign) connections(schema *ast.Schema) (found []way) {
	seen := map[string]bool{}
	for next := []way{{rows: schema.Query}}; len(next) > 0; next = next[1:] {
		for _, field := range next[0].rows.Fields {
			of := schema.Types[field.Type.Name()]
			if strings.HasPrefix(field.Name, "__") || field.Type.Elem != nil || of.Kind != ast.Object {
				continue
			}
			on, ok := f.step(schema, next[0], field)
			if nodes := of.Fields.ForName("nodes"); nodes != nil && field.Arguments.ForName("first") != nil {
				on.rows = schema.Types[nodes.Type.Name()]
				if found = append(found, on); !ok {
					panic("no arguments for " + on.path())
				}
				continue
			}
			if ok && !seen[of.Name] {
				seen[of.Name], on.rows = true, of
				next = append(next, on)
			}
		}
	}
	return found
}

// step goes on along a field; ok is false when it takes an argument that there is no
// value for.
func (f *foreign) step(schema *ast.Schema, from way, field *ast.FieldDefinition) (on way, ok bool) {
	on = way{variables: object{}, steps: append(append([]string{}, from.steps...), field.Name), calls: append([]string{}, from.calls...), declared: append([]string{}, from.declared...)}
	for name, v := range from.variables {
		on.variables[name] = v
	}
	var given []string
	for _, a := range field.Arguments {
		if !a.Type.NonNull || a.DefaultValue != nil {
			continue
		}
		v := f.argument(schema, field.Name, a.Name, a.Type)
		if v == nil {
			return on, false
		}
		name := fmt.Sprint("v", len(on.variables))
		on.variables[name] = v
		on.declared = append(on.declared, fmt.Sprintf("$%s: %s", name, a.Type))
		given = append(given, a.Name+": $"+name)
	}
	call := field.Name
	if given != nil {
		call += "(" + strings.Join(given, ", ") + ")"
	}
	on.calls = append(on.calls, call)
	return on, true
}

// document asks for the leaves of the rows, and for what stands beside them.
func (v way) document(declared, page, beside string) string {
	declared = strings.Join(append(append([]string{}, v.declared...), declared), ", ")
	if strings.Trim(declared, ", ") != "" {
		declared = "query(" + strings.Trim(declared, ", ") + ") "
	}
	var leaves []string
	for _, field := range v.rows.Fields {
		switch field.Type.Name() {
		case "ID", "String", "Int", "Long", "Boolean", "Date", "DateTime", "Decimal", "JSON":
			if len(field.Arguments) == 0 {
				leaves = append(leaves, field.Name)
			}
		}
	}
	return declared + "{ " + strings.Join(v.calls, " { ") + page + " { nodes { " + strings.Join(leaves, " ") + " } " + beside + " }" + strings.Repeat(" }", len(v.calls))
}

// exported returns the rows of the file of an export, which is deleted then – a tenant
// has no room for that many – and those of the connection when it was written: a
// download is in the audit log, too.
func (v way) exported(t *testing.T, w *apptest.World, c *apptest.Caller) (rows, want []string) {
	t.Helper()
	in := apptest.Export(v.document("", "", ""), v.path(), "JSONL")
	in["variables"] = v.variables
	id, state := apptest.Exported(t, w, c, in)
	if apptest.At(state, "status") != "COMPLETED" {
		t.Errorf("the export of %s is %v", v.path(), state)
		return nil, nil
	}
	want = v.read(t, c)
	for line := range strings.Lines(apptest.Download(t, c, state).Body.String()) {
		rows = append(rows, encoded(t, decoded(t, []byte(line))))
	}
	if deleted := c.Query(t, exportDelete, object{"id": id}); apptest.At(deleted, "exportDelete.applied") != true {
		t.Errorf("the export is not deleted: %v", deleted)
	}
	return rows, want
}

func encoded(t *testing.T, row any) string {
	t.Helper()
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// read returns the rows of all pages of the connection.
func (v way) read(t *testing.T, c *apptest.Caller) (rows []string) {
	t.Helper()
	variables := object{"after": nil}
	for name, value := range v.variables {
		variables[name] = value
	}
	page := "(first: 2, after: $after)"
	call := v.calls[len(v.calls)-1]
	if bare, given, ok := strings.Cut(strings.TrimSuffix(call, ")"), "("); ok {
		page, call = "(first: 2, after: $after, "+given+")", bare
	}
	v.calls = append(append([]string{}, v.calls[:len(v.calls)-1]...), call)
	for {
		data := c.Query(t, v.document("$after: String", page, "pageInfo { hasNextPage endCursor }"), variables)
		for _, row := range apptest.At(data, v.path()+".nodes").([]any) {
			rows = append(rows, encoded(t, row))
		}
		if apptest.At(data, v.path()+".pageInfo.hasNextPage") != true {
			return rows
		}
		variables["after"] = apptest.At(data, v.path()+".pageInfo.endCursor")
	}
}
