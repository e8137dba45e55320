package authorization

import (
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Shift tells whose authorizations change when agents get other uplines, levels or pay
// statuses, for whoever makes these changes in between.
type Shift struct {
	asked asked
	ids   []int64
	was   map[cell]int64
	// Depth is how many levels below such an agent others can be concerned.
	Depth int
}

// Shifting returns the shift on a day, of the products with rules that look at uplines,
// levels or pay statuses.
func Shifting(ctx context.Context, q store.Querier, at history.AsOf) (*Shift, error) {
	r, err := readerOf(ctx, q, at)
	if err != nil {
		return nil, err
	}
	rules, err := r.rules(ctx, nil)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(rules, func(_ string, of []Rule) bool {
		return !slices.ContainsFunc(of, func(r Rule) bool { return r.UplineDepth > 0 || r.HasLevel || r.ActiveStatus })
	})
	a, err := ask(ctx, q, Question{Agents: []int64{}, Products: slices.AppendSeq([]string{}, maps.Keys(rules)), AsOf: at, Status: new(Authorized)})
	if err != nil {
		return nil, err
	}
	a.counting = true
	return &Shift{asked: *a, Depth: a.needs.Depth}, nil
}

// Before reads the authorizations of agents as they are before the changes.
func (s *Shift) Before(ctx context.Context, agents []int64) (err error) {
	s.ids = slices.Compact(slices.Sorted(slices.Values(agents)))
	s.was, err = s.authorized(ctx)
	return err
}

// authorized returns what the agents may sell, with their ids.
func (s *Shift) authorized(ctx context.Context) (map[cell]int64, error) {
	a, all := s.asked, map[cell]int64{}
	if a.ids = s.ids; len(s.ids) == 0 || len(a.products) == 0 {
		return all, nil
	}
	return all, a.each(ctx, most*most, func(_ *Snapshot, r Row) bool {
		all[cell{r.AgentCode, r.Product, r.Jurisdiction}] = r.AgentID
		return true
	})
}

// After reads them as they are after the changes, and returns how many were gained and
// lost, and the first of these rows, with their reasons.
func (s *Shift) After(ctx context.Context, first int) (gained, lost int, rows []Row, err error) {
	is, err := s.authorized(ctx)
	if err != nil {
		return 0, 0, nil, err
	}
	a := s.asked
	a.Status, a.counting, a.ids = nil, false, []int64{}
	differ := map[cell]bool{}
	for c, id := range is {
		if s.was[c] == 0 {
			differ[c], a.ids = true, append(a.ids, id)
			gained++
		}
	}
	for c, id := range s.was {
		if is[c] == 0 {
			differ[c], a.ids = true, append(a.ids, id)
			lost++
		}
	}
	slices.Sort(a.ids)
	a.ids = slices.Compact(a.ids)
	err = a.each(ctx, first, func(_ *Snapshot, r Row) bool {
		if differ[cell{r.AgentCode, r.Product, r.Jurisdiction}] {
			rows = append(rows, r)
		}
		return len(rows) < first
	})
	return gained, lost, rows, err
}
