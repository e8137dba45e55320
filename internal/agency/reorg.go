package agency

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// Reorganisation moves agents, each together with everyone below it.
type Reorganisation struct {
	Team          string
	Moves         []Move
	EffectiveFrom date.Date
	Initiator     string
}

// Move is one agent's new place. NewUpline as null makes the agent a root; what is
// omitted stays.
type Move struct {
	AgentCode    string              `json:"agentCode"`
	NewUpline    patch.Field[string] `json:"newUpline,omitzero"`
	NewLevel     patch.Field[int]    `json:"newLevel,omitzero"`
	NewPayStatus patch.Field[string] `json:"newPayStatus,omitzero"`
}

// Reorganised is what a reorganisation has changed, or would change.
type Reorganised struct {
	// Moves are in the order of the request.
	Moves []Moved
	// AffectedAgents counts the agents whose uplines change: those with another direct upline,
	// on the first day or a later one, and everyone below them, each once. A move to the upline
	// that an agent has anyway affects nobody. The depths are the greatest distance of
	// one of them from its root on the first day.
	AffectedAgents                int
	MaxDepthBefore, MaxDepthAfter int
	Changed                       bool
}

// Moved is the change of one agent.
type Moved struct {
	AgentID int64
	// FromUplineID and ToUplineID are the uplines on the first day; 0 for none.
	FromUplineID, ToUplineID int64
	// SubtreeSize counts the agent and everyone below it before the move.
	SubtreeSize int
	// Upline, Level and PayStatus are nil if the move does not change them.
	Upline, Level, PayStatus *record.Change
}

// Relocates reports whether the agent gets another upline, on the first day or a later one.
func (m *Moved) Relocates(from date.Date) bool { return isChange(m.Upline) && m.Upline.Differs(from) }

// maxMoves limits the moves of a reorganisation, and maxTakenOver the agents that get a new
// upline when theirs is deleted. They limit how long the hierarchy of a team stays locked.
const maxMoves, maxTakenOver = 5000, 500

// Reorganise changes many uplines, levels and pay statuses in one transaction, all or none. Each change
// is open-ended from the same day on, under the history rules. "Circular hierarchies are
// rejected" (Teams, 2) as the agents stand after all moves, so two agents may swap
// places.
func (p *placing) Reorganise(ctx context.Context, in Reorganisation, dryRun bool) (out Reorganised, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	if len(in.Moves) == 0 {
		c.Refuse(problem.Required, "must hold a move", "moves")
	}
	in.Moves = CheckMoves(&c, in.Moves)
	c.Day(&in.EffectiveFrom, check.LastDay, "effectiveFrom")
	if err := c.Err(); err != nil {
		return Reorganised{}, err
	}
	err = p.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		out, err = reorganise(ctx, w, in)
		return err
	})
	return out, err
}

// CheckMoves checks what was sent, and returns it without the blanks around the codes.
func CheckMoves(c *record.Check, sent []Move) []Move {
	if !c.AtMost(len(sent), maxMoves, "moves", "moves") {
		return nil
	}
	moves := slices.Clone(sent)
	seen := map[string]bool{}
	for i := range moves {
		m := &moves[i]
		m.AgentCode = c.Required(m.AgentCode, record.MaxText, ofMove(i, "agentCode")...)
		c.Clearable(&m.NewUpline, record.MaxText, ofMove(i, "newUplineAgentCode")...)
		if seen[m.AgentCode] && m.AgentCode != "" {
			c.Refuse(problem.DuplicateKey, "The agent is moved twice", ofMove(i, "agentCode")...)
		}
		seen[m.AgentCode] = true
		if !m.NewUpline.Sent && !m.NewLevel.Sent && !m.NewPayStatus.Sent {
			c.Refuse(problem.Required, "must have newUplineAgentCode, newLevel or newPayStatus", ofMove(i)...)
		}
		c.NotNull(m.NewLevel, ofMove(i, "newLevel")...)
		c.NotNull(m.NewPayStatus, ofMove(i, "newPayStatus")...)
	}
	return moves
}

// ofMove returns the path of a field of a move.
func ofMove(i int, field ...string) []string {
	return append([]string{"moves", strconv.Itoa(i)}, field...)
}

func reorganise(ctx context.Context, w *record.Writing, in Reorganisation) (Reorganised, error) {
	r := reorg{Writing: w, Reorganisation: in}
	if err := r.resolve(ctx); err != nil {
		return Reorganised{}, err
	}
	before, err := hierarchy.Subtrees(ctx, w, r.teamID, in.EffectiveFrom, r.agentIDs)
	if err != nil {
		return Reorganised{}, err
	}
	out := Reorganised{Moves: make([]Moved, len(in.Moves))}
	if err := r.applyUplines(ctx, out.Moves); err != nil {
		return Reorganised{}, err
	}
	err = applyValues(ctx, &r, levels, r.teamID, func(m Move) *int { return m.NewLevel.Value }, out.Moves, func(m *Moved) **record.Change { return &m.Level })
	if err == nil {
		err = applyValues(ctx, &r, payee.Statuses, 0, func(m Move) *string { return m.NewPayStatus.Value }, out.Moves, func(m *Moved) **record.Change { return &m.PayStatus })
	}
	if err != nil {
		return Reorganised{}, err
	}
	after, err := hierarchy.Subtrees(ctx, w, r.teamID, in.EffectiveFrom, r.agentIDs)
	if err != nil {
		return Reorganised{}, err
	}
	err = r.conclude(ctx, &out, before, after)
	return out, err
}

// conclude fills in the outcome, raises the events and asks for a rebuild of the
// hierarchy.
func (r *reorg) conclude(ctx context.Context, out *Reorganised, before, after map[int64]hierarchy.Subtree) (err error) {
	var touched, applied, relocated []int64
	for i, id := range r.agentIDs {
		m, was, is := &out.Moves[i], before[id], after[id]
		m.AgentID, m.SubtreeSize, m.FromUplineID, m.ToUplineID = id, was.Size, was.UplineID, is.UplineID
		if isChange(m.Upline) {
			applied = append(applied, id)
			r.Note(record.AgentEntity, r.Moves[i].AgentCode, record.DirectUplineField)
		}
		if m.Relocates(r.EffectiveFrom) {
			relocated = append(relocated, id)
			out.MaxDepthBefore = max(out.MaxDepthBefore, was.Depth+was.Height)
			out.MaxDepthAfter = max(out.MaxDepthAfter, is.Depth+is.Height)
		}
		if isChange(m.Level) {
			r.Note(record.AgentEntity, r.Moves[i].AgentCode, record.LevelField)
		}
		if isChange(m.PayStatus) {
			r.Note(record.AgentEntity, r.Moves[i].AgentCode, payee.Statuses.Field)
		}
		if isChange(m.Upline) || isChange(m.Level) || isChange(m.PayStatus) {
			touched = append(touched, id)
		}
	}
	out.Changed = len(touched) > 0
	// Whoever is below an agent that moves goes with it, so the agents are the same
	// before and after.
	if out.AffectedAgents, err = hierarchy.CountSubtrees(ctx, r, r.teamID, r.EffectiveFrom, relocated); err != nil {
		return err
	}
	if err := r.TouchAgents(ctx, touched); err != nil {
		return err
	}
	return uplinesChanged(ctx, r.Writing, r.teamID, applied...)
}

func isChange(c *record.Change) bool { return c != nil && c.Changed }

// reorg is a reorganisation while it is under way.
type reorg struct {
	*record.Writing
	Reorganisation
	teamID int64
	// agentIDs are the agents of the moves, in order of the moves; uplines has the ids of
	// the new uplines by code.
	agentIDs []int64
	uplines  map[string]int64
}

// resolve locks the hierarchy and then the agents, and checks everything that the moves
// refer to.
func (r *reorg) resolve(ctx context.Context) (err error) {
	if r.teamID, err = record.TeamID(ctx, r, r.Team); err != nil {
		return err
	}
	if err := hierarchy.Lock(ctx, r.Tx, r.teamID); err != nil {
		return err
	}
	var codes, uplines []string
	for _, m := range r.Moves {
		codes = append(codes, m.AgentCode)
		if m.NewUpline.Value != nil {
			uplines = append(uplines, *m.NewUpline.Value)
		}
	}
	agents, err := r.LockNamed(ctx, codes)
	if err != nil {
		return err
	}
	if r.uplines, err = record.AgentIDs(ctx, r, uplines); err != nil {
		return err
	}
	return r.references(ctx, agents)
}

func (r *reorg) references(ctx context.Context, agents map[string]int64) error {
	var refused problem.List
	levels, statuses := known[int]{}, known[string]{}
	for i, m := range r.Moves {
		id, known := agents[m.AgentCode]
		if !known {
			refused.Add(problem.From(record.UnknownAgent(ofMove(i, "agentCode")...))...)
		}
		r.agentIDs = append(r.agentIDs, id)
		if u := m.NewUpline.Value; u != nil && r.uplines[*u] == 0 {
			refused.Add(unknownUpline(ofMove(i, "newUplineAgentCode")...))
		}
		if err := levels.check(ctx, r, &refused, record.LevelTable(r.teamID), m.NewLevel.Value, ofMove(i, "newLevel")...); err != nil {
			return err
		}
		if err := statuses.check(ctx, r, &refused, record.PayStatusTable, m.NewPayStatus.Value, ofMove(i, "newPayStatus")...); err != nil {
			return err
		}
	}
	return refused.Err()
}

// known are the problems of values that moves refer to; nil for none.
type known[T comparable] map[T]*problem.Error

func (k known[T]) check(ctx context.Context, r *reorg, refused *problem.List, of record.ReferenceTable, value *T, field ...string) (err error) {
	if value == nil {
		return nil
	}
	if _, asked := k[*value]; !asked {
		if k[*value], err = r.Reference(ctx, of, *value); err != nil {
			return err
		}
	}
	if p := k[*value]; p != nil {
		refused.Add(p.Under(field...))
	}
	return nil
}

// applyUplines writes all uplines before it looks for cycles.
func (r *reorg) applyUplines(ctx context.Context, moves []Moved) error {
	h, err := uplines.Read(ctx, r.Writing, r.teamID, r.agentIDs...)
	if err != nil {
		return err
	}
	plans := make([]history.Plan[uplineRef], len(moves))
	for i, m := range r.Moves {
		if !m.NewUpline.Sent {
			continue
		}
		upline := r.newUpline(i)
		if r.toItself(i) { // is refused; the others are judged with this one as a root
			upline = uplineRef{}
		}
		if plans[i], err = h.Apply(r.Writing, r.agentIDs[i], history.Period[uplineRef]{From: r.EffectiveFrom, Value: upline}); err != nil {
			return err
		}
	}
	if err := record.FirstOf(h.Write(ctx, r.Writing), r.refuseCircular(ctx)); err != nil {
		return err
	}
	text, err := uplineCodes(ctx, r.Writing, plans...)
	if err != nil {
		return err
	}
	for i, m := range r.Moves {
		if m.NewUpline.Sent {
			moves[i].Upline = new(h.Describe(r.agentIDs[i], plans[i], r.EffectiveFrom, text))
			warnRebuild(moves[i].Upline)
		}
	}
	return nil
}

// newUpline returns the upline that a move names; nobody if it names none.
func (r *reorg) newUpline(i int) uplineRef {
	if code := r.Moves[i].NewUpline.Value; code != nil {
		return uplineRef{id: r.uplines[*code]}
	}
	return uplineRef{}
}

func (r *reorg) toItself(i int) bool { return r.newUpline(i).id == r.agentIDs[i] }

// refuseCircular refuses each move to an upline that is below the agent.
func (r *reorg) refuseCircular(ctx context.Context) error {
	circular, err := hierarchy.CheckCycles(ctx, r.Tx, r.teamID, r.agentIDs, r.EffectiveFrom)
	if err != nil {
		return err
	}
	var refused problem.List
	for i, m := range r.Moves {
		id := r.agentIDs[i]
		var err error
		switch p := circular[id]; {
		case !m.NewUpline.Sent:
		case r.toItself(i):
			err = hierarchy.CheckCycle(ctx, r.Tx, r.teamID, id, id, r.EffectiveFrom, nil)
		case p != nil:
			err = p
		}
		problems, fault := record.AsProblems(record.Renamed(err, ofMove(i, "newUplineAgentCode")))
		if fault != nil {
			return fault
		}
		refused = append(refused, problems...)
	}
	return refused.Err()
}

// applyValues writes the values of a relation that moves have.
func applyValues[T comparable](ctx context.Context, r *reorg, d *record.DatedValue[T], teamID int64, value func(Move) *T, moves []Moved, into func(*Moved) **record.Change) error {
	if !slices.ContainsFunc(r.Moves, func(m Move) bool { return value(m) != nil }) {
		return nil
	}
	h, err := d.Read(ctx, r.Writing, teamID, r.agentIDs...)
	if err != nil {
		return err
	}
	for i, m := range r.Moves {
		v := value(m)
		if v == nil {
			continue
		}
		plan, err := h.Apply(r.Writing, r.agentIDs[i], history.Period[T]{From: r.EffectiveFrom, Value: *v})
		if err != nil {
			return err
		}
		*into(&moves[i]) = new(d.Describe(r.Writing, h, r.agentIDs[i], plan, r.EffectiveFrom))
	}
	return h.Write(ctx, r.Writing)
}
