package onboarding

import (
	"context"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
)

// Submit is the recruit's "Complete (submitted by the recruit)" (Application
// statuses): it passes validation at that moment.
func (s *Service) Submit(ctx context.Context, uid string) error {
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
func (s *Service) Hold(ctx context.Context, uid, reason string) error {
	return s.step(ctx, uid, hold, &reason, func(_ context.Context, _ *change.Writing, m *move) error {
		m.held = &m.application.Status
		return nil
	})
}

// Resume ends a hold: the application gets the status it had before.
func (s *Service) Resume(ctx context.Context, uid string) error {
	return s.step(ctx, uid, resume, nil, func(context.Context, *change.Writing, *move) error { return nil })
}

// MarkPaid records that the fees are paid, and by which order if there is one.
func (s *Service) MarkPaid(ctx context.Context, uid string, orderID *string) error {
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
func (s *Service) Reject(ctx context.Context, uid, reason string) error {
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
func (s *Service) step(ctx context.Context, uid string, by action, reason *string, prepare func(context.Context, *change.Writing, *move) error) error {
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
