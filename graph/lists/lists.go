// Package lists says what the connections of the agency list: how the arguments of each
// become a list of the area. graph/convert says what filters mean, and the area how a list
// is read.
package lists

import (
	"context"
	"reflect"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/convert"
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
	filter, order, err := filtered[model.AgentFilter, model.AgentOrder](q)
	if err != nil {
		return none, err
	}
	return q.Agency.AgentList(q.Ctx, convert.AgentFilter(filter), Orders(order), q.At)
}

// Certifications is the list of Query.certifications and of Agent.certifications.
func Certifications(q Request) (none listing.Rows, err error) {
	filter, order, err := filtered[model.CertificationFilter, model.CertificationOrder](q)
	if err != nil {
		return none, err
	}
	return q.Agency.CertificationList(q.Ctx, convert.CertificationFilter(filter), Orders(order), q.At)
}

// Aliases is the list of Query.aliases and of Agent.aliases. The conditions of the latter
// are arguments, and not a filter.
func Aliases(q Request) (none listing.Rows, err error) {
	filter, order, err := filtered[model.AliasFilter, model.AliasOrder](q)
	if err != nil {
		return none, err
	}
	only := convert.AliasFilter(filter)
	if q.OfOwner {
		only = label.AliasFilter{Identifier: q.text("identifier"), ProviderCompany: q.text("providerCompany")}
	}
	return q.Agency.AliasList(q.Ctx, only, Orders(order))
}

// TagAssignments is the list of Query.tagAssignments.
func TagAssignments(q Request) (none listing.Rows, err error) {
	filter, order, err := filtered[model.TagAssignmentFilter, model.TagAssignmentOrder](q)
	if err != nil {
		return none, err
	}
	return q.Agency.TagAssignmentList(q.Ctx, convert.TagAssignmentFilter(filter), Orders(order))
}

// CertificationPeriods is the history of statuses of certifications. Like each history it
// is the list of a field of Query, and of a field of its owner.
func CertificationPeriods(q Request) (listing.Rows, error) {
	return periods(q, convert.CertificationPeriodFilter, certification.PeriodFilter{Known: q.At.Known}, q.Agency.CertificationPeriodList)
}

// PayStatusPeriods is the history of pay statuses of agents.
func PayStatusPeriods(q Request) (listing.Rows, error) {
	return periods(q, convert.PayStatusPeriodFilter, record.PeriodFilter{Known: q.At.Known}, q.Agency.PayStatusPeriods)
}

// W9Periods is the history of W9s of agents.
func W9Periods(q Request) (listing.Rows, error) {
	return periods(q, convert.W9PeriodFilter, record.PeriodFilter{Known: q.At.Known}, q.Agency.W9Periods)
}

// UplinePeriods is the history of uplines of agents in a team.
func UplinePeriods(q Request) (listing.Rows, error) {
	return teamPeriods(q, convert.UplinePeriodFilter, q.Agency.UplinePeriods)
}

// LevelPeriods is the history of levels of agents in a team.
func LevelPeriods(q Request) (listing.Rows, error) {
	return teamPeriods(q, convert.LevelPeriodFilter, q.Agency.LevelPeriods)
}

// teamPeriods is a history in the team that the arguments name.
func teamPeriods[F any](q Request, filter func(*F) record.PeriodFilter, list func(context.Context, int64, record.PeriodFilter, []listing.Order) (listing.Rows, error)) (none listing.Rows, err error) {
	team, err := q.Agency.Team(q.Ctx, *q.text("team"))
	if err != nil {
		return none, err
	}
	return periods(q, filter, record.PeriodFilter{Known: q.At.Known}, func(ctx context.Context, f record.PeriodFilter, orders []listing.Order) (listing.Rows, error) {
		return list(ctx, team, f, orders)
	})
}

// periods is a history: of one owner, or of all as the arguments filter and sort it.
func periods[F, C any](q Request, filter func(*F) C, ofOwner C, list func(context.Context, C, []listing.Order) (listing.Rows, error)) (none listing.Rows, err error) {
	if q.OfOwner {
		return list(q.Ctx, ofOwner, record.ForOneOwner())
	}
	given, order, err := filtered[F, model.PeriodOrder](q)
	if err != nil {
		return none, err
	}
	return list(q.Ctx, filter(given), Orders(order))
}

// filtered returns the arguments filter and orderBy.
func filtered[F, O any](q Request) (filter *F, order []*O, err error) {
	switch v := q.Arguments["filter"].(type) {
	case nil:
	case *F:
		filter = v
	default:
		filter = new(F)
		if err = graphql.UnmarshalInputFromContext(q.Ctx, v, filter); err != nil {
			return nil, nil, err
		}
	}
	switch v := q.Arguments["orderBy"].(type) {
	case nil:
	case []*O:
		order = v
	default:
		for _, one := range graphql.CoerceList(v) {
			order = append(order, new(O))
			if err = graphql.UnmarshalInputFromContext(q.Ctx, one, order[len(order)-1]); err != nil {
				return nil, nil, err
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

// order is a generated sort clause of any list.
type order interface {
	*model.AgentOrder | *model.CertificationOrder | *model.PeriodOrder | *model.AliasOrder | *model.TagAssignmentOrder | *model.ApplicationOrder | *model.UserOrder
}

// Orders are sort clauses as the areas take them. The generated clauses have the same
// fields and no type in common.
func Orders[O order](list []O) []listing.Order {
	converted := make([]listing.Order, len(list))
	for i, o := range list {
		clause := reflect.ValueOf(o).Elem()
		converted[i] = listing.Order{
			Field: clause.FieldByName("Field").String(),
			Desc:  clause.FieldByName("Direction").String() == string(model.OrderDirectionDesc),
		}
	}
	return converted
}
