// Package graph is the GraphQL door, and its executor is the only way to the areas: REST
// runs stored operations on the same executable schema, so directives, limits, loaders
// and errors are in one place.
package graph

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Server runs operations on the schema. It is built once and used by both
// doors.
type Server struct {
	// exec parses operations and runs subscriptions, executor queries and mutations.
	exec     *executor.Executor
	executor generated.Executor
	schema   *ast.Schema
	read     *read.Engine
	identity *identity.Service
	clock    clock.Clock
	// documents finds the texts of requests, and refuses those that a client may not bring.
	documents persisted
	uses      *uses
	// enumerations are the values that fields of enumeration types can have.
	enumerations enumerations
	store        *store.Store
	trail        *audit.Trail
	log          *slog.Logger
	traceID      func(context.Context) string
	begin        func(ctx context.Context, name string) (context.Context, func())
	outage       func(context.Context, error) *problem.Error
	// within is how long an operation may take, and each event of a subscription.
	within time.Duration
}

// Config are the settings of the server.
type Config struct {
	Resolver *resolve.Resolver
	Log      *slog.Logger
	// TraceID returns the trace id of a request's context.
	TraceID func(context.Context) string
	// Begin, if any, is told the name of each operation that runs; it returns the
	// function to call when the operation ends.
	Begin func(ctx context.Context, name string) (context.Context, func())
	// Charge takes the cost of operations from the budgets of callers. If it is nil,
	// there are no budgets.
	Charge func(ctx context.Context, points int64) *limits.Budget
	// Outage returns what to tell a client about a field that failed because the database
	// is away: code UNAVAILABLE and retryAfter. It returns nil for any other error. If it
	// is nil, every error is a fault.
	Outage func(context.Context, error) *problem.Error
}

// cachedDocuments is the number of parsed and validated documents kept.
const cachedDocuments = 1000

// importTimeout bounds the time of an operation that imports a file, once the file has
// been received.
const importTimeout = time.Minute

// New returns the server.
func New(c Config) *Server {
	executable := generated.NewExecutor(generated.Config{
		Resolvers:  c.Resolver,
		Directives: generated.DirectiveRoot{HasScope: resolve.HasScope},
	}, read.Memory)
	s := &Server{exec: executor.New(executable), executor: executable, schema: Schema(), enumerations: enumerationsOf(Schema()), store: c.Resolver.Store, trail: c.Resolver.Audit, log: c.Log, traceID: c.TraceID, begin: c.Begin, outage: c.Outage, within: limits.OperationTimeout}
	of := c.Resolver
	s.identity, s.clock, s.uses = of.Identity, of.Clock, &uses{counts: map[used]int64{}}
	s.read = read.New(read.Sources{Store: of.Store, Clock: of.Clock, Vault: of.Vault, Agency: of.Agency, Hierarchy: of.Hierarchy, Elsewhere: executable.Agent})
	of.Read, of.Schema, of.Subgraph = s.read, s.schema, Subgraph
	if s.outage == nil {
		s.outage = func(context.Context, error) *problem.Error { return nil }
	}
	if c.Resolver.Recipes != nil {
		c.Resolver.Recipes.Queries = s
	}
	if s.begin == nil {
		s.begin = func(ctx context.Context, _ string) (context.Context, func()) { return ctx, func() {} }
	}
	s.exec.SetQueryCache(newDocuments())
	s.exec.SetParserTokenLimit(limits.MaxTokens)
	s.exec.SetErrorPresenter(s.present)
	s.exec.SetRecoverFunc(s.recovered)
	s.exec.Use(introspection{})
	var documents Documents
	if s.identity != nil {
		documents = s.identity
	}
	s.documents = newPersisted(documents, c.Log, s.present)
	s.exec.Use(s.documents)
	s.exec.Use(limits.New(limits.Config{Enforce: true, PageSizes: PageSizes, Charge: charge(c.Charge)}))
	s.exec.AroundFields(s.aroundField)
	return s
}

// Schema returns the schema, for validating stored operations.
func (s *Server) Schema() *ast.Schema { return s.schema }

// Handler serves GraphQL over HTTP. The context of its requests holds the
// tenant and the caller, unless their token follows (transport.TokenFollows).
func (s *Server) Handler(c transport.Config) http.Handler {
	c.TraceID = s.traceID
	next := transport.Handler(s, c)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := withDefaultDate(r)
		if err != nil {
			transport.Refuse(w, r, c, "the header As-Of-Date "+err.Error())
			return
		}
		if ctx != r.Context() {
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// withOrigin returns a context that says which door a request came through, for the audit
// trail. The MCP door, which runs operations of the other two, has said so already.
func (s *Server) withOrigin(ctx context.Context, surface audit.Surface) context.Context {
	if audit.OriginFrom(ctx).Surface == audit.MCP {
		surface = audit.MCP
	}
	return audit.WithOrigin(ctx, audit.Origin{Surface: surface, TraceID: s.traceID(ctx)})
}

// CreateOperationContext implements graphql.GraphExecutor.
func (s *Server) CreateOperationContext(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	op, errs := s.exec.CreateOperationContext(ctx, params)
	if op.Operation == nil {
		return op, errs
	}
	// This check names the allowed values, and all errors at once, which the library's
	// does not. If it finds nothing, the library's errors count.
	wrong := append(variableErrors(s.schema, op.Operation, params.Variables), literalErrors(params.Query, op.Operation)...)
	if len(wrong) > 0 {
		return op, wrong
	}
	if errs == nil {
		errs = s.searchedMasked(ctx, op)
	}
	if errs == nil && s.identity != nil {
		s.uses.note(ctx, op.Operation, s.clock.Now())
	}
	return op, errs
}

// DispatchOperation implements graphql.GraphExecutor.
func (s *Server) DispatchOperation(ctx context.Context, opCtx *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	if opCtx.Operation.Operation == ast.Subscription {
		return s.dispatchSubscription(s.withOrigin(ctx, audit.GraphQL), opCtx)
	}
	ctx, end := s.begin(ctx, operationName(opCtx.Operation))
	return func(ctx context.Context) *graphql.Response {
		defer end()
		return s.inTime(ctx, opCtx)
	}, ctx
}

// operationName is the name of an operation, or else the name of its first field.
func operationName(o *ast.OperationDefinition) string {
	if o.Name != "" {
		return o.Name[:min(len(o.Name), maxOperationName)]
	}
	for _, selection := range o.SelectionSet {
		if f, ok := selection.(*ast.Field); ok {
			return string(o.Operation) + " " + f.Name
		}
	}
	return string(o.Operation)
}

// maxOperationName bounds how much of a client's text is logged.
const maxOperationName = 80

// dispatchSubscription runs a subscription. Each response reads afresh, since what an
// earlier one read may have changed, and has its own audit entry.
func (s *Server) dispatchSubscription(ctx context.Context, opCtx *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	respond, ctx := s.exec.DispatchOperation(loader.NewContext(ctx), opCtx)
	return func(ctx context.Context) *graphql.Response {
		ctx, shown := sensitive.NewContext(loader.NewContext(ctx))
		return s.eventInTime(func(ctx context.Context) *graphql.Response { return s.audited(ctx, respond(ctx), shown) })(ctx)
	}, ctx
}

// DispatchError implements graphql.GraphExecutor.
func (s *Server) DispatchError(ctx context.Context, list gqlerror.List) *graphql.Response {
	return s.exec.DispatchError(ctx, list)
}

// Execute runs a stored operation in process, for REST.
func (s *Server) Execute(ctx context.Context, query, operationName string, variables map[string]any) *graphql.Response {
	ctx = graphql.StartOperationTrace(s.withOrigin(ctx, audit.REST))
	opCtx, errs := s.CreateOperationContext(ctx, paramsOf(query, operationName, variables))
	return s.answer(ctx, opCtx, errs)
}

func paramsOf(query, operationName string, variables map[string]any) *graphql.RawParams {
	now := graphql.Now()
	return &graphql.RawParams{Query: query, OperationName: operationName, Variables: variables,
		ReadTime: graphql.TraceTiming{Start: now, End: now}}
}

// answer runs an operation that could be parsed, or else answers what is wrong with it.
func (s *Server) answer(ctx context.Context, opCtx *graphql.OperationContext, errs gqlerror.List) *graphql.Response {
	if errs != nil {
		return s.DispatchError(graphql.WithOperationContext(ctx, opCtx), errs)
	}
	respond, ctx := s.DispatchOperation(ctx, opCtx)
	return respond(ctx)
}

// Release takes the data of an answer back once it was sent.
func (s *Server) Release(data []byte) { read.Release(data) }

// charge returns a function that charges all operations but those that nobody pays for.
func charge(from func(context.Context, int64) *limits.Budget) func(context.Context, int64) *limits.Budget {
	if from == nil {
		return nil
	}
	return func(ctx context.Context, points int64) *limits.Budget {
		if ctx.Value(unchargedKey{}) != nil {
			return nil
		}
		return from(ctx, points)
	}
}

// PageSizes returns the default and the largest page size of the tenant, or of an export;
// the cost of a list depends on them.
func PageSizes(ctx context.Context) (usual, most int) {
	t := tenant.From(ctx)
	return t.DefaultPageSize, page.Most(ctx, t.MaxPageSize)
}

// introspection turns introspection on: every request has a token.
type introspection struct{}

func (introspection) ExtensionName() string                   { return "Introspection" }
func (introspection) Validate(graphql.ExecutableSchema) error { return nil }
func (introspection) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	op.DisableIntrospection = false
	return nil
}

// documents keeps parsed documents.
type documents struct {
	*lru.Cache[string, *ast.QueryDocument]
}

func newDocuments() documents {
	cache, err := lru.New[string, *ast.QueryDocument](cachedDocuments)
	if err != nil {
		panic(err) // only for a size below one
	}
	return documents{cache}
}

func (d documents) Get(_ context.Context, key string) (*ast.QueryDocument, bool) {
	return d.Cache.Get(key)
}
func (d documents) Add(_ context.Context, key string, doc *ast.QueryDocument) { d.Cache.Add(key, doc) }

// withDefaultDate reads the header As-Of-Date, which the playground's slider sets: the
// default of onDate for the whole request.
func withDefaultDate(r *http.Request) (context.Context, error) {
	text := r.Header.Get("As-Of-Date")
	if text == "" {
		return r.Context(), nil
	}
	d, err := date.Parse(text)
	return read.WithDefaultView(r.Context(), read.Asked(d)), err
}
