package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// AgentLevelInput is a new or changed agent level, a rank in a team: "numeric rank with a
// display name" (Reference data).
type AgentLevelInput struct {
	Value       patch.Field[int]    `name:"value" column:"value" as:"level" needed:"true" about:"the key, a number from 0 to 1000000"`
	Name        patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	Description patch.Field[string] `name:"description" column:"description" as:"note" about:"what it is for"`
	IsEnabled   patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator   string
}

var agentLevelFields = fields.Of[AgentLevelInput]()

// levelsOf returns the kind of a team's agent levels.
func levelsOf(teamID int64) referenceKind[AgentLevelInput] {
	return referenceKind[AgentLevelInput]{
		ReferenceTable: record.LevelTable(teamID), fields: agentLevelFields,
		by: func(in *AgentLevelInput) *string { return &in.Initiator },
	}
}

// levelsOfDefaultTeam returns the kind of the default team's agent levels, which files
// have.
func levelsOfDefaultTeam(ctx context.Context, w *record.Writing) (referenceKind[AgentLevelInput], error) {
	team, err := record.TeamID(ctx, w, record.DefaultTeam)
	return levelsOf(team), err
}

// IsAgentLevel reports whether a level of the default team is configured and enabled.
func (s *Service) IsAgentLevel(ctx context.Context, level int) (bool, error) {
	team, err := record.TeamID(ctx, s.store, record.DefaultTeam)
	if err != nil {
		return false, err
	}
	return record.LevelTable(team).IsConfigured(ctx, s.store, level)
}

// CreateAgentLevel defines an agent level of a team, and returns its id.
func (s *Service) CreateAgentLevel(ctx context.Context, teamID int64, in AgentLevelInput) (id int64, err error) {
	return levelsOf(teamID).add(ctx, s, in)
}

// UpdateAgentLevel changes the agent level with a value, and returns its id. changed is
// false, and nothing is written, if everything sent was already so.
func (s *Service) UpdateAgentLevel(ctx context.Context, teamID int64, value int, in AgentLevelInput) (id int64, changed bool, err error) {
	return levelsOf(teamID).change(ctx, s, value, in)
}

// DeleteAgentLevel removes the agent level with a value unless it is in use, and returns
// its id.
func (s *Service) DeleteAgentLevel(ctx context.Context, teamID int64, value int, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.LevelTable(teamID), value, initiator)
}
