package authorization

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Needs says what a snapshot must have of agents.
type Needs struct {
	// Statuses, Levels and Homes are true if those are needed; Papers, if W9s and direct
	// deposit are.
	Statuses, Levels, Homes, Papers bool
	// Types are the certification types that are needed, and Companies the companies whose
	// appointments are.
	Types, Companies []string
	// Places are the jurisdictions that are asked for; nil for all.
	Places []string
	// Depth is how many uplines above the agents are needed.
	Depth int
}

// needs returns what answers about products need.
func needs(rules map[string][]Rule, places []string) (n Needs) {
	n.Places = places
	for _, of := range rules {
		for _, r := range of {
			n.Statuses, n.Levels, n.Depth = n.Statuses || r.ActiveStatus, n.Levels || r.HasLevel, max(n.Depth, r.UplineDepth)
			if n.Types = append(n.Types, r.types...); r.ProviderCompany != "" {
				n.Companies = append(n.Companies, r.ProviderCompany)
			}
		}
	}
	return n
}

// reader reads the tables for one day, as they were known.
type reader struct {
	q        store.Querier
	tenantID int64
	team     int64
	history.AsOf
}

func readerOf(ctx context.Context, q store.Querier, at history.AsOf) (*reader, error) {
	tenantID, err := tenant.ID(ctx)
	r := &reader{q: q, tenantID: tenantID, AsOf: at}
	if err != nil {
		return nil, err
	}
	_, err = store.One(ctx, q, []any{&r.team}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND name = 'default'", tenantID)
	return r, err
}

// Load reads what is needed of agents, in a few statements for any number of them.
func Load(ctx context.Context, q store.Querier, at history.AsOf, ids []int64, n Needs) (map[int64]*Agent, error) {
	r, err := readerOf(ctx, q, at)
	if err != nil {
		return nil, err
	}
	return r.agents(ctx, ids, n)
}

func (r *reader) agents(ctx context.Context, ids []int64, n Needs) (map[int64]*Agent, error) {
	all := make(map[int64]*Agent, len(ids))
	if len(ids) == 0 {
		return all, nil
	}
	ctx = store.LookingUp(ctx)
	for _, id := range ids {
		all[id] = &Agent{ID: id}
	}
	if n.Depth > 0 {
		if err := r.uplines(ctx, all, n.Depth); err != nil {
			return nil, err
		}
		ids = slices.Sorted(maps.Keys(all))
	}
	if err := r.names(ctx, all, ids, n.Homes); err != nil {
		return nil, err
	}
	if n.Statuses {
		if err := r.statuses(ctx, all, ids); err != nil {
			return nil, err
		}
	}
	if n.Papers {
		if err := r.papers(ctx, all, ids); err != nil {
			return nil, err
		}
	}
	if n.Levels {
		if err := r.levels(ctx, all, ids); err != nil {
			return nil, err
		}
	}
	if len(n.Types)+len(n.Companies) > 0 {
		if err := r.certifications(ctx, all, ids, n); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// from returns the condition that a period was known, and holds on the day or later.
func (r *reader) from(s *store.SQL, alias string) string {
	return r.Known.Condition(alias, s.Arg) + " AND (" + alias + ".effective_through IS NULL OR " + alias + ".effective_through >= " + s.Arg(r.Day) + ")"
}

// of returns the condition that a column is the tenant, and another one of some ids.
func (r *reader) of(s *store.SQL, tenantID, column string, ids []int64) string {
	return tenantID + " = " + s.Named("tenant", r.tenantID) + " AND " + r.q.In(column, s.Arg(r.q.List(ids)))
}

// uplines adds the upline periods of agents and of those above them, and these agents.
// UNION ends the walk where periods of different days would close a circle. recorded_at,
// which is never null, is asked for because an index covers the other columns: SQLite would
// rather read a whole team from it than the periods of an agent.
func (r *reader) uplines(ctx context.Context, all map[int64]*Agent, depth int) error {
	s := r.uplinesSQL(slices.Collect(maps.Keys(all)), depth)
	return store.Each(ctx, r.q, s, func(row store.Scanner) error {
		var (
			id     int64
			upline *int64
			gone   *string
			p      history.Period[int64]
		)
		err := row.Scan(&id, &upline, &gone, &p.From, &p.Through)
		switch {
		case upline != nil:
			if p.Value = *upline; all[p.Value] == nil {
				all[p.Value] = &Agent{ID: p.Value}
			}
		case gone != nil:
			p.Value = deleted(all, *gone)
		}
		if all[id] == nil {
			all[id] = &Agent{ID: id}
		}
		all[id].Uplines = append(all[id].Uplines, p)
		return err
	})
}

// deleted returns the id that stands for a deleted upline, which the period still names. It is
// added to the agents: nobody knows any more what it had.
func deleted(all map[int64]*Agent, code string) int64 {
	id := int64(-1)
	for all[id] != nil && all[id].Code != code {
		id--
	}
	all[id] = &Agent{ID: id, Code: code, IsDeleted: true}
	return id
}

// uplinesSQL asks for the periods of uplines.
func (r *reader) uplinesSQL(ids []int64, depth int) *store.SQL {
	s := new(store.SQL)
	periods := "agency_upline_period p WHERE p.tenant_id = " + s.Named("tenant", r.tenantID) + " AND p.team_id = " + s.Arg(r.team) + " AND " + r.from(s, "p") + " AND p.recorded_at IS NOT NULL"
	s.Write("WITH RECURSIVE above(agent_id, depth) AS (SELECT a.id, 0 FROM agency_agent a WHERE " + r.of(s, "a.tenant_id", "a.id", ids) +
		" UNION SELECT p.upline_agent_id, above.depth + 1 FROM above CROSS JOIN " + periods + " AND p.agent_id = above.agent_id AND p.upline_agent_id IS NOT NULL AND above.depth < " + s.Arg(depth) +
		") SELECT p.agent_id, p.upline_agent_id, p.deleted_upline_code, p.effective_from, p.effective_through FROM (SELECT DISTINCT agent_id FROM above) above CROSS JOIN " + periods +
		" AND p.agent_id = above.agent_id ORDER BY p.agent_id, p.effective_from")
	return s
}

// names reads the codes of agents. Those who are no more, or whom the caller does not see,
// are left out.
func (r *reader) names(ctx context.Context, all map[int64]*Agent, ids []int64, homes bool) error {
	var s store.SQL
	home, join := "NULL", ""
	if homes {
		home, join = "h.jurisdiction", " LEFT JOIN agency_address h ON h.tenant_id = a.tenant_id AND h.agent_id = a.id AND h.kind = 'HOME'"
	}
	s.Write("SELECT a.id, a.code, coalesce(" + home + ", '') FROM agency_agent a" + join + " WHERE " + r.of(&s, "a.tenant_id", "a.id", ids) + store.ByID)
	found := map[int64]bool{}
	err := store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var a Agent
		err := row.Scan(&a.ID, &a.Code, &a.Home)
		all[a.ID].Code, all[a.ID].Home, found[a.ID] = a.Code, a.Home, true
		return err
	})
	maps.DeleteFunc(all, func(id int64, a *Agent) bool { return !found[id] && !a.IsDeleted })
	return err
}

func (r *reader) statuses(ctx context.Context, all map[int64]*Agent, ids []int64) error {
	var s store.SQL
	s.Write("SELECT p.agent_id, p.status, t.is_active, t.can_be_paid, p.effective_from, p.effective_through FROM agency_pay_status_period p" +
		" JOIN agency_pay_status t ON t.tenant_id = p.tenant_id AND t.name = p.status WHERE " + r.of(&s, "p.tenant_id", "p.agent_id", ids) + " AND " + r.from(&s, "p"))
	return store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			id int64
			p  history.Period[PayStatus]
		)
		err := row.Scan(&id, &p.Value.Name, &p.Value.Active, &p.Value.Payable, &p.From, &p.Through)
		if a := all[id]; a != nil {
			a.Statuses = append(a.Statuses, p)
		}
		return err
	})
}

func (r *reader) levels(ctx context.Context, all map[int64]*Agent, ids []int64) error {
	var s store.SQL
	s.Write("SELECT p.agent_id, p.level, p.effective_from, p.effective_through FROM agency_level_period p WHERE " + r.of(&s, "p.tenant_id", "p.agent_id", ids) +
		" AND p.team_id = " + s.Arg(r.team) + " AND " + r.from(&s, "p"))
	return store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			id int64
			p  history.Period[int]
		)
		err := row.Scan(&id, &p.Value, &p.From, &p.Through)
		if a := all[id]; a != nil {
			a.Levels = append(a.Levels, p)
		}
		return err
	})
}

// certifications reads those of the types, and the appointments of the companies, that are
// good in one of the places, with all their statuses.
func (r *reader) certifications(ctx context.Context, all map[int64]*Agent, ids []int64, n Needs) error {
	var s store.SQL
	where := r.of(&s, "c.tenant_id", "c.agent_id", ids) + " AND (" + r.q.InTexts("c.type", s.Arg(r.q.Texts(n.Types)))
	if len(n.Companies) > 0 {
		where += " OR y.category = 'APPOINTMENT' AND " + r.q.InTexts("c.provider_company", s.Arg(r.q.Texts(n.Companies)))
	}
	if where += ")"; n.Places != nil {
		where += " AND (c.jurisdiction IS NULL OR " + r.q.InTexts("c.jurisdiction", s.Arg(r.q.Texts(n.Places))) + ")"
	}
	s.Write("SELECT c.agent_id, c.id, c.type, coalesce(c.provider_company, ''), coalesce(c.jurisdiction, ''), y.category = 'APPOINTMENT', c.is_resident_certification, p.id, p.status, p.effective_from, p.effective_through" +
		" FROM agency_certification c JOIN agency_certification_type y ON y.tenant_id = c.tenant_id AND y.code = c.type" +
		" CROSS JOIN agency_certification_period p WHERE " + where + " AND p.tenant_id = c.tenant_id AND p.certification_id = c.id AND " + r.Known.Condition("p", s.Arg) +
		" ORDER BY c.agent_id, c.id, p.effective_from")
	return store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			id int64
			c  Certification
			p  history.Period[string]
		)
		if err := row.Scan(&id, &c.ID, &c.Type, &c.ProviderCompany, &c.Jurisdiction, &c.IsAppointment, &c.IsResident, &p.ID, &p.Value, &p.From, &p.Through); err != nil || all[id] == nil {
			return err
		}
		held := &all[id].Certifications
		if n := len(*held); n == 0 || (*held)[n-1].ID != c.ID {
			*held = append(*held, c)
		}
		last := &(*held)[len(*held)-1]
		last.Statuses = append(last.Statuses, p)
		return nil
	})
}

// Values returns what the columns of history.Requirements hold.
func Values(r Requirement) []any {
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	var resident, level any
	if r.Residence != AnyResidence {
		resident = r.Residence == Resident
	}
	if r.HasLevel {
		level = r.MinimumLevel
	}
	return []any{orNull(r.Jurisdictions), orNull(r.CertificationTypes), r.All, resident, orNull(r.ProviderCompany), r.ActiveStatus, level, r.UplineDepth}
}

// Dest returns where the values of the columns are scanned to.
func Dest(r *Requirement) []any {
	*r = Requirement{}
	return []any{into[string](func(v string) { r.Jurisdictions = v }), into[string](func(v string) { r.CertificationTypes = v }), &r.All,
		into[bool](func(resident bool) {
			if r.Residence = NonResident; resident {
				r.Residence = Resident
			}
		}), into[string](func(v string) { r.ProviderCompany = v }), &r.ActiveStatus, into[int](func(v int) { r.HasLevel, r.MinimumLevel = true, v }), &r.UplineDepth}
}

// into receives a value that is scanned, unless it is NULL.
type into[T any] func(T)

// Scan implements sql.Scanner.
func (f into[T]) Scan(src any) error {
	var v sql.Null[T]
	err := v.Scan(src)
	if v.Valid {
		f(v.V)
	}
	return err
}

// rules returns the rules of products; of all if none are named. Those that ended before
// the day are left out.
func (r *reader) rules(ctx context.Context, products []string) (map[string][]Rule, error) {
	rules := map[string][]Rule{}
	var s store.SQL
	s.Write("SELECT r.product, r.name, p." + strings.Join(history.Requirements.Columns, ", p.") + ", p.effective_from, p.effective_through FROM agency_product_rule r JOIN agency_product_rule_period p ON p.tenant_id = r.tenant_id AND p.rule_id = r.id WHERE r.tenant_id = " +
		s.Arg(r.tenantID) + " AND " + r.from(&s, "p"))
	if products != nil {
		s.Write(" AND " + r.q.InTexts("r.product", s.Arg(r.q.Texts(products))))
	}
	s.Write(" ORDER BY r.product, r.id, p.effective_from")
	return rules, store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var one Rule
		err := row.Scan(append(append([]any{&one.Product, &one.Name}, Dest(&one.Requirement)...), &one.From, &one.Through)...)
		rules[one.Product] = append(rules[one.Product], one.Read())
		return err
	})
}
