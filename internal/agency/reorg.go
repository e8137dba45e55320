package agency

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// Reorganisation moves agents, each with everyone below it.
type Reorganisation struct {
	Team          string
	Moves         []Move
	EffectiveFrom date.Date
	Initiator     string
}

// Move is where one agent goes. NewUpline set to null makes it a root; a part
// that is not sent stays.
type Move struct {
	AgentCode string
	NewUpline patch.Field[string]
	NewLevel  patch.Field[int]
}

// Reorganised is what a reorganisation does, or would do.
type Reorganised struct {
	// Moves are in the order of the request.
	Moves []Moved
	// AffectedAgents counts those who have other uplines afterwards: agents
	// whose upline changed and everyone below them, each once. The depths are
	// the greatest distance of one of them from its root, on the first day.
	AffectedAgents                int
	MaxDepthBefore, MaxDepthAfter int
	Changed                       bool
}

// Moved is what happens to one agent.
type Moved struct {
	AgentID int64
	// FromUplineID and ToUplineID are the uplines on the first day; 0 for none.
	FromUplineID, ToUplineID int64
	// SubtreeSize counts the agent and everyone below it, before.
	SubtreeSize int
	// Upline and Level are nil when the move does not say them.
	Upline, Level *record.Change
}

// maxMoves bounds a reorganisation, and the agents that get a new upline when
// theirs is deleted, and with them how long a team's hierarchy is locked.
const maxMoves = 500

// Reorganise applies many uplines and levels in one transaction, all or none,
// each open-ended from one day on under the history rules. "Circular
// hierarchies are rejected" (Teams, 2) as the agents stand when all have moved:
// two may swap places.
func (s *Service) Reorganise(ctx context.Context, in Reorganisation, dryRun bool) (out Reorganised, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	in.Moves = checkMoves(&c, in.Moves)
	if err := c.Err(); err != nil {
		return Reorganised{}, err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		out, err = reorganise(ctx, w, in)
		return err
	})
	return out, err
}

// checkMoves checks what was sent and returns it without the blanks around the codes.
func checkMoves(c *record.Check, sent []Move) []Move {
	if len(sent) == 0 {
		c.Refuse(problem.Required, "must hold a move", "moves")
	}
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
		if !m.NewUpline.Sent && !m.NewLevel.Sent {
			c.Refuse(problem.Required, "must have newUplineAgentCode or newLevel", ofMove(i)...)
		}
		c.NotNull(m.NewLevel, ofMove(i, "newLevel")...)
	}
	return moves
}

// ofMove is the path of a field of a move.
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
	if err := r.applyLevels(ctx, out.Moves); err != nil {
		return Reorganised{}, err
	}
	after, err := hierarchy.Subtrees(ctx, w, r.teamID, in.EffectiveFrom, r.agentIDs)
	if err != nil {
		return Reorganised{}, err
	}
	err = r.conclude(ctx, &out, before, after)
	return out, err
}

// conclude answers who moved, tells of it and asks for a rebuild.
func (r *reorg) conclude(ctx context.Context, out *Reorganised, before, after map[int64]hierarchy.Subtree) (err error) {
	var touched, relocated []int64
	for i, id := range r.agentIDs {
		m, was, is := &out.Moves[i], before[id], after[id]
		m.AgentID, m.SubtreeSize, m.FromUplineID, m.ToUplineID = id, was.Size, was.UplineID, is.UplineID
		if isChange(m.Upline) {
			relocated = append(relocated, id)
			out.MaxDepthBefore = max(out.MaxDepthBefore, was.Depth+was.Height)
			out.MaxDepthAfter = max(out.MaxDepthAfter, is.Depth+is.Height)
			r.Note(record.AgentEntity, r.Moves[i].AgentCode, record.DirectUplineField)
		}
		if isChange(m.Level) {
			r.Note(record.AgentEntity, r.Moves[i].AgentCode, record.LevelField)
		}
		if isChange(m.Upline) || isChange(m.Level) {
			touched = append(touched, id)
		}
	}
	out.Changed = len(touched) > 0
	// Who is below one that moved moves along, so it is the same agents before
	// and after.
	if out.AffectedAgents, err = hierarchy.CountSubtrees(ctx, r, r.teamID, r.EffectiveFrom, relocated); err != nil {
		return err
	}
	if err := r.TouchAgents(ctx, touched); err != nil {
		return err
	}
	return hierarchy.Changed(ctx, r.Tx, r.teamID, relocated, r.Now)
}

func isChange(c *record.Change) bool { return c != nil && c.Changed }
