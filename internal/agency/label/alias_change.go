package label

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/alias"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store/fault"
	"github.com/uplinehq/upline/internal/words/problem"
)

// AliasInput is a new alias: "identifier, providerCompany, initiator" (Alias).
type AliasInput struct {
	Identifier      string
	ProviderCompany *string
	Initiator       string
}

// CreateAlias adds an alias to an agent and returns its id. Only one agent can have an
// identifier at a provider company, and only one can have it without a provider company.
func (s *Service) CreateAlias(ctx context.Context, agentCode string, in AliasInput) (id int64, err error) {
	var sent record.Check
	in.Identifier = sent.Required(in.Identifier, record.MaxText, "identifier")
	in.ProviderCompany = sent.Optional(in.ProviderCompany, record.MaxText, "providerCompany")
	in.Initiator = sent.Initiator(in.Initiator)
	err = s.writer.Write(ctx, in.Initiator, false, func(ctx context.Context, w *record.Writing) error {
		agentID, err := w.LockAgent(ctx, agentCode)
		if err != nil {
			return err
		}
		refused := slices.Clone(sent.List)
		if in.ProviderCompany != nil {
			if err := w.MustRefer(ctx, &refused, record.ProviderCompanyTable, *in.ProviderCompany, "providerCompany"); err != nil {
				return err
			}
		}
		if err := refused.Err(); err != nil {
			return err
		}
		if id, err = insertAlias(ctx, w, agentID, in); err != nil {
			return err
		}
		w.NoteEvent(events.AgentAliasCreated)
		return w.TouchAgent(ctx, agentID, "aliases")
	})
	return id, err
}

func insertAlias(ctx context.Context, w *record.Writing, agentID int64, in AliasInput) (int64, error) {
	row, err := w.Alias.Create().SetAgentID(agentID).SetIdentifier(in.Identifier).SetNillableProviderCompany(in.ProviderCompany).
		SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
	if fault.IsUniqueViolation(err, "agency_alias_identifier", "agency_alias_identifier") {
		return 0, problem.Clash(problem.DuplicateKey, "Another alias has this identifier", "identifier")
	}
	if err != nil {
		return 0, err
	}
	return row.ID, nil
}

// DeleteAlias removes an alias.
func (s *Service) DeleteAlias(ctx context.Context, id int64, initiator string) error {
	var c record.Check
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return err
	}
	return s.writer.Write(ctx, initiator, false, func(ctx context.Context, w *record.Writing) error {
		row, err := lockAlias(ctx, w, id)
		if err != nil {
			return err
		}
		if _, err := w.Alias.Delete().Where(alias.ID(id)).Exec(ctx); err != nil {
			return err
		}
		w.NoteEvent(events.AgentAliasDeleted)
		return w.TouchAgent(ctx, row.AgentID, "aliases")
	})
}

// lockAlias locks the agent that has an alias and then reads the alias, which may have
// been deleted while it waited for the lock.
func lockAlias(ctx context.Context, w *record.Writing, id int64) (*db.Alias, error) {
	seen, err := w.LockHolder(ctx, "agency_alias", id)
	if err != nil {
		return nil, err
	}
	row, err := w.Alias.Query().Where(alias.ID(id)).Only(ctx)
	if !seen || db.IsNotFound(err) {
		return nil, problem.Missing(problem.NotFoundCode, "No alias has this id")
	}
	if err != nil {
		return nil, err
	}
	return row, w.Named(ctx, row.LastModified)
}
