package rest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/resttest"
)

var testTagKey = []byte("the key of ETags in tests")

const base = "/agency-management/demo"

// sdl is the schema of the server itself.
var sdl = sync.OnceValue(func() *ast.Schema {
	schema, err := resttest.LoadSchema("../graph/schema")
	if err != nil {
		panic(err)
	}
	return schema
})

// bench is a door over a fake executor.
type bench struct {
	*resttest.Fake
	http.Handler
	answers *fakeAnswers
	reveals *fakeReveals
	logged  *strings.Builder
}

type traceKey struct{}

// newBench returns a door for the tenant demo, whose pages have 50 rows and at
// most 100.
func newBench(t testing.TB, configure ...func(*Config)) *bench {
	t.Helper()
	b := &bench{Fake: &resttest.Fake{Parsed: sdl()}, answers: &fakeAnswers{}, reveals: &fakeReveals{}, logged: &strings.Builder{}}
	config := Config{
		Executor: b.Fake, TagKey: testTagKey, Idempotency: b.answers, Reveals: b.reveals,
		Authorize: func(r *http.Request, tenantIdentifier *string) (context.Context, error) {
			if tenantIdentifier != nil && *tenantIdentifier != "demo" {
				return nil, problem.Refused(http.StatusForbidden, "the token is not valid for this tenant")
			}
			return context.WithValue(r.Context(), traceKey{}, "trace-1"), nil
		},
		TraceID: func(ctx context.Context) string {
			id, _ := ctx.Value(traceKey{}).(string)
			return id
		},
		Logger: slog.New(slog.NewTextHandler(b.logged, nil)),
	}
	for _, f := range configure {
		f(&config)
	}
	handler, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = handler
	return b
}

// call sends a request; a body is sent as JSON.
func (b *bench) call(method, path, body string, header ...string) *httptest.ResponseRecorder {
	return b.send(method, base+path, body, header...)
}

// send is call for a path from the root.
func (b *bench) send(method, path, body string, header ...string) *httptest.ResponseRecorder {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, path, reader)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// variables returns the variables of the last operation as JSON.
func (b *bench) variables(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal(b.Variables)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// problemOf decodes a problem body.
func problemOf(t testing.TB, w *httptest.ResponseRecorder) Problem {
	t.Helper()
	if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("status %d, Content-Type %q: %s", w.Code, got, w.Body)
	}
	var p Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if p.Status != w.Code {
		t.Errorf("the body says %d, the response %d", p.Status, w.Code)
	}
	return p
}

// fields returns the failures of a problem as "field CODE".
func fields(p Problem) []string {
	var texts []string
	for _, e := range p.Errors {
		texts = append(texts, strings.TrimSpace(e.Field+" "+e.Code))
	}
	return texts
}

const emptyPage = `{"%s":{"nodes":[],"pageInfo":{"hasNextPage":false,"endCursor":null},"totalCount":0}}`
