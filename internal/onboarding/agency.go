package onboarding

import "context"

// Agency is what onboarding needs of the system of record for agents.
type Agency interface {
	// IsPayStatus reports whether a pay status is configured.
	IsPayStatus(ctx context.Context, name string) (bool, error)
	// IsAgentLevel reports whether a level is configured, and agents can be
	// given it.
	IsAgentLevel(ctx context.Context, level int) (bool, error)
}
