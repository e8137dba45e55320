package history

import (
	"slices"

	"github.com/uplinehq/upline/internal/date"
)

// Kind is the kind of an operation. The values are those of the GraphQL enum
// PeriodOperationKind.
type Kind string

// The kinds, with the rule of the specification, Effective-dated history rules, that each
// follows.
const (
	Removed   Kind = "REMOVED"   // rule 1: entirely inside the new period
	Split     Kind = "SPLIT"     // rule 2: a part before the new period and a part after it
	Shortened Kind = "SHORTENED" // rule 3: ends the day before the new period starts
	Moved     Kind = "MOVED"     // rule 4: starts the day after the new period ends
	Added     Kind = "ADDED"     // rule 5: the new period
	Unchanged Kind = "UNCHANGED" // an identical period exists already
)

// Operation is one step of a plan.
type Operation[V comparable] struct {
	Kind Kind
	// Existing is the stored period concerned, nil for Added.
	Existing *Period[V]
	// Results is what the step leaves: nothing for Removed, two parts for
	// Split, one period for any other kind.
	Results []Period[V]
}

// From returns the first day of the period that the operation concerns.
func (o Operation[V]) From() date.Date {
	if o.Existing != nil {
		return o.Existing.From
	}
	return o.Results[0].From
}

// Plan is what applying a period does to a history.
type Plan[V comparable] struct {
	// Before and After are the whole history, ordered by From. In After, periods that are
	// not stored yet have no ID.
	Before, After []Period[V]
	// Operations are ordered by the first day that they concern: one Added and one for
	// each period it touches, or a single Unchanged.
	Operations []Operation[V]
	// Warnings are the consequences of the plan to warn of. An unchanged plan has none.
	Warnings []Warning
}

// Changed reports whether the plan writes anything. It is false if the history already
// has the applied period, with the same value and days.
func (p Plan[V]) Changed() bool {
	return slices.ContainsFunc(p.Operations, func(o Operation[V]) bool { return o.Kind != Unchanged })
}
