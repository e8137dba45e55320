package apptest

import (
	"net/http"
	"net/http/httptest"
	"strings"
)

// ExportCreate asks for an export, and ExportState how one stands.
const (
	ExportCreate = `mutation($input: ExportCreateInput!) { exportCreate(input: $input) { applied export { id status format rowCount downloadUrl } userErrors { code field message } } }`
	ExportState  = `query($id: ID!) { export(id: $id) { status connectionPath onDate rowCount rowTotal size finishedAt expiresAt downloadUrl error } }`
)

// Export is the input of an export of a connection.
func Export(document, path, format string) map[string]any {
	return map[string]any{"query": document, "connectionPath": path, "format": format}
}

// AskExport asks for an export that nobody writes yet, and returns its id.
func AskExport(t T, c *Caller, input map[string]any) (id string) {
	t.Helper()
	made := c.Query(t, ExportCreate, map[string]any{"input": input})
	id, ok := At(made, "exportCreate.export.id").(string)
	if !ok || At(made, "exportCreate.export.status") != "QUEUED" || At(made, "exportCreate.applied") != true {
		t.Fatalf("asked for %v: %v", input, made)
	}
	return id
}

// Exported asks for an export, has it written, and returns its id and its state.
func Exported(t T, w *World, c *Caller, input map[string]any) (id string, state any) {
	t.Helper()
	id = AskExport(t, c, input)
	for found := true; found; {
		var err error
		if found, err = w.Exports.WorkNext(t.Context()); err != nil {
			t.Fatalf("write the export: %v", err)
		}
	}
	return id, At(c.Query(t, ExportState, map[string]any{"id": id}), "export")
}

// Download gets the file of an export that is done.
func Download(t T, c *Caller, state any) *httptest.ResponseRecorder {
	t.Helper()
	url, _ := At(state, "downloadUrl").(string)
	path, ok := strings.CutPrefix(url, Issuer)
	if !ok {
		t.Fatalf("the export is %v", state)
	}
	return c.Send(t, http.MethodGet, path, nil, nil)
}
