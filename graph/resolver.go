package graph

import (
	"context"
	"log/slog"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
)

// Resolver holds what resolvers call.
type Resolver struct {
	Store     *store.Store
	Clock     clock.Clock
	Agency    *agency.Service
	Hierarchy *hierarchy.Service
	Log       *slog.Logger
}

type (
	queryResolver               struct{ *Resolver }
	mutationResolver            struct{ *Resolver }
	addressResolver             struct{ *Resolver }
	agentResolver               struct{ *Resolver }
	payStatusPeriodResolver     struct{ *Resolver }
	certificationResolver       struct{ *Resolver }
	certificationPeriodResolver struct{ *Resolver }
	downlineSummaryResolver     struct{ *Resolver }
	levelPeriodResolver         struct{ *Resolver }
	teamResolver                struct{ *Resolver }
	teamMembershipResolver      struct{ *Resolver }
	uplinePeriodResolver        struct{ *Resolver }
)

// Query and its siblings implement generated.ResolverRoot.
func (r *Resolver) Query() generated.QueryResolver       { return queryResolver{r} }
func (r *Resolver) Mutation() generated.MutationResolver { return mutationResolver{r} }
func (r *Resolver) Address() generated.AddressResolver   { return addressResolver{r} }
func (r *Resolver) Agent() generated.AgentResolver       { return agentResolver{r} }
func (r *Resolver) PayStatusPeriod() generated.PayStatusPeriodResolver {
	return payStatusPeriodResolver{r}
}
func (r *Resolver) Certification() generated.CertificationResolver { return certificationResolver{r} }
func (r *Resolver) CertificationPeriod() generated.CertificationPeriodResolver {
	return certificationPeriodResolver{r}
}
func (r *Resolver) DownlineSummary() generated.DownlineSummaryResolver {
	return downlineSummaryResolver{r}
}
func (r *Resolver) LevelPeriod() generated.LevelPeriodResolver { return levelPeriodResolver{r} }
func (r *Resolver) Team() generated.TeamResolver               { return teamResolver{r} }
func (r *Resolver) TeamMembership() generated.TeamMembershipResolver {
	return teamMembershipResolver{r}
}
func (r *Resolver) UplinePeriod() generated.UplinePeriodResolver { return uplinePeriodResolver{r} }

// asOf is the day a root field reads: its argument, or the request's default,
// or today in the tenant's zone. What is below inherits it through its view.
func (r *Resolver) asOf(ctx context.Context, onDate *date.Date) date.Date {
	if onDate != nil {
		return *onDate
	}
	if d, ok := defaultDate(ctx); ok {
		return d
	}
	return r.today(ctx)
}

func (r *Resolver) today(ctx context.Context) date.Date {
	return clock.Today(r.Clock, tenant.From(ctx).Zone)
}

func pageArgs(first *int, after *string, last *int, before *string, offset *int) page.Args {
	return page.Args{First: first, After: after, Last: last, Before: before, Offset: offset}
}

// order is a sort clause of any list, as generated.
type order interface {
	*model.AgentOrder | *model.CertificationOrder | *model.PeriodOrder
}

func orders[O order](list []O) []agency.Order {
	converted := make([]agency.Order, len(list))
	for i, o := range list {
		switch o := any(o).(type) {
		case *model.AgentOrder:
			converted[i] = agency.Order{Field: string(o.Field), Desc: o.Direction == model.OrderDirectionDesc}
		case *model.CertificationOrder:
			converted[i] = agency.Order{Field: string(o.Field), Desc: o.Direction == model.OrderDirectionDesc}
		case *model.PeriodOrder:
			converted[i] = agency.Order{Field: string(o.Field), Desc: o.Direction == model.OrderDirectionDesc}
		}
	}
	return converted
}

// initiator of a deletion: the argument, or the token's subject (api: "DELETE
// takes the initiator as ?initiator= or the token's subject").
func initiator(ctx context.Context, given *string) string {
	if given != nil && *given != "" {
		return *given
	}
	c, _ := tenant.CallerFrom(ctx)
	return c.Subject
}

// onlyKey reports whether nothing but an object's key is asked for: there is
// then nothing to read.
func onlyKey(ctx context.Context, key string) bool {
	for _, s := range graphql.GetFieldContext(ctx).Field.Selections {
		f, ok := s.(*ast.Field)
		if !ok || (f.Name != key && f.Name != "__typename") {
			return false
		}
	}
	return true
}

// mask shows the last four characters of a sensitive value.
func mask(s *vault.Secret) *string {
	masked := vault.MaskIdentifier(s.Reveal())
	return &masked
}
