// Package mcp serves the Model Context Protocol, through which an assistant uses the
// graph of a tenant with the rights of its token and no others.
//
// The package does little itself. A tool is a stored operation of REST, or a GraphQL
// query that the assistant writes; both run on the executable schema, with the same
// admission and refusals as at their own doors. So only the schema decides what can be
// reached. The protocol is implemented by its SDK. Every request stands alone: there are
// no sessions and no streams, so any process can answer.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest"
)

// Query runs a GraphQL query; it refuses any other operation.
type Query func(ctx context.Context, document, operationName string, variables map[string]any) rest.Answer

// Config are the settings of the door. The context of its requests holds the tenant and
// the caller.
type Config struct {
	// Tools are the stored operations.
	Tools []rest.Tool
	// Query runs a query of ours, FreeQuery one that the assistant wrote, which its client may
	// not be allowed to bring.
	Query, FreeQuery Query
	// SDL is the schema for which queries are written.
	SDL string
	// Panicked is called with a panic of a tool, of which the client learns nothing.
	Panicked func(ctx context.Context, value any)
}

// SchemaURI is the resource that holds the schema.
const SchemaURI = "upline://schema.graphql"

const instructions = "An insurance agency as one dated graph: agents, who is above whom (uplines), certifications, pay statuses, W9s. " +
	"Any day of it can be read, as it is known now or as it was known at an earlier instant. " +
	"The tools that are listed read; more are listed at this address with ?" + purposesParameter + "=, such as ?" + purposesParameter + "=agency-management," + rest.Changes + ". " +
	"Those whose names begin with preview say what a change would do. Those that make a change are there only for a token with the scope mcp:write: " +
	"try first what can be tried, ask the person before, and give an idempotencyKey where there is one. " +
	"Tax ids and bank details are shown masked, and cannot be given. A list comes in pages; totalCount says how many rows there are. " +
	"insightQueries lists the curated queries that insight runs. What no tool answers, graphql does, for the schema " + SchemaURI + "."

// New returns the handler.
func New(c Config) http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "upline", Title: "Upline", Version: "1"}, &sdk.ServerOptions{
		Instructions: instructions,
		// The list of tools never changes while the server runs, so nobody needs to
		// listen for changes.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		SetCacheable: cached,
	})
	for _, t := range c.Tools {
		hints := readOnly()
		if t.Writes() {
			hints.ReadOnlyHint, hints.IdempotentHint, hints.DestructiveHint = false, t.Repeatable(), new(!t.Adds())
		}
		addTool(server, &sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Input, OutputSchema: schemaOf(t.Output), Annotations: hints}, t.Call)
	}
	c.addQueries(server)
	server.AddResource(&sdk.Resource{URI: SchemaURI, Name: "schema", Title: "The GraphQL schema", MIMEType: "application/graphql", Size: int64(len(c.SDL)),
		Description: "The schema that the tool graphql runs queries on, with descriptions."},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: SchemaURI, MIMEType: "application/graphql", Text: c.SDL}}}, nil
		})
	server.AddReceivingMiddleware(c.asAsked, offered(c.Tools))
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
		// This protection is for servers without tokens, against pages of other origins.
		// Here each request has a token, and a proxy in front may name another host.
		DisableLocalhostProtection: true,
	})
	return read(protocol)
}

// readOnly are the hints about a tool that reads. No tool reaches beyond the agency.
func readOnly() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}
}

// schemaOf returns a schema as the SDK takes it: nil for none.
func schemaOf(schema json.RawMessage) any {
	if schema == nil {
		return nil
	}
	return schema
}

// addTool adds a tool. Its answer is a text and, where the tool has a schema for it, the
// same as JSON. A refusal is an answer, too, from which the assistant can learn.
func addTool(server *sdk.Server, tool *sdk.Tool, call func(context.Context, json.RawMessage) rest.Answer) {
	server.AddTool(tool, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer := call(ctx, r.Params.Arguments)
		content := []sdk.Content{&sdk.TextContent{Text: string(answer.Body)}}
		if len(answer.Notes) > 0 {
			content = append(content, &sdk.TextContent{Text: strings.Join(answer.Notes, "\n")})
		}
		result := &sdk.CallToolResult{Content: content, IsError: answer.Failed}
		if tool.OutputSchema != nil && !answer.Failed {
			result.StructuredContent = json.RawMessage(answer.Body)
		}
		return result, nil
	})
}

// askedKey is the key of what a request asks for.
type askedKey struct{}

// asked is what a request asks for besides its message.
type asked struct {
	// ctx is the context of the HTTP request; the SDK runs a call in another.
	ctx context.Context
	// purposes are those of the tools to list.
	purposes []string
}

// purposesParameter is the parameter of the address that says for what an assistant wants
// tools, such as ?tools=changes,agent-onboarding.
const purposesParameter = "tools"

// purposesOf returns the purposes of the tools that a request lists.
func purposesOf(r *http.Request) ([]string, error) {
	given := r.URL.Query()[purposesParameter]
	if len(given) == 0 {
		return rest.DefaultPurposes, nil
	}
	purposes, known := strings.Split(strings.Join(given, ","), ","), rest.Purposes()
	for _, purpose := range purposes {
		if !slices.Contains(known, purpose) {
			return nil, errors.New("The parameter " + purposesParameter + " takes, separated by commas: " + strings.Join(known, ", "))
		}
	}
	return purposes, nil
}

// read hands on the messages that are of JSON-RPC.
func read(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		purposes, err := purposesOf(r)
		if err != nil {
			refused(w, http.StatusBadRequest, nil, jsonrpc.CodeInvalidRequest, err.Error())
			return
		}
		answer := &answer{ResponseWriter: w, status: http.StatusOK}
		if r.Method == http.MethodPost {
			m, body, err := readMessage(w, r)
			if err != nil {
				refuseForm(w, m, err)
				return
			}
			answer.message, r.Body = m, io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), askedKey{}, asked{r.Context(), purposes})))
		answer.head()
	})
}

// errFault is what a client learns about a panic.
var errFault = errors.New("the server could not answer")

// asAsked runs a call so that it ends when its client leaves, and a panic does not end
// the process. (The SDK runs it in a context and a goroutine of its own.)
func (c Config) asAsked(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if asked, ok := ctx.Value(askedKey{}).(asked); ok {
			defer context.AfterFunc(asked.ctx, cancel)()
		}
		defer func() {
			if value := recover(); value != nil {
				c.Panicked(ctx, value)
				result, err = nil, errFault
			}
		}()
		return next(ctx, method, r)
	}
}

// offered lists only the tools that the caller's scopes allow and that it wants. It is a
// courtesy: the tools themselves refuse other callers.
func offered(tools []rest.Tool) sdk.Middleware {
	known := map[string]rest.Tool{}
	for _, t := range tools {
		known[t.Name] = t
	}
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			result, err := next(ctx, method, r)
			if list, ok := result.(*sdk.ListToolsResult); ok && err == nil {
				caller, _ := tenant.CallerFrom(ctx)
				asked, _ := ctx.Value(askedKey{}).(asked)
				list.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(listed *sdk.Tool) bool {
					t, isOperation := known[listed.Name]
					return isOperation && (!slices.Contains(asked.purposes, t.Purpose) ||
						slices.ContainsFunc(t.Scopes, func(scope string) bool { return !caller.HasScope(scope) }))
				})
			}
			return result, err
		}
	}
}

// cached says who may keep a list: the tools depend on the caller, all else is the same
// for everyone.
func cached(_ context.Context, r sdk.Request, c *sdk.Cacheable) {
	if _, ok := r.(*sdk.ListToolsRequest); ok {
		c.CacheScope = "private"
	}
}
