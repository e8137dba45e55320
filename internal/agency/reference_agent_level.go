package agency

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/agentlevel"
	"github.com/uplinehq/upline/internal/words/patch"
)

// AgentLevel is a rank in a team: "numeric rank with a display name" (Reference
// data).
type AgentLevel = db.AgentLevel

// AgentLevelInput is a new or changed agent level.
type AgentLevelInput struct {
	Value             patch.Field[int]
	Name, Description patch.Field[string]
	IsEnabled         patch.Field[bool]
	Initiator         string
}

const maxLevel = 1_000_000

// AgentLevels reads all agent levels of a team, lowest first.
func (s *Service) AgentLevels(ctx context.Context, teamID int64) ([]*AgentLevel, error) {
	return s.store.Ent().AgentLevel.Query().Where(agentlevel.TeamID(teamID)).Order(agentlevel.ByValue()).All(ctx)
}

func (c *inputCheck) agentLevel(in *AgentLevelInput) {
	in.Initiator = c.Initiator(in.Initiator)
	c.Kept(&in.Name, maxName, "name")
	c.Clearable(&in.Description, maxNote, "description")
	c.NotNull(in.IsEnabled, "isEnabled")
}

// levelValue checks the key of a new agent level.
func (c *inputCheck) levelValue(value patch.Field[int]) {
	needed(c, value, "value")
	c.NotNull(value, "value")
	if value.Value != nil {
		c.Range(*value.Value, 0, maxLevel, "value")
	}
}

// CreateAgentLevel defines an agent level of a team.
func (s *Service) CreateAgentLevel(ctx context.Context, teamID int64, in AgentLevelInput) (row *AgentLevel, err error) {
	if err := checkNewAgentLevel(&in); err != nil {
		return nil, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, err = w.createAgentLevel(ctx, teamID, in)
		return err
	})
	return row, err
}

func checkNewAgentLevel(in *AgentLevelInput) error {
	var c inputCheck
	c.levelValue(in.Value)
	needed(&c, in.Name, "name")
	c.agentLevel(in)
	return c.Err()
}

func (w *writing) createAgentLevel(ctx context.Context, teamID int64, in AgentLevelInput) (*AgentLevel, error) {
	row, err := w.AgentLevel.Create().SetTeamID(teamID).SetValue(*in.Value.Value).SetName(*in.Name.Value).
		SetNillableDescription(in.Description.Value).SetIsEnabled(or(in.IsEnabled, true)).
		SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
	return row, levelTable(teamID).added(w, *in.Value.Value, err)
}

// UpdateAgentLevel changes the agent level of a value. changed is false when
// everything sent was already so; nothing is then written.
func (s *Service) UpdateAgentLevel(ctx context.Context, teamID int64, value int, in AgentLevelInput) (row *AgentLevel, changed bool, err error) {
	if err := checkChangedAgentLevel(&in, value); err != nil {
		return nil, false, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, changed, err = w.updateAgentLevel(ctx, teamID, value, in)
		return err
	})
	return row, changed, err
}

func checkChangedAgentLevel(in *AgentLevelInput, value int) error {
	var c inputCheck
	fixed(&c, in.Value, value, "value")
	c.agentLevel(in)
	return c.Err()
}

func (w *writing) updateAgentLevel(ctx context.Context, teamID int64, value int, in AgentLevelInput) (row *AgentLevel, changed bool, err error) {
	table := levelTable(teamID)
	id, err := w.lockReference(ctx, table, value)
	if err != nil {
		return nil, false, err
	}
	row, err = w.AgentLevel.Query().Where(agentlevel.ID(id)).Only(ctx)
	if err != nil {
		return nil, false, err
	}
	r := &revision{table: table, key: value, id: id, at: &row.LastModified, by: &row.LastModifiedBy}
	revise(r, "name", "name", &row.Name, in.Name)
	reviseOptional(r, "description", "description", &row.Description, in.Description)
	revise(r, "isEnabled", "is_enabled", &row.IsEnabled, in.IsEnabled)
	changed, err = r.save(ctx, w)
	return row, changed, err
}

// DeleteAgentLevel removes the agent level of a value, unless it is in use, and
// returns its id.
func (s *Service) DeleteAgentLevel(ctx context.Context, teamID int64, value int, initiator string) (int64, error) {
	return s.deleteReference(ctx, levelTable(teamID), value, initiator)
}
