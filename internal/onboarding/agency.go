package onboarding

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Agency is what onboarding needs from the area of agents.
type Agency interface {
	// IsPayStatus reports whether a pay status is configured.
	IsPayStatus(ctx context.Context, name string) (bool, error)
	// IsAgentLevel reports whether a level is configured and enabled.
	IsAgentLevel(ctx context.Context, level int) (bool, error)
	// HasTaxID reports whether any agent of the context's tenant has, or ever had on a
	// W9, one of the tax ids: SSN, SIN or EIN, in any notation.
	HasTaxID(ctx context.Context, tx *store.Tx, identifiers []string) (bool, error)
	// PrepareRecruit is called before the transaction of Recruit.
	PrepareRecruit(ctx context.Context) error
	// Recruit registers an agent from an application in a transaction, with the events
	// and the audit entry of the agency's area. It must be the last to lock anything. Its
	// problems name fields of the application.
	Recruit(ctx context.Context, tx *store.Tx, now time.Time, r Recruit) (agentID int64, agentCode string, err error)
}

// Recruit is an application from which an agent is registered.
type Recruit struct {
	Form *Form
	// AgentCode is nil if the agency is to find or generate the code.
	AgentCode *string
	PayStatus string
	Level     *int
	Initiator string
}
