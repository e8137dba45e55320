package reference

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/agentlevel"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// AgentLevel is a rank in a team: "numeric rank with a display name" (Reference
// data).
type AgentLevel = db.AgentLevel

// AgentLevelInput is a new or changed agent level.
type AgentLevelInput struct {
	Value       patch.Field[int]    `name:"value" column:"value" as:"level" needed:"true" about:"the key, a number from 0 to 1000000"`
	Name        patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	Description patch.Field[string] `name:"description" column:"description" as:"note" about:"what it is for"`
	IsEnabled   patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator   string
}

var agentLevelFields = fields.Of[AgentLevelInput]()

// levelsOf returns the kind of a team's agent levels.
func levelsOf(teamID int64) referenceKind[AgentLevelInput, AgentLevel] {
	return referenceKind[AgentLevelInput, AgentLevel]{
		ReferenceTable: record.LevelTable(teamID), fields: agentLevelFields,
		by: func(in *AgentLevelInput) *string { return &in.Initiator },
		read: func(ctx context.Context, w *record.Writing, id int64) (*AgentLevel, error) {
			return w.AgentLevel.Get(ctx, id)
		},
	}
}

// levelsOfDefaultTeam returns the kind of the default team's agent levels, which files
// have.
func levelsOfDefaultTeam(ctx context.Context, w *record.Writing) (referenceKind[AgentLevelInput, AgentLevel], error) {
	team, err := record.TeamID(ctx, w, record.DefaultTeam)
	return levelsOf(team), err
}

// AgentLevels reads all agent levels of a team, lowest first.
func (s *Service) AgentLevels(ctx context.Context, teamID int64) ([]*AgentLevel, error) {
	return s.store.Ent().AgentLevel.Query().Where(agentlevel.TeamID(teamID)).Order(agentlevel.ByValue()).All(ctx)
}

// CreateAgentLevel defines an agent level of a team.
func (s *Service) CreateAgentLevel(ctx context.Context, teamID int64, in AgentLevelInput) (*AgentLevel, error) {
	return levelsOf(teamID).add(ctx, s, in)
}

// UpdateAgentLevel changes the agent level with a value. changed is false, and nothing is
// written, if everything sent was already so.
func (s *Service) UpdateAgentLevel(ctx context.Context, teamID int64, value int, in AgentLevelInput) (row *AgentLevel, changed bool, err error) {
	return levelsOf(teamID).change(ctx, s, value, in)
}

// DeleteAgentLevel removes the agent level with a value unless it is in use, and returns
// its id.
func (s *Service) DeleteAgentLevel(ctx context.Context, teamID int64, value int, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.LevelTable(teamID), value, initiator)
}
