package resolve

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/problem"
)

// applicationsScope is the scope that reading applications needs.
const applicationsScope = "agent-onboarding:applications:read"

// applicationView shows an application; its form is decrypted when the first of
// its fields is asked for.
func (r *Resolver) applicationView(at history.AsOf) func(*onboarding.Application) *model.Application {
	return func(a *onboarding.Application) *model.Application {
		return &model.Application{Application: a, At: at, Form: func(ctx context.Context) (*onboarding.Form, error) {
			return r.Onboarding.Form(ctx, a)
		}}
	}
}

func (r *Resolver) applications(ctx context.Context) *loader.Batch[*onboarding.Application] {
	return loader.Get(ctx, loader.Key{Relation: "application"}, r.Onboarding.Applications)
}

func (r *Resolver) applicationByID(ctx context.Context, id int64) (*model.Application, error) {
	a, err := r.applications(ctx).Load(ctx, id)
	return found(a, err, r.applicationView(r.Read.AsOf(ctx, nil, nil)))
}

// applicationUID returns the id that REST uses, from a global id or from that id itself.
func (r *Resolver) applicationUID(ctx context.Context, id string) (string, error) {
	row := model.GlobalRowOf(model.ApplicationNode, id)
	if row == 0 {
		return id, nil
	}
	a, err := r.applications(ctx).Load(ctx, row)
	if err != nil {
		return "", err
	}
	if a == nil {
		return "", problem.Missing(problem.NotFoundCode, "There is no such application", "id")
	}
	return a.UID, nil
}

// applicationsOf reads the applications that became agents.
func (r *Resolver) applicationsOf(ctx context.Context) *loader.Batch[*onboarding.Application] {
	return loader.Get(ctx, loader.Key{Relation: "applicationOf"}, r.Onboarding.ApplicationsOf)
}

// recruiters reads the ids of the recruiting agents of applications.
func (r *Resolver) recruiters(ctx context.Context) *loader.Batch[int64] {
	return loader.Get(ctx, loader.Key{Relation: "recruiter"}, func(ctx context.Context, ids []int64) (map[int64]int64, error) {
		applications, err := r.applications(ctx).Prime(ctx, ids)
		if err != nil {
			return nil, err
		}
		codes := make([]string, 0, len(ids))
		for id, a := range applications {
			if a == nil { // deleted meanwhile, together with its agent
				delete(applications, id)
				continue
			}
			codes = append(codes, a.RecruiterAgentCode)
		}
		agents, err := r.Agency.AgentIDs(ctx, codes)
		if err != nil {
			return nil, err
		}
		byApplication := make(map[int64]int64, len(ids))
		for id, a := range applications {
			byApplication[id] = agents[a.RecruiterAgentCode]
		}
		return byApplication, nil
	})
}

// recruitsOf is the connection Agent.recruits.
func (r *Resolver) recruitsOf(f onboarding.ApplicationFilter, orderBy []*model.Order, args page.Args) nested[*onboarding.Application] {
	sort := lists.Orders(orderBy)
	return nested[*onboarding.Application]{
		relation: "recruits", args: args, filter: []any{f, sort},
		list: func(ctx context.Context, ids []int64) (listing.List[*onboarding.Application], error) {
			codes, err := r.agentCodes(ctx).Prime(ctx, ids) // no application names an agent that was deleted meanwhile
			if err != nil {
				return listing.List[*onboarding.Application]{}, err
			}
			return r.Onboarding.Recruits(ctx, codes, f, sort)
		},
	}
}

// isPublished reports whether a version of a question or covenant is published now.
// Everything published is read once per request.
func (r *Resolver) isPublished(ctx context.Context, version string) (bool, error) {
	ids, err := loader.Get(ctx, loader.Key{Relation: "publishedVersions"}, r.publishedVersions).Load(ctx, 0)
	return slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, version) }), err
}

// publishedVersions has all versions under the id 0, since an agency publishes one
// configuration.
func (r *Resolver) publishedVersions(ctx context.Context, _ []int64) (map[int64][]string, error) {
	var ids []string
	p, err := r.Onboarding.Published(ctx)
	if err != nil {
		return nil, err
	}
	for _, q := range p.Questions {
		ids = append(ids, q.UID)
	}
	if p.Contract != nil {
		for _, c := range p.Contract.Covenants {
			ids = append(ids, c.UID)
		}
	}
	return map[int64][]string{0: ids}, nil
}

// The relations of applications to published content and to their own history, read for
// many applications at once.

func (r *Resolver) validations(ctx context.Context) *loader.Batch[*onboarding.Validation] {
	return ofApplications(ctx, r, "validation", r.Onboarding.Validate)
}

func (r *Resolver) allowedTransitions(ctx context.Context) *loader.Batch[[]onboarding.Status] {
	return ofApplications(ctx, r, "allowedTransitions", r.Onboarding.AllowedTransitions)
}

func (r *Resolver) statusHistory(ctx context.Context) *loader.Batch[[]*onboarding.StatusChange] {
	return loader.Get(ctx, loader.Key{Relation: "statusHistory"}, r.Onboarding.StatusHistory)
}

// ofApplications loads what a function answers about applications.
func ofApplications[T any](ctx context.Context, r *Resolver, relation string, read func(context.Context, map[int64]*onboarding.Application) (map[int64]T, error)) *loader.Batch[T] {
	return loader.Get(ctx, loader.Key{Relation: relation}, func(ctx context.Context, ids []int64) (map[int64]T, error) {
		applications, err := r.applications(ctx).Prime(ctx, ids)
		if err != nil {
			return nil, err
		}
		return read(ctx, applications)
	})
}
