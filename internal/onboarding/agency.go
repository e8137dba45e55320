package onboarding

import (
	"context"

	"github.com/uplinehq/upline/internal/store"
)

// Agency is what onboarding needs of the area that knows what an agent is.
type Agency interface {
	// HasTaxID reports whether any agent of the context's tenant has, or had on
	// a W9, one of the tax ids: SSN, SIN or EIN, written in any way.
	HasTaxID(ctx context.Context, tx *store.Tx, identifiers []string) (bool, error)
}
