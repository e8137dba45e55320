package agency

import (
	"context"
	"sync"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
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

// MembershipUpdate changes the current upline, the current level, or both.
type MembershipUpdate struct {
	DirectUpline patch.Field[string]
	Level        patch.Field[int]
	Initiator    string
}

// placing writes where agents stand in teams. It is safe for concurrent use.
type placing struct {
	*teams
	writer *record.Writer
}

// ApplyUpline applies a direct upline to a range of days under the history rules. "The
// upline must be an existing agent. Circular hierarchies are rejected" (Teams, 1 and 2).
func (p *placing) ApplyUpline(ctx context.Context, team string, in UplinePeriodInput, dryRun bool) (record.Change, error) {
	var m member
	return p.writer.ApplyPeriod(ctx, record.PeriodWrite{
		AgentCode: in.AgentCode, EffectiveFrom: in.EffectiveFrom, EffectiveThrough: in.EffectiveThrough, Initiator: in.Initiator,
		Check: func(c *record.Check) {
			in.UplineAgentCode = c.Optional(in.UplineAgentCode, record.MaxText, "uplineAgentCode")
		},
		Lock: func(ctx context.Context, w *record.Writing) (err error) {
			m.teamID, err = p.lockTeam(ctx, w, team, true)
			return err
		},
		Apply: func(ctx context.Context, w *record.Writing, agentID int64) (record.Change, error) {
			m.agentID = agentID
			return applyUpline(ctx, w, m, in.UplineAgentCode, in.EffectiveFrom, in.EffectiveThrough, "uplineAgentCode")
		},
	}, dryRun)
}

// UpdateMembership is PATCH /teams/{team}/members/{AgentCode}: "current direct upline
// and/or level change, effective today". It leaves alone what is so already. It returns
// the change of the upline and then that of the level, of those that were sent.
func (p *placing) UpdateMembership(ctx context.Context, team, agentCode string, in MembershipUpdate, dryRun bool) (changes []record.Change, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	c.Clearable(&in.DirectUpline, record.MaxText, "membership", "directUpline")
	c.NotNull(in.Level, "membership", "level")
	if err := c.Err(); err != nil {
		return nil, err
	}
	err = p.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		changes = nil
		m, err := p.lockMember(ctx, w, team, agentCode, in.DirectUpline.Sent)
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
		change, err := levels.Set(ctx, w, m.teamID, m.agentID, *in.Level.Value, "membership", "level")
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
	return placeBelow(ctx, w, m, code, history.Period[uplineRef]{From: w.Today}, true, "membership", "directUpline")
}

func warnRebuild(change *record.Change) {
	if change.Changed {
		change.Warn(history.HierarchyRebuildRequired, "The flattened hierarchy changes; if many agents move, in the background")
	}
}

// teams remembers the ids of teams. It is safe for concurrent use.
type teams struct {
	store *store.Store
	// ids are those by tenant and name; both never change.
	ids sync.Map
}

type teamKey struct {
	tenantID int64
	name     string
}

// Team returns the id of the team with a name, or a problem if there is none.
func (t *teams) Team(ctx context.Context, name string) (int64, error) {
	return t.teamIn(ctx, t.store, name)
}

// teamIn is Team inside a transaction, which does not wait for another connection.
func (t *teams) teamIn(ctx context.Context, q store.Querier, name string) (int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	key := teamKey{tenantID, name}
	if id, ok := t.ids.Load(key); ok {
		return id.(int64), nil
	}
	id, err := record.TeamID(ctx, q, name)
	if err == nil {
		t.ids.Store(key, id)
	}
	return id, err
}

// member is an agent in a team, locked for a change.
type member struct {
	teamID, agentID int64
}

// lockMember locks an agent's row. If uplines are to change, it locks the whole hierarchy
// of the team first: two changes at once could build a cycle that neither sees.
func (t *teams) lockMember(ctx context.Context, w *record.Writing, team, agentCode string, lockHierarchy bool) (m member, err error) {
	if m.teamID, err = t.lockTeam(ctx, w, team, lockHierarchy); err != nil {
		return m, err
	}
	m.agentID, err = w.LockAgent(ctx, agentCode)
	return m, err
}

func (t *teams) lockTeam(ctx context.Context, w *record.Writing, team string, lockHierarchy bool) (teamID int64, err error) {
	if teamID, err = t.teamIn(ctx, w, team); err == nil && lockHierarchy {
		err = hierarchy.Lock(ctx, w.Tx, teamID)
	}
	return teamID, err
}

func applyUpline(ctx context.Context, w *record.Writing, m member, code *string, from date.Date, through *date.Date, field ...string) (record.Change, error) {
	return placeBelow(ctx, w, m, code, history.Period[uplineRef]{From: from, Through: through}, false, field...)
}

// placeBelow applies a period, with the upline of a code, to the uplines of a member. With
// unlessCurrent it changes nothing if that is the upline on the first day of the period.
func placeBelow(ctx context.Context, w *record.Writing, m member, code *string, p history.Period[uplineRef], unlessCurrent bool, field ...string) (change record.Change, err error) {
	if p.Value, err = uplineOrNone(ctx, w, code, field...); err != nil {
		return change, err
	}
	h, err := uplines.Ask(ctx, w, m.teamID, m.agentID)
	if err != nil {
		return change, err
	}
	checkCycle := func(context.Context) error { return nil }
	if p.Value.id != 0 {
		checkCycle, err = hierarchy.AskCycle(ctx, w.Tx, m.teamID, m.agentID, p.Value.id, p.From, p.Through)
	}
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return change, err
	}
	if current, ok := h.At(m.agentID, p.From); unlessCurrent && ok && current == p.Value {
		plan := h.Unchanged(m.agentID)
		text, err := uplineCodes(ctx, w, plan)
		return h.Describe(m.agentID, plan, p.From, text), err
	}
	if err := checkCycle(ctx); err != nil {
		return change, record.Renamed(err, field)
	}
	plan, err := h.Apply(w, m.agentID, p)
	if err != nil {
		return change, err
	}
	text, err := askUplineCodes(ctx, w, plan)
	if err == nil && plan.Changed() {
		err = record.FirstOf(h.Write(ctx, w), uplinesChanged(ctx, w, m.teamID, m.agentID))
	}
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return change, err
	}
	change = h.Describe(m.agentID, plan, p.From, text)
	warnRebuild(&change)
	return change, nil
}

// uplinesChanged tells the hierarchy of agents whose uplines the write changes. Call it last.
func uplinesChanged(ctx context.Context, w *record.Writing, teamID int64, agentIDs ...int64) error {
	flattened, err := hierarchy.Changed(ctx, w.Tx, teamID, agentIDs, w.Today, w.Now)
	w.RaiseLast(flattened...)
	return err
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
