package graph

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/encode"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
)

func (e *encoders) downlineFields() map[string]encode.Compile[*model.DownlineConnection] {
	type view = *model.DownlineConnection
	return map[string]encode.Compile[view]{
		"nodes":      encode.List(&e.agent, func(c view) []*model.Agent { return c.Nodes }),
		"edges":      encode.List(&e.downlineEdge, view.Edges),
		"pageInfo":   encode.Object(&e.pageInfo, func(c view) *model.PageInfo { return c.PageInfo() }),
		"totalCount": encode.Int(func(c view) int { return c.TotalCount }),
	}
}

// downlineEdgeFields are without path, which is read when it is asked for.
func (e *encoders) downlineEdgeFields() map[string]encode.Compile[model.DownlineEdge] {
	type view = model.DownlineEdge
	return map[string]encode.Compile[view]{
		"cursor": encode.Text(func(d view) string { return d.Cursor() }),
		"level":  encode.Int(func(d view) int { return d.Level }),
		"node":   encode.Object(&e.agent, func(d view) *model.Agent { return d.Node }),
	}
}

// downline writes what the look-ahead has read (ahead.downline).
func (e *encoders) downline(c *encode.Compiler, f *ast.Field) encode.Append[*model.Agent] {
	slot := c.Slot()
	object := e.downlines.Compile(c, f.SelectionSet)
	if object == nil {
		return nil
	}
	return func(b []byte, a *model.Agent, r *encode.Run) []byte {
		below := encode.Once(r, slot, func() downlineRead {
			look := ahead{r: e.r, op: graphql.GetOperationContext(r.Ctx), at: a.At}
			read, err := look.downlineOf(r.Ctx, graphql.CollectedField{Field: f, Selections: f.SelectionSet})
			if err != nil {
				r.Fail(err)
			}
			return read
		})
		if below.pages == nil {
			return encode.Null(b)
		}
		agents := e.r.agents(r.Ctx)
		found := func(id int64) *agency.Agent { return read(r, agents, id) }
		return object(b, e.r.downlineConnection(below.view, read(r, below.pages, a.ID), a.At, found), r)
	}
}
