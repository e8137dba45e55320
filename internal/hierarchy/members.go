package hierarchy

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// MemberFilter selects relations for the lists upline-members and
// downline-members. An unknown code matches nothing.
type MemberFilter struct {
	// AgentCode is the agent whose uplines, or downline, are listed. It is required if
	// the view is not read from the flattened rows.
	AgentCode *string
	// OtherCode is the only upline, or agent of the downline, that is listed.
	OtherCode *string
	Range
}

// MemberList is the list of the relations r of an agent and an agent above it (with up),
// or below it. Today, the size of an agent's whole downline, and of the whole list, is
// read and not counted.
func (v View) MemberList(ctx context.Context, q *store.Store, f MemberFilter, up bool) (listing.Rows, error) {
	m := members{View: v, up: up, filter: f}
	tenantID, err := tenant.ID(ctx)
	if err == nil {
		err = m.check()
	}
	name, keys := m.order()
	l := listing.Rows{Store: q, Name: name, Keys: keys}
	if err != nil {
		return l, err
	}
	if d, err := m.dated(ctx, q, tenantID); err != nil || d != nil {
		return d.list(l, m.condition(tenantID)), err
	}
	if m.Flattened() {
		l.From, l.Kept = func(s *store.SQL) { s.Write(strings.TrimPrefix(m.from(s, tenantID), " FROM ")) }, m.totals.Of(ctx)
	} else {
		l.With, l.From = walked(func(s *store.SQL) string { return m.from(s, tenantID) })
	}
	if total := m.total(tenantID); total != nil {
		l.Total = func(s *store.SQL, _ string) { s.Write(total(s)) }
	}
	return l, nil
}

// dated returns the downline on another day that the list is, or is a part of; nil if it
// is none, or is walked.
func (m members) dated(ctx context.Context, q *store.Store, tenantID int64) (*dated, error) {
	if m.up || m.filter.AgentCode == nil {
		return nil, nil
	}
	root := page.Owners{One: func(s *store.SQL) string { return idOf(s, tenantID, *m.filter.AgentCode) }}
	return m.datedOf(ctx, q, tenantID, root, m.filter.Range)
}

// members is one of the two lists.
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

// order returns the name of the list and its sort keys, in the order of an index.
func (m members) order() (name string, keys []page.Key) {
	ancestor, descendant := m.codes()
	switch {
	case descendant != nil:
		return "members", []page.Key{byLevel}
	case ancestor != nil:
		return "members", []page.Key{byLevel, byDescendant}
	case m.up:
		return "uplineMembers", []page.Key{byDescendant, byLevel}
	}
	return "downlineMembers", []page.Key{byAncestor, byLevel, byDescendant}
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

// from writes the FROM and WHERE clauses of the list.
func (m members) from(s *store.SQL, tenantID int64) string {
	ancestor, descendant := m.codes()
	var from string
	switch {
	case m.Flattened():
		from = m.fromClosure(s, tenantID, m.filter.Range)
		if m.filter.AgentCode != nil {
			from += " AND " + m.column(m.up) + " = " + idOf(s, tenantID, *m.filter.AgentCode)
		}
	case m.up:
		from = m.above(s, tenantID, is(idOf(s, tenantID, *descendant)), m.filter.Range)
	default:
		from = m.below(s, tenantID, is(idOf(s, tenantID, *ancestor)), m.filter.Range)
	}
	return from + m.other(s, tenantID)
}

// condition is other for a list that is cut to a page unless it has that condition; nil
// without it.
func (m members) condition(tenantID int64) func(s *store.SQL) string {
	if m.filter.OtherCode == nil {
		return nil
	}
	return func(s *store.SQL) string { return m.other(s, tenantID) }
}

// other returns the condition of OtherCode.
func (m members) other(s *store.SQL, tenantID int64) string {
	if m.filter.OtherCode == nil {
		return ""
	}
	return " AND " + m.column(!m.up) + " = " + idOf(s, tenantID, *m.filter.OtherCode)
}

// is returns the condition that a column equals an expression.
func is(expression string) func(column string) string {
	return func(column string) string { return column + " = " + expression }
}

func (members) column(descendant bool) string {
	if descendant {
		return "r.descendant_id"
	}
	return "r.ancestor_id"
}

// total returns the query that reads the size of the list, nil if it is counted.
func (m members) total(tenantID int64) func(s *store.SQL) string {
	ancestor, descendant := m.codes()
	if !m.Flattened() || !m.filter.isAll() || descendant != nil {
		return nil
	}
	if ancestor == nil {
		return m.built(tenantID, "relation_count")
	}
	return func(s *store.SQL) string {
		return "SELECT coalesce(max(n.downline_count), 0)" + m.nodes(s, tenantID) + " AND n.agent_id = " + idOf(s, tenantID, *ancestor)
	}
}

// built returns a query for a count of the last rebuild.
func (v View) built(tenantID int64, column string) func(s *store.SQL) string {
	return func(s *store.SQL) string {
		return "SELECT coalesce(max(b." + column + "), 0) FROM hierarchy_build b WHERE b.tenant_id = " + s.Arg(tenantID) + " AND b.team_id = " + s.Arg(v.TeamID)
	}
}

// idOf writes the id of the agent with a code.
func idOf(s *store.SQL, tenantID int64, code string) string {
	return "(SELECT a.id FROM agency_agent a WHERE a.tenant_id = " + s.Arg(tenantID) + " AND a.code = " + s.Arg(code) + ")"
}
