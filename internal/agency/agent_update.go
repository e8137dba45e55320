package agency

import (
	"bytes"
	"context"
	"time"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/agent"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/vault"
)

// AgentUpdate are the changes of an agent's core details; omitted fields stay.
type AgentUpdate struct {
	FirstName, MiddleName, LastName, CommonName patch.Field[string]
	Email, NPN, CustomerID, Gender              patch.Field[string]
	GovernmentIdentifier                        patch.Field[string]
	BirthDate                                   patch.Field[date.Date]
	IsDedicated                                 patch.Field[bool]
	StartDate                                   patch.Field[time.Time]
	Initiator                                   string
}

// UpdateAgent changes core details. changed is false when everything sent was
// already so; nothing is then written.
func (s *Service) UpdateAgent(ctx context.Context, code string, in AgentUpdate) (changed bool, err error) {
	if err := s.checkAgentUpdate(&in); err != nil {
		return false, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		id, err := w.lockAgent(ctx, code)
		if err != nil {
			return err
		}
		row, err := w.Agent.Query().Where(agent.ID(id)).Only(ctx)
		if err != nil {
			return err
		}
		changed, err = s.writeAgentUpdate(ctx, w, row, in)
		return err
	})
	return changed, err
}

func (s *Service) checkAgentUpdate(in *AgentUpdate) error {
	var c inputCheck
	in.Initiator = c.Initiator(in.Initiator)
	c.Kept(&in.FirstName, maxName, "firstName")
	c.Kept(&in.LastName, maxName, "lastName")
	c.Clearable(&in.MiddleName, maxName, "middleName")
	c.Clearable(&in.CommonName, maxName, "commonName")
	in.Email.Value = c.Email(in.Email.Value, check.MaxEmail, "email")
	c.Clearable(&in.NPN, maxText, "npn")
	c.Clearable(&in.CustomerID, maxText, "customerId")
	c.Clearable(&in.Gender, maxText, "gender")
	if in.GovernmentIdentifier.Sent {
		in.GovernmentIdentifier.Value = c.governmentIdentifier(in.GovernmentIdentifier.Value)
	}
	c.NotNull(in.StartDate, "startDate")
	if in.StartDate.Value != nil {
		c.startDate(*in.StartDate.Value, s.clock.Now())
	}
	return c.Err()
}

// writeAgentUpdate writes what differs from the row.
func (s *Service) writeAgentUpdate(ctx context.Context, w *writing, row *db.Agent, in AgentUpdate) (bool, error) {
	isDedicated := in.IsDedicated.Or(&row.IsDedicated)
	if isDedicated == nil {
		isDedicated = new(bool)
	}
	next := *row
	next.FirstName, next.LastName = *in.FirstName.Or(&row.FirstName), *in.LastName.Or(&row.LastName)
	next.MiddleName, next.CommonName = in.MiddleName.Or(row.MiddleName), in.CommonName.Or(row.CommonName)
	next.Email, next.Npn, next.CustomerID = in.Email.Or(row.Email), in.NPN.Or(row.Npn), in.CustomerID.Or(row.CustomerID)
	next.Gender, next.BirthDate = in.Gender.Or(row.Gender), in.BirthDate.Or(row.BirthDate)
	next.IsDedicated, next.StartDate = *isDedicated, *in.StartDate.Or(&row.StartDate)

	identifierChanged, err := s.identifierDiffers(ctx, w, row, in.GovernmentIdentifier)
	differ := agentDifferences(row, &next)
	if err != nil || (!identifierChanged && len(differ) == 0) {
		return false, err
	}
	w.changed(agentEntity, row.Code, differ...).id = row.ID
	err = w.Later(ctx, `UPDATE agency_agent SET first_name = $1, middle_name = $2, last_name = $3, common_name = $4, email = $5,
		npn = $6, customer_id = $7, gender = $8, birth_date = $9, is_dedicated = $10, start_date = $11,
		first_name_key = $12, last_name_key = $13, common_name_key = $14, email_key = $15, last_modified = $16, last_modified_by = $17
		WHERE tenant_id = $18 AND id = $19`,
		next.FirstName, next.MiddleName, next.LastName, next.CommonName, next.Email,
		next.Npn, next.CustomerID, next.Gender, nullable(next.BirthDate), next.IsDedicated, next.StartDate,
		SearchKey(&next.FirstName), SearchKey(&next.LastName), SearchKey(next.CommonName), SearchKey(next.Email),
		w.Now, w.Initiator, w.Tenant.ID, row.ID)
	if err == nil && identifierChanged {
		err = s.storeGovernmentIdentifier(ctx, w, row.ID, in.GovernmentIdentifier.Value)
	}
	return true, err
}

// agentDifferences names the core details in which two rows differ.
func agentDifferences(a, b *db.Agent) (names []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"firstName", a.FirstName == b.FirstName}, {"middleName", same(a.MiddleName, b.MiddleName)},
		{"lastName", a.LastName == b.LastName}, {"commonName", same(a.CommonName, b.CommonName)},
		{"email", same(a.Email, b.Email)}, {"npn", same(a.Npn, b.Npn)}, {"customerId", same(a.CustomerID, b.CustomerID)},
		{"gender", same(a.Gender, b.Gender)}, {"birthDate", same(a.BirthDate, b.BirthDate)},
		{"isDedicated", a.IsDedicated == b.IsDedicated}, {"startDate", a.StartDate.Equal(b.StartDate)},
	} {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
}

// same compares two optional values.
func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// identifierDiffers reports whether a sent SSN or SIN is another than the
// stored one: by their blind indexes when both exist, then letter by letter,
// since "12-34" and "1234" are the same number written in two ways.
func (s *Service) identifierDiffers(ctx context.Context, w *writing, row *db.Agent, sent patch.Field[string]) (bool, error) {
	if !sent.Sent {
		return false, nil
	}
	if sent.Value == nil || row.GovernmentIdentifier == nil {
		return sent.Value != nil || row.GovernmentIdentifier != nil, nil
	}
	index, err := governmentIdentifierIndex(ctx, s.vault, w.Tenant.ID, *sent.Value)
	if err != nil {
		return false, err
	}
	if !bytes.Equal(index, row.GovernmentIdentifierIndex) {
		return true, nil
	}
	stored, err := s.vault.Decrypt(ctx, governmentIdentifierField(w.Tenant.ID, row.ID), row.GovernmentIdentifier)
	if vault.Unreadable(err) { // it can be written anew
		return true, nil
	}
	return stored != *sent.Value, err
}
