package authorization

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Means is what there is for paying an agent on a day. An agent is payable if nothing is
// missing; whatever speaks of pay asks this.
type Means struct{ HasStatus, CanBePaid, HasW9, HasDirectDeposit bool }

// MeansCodes are the codes of what can be missing, in their order.
var MeansCodes = enum.Of(NoPayStatus, PayStatusCannotBePaid, NoW9, NoDirectDeposit)

// Missing returns what is missing, in the order of MeansCodes; nil for an agent who is payable.
func (m Means) Missing() (codes []Code) {
	switch {
	case !m.HasStatus:
		codes = append(codes, NoPayStatus)
	case !m.CanBePaid:
		codes = append(codes, PayStatusCannotBePaid)
	}
	if !m.HasW9 {
		codes = append(codes, NoW9)
	}
	if !m.HasDirectDeposit {
		codes = append(codes, NoDirectDeposit)
	}
	return codes
}

// means returns what there is for paying the agent on a day.
func (a *Agent) means(day date.Date) Means {
	status, ok := history.At(a.Statuses, day)
	_, w9 := history.At(a.W9s, day)
	return Means{HasStatus: ok, CanBePaid: status.Value.Payable, HasW9: w9, HasDirectDeposit: a.HasDirectDeposit}
}

// papers reads the W9s of agents, and whether they have direct deposit.
func (r *reader) papers(ctx context.Context, all map[int64]*Agent, ids []int64) error {
	var w9s, deposits store.SQL
	w9s.Write("SELECT p.agent_id, p.w9_id, p.effective_from, p.effective_through FROM agency_w9_period p WHERE " + r.of(&w9s, "p.tenant_id", "p.agent_id", ids) + " AND " + r.from(&w9s, "p"))
	err := store.Each(ctx, r.q, &w9s, func(row store.Scanner) error {
		var (
			id int64
			p  history.Period[int64]
		)
		err := row.Scan(&id, &p.Value, &p.From, &p.Through)
		if a := all[id]; a != nil {
			a.W9s = append(a.W9s, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	deposits.Write("SELECT d.agent_id FROM agency_direct_deposit d WHERE " + r.of(&deposits, "d.tenant_id", "d.agent_id", ids))
	return store.Each(ctx, r.q, &deposits, func(row store.Scanner) error {
		var id int64
		err := row.Scan(&id)
		if a := all[id]; a != nil {
			a.HasDirectDeposit = true
		}
		return err
	})
}
