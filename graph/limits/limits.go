// Package limits bounds what one GraphQL operation may ask for.
//
// Limits on the shape of the document (depth, aliases, root fields, fields,
// directives) are always enforced, with GRAPHQL_VALIDATION_FAILED. They count
// the operation with its fragments spread out, whatever @skip and @include
// say, so they hold for every set of variables.
//
// The cost is Σ field weight × requested page sizes, and what offsets and lists of
// values have the database read. See weights for what a
// field weighs, and plan for how pages multiply. It depends on the variables:
// a skipped field costs nothing, and a page costs what it asks for. With
// Config.Enforce, as the server has it, operations over the maximum are refused
// with COST_LIMIT_EXCEEDED. Every response of a valid operation carries it as
// extensions.cost.
package limits

import (
	"context"
	"fmt"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/problem"
)

// OperationTimeout bounds an operation, through whichever door it came, and each event
// of a subscription.
const OperationTimeout = 10 * time.Second

// The limits of one operation.
const (
	// MaxTokens is how many tokens a document may have. The parser enforces
	// it: pass it to executor.SetParserTokenLimit.
	MaxTokens = 2000
	// MaxDepth is how many fields may be nested in one another.
	MaxDepth = 10
	// MaxIntrospectionDepth replaces MaxDepth below __schema and __type: the
	// introspection query of GraphiQL nests 15 fields.
	MaxIntrospectionDepth = 20
	// MaxAliases is how many fields may have an alias.
	MaxAliases = 30
	// MaxRootFields is how many fields the operation itself may select.
	MaxRootFields = 20
	// MaxFields is how many fields may be selected on all levels together.
	MaxFields = 500
	// MaxDirectives is how many directives may be used.
	MaxDirectives = 50
	// MaxCost is in points.
	MaxCost = 5_000
	// MaxNodes is how many objects an answer may have room for, those that
	// weigh nothing included.
	MaxNodes = 50_000
)

// CodeCost is the extensions.code of an operation that costs too much.
const CodeCost = "COST_LIMIT_EXCEEDED"

// cachedOperations is how many operations have their numbers kept. It is the
// order of the parsed documents that a server keeps.
const cachedOperations = 1000

// Config are the settings of the limits.
type Config struct {
	// Enforce refuses operations over MaxCost or MaxNodes. Without it, their
	// cost is only reported.
	Enforce bool
	// PageSizes returns the rows of a page whose size the operation does not give, and
	// the most rows that a page may have. Both are those of the tenant in the context
	// ("default and maximum set per tenant; typically 50, never more than 100",
	// specification, Limits). Without it they are 50 and 100.
	PageSizes func(context.Context) (usual, most int)
	// Charge takes the cost of an operation from the budget of the caller in the context;
	// it returns nil for a caller without a budget. Without it nobody has a budget.
	Charge func(ctx context.Context, points int64) *Budget
}

// Budget is what a caller may spend on operations, and whether it paid for one.
type Budget struct {
	// Limit is how many points the budget holds at most, Remaining how many it holds.
	Limit, Remaining int64
	// RestoreRate is how many points flow back in a second.
	RestoreRate float64
	// RetryAfter is 0 if the operation was charged. Otherwise too little was left, and it
	// is the number of seconds until there is enough.
	RetryAfter int
}

// Cost is what an operation costs, in points. It is extensions.cost of the
// response to a request that asks for it: with cost: true in its own extensions.
type Cost struct {
	// Requested is the cost by the requested page sizes.
	Requested int64 `json:"requested"`
	// Actual is what was charged: Requested if the operation ran, 0 if it was refused.
	// Pages that came back shorter cost no less.
	Actual int64 `json:"actual"`
	// Maximum is MaxCost.
	Maximum int64 `json:"maximum"`
	*Throttle
}

// Throttle is the state of the caller's budget, for a caller that has one.
type Throttle struct {
	// Limit, Remaining and RestoreRate are as in Budget.
	Limit       int64   `json:"limit"`
	Remaining   int64   `json:"remaining"`
	RestoreRate float64 `json:"restoreRate"`
}

// Extension is the gqlgen extension that applies the limits. Make it with New.
type Extension struct {
	config  Config
	weights weights
	// numbers holds what does not depend on variables, by parsed operation. The cache
	// keeps its keys alive, so no address is reused.
	numbers *lru.Cache[*ast.OperationDefinition, *numbers]
}

// numbers is what is known of an operation before its variables are.
type numbers struct {
	// refusal is the limit that the shape exceeds; nil if it exceeds none.
	refusal *excess
	plan    *program
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = (*Extension)(nil)

// New returns the extension for executor.Use.
func New(config Config) *Extension {
	if config.PageSizes == nil {
		config.PageSizes = func(context.Context) (int, int) { return 50, 100 }
	}
	numbers, err := lru.New[*ast.OperationDefinition, *numbers](cachedOperations)
	if err != nil {
		panic(err) // only for a size below one
	}
	return &Extension{config: config, numbers: numbers}
}

// extensionName is also the key of Cost in the statistics and the response.
const extensionName = "cost"

// ExtensionName implements graphql.HandlerExtension.
func (*Extension) ExtensionName() string { return extensionName }

// Validate implements graphql.HandlerExtension: it reads the weights of the
// schema's fields, once.
func (x *Extension) Validate(schema graphql.ExecutableSchema) error {
	w, err := readWeights(schema.Schema())
	x.weights = w
	return err
}

// MutateOperationContext implements graphql.OperationContextMutator: it
// measures an operation and refuses it when it exceeds a limit.
func (x *Extension) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	n := x.of(op)
	if n.refusal != nil {
		return n.refusal.err(errcode.ValidationFailed)
	}
	usual, most := x.config.PageSizes(ctx)
	total := n.plan.total(op.Variables, usual, most)
	cost := &Cost{Requested: total.points, Actual: total.points, Maximum: MaxCost}
	op.Stats.SetExtension(extensionName, cost)
	if !x.config.Enforce {
		return nil
	}
	over := exceeded(
		excess{"cost", total.points, MaxCost},
		excess{"nodes", total.nodes, MaxNodes},
	)
	if over != nil {
		cost.Actual = 0
		return over.err(CodeCost)
	}
	return x.charge(ctx, cost)
}

type uncharged struct{}

// WithoutCharge returns a context for operations that are measured but not run, and so
// are not charged.
func WithoutCharge(ctx context.Context) context.Context {
	return context.WithValue(ctx, uncharged{}, true)
}

// charge takes the cost from the caller's budget. An operation that costs nothing is
// charged one point.
func (x *Extension) charge(ctx context.Context, cost *Cost) *gqlerror.Error {
	if x.config.Charge == nil || ctx.Value(uncharged{}) != nil {
		return nil
	}
	b := x.config.Charge(ctx, max(1, cost.Requested))
	if b == nil {
		return nil
	}
	cost.Throttle = &Throttle{Limit: b.Limit, Remaining: b.Remaining, RestoreRate: b.RestoreRate}
	if b.RetryAfter == 0 {
		return nil
	}
	cost.Actual = 0
	refused := problem.Refused(429,
		fmt.Sprintf("the operation costs %d points and %d are left of the budget; try again in %d seconds", cost.Requested, b.Remaining, b.RetryAfter))
	refused.RetryAfter = b.RetryAfter
	return refusal.Error(refused)
}

func (x *Extension) of(op *graphql.OperationContext) *numbers {
	if n, ok := x.numbers.Get(op.Operation); ok {
		return n
	}
	n := &numbers{refusal: measure(op.Doc, op.Operation).over()}
	if n.refusal == nil {
		n.plan = compile(op.Doc, op.Operation, x.weights)
	}
	x.numbers.Add(op.Operation, n)
	return n
}

// InterceptResponse implements graphql.ResponseInterceptor: it adds the cost
// to the response where the request asks for it.
func (*Extension) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if graphql.HasOperationContext(ctx) {
		for name, cost := range Reported(graphql.GetOperationContext(ctx)) {
			graphql.RegisterExtension(ctx, name, cost)
		}
	}
	return next(ctx)
}

// Reported are the extensions of the response to an operation: its cost, where the request
// asks for it.
func Reported(op *graphql.OperationContext) map[string]any {
	if cost, ok := Of(op); ok && Reports(op) {
		return map[string]any{extensionName: cost}
	}
	return nil
}

// Reports reports whether a request asks to be told the cost of its operation.
func Reports(op *graphql.OperationContext) bool { return op.Extensions[extensionName] == true }

// Of returns the cost of an operation; ok is false when it was refused before
// it had one.
func Of(op *graphql.OperationContext) (cost Cost, ok bool) {
	c, ok := op.Stats.GetExtension(extensionName).(*Cost)
	if !ok {
		return Cost{}, false
	}
	return *c, true
}

// Shape refuses an operation whose document alone exceeds a limit, whatever the
// variables; it returns nil if none is exceeded. Its time is linear in the length of the
// document. So code that walks a document with its fragments spread out calls Shape
// first.
func Shape(doc *ast.QueryDocument, operation *ast.OperationDefinition) *gqlerror.Error {
	if over := measure(doc, operation).over(); over != nil {
		return over.err(errcode.ValidationFailed)
	}
	return nil
}

// excess is a limit, and how much an operation asks for.
type excess struct {
	limit              string
	requested, maximum int64
}

// exceeded returns the first limit that is exceeded, nil if none is.
func exceeded(list ...excess) *excess {
	for _, e := range list {
		if e.requested > e.maximum {
			over := e // only then does it go to the heap
			return &over
		}
	}
	return nil
}

func (e *excess) err(code string) *gqlerror.Error {
	refused := problem.Refused(400, fmt.Sprintf("the operation exceeds the limit %s of %d with %d", e.limit, e.maximum, e.requested))
	refused.Code = problem.Code(code)
	err := refusal.Error(refused)
	err.Extensions["limit"], err.Extensions["maximum"], err.Extensions["requested"] = e.limit, e.maximum, e.requested
	return err
}
