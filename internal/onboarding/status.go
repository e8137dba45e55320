package onboarding

import (
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/problem"
)

// action is a step of the agency's review, named like the field of the schema.
type action string

const (
	submit   action = "applicationSubmit"
	hold     action = "applicationHold"
	resume   action = "applicationResume"
	markPaid action = "applicationMarkPaid"
	process  action = "applicationProcess"
	reject   action = "applicationReject"
)

// beforeHold stands for the status that an application had before its hold.
const beforeHold Status = "before the hold"

// transition is a row of the table of transitions.
type transition struct {
	action action
	from   []Status
	to     Status
	// fee is the value that requiresPayment must have; nil for any.
	fee *bool
	// condition is a text for people.
	condition string
}

// transitions are all steps that an existing application can take; the specification
// leaves them open (Application statuses). Nothing else changes a status.
var transitions = []transition{
	{submit, []Status{Active}, Complete, nil, "validation passes"},
	{hold, []Status{Active, Complete, Paid}, Hold, nil, "a reason"},
	{resume, []Status{Hold}, beforeHold, nil, ""},
	{markPaid, []Status{Complete}, Paid, new(true), "the configuration requires payment"},
	{process, []Status{Complete}, Processed, new(false), "the configuration requires no payment; validation passes; the background is approved where required"},
	{process, []Status{Paid}, Processed, nil, "validation passes; the background is approved where required"},
	{reject, []Status{Active, Hold, Complete, Paid}, Rejected, nil, "a reason"},
}

// next returns the status that an action leads to from the present one; if the table has
// no such row, the refusal is 409.
func (a *Application) next(by action, c *Configuration) (Status, error) {
	var asked Status
	why := ""
	for _, t := range transitions {
		if t.action != by {
			continue
		}
		asked = t.to
		if !slices.Contains(t.from, a.Status) {
			continue
		}
		switch {
		case t.fee == nil || *t.fee == c.RequiresPayment:
			return a.target(t.to), nil
		case *t.fee:
			why = ": the configuration requires no payment"
		default:
			why = ": the configuration requires payment first"
		}
	}
	return "", a.refused(asked, why)
}

func (a *Application) target(to Status) Status {
	if to == beforeHold && a.HeldStatus != nil {
		return *a.HeldStatus
	}
	return to
}

func (a *Application) refused(to Status, why string) error {
	name, code := to.spelling(), string(to)
	if to == beforeHold {
		name, code = "the status before a hold", string(Active)
	}
	return problem.Clash(problem.InvalidTransition, fmt.Sprintf("An application cannot go from %s to %s%s", a.Status.spelling(), name, why)).
		With("from", string(a.Status)).With("to", code)
}

// allowed returns the statuses that the application can get next under a configuration,
// in the order of the table.
func (a *Application) allowed(c *Configuration) []Status {
	all := []Status{}
	for _, t := range transitions {
		to := a.target(t.to)
		if slices.Contains(t.from, a.Status) && (t.fee == nil || *t.fee == c.RequiresPayment) && !slices.Contains(all, to) {
			all = append(all, to)
		}
	}
	return all
}
