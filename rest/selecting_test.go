package rest

import (
	"net/http"
	"strings"
	"testing"
)

// The stored operation is narrowed to what is asked for; the version of an ETag is
// selected, and not written.
func TestFieldsNarrowTheOperation(t *testing.T) {
	b := newBench(t)
	b.Graph(`{"agents":{"nodes":[` + graphAgent + `],"totalCount":1,"pageInfo":{"hasNextPage":false,"endCursor":"c"}}}`)
	w := b.call(http.MethodGet, "/agents?fields=status,agentCode", "")
	expect(t, w, 200, `{"pageIndex":1,"pageSize":50,"totalCount":1,"items":[{"agentCode":"A1001","status":"Active"}]}`)
	for _, name := range []string{"governmentIdentifier", "payee", "lastName", "lastModified"} {
		if strings.Contains(b.Document, name) {
			t.Errorf("%s is selected:\n%s", name, b.Document)
		}
	}
	w = b.call(http.MethodGet, "/agents?fields=status,agentCode", "", "Accept", "text/csv")
	if got := w.Body.String(); got != "agentCode,status\r\nA1001,Active\r\n" {
		t.Errorf("CSV: %s", got)
	}
	b.Graph(`{"agent":` + graphAgent + `}`)
	w = b.call(http.MethodGet, "/agents/A1001?fields=email", "")
	expect(t, w, 200, `{"email":"ana@example.com"}`)
	if !strings.Contains(b.Document, "lastModified") || strings.Contains(b.Document, "reveal") || w.Header().Get("ETag") == "" {
		t.Errorf("ETag %q, selected:\n%s", w.Header().Get("ETag"), b.Document)
	}
}

// A wrong choice is refused before anything runs, and so is one where there is none.
func TestWrongFields(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ method, path, body, want string }{
		{http.MethodGet, "/agents?fields=", "", "fields INVALID_FORMAT"},
		{http.MethodGet, "/agents?fields=email,email", "", "fields INVALID_FORMAT"},
		{http.MethodGet, "/agents?fields=email&fields=email", "", "fields INVALID_FORMAT"},
		{http.MethodGet, "/agents?fields=shoeSize", "", "fields UNKNOWN_FIELD"},
		{http.MethodGet, "/agents?fields=homeAddress.city", "", "fields UNKNOWN_FIELD"},
		{http.MethodGet, "/agents?fields=totalCount", "", "fields UNKNOWN_FIELD"},
		{http.MethodGet, "/agents/A1?fields=_", "", "fields UNKNOWN_FIELD"},
		{http.MethodPatch, "/agents/A1?fields=email", `{"npn":"1","initiator":"hr"}`, "fields UNKNOWN_FIELD"},
	} {
		p := problemOf(t, b.call(c.method, c.path, c.body))
		if got := strings.Join(fields(p), ", "); p.Status != 400 || got != c.want {
			t.Errorf("%s: %d %s, want %s", c.path, p.Status, got, c.want)
		}
	}
	if b.Calls != 0 {
		t.Error("an operation ran")
	}
}
