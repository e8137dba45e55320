package onboarding

import (
	"strings"
	"unicode"
)

// taxClassifications are those of an agent's W9.
var taxClassifications = []string{"Individual", "SoleProprietor", "CCorporation", "SCorporation", "Partnership", "TrustEstate", "LlcC", "LlcS", "LlcP", "Other"}

// TaxClassification is the tax classification of the agent's W9, made of
// classification and, for an LLC, llcClassification. What is none of the known
// ones, however it is written, stays as it is.
func (w *W9) TaxClassification() *string {
	if w.Classification == nil {
		return nil
	}
	if w.isLLC() {
		if suffix := llcSuffix(w.LLCClassification); suffix != "" {
			return new("Llc" + suffix)
		}
		return w.Classification
	}
	for _, known := range taxClassifications {
		if letters(known) == letters(*w.Classification) {
			return &known
		}
	}
	return w.Classification
}

// TaxpayerIdentifier is that of the agent's W9: the ssn, without one the ein.
func (w *W9) TaxpayerIdentifier() *string {
	if !blank(w.SSN) {
		return w.SSN
	}
	return w.EIN
}

func (w *W9) isLLC() bool {
	if w.Classification == nil {
		return false
	}
	written := letters(*w.Classification)
	return written == "llc" || written == "limitedliabilitycompany"
}

// llcSuffix is how an LLC is taxed: as a C corporation, an S corporation or a
// partnership, by the first letter; empty for none of them.
func llcSuffix(s *string) string {
	if s == nil {
		return ""
	}
	written := strings.ToUpper(letters(*s))
	if written == "" || !strings.ContainsAny(written[:1], "CSP") {
		return ""
	}
	return written[:1]
}

// letters are the letters of a text in lower case: TRUST_ESTATE is TrustEstate.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
