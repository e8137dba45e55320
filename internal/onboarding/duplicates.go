package onboarding

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

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
func (s *Service) refuseDuplicates(ctx context.Context, w *change.Writing, id int64, f *Form) error {
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
	known, err := s.hasTaxID(ctx, w, f)
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

func (s *Service) hasTaxID(ctx context.Context, w *change.Writing, f *Form) (bool, error) {
	ids := f.identifiers()
	if len(ids) == 0 {
		return false, nil
	}
	return s.agency.HasTaxID(ctx, w.Tx, ids)
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
func (s *Service) identifierIndex(ctx context.Context, tenantID int64, identifier *string) ([]byte, error) {
	if identifier == nil {
		return nil, nil
	}
	return s.vault.BlindIndex(ctx, tenantID, applicationTable, "government_identifier", text.Identifier(*identifier))
}
