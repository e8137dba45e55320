package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/listing"
	"github.com/uplinehq/upline/internal/page"
)

// primeDepth bounds how far a list looks ahead; what is deeper is left to the
// loaders.
const primeDepth = 6

// ahead walks the selection below a list and reads each relation that is asked
// for with one statement per level.
type ahead struct {
	r  *Resolver
	op *graphql.OperationContext
	at history.AsOf
}

// primeAgents looks ahead below a field whose selection, after the path of
// names given, is one of agents.
func (r *Resolver) primeAgents(ctx context.Context, agents []*agency.Agent, at history.AsOf, paths ...[]string) error {
	if len(agents) == 0 {
		return nil
	}
	a := ahead{r: r, op: graphql.GetOperationContext(ctx), at: at}
	selections := []ast.SelectionSet{graphql.GetFieldContext(ctx).Field.Selections}
	if len(paths) > 0 {
		selections = a.below(selections[0], paths...)
	}
	for _, s := range selections {
		if err := a.agents(ctx, s, agents, primeDepth); err != nil {
			return err
		}
	}
	return nil
}

// inConnection are the two ways to the rows of a connection.
var inConnection = [][]string{{"nodes"}, {"edges", "node"}}

// asksFor reports whether any of the paths below the current field is selected.
func (r *Resolver) asksFor(ctx context.Context, paths ...[]string) bool {
	a := ahead{r: r, op: graphql.GetOperationContext(ctx)}
	return len(a.below(graphql.GetFieldContext(ctx).Field.Selections, paths...)) > 0
}

// below returns the selections reached by any of the paths.
func (a ahead) below(s ast.SelectionSet, paths ...[]string) (reached []ast.SelectionSet) {
	for _, path := range paths {
		level := []ast.SelectionSet{s}
		for _, name := range path {
			var next []ast.SelectionSet
			for _, sel := range level {
				for _, f := range graphql.CollectFields(a.op, sel, nil) {
					if f.Name == name {
						next = append(next, f.Selections)
					}
				}
			}
			level = next
		}
		reached = append(reached, level...)
	}
	return reached
}

func (a ahead) agents(ctx context.Context, s ast.SelectionSet, agents []*agency.Agent, depth int) error {
	if depth == 0 || len(agents) == 0 {
		return nil
	}
	ids, byID := make([]int64, len(agents)), make(map[int64]*agency.Agent, len(agents))
	for i, agent := range agents {
		ids[i], byID[agent.ID] = agent.ID, agent
	}
	a.r.agents(ctx).Put(byID) // rows below them belong to them
	for _, f := range graphql.CollectFields(a.op, s, agentTypes) {
		if err := a.relation(ctx, f, ids, depth); err != nil {
			return err
		}
	}
	return nil
}

// relation primes one field of agents.
func (a ahead) relation(ctx context.Context, f graphql.CollectedField, ids []int64, depth int) (err error) {
	switch f.Name {
	case "payStatus", "isActive":
		_, err = a.r.payStatuses(ctx, a.at).Prime(ctx, ids)
	case "homeAddress", "businessAddress":
		_, err = a.r.addresses(ctx).Prime(ctx, ids)
	case "cellPhone", "homePhone", "businessPhone", "fax":
		_, err = a.r.phones(ctx).Prime(ctx, ids)
	case "payee":
		err = a.payee(ctx, f, ids, depth)
	case "w9Periods":
		if args, ok := a.onlyFirst(f); ok {
			_, err = a.r.w9PeriodsOf(a.at, args).pages(ctx).Prime(ctx, ids)
		}
	case "upline":
		err = a.uplines(ctx, f, []ast.SelectionSet{f.Selections}, ids, depth)
	case "membership":
		err = a.membership(ctx, f, ids, depth)
	case "certifications":
		err = a.certifications(ctx, f, ids)
	case "aliases":
		err = a.aliases(ctx, f, ids)
	case "tags":
		err = a.tags(ctx, f, ids)
	case "uplineChain":
		err = a.chains(ctx, f, ids, depth)
	case "downline", "downlineTree", "downlineSummary":
		err = a.downlines(ctx, f, ids, depth)
	}
	return err
}

func (a ahead) team(ctx context.Context, f graphql.CollectedField) (int64, error) {
	name, _ := f.ArgumentMap(a.op.Variables)["team"].(string)
	return a.r.Agency.Team(ctx, name)
}

// uplines primes the direct uplines and then what is asked for of them.
func (a ahead) uplines(ctx context.Context, f graphql.CollectedField, below []ast.SelectionSet, ids []int64, depth int) error {
	team, err := a.team(ctx, f)
	if err != nil {
		return nil // the field itself tells
	}
	found, err := a.r.uplines(ctx, team, a.at).Prime(ctx, ids)
	if err != nil {
		return err
	}
	agents := distinct(found)
	for _, s := range below {
		if err := a.agents(ctx, s, present(agents), depth-1); err != nil {
			return err
		}
	}
	return nil
}

func distinct(found map[int64]*agency.UplineOn) map[int64]*agency.Agent {
	agents := make(map[int64]*agency.Agent, len(found))
	for _, u := range found {
		if u != nil && u.Upline != nil {
			agents[u.Upline.ID] = u.Upline
		}
	}
	return agents
}

// present returns the agents that were found.
func present(byID map[int64]*agency.Agent) []*agency.Agent {
	agents := make([]*agency.Agent, 0, len(byID))
	for _, a := range byID {
		if a != nil {
			agents = append(agents, a)
		}
	}
	return agents
}

func (a ahead) membership(ctx context.Context, f graphql.CollectedField, ids []int64, depth int) error {
	team, err := a.team(ctx, f)
	if err != nil {
		return nil
	}
	for _, sub := range graphql.CollectFields(a.op, f.Selections, nil) {
		switch sub.Name {
		case "directUpline":
			err = a.uplines(ctx, f, []ast.SelectionSet{sub.Selections}, ids, depth)
		case "uplineSince", "directUplineCode":
			_, err = a.r.uplines(ctx, team, a.at).Prime(ctx, ids)
		case "level", "levelSince":
			_, err = a.r.levels(ctx, team, a.at).Prime(ctx, ids)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// certifications primes the connection of each agent. With a filter, a sort or
// a cursor it is left to the loader, which reads the siblings together too.
func (a ahead) certifications(ctx context.Context, f graphql.CollectedField, ids []int64) error {
	args, ok := a.onlyFirst(f)
	if !ok {
		return nil
	}
	return prime(ctx, a.r.certificationsOf(a.at, agency.CertificationFilter{}, nil, args).pages(ctx), ids)
}

// counts reports whether the rows of a connection are counted.
func (a ahead) counts(f graphql.CollectedField) bool {
	return len(a.below(f.Selections, []string{"totalCount"})) > 0
}

// onlyFirst is onlyFirst of a connection, with whether its rows are counted.
func (a ahead) onlyFirst(f graphql.CollectedField) (args page.Args, ok bool) {
	args, ok = onlyFirst(f, a.op.Variables)
	args.Counted = a.counts(f)
	return args, ok
}

// onlyFirst returns the paging arguments of a connection that has no argument
// but first.
func onlyFirst(f graphql.CollectedField, variables map[string]any) (args page.Args, ok bool) {
	for name, value := range f.ArgumentMap(variables) {
		if value == nil {
			continue
		}
		n, err := graphql.UnmarshalInt(value)
		if name != "first" || err != nil {
			return page.Args{}, false
		}
		args.First = &n
	}
	return args, true
}

// certificationsOf is the connection Agent.certifications.
func (r *Resolver) certificationsOf(at history.AsOf, f agency.CertificationFilter, orders []listing.Order, args page.Args) nested[*agency.Certification] {
	return nested[*agency.Certification]{
		relation: "certifications", at: at, args: args, filter: []any{f, orders},
		list: func(ctx context.Context) (listing.List[*agency.Certification], error) {
			return r.Agency.CertificationList(ctx, f, orders, at)
		},
	}
}

// chains primes the upline chains and then what is asked for of their agents.
func (a ahead) chains(ctx context.Context, f graphql.CollectedField, ids []int64, depth int) error {
	team, err := a.team(ctx, f)
	if err != nil {
		return nil
	}
	maxLevel, err := optionalInt(f.ArgumentMap(a.op.Variables)["maxLevel"])
	if err != nil {
		return nil
	}
	chains, err := a.r.chains(ctx, team, a.at, maxLevel).Prime(ctx, ids)
	if err != nil {
		return err
	}
	var above []int64
	for _, chain := range chains {
		for _, link := range chain {
			above = append(above, link.AgentID)
		}
	}
	byID, err := a.r.agents(ctx).Prime(ctx, above)
	if err != nil {
		return err
	}
	for _, s := range a.below(f.Selections, []string{"agent"}) {
		if err := a.agents(ctx, s, present(byID), depth-1); err != nil {
			return err
		}
	}
	return nil
}

func optionalInt(v any) (*int, error) {
	if v == nil {
		return nil, nil
	}
	n, err := graphql.UnmarshalInt(v)
	return &n, err
}

// certifications are read by id for their periods.
func (r *Resolver) certifications(ctx context.Context, at history.AsOf) *loader.Batch[*agency.Certification] {
	return loader.Get(ctx, loader.Key{Relation: "certification", AsOf: at}, func(ctx context.Context, ids []int64) (map[int64]*agency.Certification, error) {
		return r.Agency.Certifications(ctx, ids, at)
	})
}

// agentsOf returns the rows of agent views.
func agentsOf(views []*model.Agent) []*agency.Agent {
	rows := make([]*agency.Agent, len(views))
	for i, v := range views {
		rows[i] = v.Agent
	}
	return rows
}
