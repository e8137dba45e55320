package resolve

import (
	"context"
	"fmt"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/read"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) Node(ctx context.Context, id string) (model.Node, error) {
	parsed := model.ParseGlobalID(id)
	at := r.viewOf(ctx, parsed)
	if hasViews, isRead := r.Read.HasViews(parsed.Type); isRead {
		if o := (&model.Object{Type: parsed.Type, ID: parsed.Row, At: at}); parsed.View == nil || hasViews && model.ViewID(o.Type, o.ID, at) == id {
			return o, nil
		}
		return nil, nil // an id that nobody was given
	}
	of, ok := nodes[parsed.Type]
	if !ok || parsed.View != nil {
		return nil, nil
	}
	return of(read.WithDefaultView(ctx, at), r.Resolver, parsed.Row)
}

// viewOf returns the view that an id names; for a plain id, the default of the request.
func (r *Resolver) viewOf(ctx context.Context, id model.ParsedID) history.AsOf {
	if id.View == nil {
		return r.Read.AsOf(ctx, nil, nil)
	}
	return r.Read.AsOf(ctx, &id.View.Day, id.View.Known.At())
}

// maxNodes bounds the ids of one request.
const maxNodes = 100

func (r queryResolver) Nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	if len(ids) > maxNodes {
		return nil, problem.Invalid(problem.OutOfRange, fmt.Sprintf("must not hold more than %d ids", maxNodes), "ids")
	}
	list := make([]model.Node, len(ids))
	var group errgroup.Group // together, so that the loaders read each other type with one statement
	for i, id := range ids {
		group.Go(func() (err error) {
			list[i], err = r.Node(ctx, id)
			return err
		})
	}
	return list, group.Wait()
}

// nodes are, by type, the functions that read an object of an area other than the agency by
// the key in its global id. They return nil when there is no such object, or it belongs to
// another tenant.
var nodes = map[string]func(ctx context.Context, r *Resolver, id int64) (model.Node, error){
	model.ApplicationNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		if err := NeedsScope(ctx, applicationsScope); err != nil {
			return nil, err
		}
		return node(r.applicationByID(ctx, id))
	},
	model.UserNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.userByID(ctx, id))
	},
	model.RoleNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.roleByID(ctx, id))
	},
	model.ExportNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.exportByID(ctx, id))
	},
	model.ContractVersionNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.contractByRow(ctx, id))
	},
}

// node returns a nil interface for a missing object, and not an interface that holds a
// nil pointer.
func node[T any, P interface {
	*T
	model.Node
}](v P, err error) (model.Node, error) {
	if v == nil || err != nil {
		return nil, err
	}
	return v, nil
}

func (r queryResolver) Service(context.Context) (model.Service, error) {
	return model.Service{Sdl: r.Subgraph()}, nil
}

// Entities answers a gateway. What an object is read as of, its id says; an agent by its code
// is today's.
func (r queryResolver) Entities(ctx context.Context, representations []map[string]any) ([]model.Node, error) {
	ids, codes := make([]string, len(representations)), make([]string, len(representations))
	for i, known := range representations {
		typeName, _ := known["__typename"].(string)
		id, hasID := known["id"].(string)
		code, hasCode := known["agentCode"].(string)
		switch {
		case hasID && model.ParseGlobalID(id).Type == typeName:
			ids[i] = id
		case !hasID && hasCode && typeName == model.AgentType:
			codes[i] = code
		case !hasID:
			return nil, problem.Invalid(problem.Required, "must have __typename and id, or for an Agent agentCode", "representations", strconv.Itoa(i))
		}
	}
	all, err := r.Nodes(ctx, ids)
	if err != nil {
		return nil, err
	}
	agents, err := r.Agency.AgentIDs(ctx, codes)
	for i, code := range codes {
		if id, ok := agents[code]; ok && code != "" {
			all[i] = model.Agent(id, r.Read.AsOf(ctx, nil, nil))
		}
	}
	return all, err
}
