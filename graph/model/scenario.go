package model

import "github.com/uplinehq/upline/internal/agency/scenario"

// Scenario is a reorganisation that is thought through.
type Scenario struct{ *scenario.Scenario }

// IsAudited names the interface of the GraphQL type.
func (Scenario) IsAudited() {}

// ID is the id that clients use.
func (s *Scenario) ID() string { return s.UID }

// State is what became of it.
func (s *Scenario) State() ScenarioState { return ScenarioState(s.Scenario.State) }

// Moves are its moves.
func (s *Scenario) Moves() []*ScenarioMove {
	moves := make([]*ScenarioMove, len(s.Scenario.Moves))
	for i, m := range s.Scenario.Moves {
		moves[i] = &ScenarioMove{AgentCode: m.AgentCode, NewUplineAgentCode: m.NewUpline.Value, IsNewRoot: m.NewUpline.IsNull(), NewLevel: m.NewLevel.Value, NewPayStatus: m.NewPayStatus.Value}
	}
	return moves
}

// Reviews are what colleagues say of it.
func (s *Scenario) Reviews() []*ScenarioReview {
	reviews := make([]*ScenarioReview, len(s.Scenario.Reviews))
	for i, r := range s.Scenario.Reviews {
		reviews[i] = &ScenarioReview{Username: r.Username, Verdict: ScenarioVerdict(r.Verdict), IsOutdated: r.Verdict != scenario.Asked && r.Subject != s.Subject()}
		if r.Comment != "" {
			reviews[i].Comment = &r.Comment
		}
	}
	return reviews
}
