package onboarding

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Application is an application of a recruit.
type Application struct {
	ID int64
	// UID is the id that clients use.
	UID    string
	Status Status
	// HeldStatus is the status before the hold; nil if the application is not on hold.
	HeldStatus                                            *Status
	RecruiterAgentCode, FirstName, LastName, EmailAddress string
	// AgentID is the agent that it became; nil before it is processed.
	AgentID        *int64
	SubmittedAt    *time.Time
	CreatedAt      time.Time
	CreatedBy      string
	LastModified   time.Time
	LastModifiedBy string

	lastNameKey string
	document    vault.Sealed
	once        sync.Once
	form        *Form
	err         error
}

// RowID implements listing's rows.
func (a *Application) RowID() int64 { return a.ID }

const applicationTable = "onboarding_application"

const applicationColumns = `a.id, a.uid, a.status, a.held_status, a.recruiter_agent_code, a.first_name, a.last_name, a.email_address, a.agent_id,
	a.submitted_at, a.created_at, a.created_by, a.last_modified, a.last_modified_by, a.last_name_key, a.document`

func scanApplication(r store.Scanner) (*Application, error) {
	a := new(Application)
	return a, r.Scan(&a.ID, &a.UID, &a.Status, &a.HeldStatus, &a.RecruiterAgentCode, &a.FirstName, &a.LastName, &a.EmailAddress, &a.AgentID,
		&a.SubmittedAt, &a.CreatedAt, &a.CreatedBy, &a.LastModified, &a.LastModifiedBy, &a.lastNameKey, a.document.From(applicationTable, "document", &a.ID))
}

// forms seals and opens what recruits filled in. It is safe for concurrent use.
type forms struct{ vault *vault.Vault }

// Form decrypts what the recruit filled in, once for each application that was read.
func (s *forms) Form(ctx context.Context, a *Application) (*Form, error) {
	a.once.Do(func() { a.form, a.err = s.openForm(ctx, a) })
	return a.form, a.err
}

func (s *forms) openForm(ctx context.Context, a *Application) (*Form, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	document, err := s.vault.Unseal(ctx, tenantID, &a.document)
	if err != nil {
		return nil, err
	}
	if document == nil {
		return nil, errors.New("onboarding: the application has no document")
	}
	f := &Form{RecruiterAgentCode: a.RecruiterAgentCode, FirstName: a.FirstName, LastName: a.LastName, EmailAddress: a.EmailAddress}
	return f, json.Unmarshal([]byte(document.Reveal()), f)
}

// sealForm encrypts the properties that have no column.
func (s *forms) sealForm(ctx context.Context, tenantID, id int64, f *Form) ([]byte, error) {
	document, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	return s.vault.Encrypt(ctx, vault.Field{TenantID: tenantID, Table: applicationTable, Column: "document", RowID: id}, string(document))
}

// SealedColumns are all columns that the area encrypts.
func SealedColumns() []reencryption.Column {
	return []reencryption.Column{{Table: applicationTable, Name: "document"}}
}

func findApplication(ctx context.Context, q store.Querier, uid, lock string) (*Application, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(uid)
	if err != nil {
		return nil, nil
	}
	found, err := store.Collect(ctx, q, scanApplication,
		"SELECT "+applicationColumns+" FROM onboarding_application a WHERE a.tenant_id = $1 AND a.uid = $2"+lock, tenantID, id.String())
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// lockApplication locks the application that a request names.
func lockApplication(ctx context.Context, w *change.Writing, uid string) (*Application, error) {
	a, err := findApplication(ctx, w, uid, w.ForUpdate())
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, unknownApplication("id")
	}
	return a, w.CheckVersion(ctx, a.LastModified)
}
