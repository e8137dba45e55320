package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// MemberFilter selects relations for the lists upline-members and
// downline-members. An unknown code matches nothing.
type MemberFilter struct {
	// AgentCode is the agent whose uplines, or downline, are listed. It is
	// required where the view is not read from the flattened rows.
	AgentCode *string
	// OtherCode is the only upline, or agent below, that is listed.
	OtherCode *string
	Range
}

// UplineMembers returns a page of pairs of an agent and an upline of it.
func (v View) UplineMembers(ctx context.Context, q store.Querier, f MemberFilter, args page.Args) (page.Page[Relation], error) {
	return members{View: v, up: true, filter: f}.page(ctx, q, args)
}

// DownlineMembers returns a page of pairs of an agent and one below it.
func (v View) DownlineMembers(ctx context.Context, q store.Querier, f MemberFilter, args page.Args) (page.Page[Relation], error) {
	return members{View: v, filter: f}.page(ctx, q, args)
}

// UplineMemberCount counts what UplineMembers lists.
func (v View) UplineMemberCount(ctx context.Context, q store.Querier, f MemberFilter) (int, error) {
	return members{View: v, up: true, filter: f}.count(ctx, q)
}

// DownlineMemberCount counts what DownlineMembers lists. The whole downline of
// an agent, and the whole list, are read today, not counted.
func (v View) DownlineMemberCount(ctx context.Context, q store.Querier, f MemberFilter) (int, error) {
	return members{View: v, filter: f}.count(ctx, q)
}

// members is either list.
type members struct {
	View
	up     bool
	filter MemberFilter
}

// codes returns the codes of the agent above and of the one below.
func (m members) codes() (ancestor, descendant *string) {
	if m.up {
		return m.filter.OtherCode, m.filter.AgentCode
	}
	return m.filter.AgentCode, m.filter.OtherCode
}

// list returns the list in the order that an index gives.
func (m members) list(ctx context.Context) (page.List, error) {
	ancestor, descendant := m.codes()
	switch {
	case descendant != nil:
		return list(ctx, "members", byLevel)
	case ancestor != nil:
		return list(ctx, "members", byLevel, byDescendant)
	case m.up:
		return list(ctx, "uplineMembers", byDescendant, byLevel)
	}
	return list(ctx, "downlineMembers", byAncestor, byLevel, byDescendant)
}

func (m members) page(ctx context.Context, q store.Querier, args page.Args) (page.Page[Relation], error) {
	l, err := m.list(ctx)
	if err != nil {
		return page.Page[Relation]{}, err
	}
	if err := m.check(); err != nil {
		return page.Page[Relation]{}, err
	}
	return readPage(ctx, q, l, args, func(s *store.SQL) string { return m.from(s, l.TenantID) })
}

func (m members) check() error {
	other := "downlineAgentCode"
	if m.up {
		other = "uplineAgentCode"
	}
	for _, f := range []struct {
		field string
		code  *string
	}{{"agentCode", m.filter.AgentCode}, {other, m.filter.OtherCode}} {
		if f.code != nil && text.Trim(*f.code) == "" {
			return problem.Invalid(problem.InvalidFormat, "must not be blank", "filter", f.field)
		}
	}
	if m.Flattened() || m.filter.AgentCode != nil {
		return nil
	}
	message := "An agent code is required on another day than today"
	if m.Day == m.Today {
		message = "An agent code is required to read what was known earlier"
	}
	return problem.Invalid(problem.Required, message, "filter", "agentCode")
}

// from writes what the list is read from.
func (m members) from(s *store.SQL, tenantID int64) string {
	ancestor, descendant := m.codes()
	idOf := func(code string) string {
		return "(SELECT a.id FROM agency_agent a WHERE a.tenant_id = " + s.Arg(tenantID) + " AND a.code = " + s.Arg(code) + ")"
	}
	var from string
	switch {
	case m.Flattened():
		from = m.fromClosure(s, tenantID, m.filter.Range)
		if m.filter.AgentCode != nil {
			from += " AND " + m.column(m.up) + " = " + idOf(*m.filter.AgentCode)
		}
	case m.up:
		from = m.above(s, tenantID, is(idOf(*descendant)), m.filter.Range)
	default:
		from = m.below(s, tenantID, is(idOf(*ancestor)), m.filter.Range)
	}
	if m.filter.OtherCode != nil {
		from += " AND " + m.column(!m.up) + " = " + idOf(*m.filter.OtherCode)
	}
	return from
}

// is returns the condition that a column is what an expression is.
func is(expression string) func(column string) string {
	return func(column string) string { return column + " = " + expression }
}

func (members) column(descendant bool) string {
	if descendant {
		return "r.descendant_id"
	}
	return "r.ancestor_id"
}

func (m members) count(ctx context.Context, q store.Querier) (int, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	if err := m.check(); err != nil {
		return 0, err
	}
	ancestor, descendant := m.codes()
	if m.Flattened() && m.filter.isAll() && descendant == nil {
		if ancestor == nil {
			return m.buildCount(ctx, q, tenantID, "relation_count")
		}
		return m.downlineCount(ctx, q, tenantID, "(SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $3)", *ancestor)
	}
	return count(ctx, q, func(s *store.SQL) string { return m.from(s, tenantID) })
}

// buildCount reads a count of the last rebuild.
func (v View) buildCount(ctx context.Context, q store.Querier, tenantID int64, column string) (n int, err error) {
	_, err = store.One(ctx, q, []any{&n}, "SELECT coalesce(b."+column+", 0) FROM hierarchy_build b WHERE b.tenant_id = $1 AND b.team_id = $2", tenantID, v.TeamID)
	return n, err
}
