package resolve

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/problem"
)

func (r queryResolver) Node(ctx context.Context, id string) (model.Node, error) {
	parsed := model.ParseGlobalID(id)
	read, ok := nodes[parsed.Type]
	if !ok {
		return nil, nil
	}
	n, err := read(WithDefaultView(ctx, r.viewOf(ctx, parsed)), r.Resolver, parsed.Row)
	if n == nil || err != nil || parsed.View == nil {
		return n, err
	}
	if shown, ok := n.(interface{ GlobalID() string }); !ok || shown.GlobalID() != id { // an id that nobody was given
		return nil, nil
	}
	return n, nil
}

// viewOf returns the view that an id names; for a plain id, the default of the request.
func (r *Resolver) viewOf(ctx context.Context, id model.ParsedID) history.AsOf {
	if id.View == nil {
		return r.AsOf(ctx, nil, nil)
	}
	return r.AsOf(ctx, &id.View.Day, id.View.Known.At())
}

// maxNodes bounds the ids of one request.
const maxNodes = 100

func (r queryResolver) Nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	if len(ids) > maxNodes {
		return nil, problem.Invalid(problem.OutOfRange, fmt.Sprintf("must not hold more than %d ids", maxNodes), "ids")
	}
	if err := r.primeNodes(ctx, ids); err != nil {
		return nil, err
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

// primeNodes reads the agents and certifications among global ids.
func (r *Resolver) primeNodes(ctx context.Context, ids []string) error {
	var agents []int64
	certifications := map[history.AsOf][]int64{}
	for _, id := range ids {
		switch parsed := model.ParseGlobalID(id); parsed.Type {
		case model.AgentType:
			agents = append(agents, parsed.Row)
		case model.CertificationNode:
			at := r.viewOf(ctx, parsed)
			certifications[at] = append(certifications[at], parsed.Row)
		}
	}
	if _, err := r.agents(ctx).Prime(ctx, agents); err != nil {
		return err
	}
	for at, rows := range certifications {
		if _, err := r.certifications(ctx, at).Prime(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

// nodes are, by type, the functions that read an object by the key in its global id. They
// return nil when there is no such object, or it belongs to another tenant.
var nodes = map[string]func(ctx context.Context, r *Resolver, id int64) (model.Node, error){
	model.AgentType: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		a, err := r.agents(ctx).Load(ctx, id)
		return node(model.NewAgent(a, r.AsOf(ctx, nil, nil)), err)
	},
	model.CertificationNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		at := r.AsOf(ctx, nil, nil)
		c, err := r.certifications(ctx, at).Load(ctx, id)
		return node(found(c, err, convert.CertificationView(at)))
	},
	model.CertificationPeriodNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.certificationPeriodByID(ctx, id))
	},
	model.PayStatusPeriodNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.payStatusPeriodByID(ctx, id))
	},
	model.W9PeriodNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.w9PeriodByID(ctx, id))
	},
	model.ApplicationNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		if err := NeedsScope(ctx, applicationsScope); err != nil {
			return nil, err
		}
		return node(r.applicationByID(ctx, id))
	},
	model.AliasNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.alias(ctx, id))
	},
	model.TagNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.tag(ctx, func(t *reference.Tag) bool { return t.ID == id }))
	},
	model.UserNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.userByID(ctx, id))
	},
	model.RoleNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.roleByID(ctx, id))
	},
	model.UplinePeriodNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.uplinePeriodByID(ctx, record.DefaultTeam, id))
	},
	model.LevelPeriodNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return node(r.levelPeriodByID(ctx, record.DefaultTeam, id))
	},
	model.TeamNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return ofDefaultTeam(ctx, r, id, func(team int64) (model.Node, error) {
			return &model.Team{ID: team, Name: record.DefaultTeam, At: r.AsOf(ctx, nil, nil)}, nil
		})
	},
	model.HierarchyBuildNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		return ofDefaultTeam(ctx, r, id, func(int64) (model.Node, error) { return node(r.Build(ctx, record.DefaultTeam)) })
	},
	model.CertificationTypeNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		t, err := lookup(ctx, "certificationTypes", 0, r.Agency.CertificationTypes, func(t *reference.CertificationType) bool { return t.ID == id })
		return node(found(t, err, convert.CertificationTypeView))
	},
	model.JurisdictionNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		j, err := lookup(ctx, "jurisdictions", 0, r.Agency.Jurisdictions, func(j *reference.Jurisdiction) bool { return j.ID == id })
		return node(found(j, err, convert.JurisdictionView))
	},
	model.PayStatusNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		s, err := lookup(ctx, "payStatuses", 0, r.Agency.PayStatuses, func(s *reference.PayStatus) bool { return s.ID == id })
		return node(found(s, err, convert.PayStatusView))
	},
	model.AgentLevelNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		team, err := r.Agency.Team(ctx, record.DefaultTeam)
		if err != nil {
			return nil, err
		}
		read := func(ctx context.Context) ([]*reference.AgentLevel, error) { return r.Agency.AgentLevels(ctx, team) }
		l, err := lookup(ctx, "agentLevels", team, read, func(l *reference.AgentLevel) bool { return l.ID == id })
		return node(found(l, err, convert.AgentLevelView(record.DefaultTeam)))
	},
	model.ProviderCompanyNode: func(ctx context.Context, r *Resolver, id int64) (model.Node, error) {
		p, err := lookup(ctx, "providerCompanies", 0, r.Agency.ProviderCompanies, func(p *reference.ProviderCompany) bool { return p.ID == id })
		return node(found(p, err, convert.ProviderCompanyView))
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

// ofDefaultTeam reads something that belongs to the only team; nil for the id of another
// tenant's team.
func ofDefaultTeam(ctx context.Context, r *Resolver, id int64, read func(team int64) (model.Node, error)) (model.Node, error) {
	team, err := r.Agency.Team(ctx, record.DefaultTeam)
	if err != nil || team != id {
		return nil, err
	}
	return read(team)
}
