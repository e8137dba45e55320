package transport_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/graph/transport"
)

const uploading = `{"query":"mutation ($file: Upload!) { read(file: $file) }","variables":{"file":null}}`

// parts are those of a multipart request: names and texts in turn.
func sendParts(h http.Handler, parts ...string) *httptest.ResponseRecorder {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(parts); i += 2 {
		part, _ := form.CreateFormFile(parts[i], "rows.csv")
		_, _ = part.Write([]byte(parts[i+1]))
	}
	_ = form.Close()
	return request(h, "POST", "/", mediaJSON, form.FormDataContentType(), body.String())
}

// A multipart request of one file (GraphQL multipart request specification), and
// everything that is none.
func TestUpload(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	h, _, _ := newHandler(transport.Config{MaxBody: 1000, MaxUpload: 100, MayUpload: func(context.Context) bool { return true }})
	where := `{"0":["variables.file"]}`
	tests := map[string]struct {
		parts  []string
		status int
		want   string
	}{
		"a file":               {[]string{"operations", uploading, "map", where, "0", "hello world"}, 200, `{"read":"11 hello"}`},
		"an empty file":        {[]string{"operations", uploading, "map", where, "0", ""}, 200, `{"read":"0 "}`},
		"the largest file":     {[]string{"operations", uploading, "map", where, "0", strings.Repeat("x", 100)}, 200, `{"read":"100 xxxxx"}`},
		"a larger file":        {[]string{"operations", uploading, "map", where, "0", strings.Repeat("x", 101)}, 413, "too large"},
		"a much larger file":   {[]string{"operations", uploading, "map", where, "0", strings.Repeat("x", 100_000)}, 413, "too large"},
		"large operations":     {[]string{"operations", uploading + strings.Repeat(" ", 1000), "map", where, "0", "x"}, 413, "too large"},
		"another order":        {[]string{"0", "x", "operations", uploading, "map", where}, 400, "in this order"},
		"no map":               {[]string{"operations", uploading, "0", "x"}, 400, "in this order"},
		"no file":              {[]string{"operations", uploading, "map", where}, 400, "in this order"},
		"another file":         {[]string{"operations", uploading, "map", where, "1", "x"}, 400, "in this order"},
		"two files":            {[]string{"operations", uploading, "map", where, "0", "x", "1", "y"}, 400, "in this order"},
		"two files in the map": {[]string{"operations", uploading, "map", `{"0":["variables.file"],"1":["variables.file"]}`, "0", "x"}, 400, "one variable that is null"},
		"two places":           {[]string{"operations", uploading, "map", `{"0":["variables.file","variables.file"]}`, "0", "x"}, 400, "one variable that is null"},
		"no variable":          {[]string{"operations", uploading, "map", `{"0":["variables.other"]}`, "0", "x"}, 400, "one variable that is null"},
		"no path":              {[]string{"operations", uploading, "map", `{"0":["variables"]}`, "0", "x"}, 400, "one variable that is null"},
		"a path into nothing":  {[]string{"operations", uploading, "map", `{"0":["variables.file.0.x"]}`, "0", "x"}, 400, "one variable that is null"},
		"a map that is none":   {[]string{"operations", uploading, "map", `[]`, "0", "x"}, 400, "one variable that is null"},
		"a batch":              {[]string{"operations", "[" + uploading + "]", "map", where, "0", "x"}, 400, "batches are not served"},
		"no JSON":              {[]string{"operations", "{", "map", where, "0", "x"}, 400, "not valid JSON"},
		"no query":             {[]string{"operations", `{"variables":{"file":null}}`, "map", where, "0", "x"}, 400, "is missing"},
	}
	for name, test := range tests {
		w := sendParts(h, test.parts...)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := request(h, "POST", "/", mediaJSON, "multipart/form-data; boundary=x", "--x\r\nbroken"); w.Code != 400 {
		t.Errorf("no parts at all: %d %s", w.Code, w.Body)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// Nobody sends a file who may not: it is not even read.
func TestWhoMaySendFiles(t *testing.T) {
	for name, may := range map[string]func(context.Context) bool{"nobody": nil, "others": func(context.Context) bool { return false }} {
		h, _, s := newHandler(transport.Config{MayUpload: may})
		w := sendParts(h, "operations", uploading, "map", `{"0":["variables.file"]}`, "0", "x")
		if w.Code != 403 || s.ran.Load() != 0 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// deadlines records when the answer has to be written.
type deadlines struct {
	*httptest.ResponseRecorder
	write time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.write = at
	return nil
}

// A file may take its time, and what is done with it: but a client that does not
// read the answer is not waited for without a bound.
func TestAnswerOfUploadHasDeadline(t *testing.T) {
	h, _, _ := newHandler(transport.Config{MayUpload: func(context.Context) bool { return true }})
	r := httptest.NewRequest("POST", "/", strings.NewReader("--x\r\nbroken"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, r)
	if left := time.Until(w.write); left < 2*time.Minute || left > 5*time.Minute {
		t.Errorf("the answer has %v", left)
	}
}

type tenantKey struct{}

// Slow files of one tenant take half of the places: there is room for others.
func TestUploadsOfOneTenant(t *testing.T) {
	h, _, _ := newHandler(transport.Config{MayUpload: func(context.Context) bool { return true },
		Tenant: func(ctx context.Context) string { name, _ := ctx.Value(tenantKey{}).(string); return name }})
	send := func(tenant string, body io.Reader) int {
		r := httptest.NewRequest("POST", "/", body).WithContext(context.WithValue(t.Context(), tenantKey{}, tenant))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		r.Header.Set("Accept", "application/graphql-response+json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	var slow sync.WaitGroup
	begin := func(tenant string) (end func()) {
		body, more := io.Pipe()
		slow.Go(func() { send(tenant, body) })
		_, _ = more.Write([]byte("--x\r\n")) // is read: it has its place
		return func() { _ = more.Close() }
	}
	ends := []func(){begin("acme"), begin("acme")}
	if got := send("acme", strings.NewReader("--x\r\n")); got != http.StatusServiceUnavailable {
		t.Errorf("a third file of one tenant: %d", got)
	}
	r := httptest.NewRequest("POST", "/", strings.NewReader("--x\r\n")).WithContext(context.WithValue(t.Context(), tenantKey{}, "acme"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), `"retryAfter":5`) {
		t.Errorf("it is told %v %s", w.Header(), w.Body)
	}
	if got := send("umbra", strings.NewReader("--x\r\n")); got != http.StatusBadRequest {
		t.Errorf("a file of another tenant: %d", got)
	}
	ends = append(ends, begin("umbra"), begin("initech"))
	if got := send("other", strings.NewReader("--x\r\n")); got != http.StatusServiceUnavailable {
		t.Errorf("a fifth file: %d", got)
	}
	for _, end := range ends {
		end()
	}
	slow.Wait()
	if got := send("acme", strings.NewReader("--x\r\n")); got != http.StatusBadRequest {
		t.Errorf("a file after all: %d", got)
	}
}
