package onboarding

import (
	"context"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/text"
)

// Create starts an application.
func (s *Service) Create(ctx context.Context, in Form) (a *Application, err error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	f, err := in.unmasked(&Form{})
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		if err := lockPeople(ctx, w); err != nil {
			return err
		}
		if err := s.refuseDuplicates(ctx, w, 0, f); err != nil {
			return err
		}
		uid := uuid.Must(uuid.NewV7()).String()
		id, err := insertApplication(ctx, w, uid, f)
		if err != nil {
			return err
		}
		if err := s.storeForm(ctx, w, id, f); err != nil {
			return err
		}
		if err := noteStatus(ctx, w, id, nil, Active, nil); err != nil {
			return err
		}
		fields := (&Form{}).differences(f)
		if err := noteDifferences(ctx, w, uid, &Form{}, f, fields); err != nil {
			return err
		}
		if a, err = findApplication(ctx, w, uid, ""); err != nil {
			return err
		}
		raise(ctx, w, events.ApplicationCreated, a, fields)
		return nil
	})
	return a, err
}

// insertApplication inserts the row of a new application. Its document is encrypted for
// the row, so the row is inserted first.
func insertApplication(ctx context.Context, w *change.Writing, uid string, f *Form) (id int64, err error) {
	_, err = store.One(ctx, w, []any{&id}, `INSERT INTO onboarding_application (tenant_id, uid, status, recruiter_agent_code, first_name, last_name,
			email_address, first_name_key, last_name_key, email_key, created_at, created_by, last_modified, last_modified_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $11, $12) RETURNING id`,
		w.Tenant.ID, uid, string(Active), f.RecruiterAgentCode, f.FirstName, f.LastName,
		f.EmailAddress, text.SearchKey(f.FirstName), text.SearchKey(f.LastName), text.SearchKey(f.EmailAddress), w.Now, w.Initiator)
	return id, err
}

// storeForm writes the content of a form.
func (s *Service) storeForm(ctx context.Context, w *change.Writing, id int64, f *Form) error {
	index, err := s.identifierIndex(ctx, w.Tenant.ID, f.GovernmentIdentifier)
	if err != nil {
		return err
	}
	document, err := s.sealForm(ctx, w.Tenant.ID, id, f)
	if err != nil {
		return err
	}
	_, err = w.Exec(ctx, `UPDATE onboarding_application SET recruiter_agent_code = $1, first_name = $2, last_name = $3, email_address = $4,
			first_name_key = $5, last_name_key = $6, email_key = $7, government_identifier_index = $8, document = $9,
			last_modified = $10, last_modified_by = $11
		WHERE tenant_id = $12 AND id = $13`,
		f.RecruiterAgentCode, f.FirstName, f.LastName, f.EmailAddress,
		text.SearchKey(f.FirstName), text.SearchKey(f.LastName), text.SearchKey(f.EmailAddress), index, document, w.Now, w.Initiator, w.Tenant.ID, id)
	if isDuplicate(err) {
		return duplicateApplication()
	}
	return err
}

// noteStatus records a change of an application's status; from is empty when it is
// created.
func noteStatus(ctx context.Context, w *change.Writing, id int64, from *Status, to Status, reason *string) error {
	_, err := w.Exec(ctx, `INSERT INTO onboarding_application_status_change (tenant_id, application_id, from_status, to_status, reason, changed_at, changed_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, w.Tenant.ID, id, (*string)(from), string(to), reason, w.Now, w.Initiator)
	return err
}

// raise adds an event of an application to its change.
func raise(ctx context.Context, w *change.Writing, eventType string, a *Application, fields []string) {
	w.Raise(events.ApplicationEvent(eventType, events.ApplicationChange{
		ApplicationID: a.UID, Operation: audit.OriginFrom(ctx).Operation, ChangedFields: fields, Status: a.Status.spelling(), Initiator: w.Initiator,
	}))
}

// spelling is the status in the spelling of the specification and REST.
func (s Status) spelling() string { return enum.Spelled(string(s)) }
