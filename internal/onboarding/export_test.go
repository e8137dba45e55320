package onboarding

import (
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
)

// ValidateForm is the pure part of Validate.
func ValidateForm(f *Form, p *Published) problem.List { return validate(f, p, date.Of(2026, 6, 15)) }
