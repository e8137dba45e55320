// Package lists says what the connections of the agency list: how the arguments of each
// become a list of the area, which says how it is read.
package lists

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
)

// Request asks for the rows of a connection.
type Request struct {
	Agency *agency.Service
	Ctx    context.Context
	At     history.AsOf
	// OfOwner is true for the list of an object, and false for the list of a root field.
	OfOwner bool
	// Arguments are those of the field, as the executor has read them or as they were
	// sent.
	Arguments map[string]any
}

// List returns the rows that a connection asks for. There is one for each connection of
// the agency.
type List func(q Request) (listing.Rows, error)

// Agents is the list of Query.agents.
func Agents(q Request) (none listing.Rows, err error) {
	filter, order, err := filtered[agency.AgentFilter](q)
	if err != nil {
		return none, err
	}
	return q.Agency.AgentList(q.Ctx, filter, Orders(order), q.At)
}

// Certifications is the list of Query.certifications and of Agent.certifications.
func Certifications(q Request) (none listing.Rows, err error) {
	filter, order, err := filtered[certification.Filter](q)
	if err != nil {
		return none, err
	}
	return q.Agency.CertificationList(q.Ctx, filter, Orders(order), q.At)
}

// Aliases is the list of Query.aliases and of Agent.aliases. The conditions of the latter
// are arguments, and not a filter.
func Aliases(q Request) (none listing.Rows, err error) {
	filter, order, err := filtered[label.AliasFilter](q)
	if err != nil {
		return none, err
	}
	if q.OfOwner {
		filter = label.AliasFilter{Identifier: q.text("identifier"), ProviderCompany: q.text("providerCompany")}
	}
	return q.Agency.AliasList(q.Ctx, filter, Orders(order))
}

// TagAssignments is the list of Query.tagAssignments.
func TagAssignments(q Request) (none listing.Rows, err error) {
	filter, order, err := filtered[label.TagAssignmentFilter](q)
	if err != nil {
		return none, err
	}
	return q.Agency.TagAssignmentList(q.Ctx, filter, Orders(order))
}

// CertificationPeriods is the history of statuses of certifications. Like each history it
// is the list of a field of Query, and of a field of its owner.
func CertificationPeriods(q Request) (listing.Rows, error) {
	return periods(q, certification.PeriodFilter{Known: q.At.Known}, q.Agency.CertificationPeriodList)
}

// Periods returns the list of the periods of a relation of agents, in the team that the
// arguments name if the relation is in one.
func Periods(r *history.Relation) List {
	return func(q Request) (none listing.Rows, err error) {
		var team int64
		if r.OfTeam {
			if team, err = q.Agency.Team(q.Ctx, *q.text("team")); err != nil {
				return none, err
			}
		}
		return periods(q, record.PeriodFilter{Known: q.At.Known}, func(ctx context.Context, f record.PeriodFilter, orders []listing.Order) (listing.Rows, error) {
			return q.Agency.PeriodList(ctx, r, team, f, orders)
		})
	}
}

// periods is a history: of one owner, or of all as the arguments filter and sort it.
func periods[F any](q Request, ofOwner F, list func(context.Context, F, []listing.Order) (listing.Rows, error)) (none listing.Rows, err error) {
	if q.OfOwner {
		return list(q.Ctx, ofOwner, record.ForOneOwner())
	}
	filter, order, err := filtered[F](q)
	if err != nil {
		return none, err
	}
	return list(q.Ctx, filter, Orders(order))
}

// filtered returns the arguments filter and orderBy.
func filtered[F any](q Request) (filter F, order []*model.Order, err error) {
	switch v := q.Arguments["filter"].(type) {
	case nil:
	case *F:
		if v != nil {
			filter = *v
		}
	default:
		if err = graphql.UnmarshalInputFromContext(q.Ctx, v, &filter); err != nil {
			return filter, nil, err
		}
	}
	switch v := q.Arguments["orderBy"].(type) {
	case nil:
	case []*model.Order:
		order = v
	default:
		for _, one := range graphql.CoerceList(v) {
			order = append(order, new(model.Order))
			if err = graphql.UnmarshalInputFromContext(q.Ctx, one, order[len(order)-1]); err != nil {
				return filter, nil, err
			}
		}
	}
	return filter, order, nil
}

// text returns an argument that is a text; nil if it is not given.
func (q Request) text(name string) *string {
	switch v := q.Arguments[name].(type) {
	case string:
		return &v
	case *string:
		return v
	}
	return nil
}

// Orders are sort clauses as the areas take them.
func Orders(list []*model.Order) []listing.Order {
	converted := make([]listing.Order, len(list))
	for i, o := range list {
		converted[i] = listing.Order{Field: o.Field, Desc: o.Direction == model.OrderDirectionDesc}
	}
	return converted
}
