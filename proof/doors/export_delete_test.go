package doors_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

const exportDelete = `mutation($id: ID!) { exportDelete(input: {id: $id}) { deletedId applied userErrors { code field message } } }`

// Who asked for an export deletes it, with its file and an audit entry, and has room for
// another; nobody else does.
func TestExportsAreDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "GRAPHQL")
		in := apptest.Export(`{ agents { nodes { agentCode } } }`, "agents", "CSV")
		id, state := apptest.Exported(t, w, a.Caller, in)
		path := strings.TrimPrefix(apptest.At(state, "downloadUrl").(string), apptest.Issuer)
		for name, other := range map[string]*apptest.Caller{"another client": w.As(apptest.Acme, allScopes...), "a foreign tenant": w.As(apptest.Umbra)} {
			if refused := other.Query(t, exportDelete, object{"id": id}); apptest.At(refused, "exportDelete.userErrors.0.code") != "NOT_FOUND" || apptest.At(refused, "exportDelete.applied") != false {
				t.Errorf("%s deletes it: %v", name, refused)
			}
		}
		before := len(a.entries(t, "WRITE"))
		if deleted := a.Query(t, exportDelete, object{"id": id}); apptest.At(deleted, "exportDelete.applied") != true || apptest.At(deleted, "exportDelete.deletedId") != id {
			t.Errorf("deleted: %v", deleted)
		}
		if again := a.Query(t, exportDelete, object{"id": id}); apptest.At(again, "exportDelete.applied") != false || apptest.At(again, "exportDelete.userErrors.0") != nil {
			t.Errorf("deleted again: %v", again)
		}
		entries := a.entries(t, "WRITE")
		if len(entries) != before+1 || apptest.At(entries[0], "operation") != "exportDelete" || apptest.At(entries[0], "entityType") != "Export" || apptest.At(entries[0], "changes.0.field") != "file" {
			t.Errorf("the entries are %v", entries[:len(entries)-before])
		}
		state = apptest.At(a.Query(t, apptest.ExportState, object{"id": id}), "export")
		if apptest.At(state, "status") != "EXPIRED" || apptest.At(state, "downloadUrl") != nil {
			t.Errorf("it is %v", state)
		}
		if answer := a.Send(t, http.MethodGet, path, nil, nil); answer.Code != http.StatusNotFound {
			t.Errorf("its file: %d", answer.Code)
		}
		if n := count(t, w, "export_chunk"); n != 0 {
			t.Errorf("%d chunks are left", n)
		}

		var waiting []string
		for range 5 {
			waiting = append(waiting, apptest.AskExport(t, a.Caller, in))
		}
		refused := a.Query(t, apptest.ExportCreate, object{"input": in})
		if message, _ := apptest.At(refused, "exportCreate.userErrors.0.message").(string); !strings.Contains(message, "exportDelete") {
			t.Errorf("a sixth export: %v", refused)
		}
		a.Query(t, exportDelete, object{"id": waiting[0]})
		waiting = append(waiting, apptest.AskExport(t, a.Caller, in))
		for found := true; found; {
			var err error
			if found, err = w.Exports.WorkNext(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var states []string
		for _, id := range waiting {
			states = append(states, apptest.At(a.Query(t, apptest.ExportState, object{"id": id}), "export.status").(string))
		}
		if want := []string{"EXPIRED", "COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED"}; !slices.Equal(states, want) {
			t.Errorf("they are %v", states)
		}
	})
}
