package app

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
)

// onboardingAgency is the agency area in the form that onboarding needs: neither area
// knows the other.
type onboardingAgency struct{ *agency.Service }

// IsPayStatus implements onboarding.Agency.
func (a onboardingAgency) IsPayStatus(ctx context.Context, name string) (bool, error) {
	all, err := a.Service.PayStatuses(ctx)
	return slices.ContainsFunc(all, func(s *reference.PayStatus) bool { return s.Name == name }), err
}

// IsAgentLevel implements onboarding.Agency.
func (a onboardingAgency) IsAgentLevel(ctx context.Context, level int) (bool, error) {
	team, err := a.Service.Team(ctx, record.DefaultTeam)
	if err != nil {
		return false, err
	}
	all, err := a.Service.AgentLevels(ctx, team)
	return slices.ContainsFunc(all, func(l *reference.AgentLevel) bool { return l.Value == level && l.IsEnabled }), err
}
