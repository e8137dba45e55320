package resolve

import (
	"context"
	"net/http"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// limitedMutations are the mutations that a caller limited to a downline may make. Each
// first locks an agent, and an agent that the caller does not see is unknown to it.
// Registering, deleting and moving agents are not among them: their refusals tell of the
// whole agency, and a move would decide what the caller itself sees. Mutations that
// belong to no agent are not among them either.
var limitedMutations = map[string]bool{
	"agentUpdate": true, "agentContactUpdate": true, "agentPayeeUpdate": true, "agentTagsUpdate": true,
	"payStatusPeriodApply": true, "w9PeriodApply": true, "levelPeriodApply": true,
	"aliasCreate": true, "aliasDelete": true,
	"certificationUpsert": true, "certificationUpdate": true, "certificationPeriodApply": true, "certificationDelete": true,
	// Its rows are read as the caller, with the limit.
	"exportCreate": true,
	// The caller's own sessions do not concern the agency, nor does what it keeps for itself.
	"viewerSessionsEnd": true,
	"presetCreate":      true, "presetReplace": true, "presetDelete": true,
	// What the caller has changed itself, by one of these: see withinOwn.
	"changeUndo": true,
}

// WithinLimit refuses a limited caller every mutation that is not in limitedMutations.
func WithinLimit(ctx context.Context, mutation string) error {
	if _, limited := tenant.LimitOf(ctx); !limited || limitedMutations[mutation] {
		return nil
	}
	return problem.Refused(http.StatusForbidden, "The user sees a downline only, and this is about the whole agency")
}

// withinOwn refuses to take back for a limited caller what somebody else has changed, or what
// the caller changed by a mutation that limited callers do not make: of such a write the caller
// may see a part only.
func withinOwn(ctx context.Context, changes []*audit.Changed) error {
	if _, limited := tenant.LimitOf(ctx); !limited {
		return nil
	}
	caller, _ := tenant.CallerFrom(ctx)
	for _, c := range changes {
		if c.Subject != caller.Subject || c.ClientID != caller.ClientID || !limitedMutations[c.Operation] {
			return problem.Refused(http.StatusForbidden, "The user sees a downline only, and takes back only changes of their own")
		}
	}
	return nil
}
