package scenario

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Tried is what a scenario would do.
type Tried struct {
	agency.Reorganised
	// Versions are when the scenario, and the agents and uplines that its moves name, were
	// last modified. Apply takes them.
	Versions []time.Time
	// Refused is what stands in the way; then nothing of the rest is known.
	Refused problem.List
}

// Try makes the moves of a scenario as Apply does, in a transaction that is rolled back.
// It calls before with the agents that move, ahead of the moves, and after with what these
// did: what both read with their contexts is as it would be then. If the moves are refused,
// after is not called.
func (s *Service) Try(ctx context.Context, sc *Scenario, before func(ctx context.Context, agents []int64) error, after func(ctx context.Context, t *Tried) error) (t *Tried, err error) {
	if store.IsJoint(ctx) {
		return nil, problem.Invalid(problem.NotApplicable, "A dry run shows the agency itself as it would be; ask for what a scenario does in a query")
	}
	ctx, joint := store.WithJoint(store.FromPrimary(ctx))
	if err := joint.Open(ctx, s.store); err != nil {
		return nil, err
	}
	defer func() {
		if closed := joint.Close(ctx, false); err == nil {
			err = closed
		}
	}()
	t = &Tried{}
	if sc.UID != "" { // it is kept
		t.Versions = append(t.Versions, sc.LastModified)
	}
	named, err := s.named(ctx, sc)
	if err != nil {
		return nil, err
	}
	moves := map[string]bool{}
	for _, m := range sc.Moves {
		moves[m.AgentCode] = true
	}
	var agents []int64
	for _, n := range named {
		if t.Versions = append(t.Versions, n.LastModified); moves[n.AgentCode] {
			agents = append(agents, n.AgentID)
		}
	}
	slices.SortFunc(t.Versions, time.Time.Compare)
	t.Versions = slices.Compact(t.Versions)
	if err := before(ctx, agents); err != nil {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	if t.Reorganised, err = s.agency.Reorganise(ctx, sc.reorganisation(caller.Subject), true); err != nil {
		if t.Refused = problem.From(err); t.Refused != nil {
			return t, nil
		}
		return nil, err
	}
	return t, after(ctx, t)
}

// Changed is an agent that was changed since a scenario was evaluated.
type Changed struct {
	AgentID        int64
	AgentCode      string
	LastModified   time.Time
	LastModifiedBy string
}

// named returns the agents and the uplines that the moves of a scenario name, by code, as
// far as the caller sees them.
func (s *Service) named(ctx context.Context, sc *Scenario) ([]Changed, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var codes []string
	for _, m := range sc.Moves {
		if codes = append(codes, m.AgentCode); m.NewUpline.Value != nil {
			codes = append(codes, *m.NewUpline.Value)
		}
	}
	return store.Collect(ctx, s.store, func(row store.Scanner) (c Changed, err error) {
		return c, row.Scan(&c.AgentID, &c.AgentCode, &c.LastModified, &c.LastModifiedBy)
	}, "SELECT id, code, last_modified, last_modified_by FROM agency_agent WHERE tenant_id = $1 AND "+s.store.InTexts("code", "$2")+" ORDER BY code", tenantID, s.store.Texts(codes))
}

// Apply makes the moves of a scenario that was evaluated with versions, all or none, and
// marks it. It is refused if the scenario or one of the agents is another one by now; these
// are the changed ones. A dry run is rolled back by its caller, if that has opened a joint
// transaction.
func (s *Service) Apply(ctx context.Context, uid, initiator string, versions []time.Time, dryRun bool) (sc *Scenario, out agency.Reorganised, changed []Changed, err error) {
	expected := make([]string, len(versions))
	for i, v := range versions {
		expected[i] = version.Of(v)
	}
	ctx = version.Expect(ctx, expected)
	if !store.IsJoint(ctx) {
		var joint *store.Joint
		ctx, joint = store.WithJoint(ctx)
		if err := joint.Open(ctx, s.store); err != nil {
			return nil, out, nil, err
		}
		defer func() {
			if closed := joint.Close(ctx, err == nil && !dryRun); err == nil {
				err = closed
			}
		}()
	}
	// The scenario is locked ahead of the agents, and written behind them: its audit entry
	// comes last.
	if err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if sc, err = lock(ctx, tx, uid); err == nil && sc.State == Discarded {
			err = problem.Invalid(problem.NotApplicable, "was discarded", "id")
		}
		return err
	}); err != nil {
		return nil, out, nil, err
	}
	named, err := s.named(ctx, sc)
	if err != nil {
		return nil, out, nil, err
	}
	if changed = slices.DeleteFunc(named, func(c Changed) bool { return version.Check(ctx, c.LastModified) == nil }); len(changed) > 0 {
		return nil, out, changed, version.Check(ctx, changed[0].LastModified)
	}
	if out, err = s.agency.Reorganise(ctx, sc.reorganisation(initiator), dryRun); err != nil {
		return nil, out, nil, err
	}
	write := s.writer.Write
	if dryRun {
		write = s.writer.Rehearse
	}
	caller, _ := tenant.CallerFrom(ctx)
	return sc, out, nil, write(ctx, caller.Subject, func(ctx context.Context, w *change.Writing) error {
		w.StampAfter(sc.LastModified)
		sc.State = Applied
		sc, err = sc.store(ctx, w, []string{"state"})
		return err
	})
}
