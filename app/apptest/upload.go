package apptest

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
)

// Upload sends an operation whose variable input.file is a file, as a multipart
// request.
func (c *Caller) Upload(t T, query string, input map[string]any, file string) (r Response) {
	t.Helper()
	withFile := map[string]any{"file": nil}
	for name, v := range input {
		withFile[name] = v
	}
	operations, err := json.Marshal(map[string]any{"query": query, "variables": map[string]any{"input": withFile}})
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range [][2]string{{"operations", string(operations)}, {"map", `{"0":["variables.input.file"]}`}} {
		if err := form.WriteField(part[0], part[1]); err != nil {
			t.Fatalf("write: %v", err)
		}
	}
	part, err := form.CreateFormFile("0", "rows")
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	_, _ = part.Write([]byte(file)) // into memory
	_ = form.Close()
	w := c.Send(t, http.MethodPost, GraphQLPath, http.Header{"Content-Type": {form.FormDataContentType()}}, body.Bytes())
	decode := json.NewDecoder(w.Body)
	decode.UseNumber()
	if err := decode.Decode(&r); err != nil {
		t.Fatalf("GraphQL answered %d, and no JSON: %v", w.Code, err)
	}
	return r
}
