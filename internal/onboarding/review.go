package onboarding

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/problem"
)

// reviewing takes applications from status to status. It is safe for concurrent use.
type reviewing struct {
	*writes
	*forms
	agency Agency
}

// Submit is the recruit's "Complete (submitted by the recruit)" (Application
// statuses): it passes validation at that moment.
func (s *reviewing) Submit(ctx context.Context, uid string) error {
	return s.step(ctx, uid, submit, nil, func(ctx context.Context, w *change.Writing, m *move) error {
		p, err := published(ctx, w)
		if err != nil {
			return err
		}
		f, err := s.Form(ctx, m.application)
		if err != nil {
			return err
		}
		m.submittedAt = &w.Now
		return validate(f, p, w.Today).Err()
	})
}

// Hold puts an application on hold, for a reason.
func (s *reviewing) Hold(ctx context.Context, uid, reason string) error {
	return s.step(ctx, uid, hold, &reason, func(_ context.Context, _ *change.Writing, m *move) error {
		m.held = &m.application.Status
		return nil
	})
}

// Resume ends a hold: the application gets the status it had before.
func (s *reviewing) Resume(ctx context.Context, uid string) error {
	return s.step(ctx, uid, resume, nil, func(context.Context, *change.Writing, *move) error { return nil })
}

// MarkPaid records that the fees are paid, and by which order if there is one.
func (s *reviewing) MarkPaid(ctx context.Context, uid string, orderID *string) error {
	return s.step(ctx, uid, markPaid, nil, func(ctx context.Context, w *change.Writing, m *move) error {
		var c check.Problems
		orderID := c.Optional(orderID, maxProduct, "orderId")
		if orderID == nil || len(c.List) > 0 {
			return c.Err()
		}
		m.fields = append(m.fields, "orderId")
		return s.revise(ctx, w, m.application, func(f *Form) error {
			f.OrderID = orderID
			return nil
		})
	})
}

// Reject ends an application, for a reason.
func (s *reviewing) Reject(ctx context.Context, uid, reason string) error {
	return s.step(ctx, uid, reject, &reason, func(context.Context, *change.Writing, *move) error { return nil })
}

// move is a change of an application's status.
type move struct {
	application *Application
	action      action
	to          Status
	reason      *string
	held        *Status
	submittedAt any // nil: as it was
	agentID     *int64
	agentCode   string
	fields      []string
}

// step runs an action of the table of transitions. Its initiator is the token's subject,
// since applications name none. prepare checks the condition and completes the move.
func (s *reviewing) step(ctx context.Context, uid string, by action, reason *string, prepare func(context.Context, *change.Writing, *move) error) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		m, err := locked(ctx, w, uid, by, reason)
		if err != nil {
			return err
		}
		if err := prepare(ctx, w, m); err != nil {
			return err
		}
		return m.write(ctx, w)
	})
}

// locked locks an application and looks up the action in the table.
func locked(ctx context.Context, w *change.Writing, uid string, by action, reason *string) (*move, error) {
	a, err := lockApplication(ctx, w, uid)
	if err != nil {
		return nil, err
	}
	c, err := configuration(ctx, w)
	if err != nil {
		return nil, err
	}
	to, err := a.next(by, c)
	return &move{application: a, action: by, to: to, reason: reason, fields: []string{"status"}}, err
}

// maxReason limits a reason, in characters.
const maxReason = 2048

// checkReason checks the reason of an action; nil for an action without one.
func checkReason(reason *string) error {
	if reason == nil {
		return nil
	}
	var c check.Problems
	*reason = c.Required(*reason, maxReason, "reason")
	return c.Err()
}

// write stores a move with its row of the history and its events.
func (m *move) write(ctx context.Context, w *change.Writing) error {
	a := m.application
	if _, err := w.Exec(ctx, `UPDATE onboarding_application SET status = $1, held_status = $2, agent_id = $3, submitted_at = coalesce($4, submitted_at),
		last_modified = $5, last_modified_by = $6 WHERE tenant_id = $7 AND id = $8`,
		string(m.to), (*string)(m.held), m.agentID, m.submittedAt, w.Now, w.Initiator, w.Tenant.ID, a.ID); err != nil {
		return err
	}
	if err := noteStatus(ctx, w, a.ID, &a.Status, m.to, m.reason); err != nil {
		return err
	}
	for _, eventType := range append(eventsOf[m.action], events.ApplicationStatusChanged) {
		w.Raise(m.event(ctx, w, eventType))
	}
	w.Changed(applicationEntity, a.UID, m.fields...)
	return nil
}

// eventsOf are the events of actions besides ApplicationStatusChanged.
var eventsOf = map[action][]string{
	submit: {events.ApplicationSubmitted}, process: {events.ApplicationProcessed}, reject: {events.ApplicationRejected},
}

func (m *move) event(ctx context.Context, w *change.Writing, eventType string) events.Event {
	return events.ApplicationEvent(eventType, events.ApplicationChange{ApplicationID: m.application.UID, Operation: audit.OriginFrom(ctx).Operation,
		ChangedFields: m.fields, Status: m.to.spelling(), AgentCode: m.agentCode, Initiator: w.Initiator})
}

// ApproveBackground records the agency's approval of a recruit's background, or withdraws
// it. Notes are added to the existing ones: those are the recruit's explanations, which
// the approval is about. It reports whether anything changed.
func (s *reviewing) ApproveBackground(ctx context.Context, uid string, approved bool, notes *string) (changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		a, err := lockApplication(ctx, w, uid)
		if err != nil {
			return err
		}
		if !slices.Contains(openStatuses, string(a.Status)) {
			return problem.Clash(problem.InvalidTransition, "The background of an application that is "+a.Status.spelling()+" is no longer approved").
				With("from", string(a.Status)).With("to", string(a.Status))
		}
		before, err := s.Form(ctx, a)
		if err != nil {
			return err
		}
		if changed = !blank(notes) || before.Background == nil || before.Background.Approved != approved; !changed {
			return nil
		}
		fields := []string{"background.approved"}
		if !blank(notes) {
			fields = append(fields, "background.notes")
		}
		if err := s.revise(ctx, w, a, func(f *Form) error { return f.approve(approved, notes) }); err != nil {
			return err
		}
		if _, err := w.Exec(ctx, "UPDATE onboarding_application SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4",
			w.Now, w.Initiator, w.Tenant.ID, a.ID); err != nil {
			return err
		}
		raise(ctx, w, events.ApplicationUpdated, a, fields)
		w.Changed(applicationEntity, a.UID, fields...)
		return nil
	})
	return changed && err == nil, err
}

func (f *Form) approve(approved bool, notes *string) error {
	if f.Background == nil {
		f.Background = new(Background)
	}
	f.Background.Approved = approved
	if notes = check.Trimmed(notes); notes == nil {
		return nil
	}
	all := *notes
	if !blank(f.Background.Notes) {
		all = *f.Background.Notes + "\n" + all
	}
	f.Background.Notes = &all
	var c check.Problems
	c.Text(all, maxNotes, "notes")
	return c.Err()
}

// revise changes the encrypted part of an application.
func (s *reviewing) revise(ctx context.Context, w *change.Writing, a *Application, f func(*Form) error) error {
	form, err := s.Form(ctx, a)
	if err != nil {
		return err
	}
	if err := f(form); err != nil {
		return err
	}
	document, err := s.sealForm(ctx, w.Tenant.ID, a.ID, form)
	if err != nil {
		return err
	}
	_, err = w.Exec(ctx, "UPDATE onboarding_application SET document = $1 WHERE tenant_id = $2 AND id = $3", document, w.Tenant.ID, a.ID)
	return err
}

// Processing are the arguments of Process.
type Processing struct {
	// AgentCode is nil if the agency is to find or generate the code.
	AgentCode *string
	// PayStatus is nil for the default of the configuration.
	PayStatus *string
	Initiator string
}

// Process turns an application into an agent: "Processed (processed into an agent)"
// (Application statuses). One transaction registers the agent and sets the status, with
// the application locked. So there is one agent however many requests ask for it, and
// none if the process dies in between.
func (s *reviewing) Process(ctx context.Context, uid string, in Processing) error {
	var c check.Problems
	in.Initiator = c.Initiator(in.Initiator)
	if err := c.Err(); err != nil {
		return err
	}
	if err := s.agency.PrepareRecruit(ctx); err != nil {
		return err
	}
	return s.writer.Write(ctx, in.Initiator, func(ctx context.Context, w *change.Writing) error { return s.process(ctx, w, uid, in) })
}

func (s *reviewing) process(ctx context.Context, w *change.Writing, uid string, in Processing) error {
	m, err := locked(ctx, w, uid, process, nil)
	if err != nil {
		return err
	}
	p, err := published(ctx, w)
	if err != nil {
		return err
	}
	f, err := s.Form(ctx, m.application)
	if err != nil {
		return err
	}
	recruit, err := recruitOf(f, &p.Configuration, in, validate(f, p, w.Today))
	if err != nil {
		return err
	}
	if err := s.refuseAgent(ctx, w, f); err != nil {
		return err
	}
	id, code, err := s.agency.Recruit(ctx, w.Tx, w.Now, recruit)
	if err != nil {
		return err
	}
	m.agentID, m.agentCode = &id, code
	m.fields = append(m.fields, "agentCode")
	return m.write(ctx, w)
}

// refuseAgent refuses to register a second agent for a person: somebody may have been
// registered with the tax id since the application was checked. It locks the tenant's
// applicants, so that two applications of one person cannot both pass.
func (s *reviewing) refuseAgent(ctx context.Context, w *change.Writing, f *Form) error {
	if err := lockPeople(ctx, w); err != nil {
		return err
	}
	known, err := hasTaxID(ctx, s.agency, w, f)
	if err == nil && known {
		err = agentExists()
	}
	return err
}

// recruitOf returns the agent to be registered from an application; refused are the
// problems of its validation now.
func recruitOf(f *Form, c *Configuration, in Processing, refused problem.List) (Recruit, error) {
	r := Recruit{Form: f, AgentCode: in.AgentCode, Level: f.AgentLevelValue, Initiator: in.Initiator}
	if b := f.Background; b != nil && b.RequiresApproval && !b.Approved && !c.CollectPersonalHistory {
		refused.Add(unapproved())
	}
	if f.W9 != nil && f.W9.lacksLLCClassification() && !c.CollectTaxInfo {
		refused.Add(unclassifiedLLC())
	}
	if r.Level == nil {
		r.Level = c.DefaultAgentLevel
	}
	status := in.PayStatus
	if blank(status) {
		status = c.DefaultPayStatus
	}
	if blank(status) {
		refused.Add(problem.Invalid(problem.Required, "is required: the configuration has no default pay status", "payStatus"))
		return r, refused.Err()
	}
	r.PayStatus = *status
	return r, refused.Err()
}
