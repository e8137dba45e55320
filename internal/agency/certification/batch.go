package certification

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// upserting is an Upsert under way: that of a request, or a row of a file.
type upserting struct {
	Upsert
	period history.Period[string]
	// standing is what a file tells of a licence in place of a period; nil where it does not.
	standing *standing
	// says is what a file says of the details: what it does not say stays as it is; nil for a request.
	says    *Details
	refused record.Check
	// of is the certification that it adds or changes; nil if it is refused.
	of *changed
	// Result lacks its Change, which the plan tells.
	Result
	plan history.Plan[string]
	// remark says what was taken for granted.
	remark string
}

// periods returns the periods to be applied to those that are stored.
func (u *upserting) periods(stored []history.Period[string]) (all []history.Period[string]) {
	if u.standing == nil {
		return []history.Period[string]{u.period}
	}
	all, u.remark = u.standing.periods(stored)
	return all
}

// newUpserting returns an input that was checked, with the problems that were found.
func newUpserting(in Upsert, refused record.Check, today date.Date) *upserting {
	u := &upserting{Upsert: in, period: in.period(today), refused: refused}
	u.refused.Period(u.period.From, u.period.Through)
	return u
}

// refuseAgent refuses the agent, and reports whether the error is about it. The first
// problem decides the status: "POST /certifications with an unknown AgentCode" is 404
// (Errors), whatever else is wrong.
func (u *upserting) refuseAgent(err error) bool {
	problems := problem.From(err)
	u.refused.List = append(problems, u.refused.List...)
	return problems != nil
}

// key is what a certification is matched by.
type key struct {
	agentID                                         int64
	kind, providerCompany, jurisdiction, identifier string
}

func (c *stored) key() key {
	return key{c.AgentID, c.Type, orEmpty(c.ProviderCompany), orEmpty(c.Jurisdiction), orEmpty(c.Identifier)}
}

// orEmpty returns the text of a nullable column as the unique index has it: a missing
// value "matches only certifications with no" such value (Matching rules, 2 to 4).
func orEmpty(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}

// added returns the certification that is added to an agent.
func (in *Upsert) added(id, agentID int64) *changed {
	return &changed{agentCode: in.AgentCode, fate: record.Added, stored: stored{
		ID: id, AgentID: agentID, Type: in.Type, ProviderCompany: in.ProviderCompany, Jurisdiction: in.Jurisdiction, Identifier: in.Identifier, Details: in.Details}}
}

// batch is the adding and updating of certifications under way: of one, or of those of a
// file.
type batch struct {
	*record.Writing
	all   []*upserting
	known *references
	// ids are for those that are added.
	ids []int64
	// there has the certifications that are stored or added, by what is matched.
	there map[key]*changed
	// changed are those that inputs are about, in their order.
	changed []*changed
}

// askBatch asks for what the inputs refer to, for new ids, and for the certifications
// that they may match, which a condition selects; its arguments begin with $2. The answers
// are there after Flush.
func askBatch(ctx context.Context, w *record.Writing, all []*upserting, where string, args ...any) (*batch, error) {
	b := &batch{Writing: w, all: all, there: map[key]*changed{}}
	named := make([]*Upsert, len(all))
	for i, in := range all {
		named[i] = &in.Upsert
	}
	var err [3]error
	b.known, err[0] = askReferences(ctx, w, named...)
	b.ids, err[1] = w.AskNewIDs(ctx, "agency_certification", len(all))
	err[2] = w.AskAll(ctx, func(row store.Scanner) error {
		c := new(changed)
		err := row.Scan(c.dest()...)
		b.there[c.key()] = c
		return err
	}, selectStored+where, append([]any{w.Tenant.ID}, args...)...)
	return b, record.FirstOf(err[:]...)
}

// match finds the certification of each input, or makes a new one. It refuses what a new
// one may not refer to.
func (b *batch) match(agents map[string]int64) {
	for i, in := range b.all {
		added := in.added(b.ids[i], agents[in.AgentCode])
		c := b.there[added.key()]
		if c == nil {
			b.known.check(&in.Upsert, &in.refused)
		}
		if len(in.refused.List) > 0 {
			continue
		}
		if in.IsNew = c == nil; in.IsNew {
			c = added
			b.there[c.key()] = c
		}
		if in.IsNew || c.agentCode == "" {
			c.agentCode = in.AgentCode
			b.changed = append(b.changed, c)
		}
		in.of, in.ID = c, c.ID
	}
}

// write applies the inputs that are not refused, in order, and writes the outcome
// (Certifications, outcomes). It returns the histories of the statuses.
func (b *batch) write(ctx context.Context) (*record.Histories[string], error) {
	var added []*stored
	var matched []int64
	for _, c := range b.changed {
		if c.fate == record.Added {
			added = append(added, &c.stored)
		} else {
			matched = append(matched, c.ID)
		}
	}
	periods, err := statuses.Read(ctx, b.Writing, 0, matched...)
	if err != nil {
		return nil, err
	}
	for _, in := range b.all {
		if in.of == nil {
			continue
		}
		changed, from := false, in.period.From
		for _, p := range in.periods(periods.Of(in.ID)) {
			if in.plan, err = periods.Apply(b.Writing, in.ID, p); err != nil {
				return nil, err
			}
			if in.plan.Changed() && !changed {
				changed, from = true, p.From
			}
		}
		details := &in.Details
		if in.says != nil && !in.IsNew {
			details = in.says
		}
		in.Changed = in.of.become(details, changed, from)
	}
	for _, write := range []func() error{
		func() error { return insertCertifications(ctx, b.Writing, added) },
		func() error { return periods.Write(ctx, b.Writing) },
		func() error { return save(ctx, b.Writing, b.changed...) },
	} {
		if err := write(); err != nil {
			return nil, err
		}
	}
	return periods, nil
}
