package onboarding

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Agency is what onboarding needs of the area that knows what an agent is.
type Agency interface {
	// IsPayStatus reports whether a pay status is configured.
	IsPayStatus(ctx context.Context, name string) (bool, error)
	// IsAgentLevel reports whether a level is configured, and agents can be
	// given it.
	IsAgentLevel(ctx context.Context, level int) (bool, error)
	// HasTaxID reports whether any agent of the context's tenant has, or had on
	// a W9, one of the tax ids: SSN, SIN or EIN, written in any way.
	HasTaxID(ctx context.Context, tx *store.Tx, identifiers []string) (bool, error)
	// PrepareRecruit is called before the transaction of Recruit.
	PrepareRecruit(ctx context.Context) error
	// Recruit makes an agent of an application in a transaction, with the events
	// and the audit entry of the agency's area. It comes last of what locks
	// anything. Its problems name fields of the application.
	Recruit(ctx context.Context, tx *store.Tx, now time.Time, r Recruit) (agentID int64, agentCode string, err error)
}

// Recruit is an application that becomes an agent.
type Recruit struct {
	Form *Form
	// AgentCode is nil for one that the agency finds or makes.
	AgentCode *string
	PayStatus string
	Level     *int
	Initiator string
}
