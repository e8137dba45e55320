package record

import (
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// Change is what applying a period has changed in a history, or would change.
type Change struct {
	Before, After []Planned
	Operations    []Operation
	Warnings      []history.Warning
	// Changed is false if an identical period existed.
	Changed bool
	// PeriodID is the id of the applied period, or of the identical one; nil if none was
	// applied. After a dry run the database has no such row.
	PeriodID *int64
	// Field is the path of the history from its agent; empty if what changed of the value is
	// noted by itself.
	Field string
}

// Period returns PeriodID, or 0 if there is none.
func (c *Change) Period() int64 {
	if c.PeriodID == nil {
		return 0
	}
	return *c.PeriodID
}

// Planned is a period before or after a change.
type Planned struct {
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	// Value is the status, the level, or the upline's code; nil for no upline.
	Value *string
}

// Differs reports whether the value is another one on the day or a later one. A period that
// says again what holds already changes the history, and no value.
func (c *Change) Differs(from date.Date) bool {
	days := []date.Date{from}
	for _, p := range slices.Concat(c.Before, c.After) {
		days = append(days, p.EffectiveFrom)
		if p.EffectiveThrough != nil {
			days = append(days, p.EffectiveThrough.AddDays(1))
		}
	}
	return slices.ContainsFunc(days, func(day date.Date) bool { return day >= from && valueOn(c.Before, day) != valueOn(c.After, day) })
}

// valueOn returns the value on a day; empty for none.
func valueOn(all []Planned, day date.Date) string {
	for _, p := range all {
		if p.Value != nil && p.EffectiveFrom <= day && day <= date.OrMax(p.EffectiveThrough) {
			return *p.Value
		}
	}
	return ""
}

// Operation is the change of one period.
type Operation struct {
	Kind     history.Kind
	Existing *Planned
	Results  []Planned
}

// describe turns a plan into a Change; text shows a value.
func describe[V comparable](plan history.Plan[V], text func(V) *string) Change {
	planned := func(p history.Period[V]) Planned {
		return Planned{EffectiveFrom: p.From, EffectiveThrough: p.Through, Value: text(p.Value)}
	}
	all := func(periods []history.Period[V]) []Planned {
		list := make([]Planned, len(periods))
		for i, p := range periods {
			list[i] = planned(p)
		}
		return list
	}
	c := Change{Before: all(plan.Before), After: all(plan.After), Warnings: plan.Warnings, Changed: plan.Changed()}
	for _, op := range plan.Operations {
		o := Operation{Kind: op.Kind, Results: all(op.Results)}
		if op.Existing != nil {
			existing := planned(*op.Existing)
			o.Existing = &existing
			if op.Kind == history.Unchanged {
				c.PeriodID = &op.Existing.ID
			}
		}
		c.Operations = append(c.Operations, o)
	}
	return c
}

// Warn adds a warning.
func (c *Change) Warn(code history.WarningCode, message string) {
	c.Warnings = append(c.Warnings, history.Warning{Code: code, Message: message})
}

// WarnEligibility adds the warning of api "Period writes" if a period in the past
// changes: "past history can affect commission eligibility" (Certification statuses).
func (c *Change) WarnEligibility(from, today date.Date) {
	if c.Changed && from < today {
		c.Warn(history.AffectsCommissionEligibility, "A status in the past can change what was payable")
	}
}

// PlainText shows a text, for Describe.
func PlainText(s string) *string { return &s }

// NumberText shows a number, for Describe.
func NumberText(n int) *string {
	s := strconv.Itoa(n)
	return &s
}
