package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// UplinePeriodInput is a direct upline for a range of days. A nil upline makes the agent
// a root of the hierarchy.
type UplinePeriodInput struct {
	AgentCode        string
	UplineAgentCode  *string
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	Initiator        string
}

// LevelPeriodInput is an agent level for a range of days.
type LevelPeriodInput struct {
	AgentCode        string
	Level            int
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	Initiator        string
}

// MembershipUpdate changes the current upline, the current level, or both.
type MembershipUpdate struct {
	DirectUpline patch.Field[string]
	Level        patch.Field[int]
	Initiator    string
}

// ApplyUpline applies a direct upline to a range of days under the history rules. "The
// upline must be an existing agent. Circular hierarchies are rejected" (Teams, 1 and 2).
func (s *Service) ApplyUpline(ctx context.Context, team string, in UplinePeriodInput, dryRun bool) (change record.Change, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Required(in.AgentCode, record.MaxText, "agentCode")
	in.UplineAgentCode = c.Optional(in.UplineAgentCode, record.MaxText, "uplineAgentCode")
	c.Period(in.EffectiveFrom, in.EffectiveThrough)
	if err := c.Err(); err != nil {
		return record.Change{}, err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		m, err := lockMember(ctx, w, team, in.AgentCode, true, "agentCode")
		if err != nil {
			return err
		}
		if change, err = applyUpline(ctx, w, m, in.UplineAgentCode, in.EffectiveFrom, in.EffectiveThrough, "uplineAgentCode"); err != nil {
			return err
		}
		return w.TouchChanged(ctx, m.agentID, change)
	})
	return change, err
}

// ApplyLevel applies an agent level to a range of days. "The level must be one
// of the team's configured agent levels" (Teams, 3).
func (s *Service) ApplyLevel(ctx context.Context, team string, in LevelPeriodInput, dryRun bool) (change record.Change, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Required(in.AgentCode, record.MaxText, "agentCode")
	c.Period(in.EffectiveFrom, in.EffectiveThrough)
	if err := c.Err(); err != nil {
		return record.Change{}, err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		m, err := lockMember(ctx, w, team, in.AgentCode, false, "agentCode")
		if err != nil {
			return err
		}
		if change, err = applyLevel(ctx, w, m, in.Level, in.EffectiveFrom, in.EffectiveThrough, "level"); err != nil {
			return err
		}
		return w.TouchChanged(ctx, m.agentID, change)
	})
	return change, err
}

// UpdateMembership is PATCH /teams/{team}/members/{AgentCode}: "current direct upline
// and/or level change, effective today". It leaves alone what is so already. It returns
// the change of the upline and then that of the level, of those that were sent.
func (s *Service) UpdateMembership(ctx context.Context, team, agentCode string, in MembershipUpdate, dryRun bool) (changes []record.Change, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	c.Clearable(&in.DirectUpline, record.MaxText, "membership", "directUpline")
	c.NotNull(in.Level, "membership", "level")
	if err := c.Err(); err != nil {
		return nil, err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		changes = nil
		m, err := lockMember(ctx, w, team, agentCode, in.DirectUpline.Sent)
		if err != nil {
			return err
		}
		if changes, err = updateMembership(ctx, w, m, in); err != nil {
			return err
		}
		return w.TouchChanged(ctx, m.agentID, changes...)
	})
	return changes, err
}

func updateMembership(ctx context.Context, w *record.Writing, m member, in MembershipUpdate) (changes []record.Change, err error) {
	var refused problem.List
	if in.DirectUpline.Sent {
		change, err := changeUpline(ctx, w, m, in.DirectUpline.Value)
		problems, fault := record.AsProblems(err)
		if fault != nil {
			return nil, fault
		}
		refused, changes = append(refused, problems...), append(changes, change)
	}
	if in.Level.Sent {
		change, err := changeLevel(ctx, w, m, *in.Level.Value)
		problems, fault := record.AsProblems(err)
		if fault != nil {
			return nil, fault
		}
		refused, changes = append(refused, problems...), append(changes, change)
	}
	return changes, refused.Err()
}

// changeUpline makes an upline the current one, unless it is so already.
func changeUpline(ctx context.Context, w *record.Writing, m member, code *string) (record.Change, error) {
	periods, err := uplineTimeline(m.teamID, m.agentID).Load(ctx, w)
	if err != nil {
		return record.Change{}, err
	}
	field := []string{"membership", "directUpline"}
	if current, ok := history.At(periods, w.Today); ok {
		next, err := uplineOrNone(ctx, w, code, field...)
		if err != nil {
			return record.Change{}, err
		}
		if current.Value == next {
			return unchangedUpline(ctx, w, periods)
		}
	}
	return applyUpline(ctx, w, m, code, w.Today, nil, field...)
}

func unchangedUpline(ctx context.Context, w *record.Writing, periods []history.Period[uplineRef]) (record.Change, error) {
	plan := history.Plan[uplineRef]{Before: periods, After: periods}
	text, err := uplineCodes(ctx, w, plan)
	return record.Describe(plan, nil, text), err
}

// changeLevel makes a level the current one, unless it is so already.
func changeLevel(ctx context.Context, w *record.Writing, m member, level int) (record.Change, error) {
	periods, err := levelTimeline(m.teamID, m.agentID).Load(ctx, w)
	if err != nil {
		return record.Change{}, err
	}
	if current, ok := history.At(periods, w.Today); ok && current.Value == level {
		return record.Describe(history.Plan[int]{Before: periods, After: periods}, nil, record.NumberText), nil
	}
	return applyLevel(ctx, w, m, level, w.Today, nil, "membership", "level")
}

// member is an agent in a team, locked for a change.
type member struct {
	teamID, agentID int64
}

// lockMember locks an agent's row. If uplines are to change, it locks the whole hierarchy
// of the team first: two changes at once could build a cycle that neither sees.
func lockMember(ctx context.Context, w *record.Writing, team, agentCode string, lockHierarchy bool, field ...string) (m member, err error) {
	if m.teamID, err = record.TeamID(ctx, w, team); err != nil {
		return m, err
	}
	if lockHierarchy {
		if err := hierarchy.Lock(ctx, w.Tx, m.teamID); err != nil {
			return m, err
		}
	}
	m.agentID, err = w.LockAgent(ctx, agentCode, field...)
	return m, err
}

func applyUpline(ctx context.Context, w *record.Writing, m member, code *string, from date.Date, through *date.Date, field ...string) (record.Change, error) {
	upline, err := uplineOrNone(ctx, w, code, field...)
	if err != nil {
		return record.Change{}, err
	}
	if upline.id != 0 {
		if err := hierarchy.CheckCycle(ctx, w.Tx, m.teamID, m.agentID, upline.id, from, through); err != nil {
			return record.Change{}, record.Renamed(err, field)
		}
	}
	plan, id, err := uplineTimeline(m.teamID, m.agentID).Apply(ctx, w, history.Period[uplineRef]{From: from, Through: through, Value: upline})
	if err != nil {
		return record.Change{}, err
	}
	text, err := uplineCodes(ctx, w, plan)
	if err != nil {
		return record.Change{}, err
	}
	change := record.Describe(plan, id, text)
	change.Field = record.DirectUplineField
	if change.Changed {
		change.Warn(history.HierarchyRebuildRequired, "The flattened hierarchy is rebuilt in the background")
		err = hierarchy.Changed(ctx, w.Tx, m.teamID, []int64{m.agentID}, w.Now)
	}
	return change, err
}

func applyLevel(ctx context.Context, w *record.Writing, m member, level int, from date.Date, through *date.Date, field ...string) (record.Change, error) {
	var refused problem.List
	if err := w.MustRefer(ctx, &refused, record.LevelTable(m.teamID), level, field...); err != nil {
		return record.Change{}, err
	}
	if err := refused.Err(); err != nil {
		return record.Change{}, err
	}
	plan, id, err := levelTimeline(m.teamID, m.agentID).Apply(ctx, w, history.Period[int]{From: from, Through: through, Value: level})
	if err != nil {
		return record.Change{}, err
	}
	change := record.Describe(plan, id, record.NumberText)
	change.Field = record.LevelField
	return change, nil
}

func uplineOrNone(ctx context.Context, w *record.Writing, code *string, field ...string) (uplineRef, error) {
	if code == nil {
		return uplineRef{}, nil
	}
	id, err := uplineAgent(ctx, w, *code, field...)
	return uplineRef{id: id}, err
}

// uplineAgent returns the id of an agent that is named as an upline.
func uplineAgent(ctx context.Context, w *record.Writing, code string, field ...string) (int64, error) {
	var id int64
	found, err := store.One(ctx, w, []any{&id}, "SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2", w.Tenant.ID, code)
	if err == nil && !found {
		err = unknownUpline(field...)
	}
	return id, err
}

func unknownUpline(field ...string) *problem.Error {
	return problem.Invalid(problem.UnknownUpline, "The upline is not an existing agent", field...)
}
