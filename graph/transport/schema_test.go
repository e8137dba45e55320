package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/transport"
)

// schema is a hand-written executable schema: enough for the audits, and a
// field for each way an operation can end.
type schema struct {
	parsed *ast.Schema
	// ran counts the operations that reached execution.
	ran atomic.Int64
	// listening counts the subscriptions under way.
	listening atomic.Int64
}

func newSchema() *schema {
	return &schema{parsed: gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query {
			echo(id: ID, kind: Kind, count: Int, name: String, on: Boolean, part: Float, in: In): String
			fails: String
			required: String!
			nothing: Int
			later: Int
		}
		enum Kind { A B }
		input In { kind: Kind name: String! }
		scalar Upload
		type Mutation {
			touch: String
			"Answers how long a file is, and what it begins with."
			read(file: Upload!): String
		}
		type Subscription {
			"Counts to three."
			tick: Int
			"Never says anything."
			silence: Int
			"The same, and takes its time to begin."
			late: Int
			"Ends with an error after one value."
			breaks: Int
			"Is refused."
			refused: Int
			"Panics."
			panics: Int
		}
	`})}
}

func (s *schema) Schema() *ast.Schema { return s.parsed }

func (s *schema) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}

func (s *schema) Exec(ctx context.Context) graphql.ResponseHandler {
	s.ran.Add(1)
	op := graphql.GetOperationContext(ctx)
	if op.Operation.Operation == ast.Subscription {
		return s.subscribe(ctx, graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Subscription"})[0].Name)
	}
	root := map[ast.Operation]string{ast.Query: "Query", ast.Mutation: "Mutation"}[op.Operation.Operation]
	return func(ctx context.Context) *graphql.Response {
		var data bytes.Buffer
		data.WriteByte('{')
		for i, field := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{root}) {
			if i > 0 {
				data.WriteByte(',')
			}
			value := "null"
			switch field.Name {
			case "__typename":
				value = `"` + root + `"`
			case "echo", "touch":
				// Spaces that no encoder would keep show that data is sent as it is.
				value = `"done"  `
			case "read":
				value = readUpload(op.Variables)
			case "fails":
				graphql.AddError(ctx, gqlerror.Errorf("it failed"))
			case "required":
				graphql.AddError(ctx, gqlerror.Errorf("it failed"))
				return &graphql.Response{Data: json.RawMessage("null")}
			case "nothing":
				return &graphql.Response{}
			case "later":
				more := true
				return &graphql.Response{Data: json.RawMessage(`{}`), HasNext: &more}
			}
			data.WriteString(`"` + field.Alias + `":` + value)
		}
		data.WriteByte('}')
		return &graphql.Response{Data: data.Bytes()}
	}
}

func readUpload(variables map[string]any) string {
	file, ok := variables["file"].(graphql.Upload)
	if !ok {
		return "null"
	}
	start := make([]byte, 5)
	n, _ := file.File.Read(start)
	return strconv.Quote(strconv.FormatInt(file.Size, 10) + " " + string(start[:n]))
}

func (s *schema) subscribe(ctx context.Context, field string) graphql.ResponseHandler {
	if field == "late" {
		time.Sleep(200 * time.Millisecond)
	}
	s.listening.Add(1)
	context.AfterFunc(ctx, func() { s.listening.Add(-1) })
	if field == "refused" {
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{{Message: "refused", Extensions: map[string]any{"code": "FORBIDDEN"}}}})
	}
	said := 0
	return func(ctx context.Context) *graphql.Response {
		said++
		switch {
		case field == "panics":
			panic("in a resolver")
		case field == "silence", field == "late":
			<-ctx.Done()
			return nil
		case field == "breaks" && said == 2:
			transport.End(ctx, &gqlerror.Error{Message: "too slow", Extensions: map[string]any{"code": "RATE_LIMITED"}})
			return nil
		case said == 4:
			return nil
		}
		return &graphql.Response{Data: json.RawMessage(`{"` + field + `":"<` + strconv.Itoa(said) + `>"}`)}
	}
}

func newServer(t *testing.T) (*httptest.Server, *executor.Executor, *schema) {
	t.Helper()
	s := newSchema()
	exec := executor.New(s)
	server := httptest.NewServer(transport.Handler(exec, transport.Config{
		TraceID: func(context.Context) string { return "trace-1" },
	}))
	t.Cleanup(server.Close)
	return server, exec, s
}

// request sends one request to a handler, without a network.
func request(h http.Handler, method, target, accept, contentType, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
