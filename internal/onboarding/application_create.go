package onboarding

import (
	"context"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// applying writes what recruits fill in. It is safe for concurrent use.
type applying struct {
	*writes
	*forms
	agency Agency
}

// Create starts an application.
func (s *applying) Create(ctx context.Context, in Form) (a *Application, err error) {
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
func (s *applying) storeForm(ctx context.Context, w *change.Writing, id int64, f *Form) error {
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

// openStatuses are the statuses of open applications: "an open application already exists
// for the same person" (Errors, 4).
var openStatuses = []string{string(Active), string(Hold), string(Complete), string(Paid)}

// lockPeople makes a tenant's changes that identify applicants happen one after the
// other: of two simultaneous applications of one person, the later one must see the
// earlier. It locks the tenant, since a row that does not exist yet cannot be locked.
func lockPeople(ctx context.Context, w *change.Writing) error {
	var id int64
	_, err := store.One(ctx, w, []any{&id}, "SELECT id FROM tenant WHERE id = $1"+w.ForUpdate(), w.Tenant.ID)
	return err
}

// refuseDuplicates refuses a form of a person who is already an agent, or has an open
// application other than the one with the id; call lockPeople first. It checks
// applications before agents: an application becomes an agent in one transaction, so a
// person who no longer has the one is already the other.
func (s *applying) refuseDuplicates(ctx context.Context, w *change.Writing, id int64, f *Form) error {
	index, err := s.identifierIndex(ctx, w.Tenant.ID, f.GovernmentIdentifier)
	if err != nil {
		return err
	}
	exists, err := hasOpen(ctx, w, id, text.SearchKey(f.EmailAddress), index)
	if err != nil {
		return err
	}
	if exists {
		return duplicateApplication()
	}
	known, err := hasTaxID(ctx, s.agency, w, f)
	if err != nil {
		return err
	}
	if known {
		return agentExists()
	}
	return nil
}

// agentExists: "Creating an application when an agent already exists with the
// provided government identifier or tax ID: 409" (Errors, 3).
func agentExists() error {
	return problem.Clash(problem.AgentExistsForTaxID, "An agent already exists with the government identifier or tax id")
}

func hasTaxID(ctx context.Context, a Agency, w *change.Writing, f *Form) (bool, error) {
	ids := f.identifiers()
	if len(ids) == 0 {
		return false, nil
	}
	return a.HasTaxID(ctx, w.Tx, ids)
}

// hasOpen reports whether the same person has another open application: one with the same
// government identifier if both have one, otherwise one with the same e-mail address.
func hasOpen(ctx context.Context, w *change.Writing, id int64, emailKey string, index []byte) (bool, error) {
	var q store.SQL
	q.Write("SELECT 1 FROM onboarding_application WHERE tenant_id = ? AND id <> ? AND "+w.InTexts("status", q.Arg(w.Texts(openStatuses))), w.Tenant.ID, id)
	if index == nil {
		q.Write(" AND email_key = ?", emailKey)
	} else {
		q.Write(" AND (government_identifier_index = ? OR government_identifier_index IS NULL AND email_key = ?)", index, emailKey)
	}
	var one int
	return store.One(ctx, w, []any{&one}, q.Text()+" LIMIT 1", q.Args()...)
}

// duplicateApplication: "409 with a message beginning An application already
// exists" (Errors, 4).
func duplicateApplication() error {
	return problem.Clash(problem.DuplicateApplication, "An application already exists for the same person")
}

// isDuplicate reports whether the database refused a second open application with the
// same government identifier.
func isDuplicate(err error) bool {
	return dberror.IsUniqueViolation(err, "onboarding_application_person", "onboarding_application.tenant_id, onboarding_application.government_identifier_index")
}

// identifierIndex is the blind index of an SSN or SIN in any notation; nil for none.
func (s *forms) identifierIndex(ctx context.Context, tenantID int64, identifier *string) ([]byte, error) {
	if identifier == nil {
		return nil, nil
	}
	return s.vault.BlindIndex(ctx, tenantID, applicationTable, "government_identifier", text.Identifier(*identifier))
}
