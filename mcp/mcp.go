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
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/rest"
)

// Config are the settings of the door. The context of its requests holds the tenant and
// the caller.
type Config struct {
	// Tools are the stored operations.
	Tools []rest.Tool
	// Query runs a GraphQL query; it refuses any other operation.
	Query func(ctx context.Context, document, operationName string, variables map[string]any) rest.Answer
	// SDL is the schema for which queries are written.
	SDL string
	// Panicked is called with a panic of a tool, of which the client learns nothing.
	Panicked func(ctx context.Context, value any)
}

// SchemaURI is the resource that holds the schema.
const SchemaURI = "upline://schema.graphql"

const instructions = "An insurance agency as one dated graph: agents, who is above whom (uplines), certifications, pay statuses, W9s. " +
	"Any day of it can be read, as it is known now or as it was known at an earlier instant. " +
	"Tools whose names begin with preview say what a change would do. Those that make a change are there only for a token with the scope mcp:write: " +
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
	})
	scopes := map[string][]string{}
	for _, t := range c.Tools {
		scopes[t.Name] = t.Scopes
		hints := readOnly()
		if t.Writes() {
			hints.ReadOnlyHint, hints.IdempotentHint, hints.DestructiveHint = false, t.Repeatable(), new(!t.Adds())
		}
		addTool(server, &sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Input, Annotations: hints}, t.Call)
	}
	c.addQueries(server)
	server.AddResource(&sdk.Resource{URI: SchemaURI, Name: "schema", Title: "The GraphQL schema", MIMEType: "application/graphql", Size: int64(len(c.SDL)),
		Description: "The schema that the tool graphql runs queries on, with descriptions."},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: SchemaURI, MIMEType: "application/graphql", Text: c.SDL}}}, nil
		})
	server.AddReceivingMiddleware(c.asAsked, grantedOnly(scopes))
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: rest.DefaultMaxBody,
		// This protection is for servers without tokens, against pages of other origins.
		// Here each request has a token, and a proxy in front may name another host.
		DisableLocalhostProtection: true,
	})
	return single(protocol)
}

// readOnly are the hints about a tool that reads. No tool reaches beyond the agency.
func readOnly() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}
}

// addTool adds a tool. Its answer is a text; a refusal is an answer, too, from which the
// assistant can learn.
func addTool(server *sdk.Server, tool *sdk.Tool, call func(context.Context, json.RawMessage) rest.Answer) {
	server.AddTool(tool, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer := call(ctx, r.Params.Arguments)
		content := []sdk.Content{&sdk.TextContent{Text: string(answer.Body)}}
		if len(answer.Notes) > 0 {
			content = append(content, &sdk.TextContent{Text: strings.Join(answer.Notes, "\n")})
		}
		return &sdk.CallToolResult{Content: content, IsError: answer.Failed}, nil
	})
}

// askedKey is the key of the HTTP request's context.
type askedKey struct{}

// single refuses several messages in one request, which older versions of the protocol
// allow: each request is admitted and counted as one.
func single(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bufio.NewReader(r.Body)
		if first, err := firstByte(body); err == nil && first == '[' {
			rest.Refuse(w, problem.Refused(http.StatusBadRequest, "Send one message in a request: batches are not served"), "")
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), askedKey{}, r.Context()))
		r.Body = struct {
			io.Reader
			io.Closer
		}{body, r.Body}
		next.ServeHTTP(w, r)
	})
}

// firstByte returns the first byte that is not white space, and leaves it unread.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil || b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, errors.Join(err, r.UnreadByte())
		}
	}
}

// errFault is what a client learns about a panic.
var errFault = errors.New("the server could not answer")

// asAsked runs a call so that it ends when its client leaves, and a panic does not end
// the process. (The SDK runs it in a context and a goroutine of its own.)
func (c Config) asAsked(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if asked, ok := ctx.Value(askedKey{}).(context.Context); ok {
			defer context.AfterFunc(asked, cancel)()
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

// grantedOnly lists only the tools that the caller's scopes allow. It is a courtesy: the
// tools themselves refuse other callers.
func grantedOnly(scopes map[string][]string) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			result, err := next(ctx, method, r)
			if list, ok := result.(*sdk.ListToolsResult); ok && err == nil {
				caller, _ := tenant.CallerFrom(ctx)
				list.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *sdk.Tool) bool {
					return slices.ContainsFunc(scopes[t.Name], func(scope string) bool { return !caller.HasScope(scope) })
				})
			}
			return result, err
		}
	}
}
