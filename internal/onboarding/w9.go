package onboarding

import (
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

// TaxpayerIdentifier is the identifier for the agent's W9: the ssn, or else the ein.
func (w *W9) TaxpayerIdentifier() *string {
	if !blank(w.SSN) {
		return w.SSN
	}
	return w.EIN
}

// lacksLLCClassification reports whether an LLC does not say how it is taxed; an agent's
// W9 has no tax classification for that.
func (w *W9) lacksLLCClassification() bool {
	return w.Classification != nil && *w.Classification == LLC && w.LLCClassification == nil
}

func unclassifiedLLC() *problem.Error {
	return problem.Invalid(problem.Required, "must be one of "+strings.Join(LLCClassifications.Texts(), ", ")+" for an LLC", "w9", "llcClassification")
}
