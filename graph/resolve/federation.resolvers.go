package resolve

import (
	"context"
	"strconv"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/problem"
)

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
