package resolve

import (
	"context"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
)

// The relations of agents that are read for many agents at once.

func (r *Resolver) agents(ctx context.Context) *loader.Batch[*agency.Agent] {
	return loader.Get(ctx, loader.Key{Relation: "agent"}, r.Agency.Agents)
}

// agent returns the view of an agent by id. Unless the agent was read ahead it is left
// unread, so that a plan reads no more of it than its selection asks for.
func (r *Resolver) agent(ctx context.Context, id int64, at history.AsOf) (*model.Agent, error) {
	if a, ok := r.agents(ctx).Primed(id); ok {
		return model.NewAgent(a, at), nil
	}
	return &model.Agent{Agent: &agency.Agent{ID: id}, At: at, Unread: true}, nil
}

// ReadAgent reads the agent that a field has left unread, if no plan has answered the
// field. Any other value it returns as it is.
func (r *Resolver) ReadAgent(ctx context.Context, value any) (any, error) {
	unread, ok := value.(*model.Agent)
	if !ok || unread == nil || !unread.Unread {
		return value, nil
	}
	a, err := r.agents(ctx).Load(ctx, unread.ID)
	return model.NewAgent(a, unread.At), err
}

func (r *Resolver) addresses(ctx context.Context) *loader.Batch[map[agency.AddressKind]*agency.Address] {
	return loader.Get(ctx, loader.Key{Relation: "address"}, r.Agency.Addresses)
}

func (r *Resolver) phones(ctx context.Context) *loader.Batch[map[agency.PhoneKind]*agency.Phone] {
	return loader.Get(ctx, loader.Key{Relation: "phone"}, r.Agency.Phones)
}

// nested is a connection below each of several parents: the same page of each parent's
// list.
type nested[R any] struct {
	relation string
	at       history.AsOf
	args     page.Args
	// what else the answer depends on
	filter any
	list   func(ctx context.Context) (listing.List[R], error)
	// listOf takes the place of list if the list depends on its owner.
	listOf func(ctx context.Context, owners []int64) (listing.List[R], error)
}

func (n nested[R]) of(ctx context.Context, owners []int64) (listing.List[R], error) {
	if n.listOf != nil {
		return n.listOf(ctx, owners)
	}
	return n.list(ctx)
}

func (n nested[R]) key() loader.Key {
	k := loader.Key{Relation: n.relation, AsOf: n.at}
	if encoded, err := json.Marshal([]any{n.args, n.filter}); err == nil {
		k.Args = string(encoded)
	}
	return k
}

func (n nested[R]) pages(ctx context.Context) *loader.Batch[page.Page[R]] {
	return loader.Get(ctx, n.key(), func(ctx context.Context, ids []int64) (map[int64]page.Page[R], error) {
		l, err := n.of(ctx, ids)
		if err != nil {
			return nil, err
		}
		return l.Pages(ctx, ids, n.args)
	})
}

// connection returns the connection of one parent.
func connection[R, T any](ctx context.Context, n nested[R], owner int64, view func(R) *T) (*model.Connection[T], error) {
	p, err := n.pages(ctx).Load(ctx, owner)
	if err != nil {
		return nil, err
	}
	c := model.Connect(p, view)
	return &c, nil
}

// connectionOfAll answers a root field by its list.
func connectionOfAll[R, T any](ctx context.Context, r *Resolver, list lists.List[R], at history.AsOf, view func(R) *T) (*model.Connection[T], error) {
	l, err := list(lists.Request{Agency: r.Agency, Ctx: ctx, At: at, Arguments: graphql.GetFieldContext(ctx).Args})
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, l, view)
}

// connectionOf answers a field of one object by its list, together with the field of the
// object's siblings.
func connectionOf[R, T any](ctx context.Context, r *Resolver, list lists.List[R], owner int64, at history.AsOf, view func(R) *T) (*model.Connection[T], error) {
	field := graphql.GetFieldContext(ctx)
	n := nested[R]{relation: field.Object + "." + field.Field.Name, at: at, args: paging(ctx), filter: field.Args,
		list: func(ctx context.Context) (listing.List[R], error) {
			return list(lists.Request{Agency: r.Agency, Ctx: ctx, At: at, OfOwner: true, Arguments: field.Args})
		}}
	return connection(ctx, n, owner, view)
}

// paging says which page of the connection that is resolved is asked for. The rows are
// counted, together with the page, only if totalCount is asked for.
func paging(ctx context.Context) page.Args {
	args := graphql.GetFieldContext(ctx).Args
	number := func(name string) *int { n, _ := args[name].(*int); return n }
	text := func(name string) *string { s, _ := args[name].(*string); return s }
	return page.Args{First: number("first"), After: text("after"), Last: number("last"), Before: text("before"), Offset: number("offset"), Counted: selects(ctx, "totalCount")}
}

// listConnection returns the connection of a list that has no parent.
func listConnection[R, T any](ctx context.Context, l listing.List[R], view func(R) *T) (*model.Connection[T], error) {
	p, err := l.Page(ctx, paging(ctx))
	if err != nil {
		return nil, err
	}
	c := model.Connect(p, view)
	return &c, nil
}

// Reference data is small, so each kind is read as a whole, once per request.

func lookup[T any](ctx context.Context, relation string, teamID int64, read func(ctx context.Context) ([]T, error), is func(T) bool) (found T, err error) {
	all, err := loader.All(ctx, loader.Key{Relation: relation, TeamID: teamID}, read)
	for _, one := range all {
		if is(one) {
			return one, err
		}
	}
	return found, err
}

func (r *Resolver) payStatus(ctx context.Context, name string) (*model.PayStatus, error) {
	if onlyKey(ctx, "name") {
		return &model.PayStatus{PayStatus: &reference.PayStatus{Name: name}}, nil
	}
	s, err := lookup(ctx, "payStatuses", 0, r.Agency.PayStatuses, func(s *reference.PayStatus) bool { return s.Name == name })
	return found(s, err, func(s *reference.PayStatus) *model.PayStatus { return &model.PayStatus{PayStatus: s} })
}

func (r *Resolver) jurisdiction(ctx context.Context, code *string) (*model.Jurisdiction, error) {
	if code == nil {
		return nil, nil
	}
	if onlyKey(ctx, "code") {
		return &model.Jurisdiction{Jurisdiction: &reference.Jurisdiction{Code: *code}}, nil
	}
	j, err := lookup(ctx, "jurisdictions", 0, r.Agency.Jurisdictions, func(j *reference.Jurisdiction) bool { return j.Code == *code })
	return found(j, err, func(j *reference.Jurisdiction) *model.Jurisdiction { return &model.Jurisdiction{Jurisdiction: j} })
}

func (r *Resolver) certificationType(ctx context.Context, code string) (*model.CertificationType, error) {
	if onlyKey(ctx, "code") {
		return &model.CertificationType{CertificationType: &reference.CertificationType{Code: code}}, nil
	}
	t, err := lookup(ctx, "certificationTypes", 0, r.Agency.CertificationTypes, func(t *reference.CertificationType) bool { return t.Code == code })
	return found(t, err, func(t *reference.CertificationType) *model.CertificationType {
		return &model.CertificationType{CertificationType: t}
	})
}

func (r *Resolver) providerCompany(ctx context.Context, code *string) (*model.ProviderCompany, error) {
	if code == nil {
		return nil, nil
	}
	if onlyKey(ctx, "code") {
		return &model.ProviderCompany{ProviderCompany: &reference.ProviderCompany{Code: *code}}, nil
	}
	p, err := lookup(ctx, "providerCompanies", 0, r.Agency.ProviderCompanies, func(p *reference.ProviderCompany) bool { return p.Code == *code })
	return found(p, err, func(p *reference.ProviderCompany) *model.ProviderCompany {
		return &model.ProviderCompany{ProviderCompany: p}
	})
}

func (r *Resolver) agentLevel(ctx context.Context, team string, value int) (*model.AgentLevel, error) {
	if onlyKey(ctx, "value") {
		return &model.AgentLevel{AgentLevel: &reference.AgentLevel{Value: value}, Team: team}, nil
	}
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) ([]*reference.AgentLevel, error) { return r.Agency.AgentLevels(ctx, teamID) }
	l, err := lookup(ctx, "agentLevels", teamID, read, func(l *reference.AgentLevel) bool { return l.Value == value })
	return found(l, err, func(l *reference.AgentLevel) *model.AgentLevel { return &model.AgentLevel{AgentLevel: l, Team: team} })
}

// certifications reads the certifications of periods, by id.
func (r *Resolver) certifications(ctx context.Context, at history.AsOf) *loader.Batch[*certification.Certification] {
	return loader.Get(ctx, loader.Key{Relation: "certification", AsOf: at}, func(ctx context.Context, ids []int64) (map[int64]*certification.Certification, error) {
		return r.Agency.Certifications(ctx, ids, at)
	})
}

// found returns the view of a record, nil for none.
func found[R, T any](row *R, err error, view func(*R) *T) (*T, error) {
	if row == nil || err != nil {
		return nil, err
	}
	return view(row), nil
}

// views returns the view of each record of a list.
func views[R, T any](rows []*R, view func(*R) *T) []*T {
	shown := make([]*T, len(rows))
	for i, row := range rows {
		shown[i] = view(row)
	}
	return shown
}

// Rows of histories by id, for mutations and for node.

// periodByID reads a row of a history by id, together with others asked for at
// the same time.
func periodByID[P interface{ RowID() int64 }](ctx context.Context, relation string, id int64, list func(context.Context, record.PeriodFilter) (listing.List[P], error)) (P, error) {
	return loader.Get(ctx, loader.Key{Relation: relation}, func(ctx context.Context, ids []int64) (map[int64]P, error) {
		l, err := list(ctx, record.PeriodFilter{}.ByID(ids...))
		if err != nil {
			return nil, err
		}
		return listing.ByID(ctx, l)
	}).Load(ctx, id)
}

func (r *Resolver) certificationPeriodByID(ctx context.Context, id int64) (*model.CertificationPeriod, error) {
	p, err := loader.Get(ctx, loader.Key{Relation: "certificationPeriod"}, r.Agency.CertificationPeriods).Load(ctx, id)
	return found(p, err, convert.CertificationPeriodView(r.AsOf(ctx, nil, nil)))
}

func (r *Resolver) payStatusPeriodByID(ctx context.Context, id int64) (*model.PayStatusPeriod, error) {
	p, err := periodByID(ctx, "payStatusPeriod", id, func(ctx context.Context, f record.PeriodFilter) (listing.List[*payee.PayStatusPeriod], error) {
		return r.Agency.PayStatusPeriods(ctx, f, nil)
	})
	return found(p, err, convert.PayStatusPeriodView(r.AsOf(ctx, nil, nil)))
}

func (r *Resolver) uplinePeriodByID(ctx context.Context, team string, id int64) (*model.UplinePeriod, error) {
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	p, err := periodByID(ctx, "uplinePeriod", id, func(ctx context.Context, f record.PeriodFilter) (listing.List[*agency.UplinePeriod], error) {
		return r.Agency.UplinePeriods(ctx, teamID, f, nil)
	})
	return found(p, err, convert.UplinePeriodView(team, r.AsOf(ctx, nil, nil)))
}

func (r *Resolver) levelPeriodByID(ctx context.Context, team string, id int64) (*model.LevelPeriod, error) {
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	p, err := periodByID(ctx, "levelPeriod", id, func(ctx context.Context, f record.PeriodFilter) (listing.List[*agency.LevelPeriod], error) {
		return r.Agency.LevelPeriods(ctx, teamID, f, nil)
	})
	return found(p, err, convert.LevelPeriodView(team, r.AsOf(ctx, nil, nil)))
}
