package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/transport"
)

// An error that two requests share must not carry the trace of another.
func TestErrorsAreNotShared(t *testing.T) {
	shared := &gqlerror.Error{Message: "refused", Extensions: map[string]any{"code": "FORBIDDEN"}}
	trace := "first"
	exec := executor.New(newSchema())
	exec.AroundOperations(func(context.Context, graphql.OperationHandler) graphql.ResponseHandler {
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{shared}})
	})
	h := transport.Handler(exec, transport.Config{TraceID: func(context.Context) string { return trace }})
	for _, trace = range []string{"first", "second"} {
		w := request(h, "POST", "/", "", mediaJSON, `{"query":"{ echo }"}`)
		if got := decode(t, w).Errors[0].Extensions["traceId"]; got != trace || w.Code != 403 {
			t.Errorf("%d, traceId = %v, want 403 and %s", w.Code, got, trace)
		}
	}
}

// The data goes out byte by byte as the executor wrote it, with its length
// announced, errors before it and extensions behind it.
func TestEnvelope(t *testing.T) {
	h, exec, _ := newHandler(transport.Config{})
	exec.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		graphql.RegisterExtension(ctx, "cost", map[string]int{"requested": 1})
		return next(ctx)
	})
	w := request(h, "POST", "/", "", mediaJSON, `{"query":"{ echo fails }"}`)
	want := `{"errors":[{"message":"it failed","extensions":{"code":"INTERNAL_SERVER_ERROR"}}],` +
		`"data":{"echo":"done"  ,"fails":null},"extensions":{"cost":{"requested":1}}}`
	if w.Body.String() != want {
		t.Errorf("body = %s\nwant   %s", w.Body, want)
	}
	if w.Header().Get("Content-Length") != strconv.Itoa(len(want)) {
		t.Errorf("Content-Length = %s, want %d", w.Header().Get("Content-Length"), len(want))
	}
}

type unmarshalable struct{}

func (unmarshalable) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

func TestEnvelopeThatCannotBeWritten(t *testing.T) {
	h, exec, _ := newHandler(transport.Config{})
	exec.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		graphql.RegisterExtension(ctx, "broken", unmarshalable{})
		return next(ctx)
	})
	w := request(h, "POST", "/", "", mediaJSON, `{"query":"{ echo }"}`)
	if got := decode(t, w).Errors[0].Extensions["code"]; w.Code != 500 || got != "INTERNAL_SERVER_ERROR" {
		t.Errorf("%d %v, want 500 INTERNAL_SERVER_ERROR", w.Code, got)
	}
}

// A large response costs its own bytes, not another pass of a JSON encoder.
func BenchmarkLargeResponse(b *testing.B) {
	data := json.RawMessage(`{"x":"` + strings.Repeat("x", 100<<10) + `"}`)
	h := transport.Handler(fixed{data}, transport.Config{})
	for b.Loop() {
		request(h, "GET", "/?query={echo}", "", "", "")
	}
}

// fixed is an executor that always returns the same data.
type fixed struct{ data json.RawMessage }

func (fixed) CreateOperationContext(context.Context, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Query}}, nil
}

func (f fixed) DispatchOperation(ctx context.Context, _ *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	return graphql.OneShot(&graphql.Response{Data: f.data}), ctx
}

func (fixed) DispatchError(context.Context, gqlerror.List) *graphql.Response { return nil }
