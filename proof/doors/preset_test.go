package doors_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

const (
	createPreset  = `mutation($in: PresetCreateInput!) { m: presetCreate(input: $in) { applied preset { id subject name content isShared createdBy lastModified } userErrors { code field } } }`
	replacePreset = `mutation($in: PresetReplaceInput!) { m: presetReplace(input: $in) { applied preset { name content isShared } userErrors { code field } } }`
	deletePreset  = `mutation($id: ID!) { m: presetDelete(input: {id: $id}) { applied deletedId userErrors { code field } } }`
	listPresets   = `query($kind: PresetKind!, $subject: String, $after: String) { list: presets(kind: $kind, subject: $subject, first: 2, after: $after) { nodes { name } pageInfo { endCursor hasNextPage } } }`
)

// presetOf keeps a preset and returns its id.
func presetOf(t *testing.T, c *apptest.Caller, in object) string {
	t.Helper()
	data := c.Query(t, createPreset, object{"in": in})
	id, _ := apptest.At(data, "m.preset.id").(string)
	if id == "" || apptest.At(data, "m.applied") != true {
		t.Fatalf("%v", data)
	}
	return id
}

// presetsOf are the names of the views of a list that a caller has, read page by page.
func presetsOf(t *testing.T, c *apptest.Caller) (names []string) {
	t.Helper()
	var after any
	for {
		data := c.Query(t, listPresets, object{"kind": "VIEW", "subject": "agents", "after": after})
		for _, node := range apptest.At(data, "list.nodes").([]any) {
			names = append(names, apptest.At(node, "name").(string))
		}
		if after = apptest.At(data, "list.pageInfo.endCursor"); apptest.At(data, "list.pageInfo.hasNextPage") != true {
			return names
		}
	}
}

// What somebody keeps nobody else has, whatever its scopes; what is everybody's takes
// write:recipes, and is not for those who see a downline only.
func TestPresets(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		apptest.Register(t, w.As(apptest.Acme, "write:agents"), "A1", nil)
		user := func(name, role string) *apptest.Caller {
			return w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, name, "A1", role))
		}
		analyst, manager, recruiter, agent := user("ann", "Analyst"), user("max", "Manager"), user("rob", "Recruiter"), user("amy", "Agent")
		view := func(name string, shared bool) object {
			return object{"kind": "VIEW", "subject": "agents", "name": name, "content": object{"columns": []any{"agentCode", "名\u0000"}}, "isShared": shared}
		}
		id := presetOf(t, analyst, view("Texas", false))
		shared := presetOf(t, manager, view("Everybody's", true))
		presetOf(t, recruiter, view("Texas", false)) // the name is free for each
		presetOf(t, agent, view("My team", false))
		presetOf(t, analyst, object{"kind": "DASHBOARD", "name": "Texas", "content": object{}})
		presetOf(t, analyst, object{"kind": "VIEW", "subject": "certifications", "name": "texas", "content": object{}})
		presetOf(t, analyst, view("Zed", false))
		for name, c := range map[string]struct {
			of   *apptest.Caller
			want []string
		}{
			"analyst": {analyst, []string{"Everybody's", "Texas", "Zed"}}, "manager": {manager, []string{"Everybody's"}}, "recruiter": {recruiter, []string{"Everybody's", "Texas"}},
			"agent": {agent, []string{"My team"}}, "client": {w.As(apptest.Acme, allScopes...), []string{"Everybody's"}}, "another agency": {w.As(apptest.Umbra, allScopes...), nil},
		} {
			if got := presetsOf(t, c.of); !slices.Equal(got, c.want) {
				t.Errorf("%s has %q, want %q", name, got, c.want)
			}
		}
		refused := func(c *apptest.Caller, document string, variables object, want string) {
			t.Helper()
			data := c.Query(t, document, variables)
			if got := fmt.Sprint(apptest.At(data, "m.userErrors.0.code"), " ", apptest.At(data, "m.userErrors.0.field")); got != want || apptest.At(data, "m.applied") != false {
				t.Errorf("%v, want %s: %v", got, want, data)
			}
		}
		input := func(id, name string, shared bool) object {
			return object{"in": object{"id": id, "name": name, "content": object{"columns": []any{}}, "isShared": shared}}
		}
		large := view("Large", false)
		large["content"] = object{"text": strings.Repeat("x", 65<<10)}
		refused(analyst, createPreset, object{"in": view("TEXAS", false)}, "DUPLICATE_KEY [input name]")
		refused(analyst, createPreset, object{"in": large}, "TOO_LONG [input content]")
		refused(analyst, createPreset, object{"in": view(" ", false)}, "REQUIRED [input name]")
		refused(recruiter, createPreset, object{"in": view("Mine for all", true)}, "FORBIDDEN [input isShared]")
		refused(agent, createPreset, object{"in": view("Mine for all", true)}, "FORBIDDEN [input isShared]")
		refused(recruiter, replacePreset, input(shared, "Mine now", false), "FORBIDDEN [input id]")
		refused(recruiter, deletePreset, object{"id": shared}, "FORBIDDEN [input id]")
		refused(recruiter, replacePreset, input(presetOf(t, recruiter, view("Draft", false)), "Draft", true), "FORBIDDEN [input isShared]")
		refused(w.As(apptest.Acme, allScopes...), createPreset, object{"in": view("A client's", false)}, "FORBIDDEN <nil>")
		for _, other := range []*apptest.Caller{manager, recruiter, agent} {
			refused(other, replacePreset, input(id, "Taken", false), "NOT_FOUND [input id]")
			refused(other, deletePreset, object{"id": id}, "NOT_FOUND [input id]")
		}
		refused(agent, deletePreset, object{"id": shared}, "NOT_FOUND [input id]")

		// The right to share is not enough for who sees a downline only.
		w.As(apptest.Acme, allScopes...).Query(t, `mutation { roleCreate(input: {name: "Writer", scopes: ["read:agents", "write:recipes"], limitedToDownline: true}) { applied } }`, nil)
		writer := user("wes", "Writer")
		refused(writer, createPreset, object{"in": view("Mine for all", true)}, "FORBIDDEN [input isShared]")
		refused(writer, replacePreset, input(presetOf(t, writer, view("Draft", false)), "Draft", true), "FORBIDDEN [input isShared]")
		refused(writer, deletePreset, object{"id": shared}, "NOT_FOUND [input id]")

		data := analyst.Query(t, replacePreset, input(strings.ToUpper(id), "Texas and Utah", true))
		if got := fmt.Sprint(apptest.At(data, "m")); got != "map[applied:true preset:map[content:map[columns:[]] isShared:true name:Texas and Utah] userErrors:[]]" {
			t.Error(got)
		}
		if data := manager.Query(t, deletePreset, object{"id": id}); apptest.At(data, "m.deletedId") != id || apptest.At(data, "m.applied") != true {
			t.Errorf("%v", data)
		}
		if got, want := presetsOf(t, analyst), []string{"Everybody's", "Zed"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		rows, err := auditRows(t, w, w.Tenants[apptest.Acme])
		rows = slices.DeleteFunc(rows, func(row string) bool { return !strings.Contains(row, id) })
		want := []string{"presetCreate Preset " + id + " content isShared name", "presetReplace Preset " + id + " content isShared name", "presetDelete Preset " + id + " "}
		if err != nil || !slices.Equal(rows, want) {
			t.Errorf("%q %v; want %q", rows, err, want)
		}
	})
}

// A preset that somebody else has changed meanwhile is not overwritten; and one more than
// 200 of a kind is refused.
func TestPresetsHaveVersionsAndALimit(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "max", "", "Manager"))
		made := c.Query(t, createPreset, object{"in": object{"kind": "DASHBOARD", "name": "Sales", "content": object{}, "isShared": true}})
		const matched = `mutation($known: [DateTime!]!, $in: PresetReplaceInput!) { m: presetReplace(input: $in) @ifMatch(lastModified: $known) { applied userErrors { code } } }`
		for i, want := range []string{"true []", "false [map[code:PRECONDITION_FAILED]]"} {
			data := c.Query(t, matched, object{"known": []any{apptest.At(made, "m.preset.lastModified")}, "in": object{"id": apptest.At(made, "m.preset.id"), "name": "Sales", "content": object{"n": i}, "isShared": true}})
			if got := fmt.Sprint(apptest.At(data, "m.applied"), " ", apptest.At(data, "m.userErrors")); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		for i := range 200 {
			presetOf(t, c, object{"kind": "FILE_MAPPING", "subject": "AGENTS", "name": fmt.Sprint(i), "content": object{}})
		}
		data := c.Query(t, createPreset, object{"in": object{"kind": "FILE_MAPPING", "subject": "AGENTS", "name": "one more", "content": object{}}})
		if apptest.At(data, "m.userErrors.0.code") != "OUT_OF_RANGE" {
			t.Errorf("%v", data)
		}
		shared := presetOf(t, c, object{"kind": "FILE_MAPPING", "subject": "AGENTS", "name": "one more", "content": object{}, "isShared": true})
		data = c.Query(t, replacePreset, object{"in": object{"id": shared, "name": "one more", "content": object{}, "isShared": false}})
		if apptest.At(data, "m.userErrors.0.code") != "OUT_OF_RANGE" || apptest.At(data, "m.applied") != false {
			t.Errorf("everybody's becomes one too many of one's own: %v", data)
		}
	})
}
