package graph

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/encode"
	"github.com/uplinehq/upline/graph/model"
)

// encoding keeps the compiled encoders of the fields of cached documents.
type encoding struct {
	types       *encoders
	agents      compiled[*model.Agent]
	connections compiled[*model.AgentConnection]
	downlines   compiled[*model.DownlineConnection]
	connection  encode.Type[*model.AgentConnection]
	edge        encode.Type[model.AgentEdge]
}

func newEncoding(r *Resolver) *encoding {
	e := &encoding{types: newEncoders(r), agents: newCompiled[*model.Agent](), connections: newCompiled[*model.AgentConnection](),
		downlines: newCompiled[*model.DownlineConnection]()}
	e.edge = encode.Type[model.AgentEdge]{Names: []string{"AgentEdge"}, Fields: map[string]encode.Compile[model.AgentEdge]{
		"cursor": encode.Text(model.AgentEdge.Cursor),
		"node":   encode.Object(&e.types.agent, func(e model.AgentEdge) *model.Agent { return e.Node }),
	}}
	e.connection = encode.Type[*model.AgentConnection]{Names: []string{"AgentConnection"}, Fields: map[string]encode.Compile[*model.AgentConnection]{
		"nodes":      encode.List(&e.types.agent, func(c *model.AgentConnection) []*model.Agent { return c.Nodes }),
		"edges":      encode.List(&e.edge, func(c *model.AgentConnection) []model.AgentEdge { return c.Edges() }),
		"pageInfo":   encode.Object(&e.types.pageInfo, func(c *model.AgentConnection) *model.PageInfo { return c.PageInfo() }),
		"totalCount": encode.Int(func(c *model.AgentConnection) int64 { return int64(c.TotalCount) }),
	}}
	return e
}

// readAhead are the fields whose resolvers read everything below them that an
// encoder needs.
var readAhead = map[[2]string]bool{
	{"Query", "agent"}: true, {"Query", "agents"}: true, {"Team", "roots"}: true, {"Agent", "downline"}: true,
}

// encode answers a field with the bytes of a compiled encoder where there is
// one. Whatever an encoder cannot do, errors included, is left to the generated
// executor.
func (e *encoding) encode(ctx context.Context, fc *graphql.FieldContext, res any) any {
	if !readAhead[[2]string{fc.Object, fc.Field.Name}] {
		return res
	}
	var (
		b  []byte
		ok bool
	)
	switch v := res.(type) {
	case *model.Agent:
		if v != nil {
			b, ok = run(ctx, fc.Field, e.agents, &e.types.agent, v)
		}
	case *model.AgentConnection:
		if v != nil {
			b, ok = run(ctx, fc.Field, e.connections, &e.connection, v)
		}
	case *model.DownlineConnection:
		if v != nil {
			b, ok = run(ctx, fc.Field, e.downlines, &e.types.downlines, v)
		}
	}
	if !ok {
		return res
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(b) })
}

// compiled are encoders by field of a cached document; nil for a selection
// that does not compile.
type compiled[V any] struct {
	*lru.Cache[*ast.Field, *encode.Encoder[V]]
}

// compiledFields bounds each kind of encoder that is kept.
const compiledFields = 2000

func newCompiled[V any]() compiled[V] {
	cache, err := lru.New[*ast.Field, *encode.Encoder[V]](compiledFields)
	if err != nil {
		panic(err) // only for a size below one
	}
	return compiled[V]{cache}
}

func run[V any](ctx context.Context, f graphql.CollectedField, kept compiled[V], t *encode.Type[V], v V) ([]byte, bool) {
	if len(f.Selections) != len(f.SelectionSet) { // merged with a field of the same name
		return nil, false
	}
	encoder, ok := kept.Get(f.Field)
	if !ok {
		encoder = encode.New(t, f.SelectionSet)
		kept.Add(f.Field, encoder)
	}
	if encoder == nil {
		return nil, false
	}
	b, err := encoder.JSON(ctx, graphql.GetOperationContext(ctx).Variables, v)
	return b, err == nil
}
