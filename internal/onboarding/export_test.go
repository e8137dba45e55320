package onboarding

import (
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
)

// ValidateForm is the pure part of Validate.
func ValidateForm(f *Form, p *Published) problem.List { return validate(f, p, date.Of(2026, 6, 15)) }

// TransitionTable is the table of transitions as the documentation has it.
func TransitionTable() string {
	var b strings.Builder
	b.WriteString("| From | To | By | Condition |\n| --- | --- | --- | --- |\n")
	for _, t := range transitions {
		var from []string
		for _, s := range t.from {
			from = append(from, s.spelling())
		}
		to := t.to.spelling()
		if t.to == beforeHold {
			to = "the status before the hold"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", strings.Join(from, ", "), to, t.action, t.condition)
	}
	return b.String()
}

// Reachable reports whether a row of the table leads from a status to another;
// from a hold it is the status before it.
func Reachable(from, to Status) bool {
	for _, t := range transitions {
		for _, f := range t.from {
			if f == from && (t.to == to || t.to == beforeHold && (to == Active || to == Complete || to == Paid)) {
				return true
			}
		}
	}
	return false
}
