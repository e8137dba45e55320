package graph

import (
	"context"
	"net/http"

	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// limitedMutations are what a caller limited to a downline can do, to the agents
// it sees: each of them first locks such an agent, and any other is unknown to it.
// Who is registered, deleted or moved is not among them – what refuses that speaks
// of the whole agency, and a move decides what its own caller sees – nor is
// anything that belongs to no agent.
var limitedMutations = map[string]bool{
	"agentUpdate": true, "agentContactUpdate": true, "agentPayeeUpdate": true, "agentTagsUpdate": true,
	"payStatusPeriodApply": true, "w9PeriodApply": true, "levelPeriodApply": true,
	"aliasCreate": true, "aliasDelete": true,
	"certificationUpsert": true, "certificationUpdate": true, "certificationPeriodApply": true, "certificationDelete": true,
	// Its rows are read as the caller, with the limit.
	"exportCreate": true,
	// The caller's own sessions are no business of the agency's.
	"viewerSessionsEnd": true,
}

// withinLimit refuses a mutation of a limited caller that is not one of those.
func withinLimit(ctx context.Context, mutation string) error {
	if _, limited := tenant.LimitOf(ctx); !limited || limitedMutations[mutation] {
		return nil
	}
	return problem.Refused(http.StatusForbidden, "The user sees a downline only, and this is about the whole agency")
}
