package label

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
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
		lock, err1 := w.AskForAgent(ctx, w.ForUpdate(), agentCode)
		known, err2 := record.AskKeys(ctx, w, record.ProviderCompanyTable, given(in.ProviderCompany))
		ids, err3 := w.AskNewIDs(ctx, AliasTable, 1)
		if err := record.FirstOf(err1, err2, err3, w.Flush(ctx)); err != nil {
			return err
		}
		agentID, err := w.Locked(ctx, lock)
		if err != nil {
			return err
		}
		refused := slices.Clone(sent.List)
		if in.ProviderCompany != nil && !known[*in.ProviderCompany] {
			refused.Add(record.ProviderCompanyTable.Unknown("providerCompany"))
		}
		if err := refused.Err(); err != nil {
			return err
		}
		id = ids[0]
		if err := InsertAliases(ctx, w, []NewAlias{{id, agentID, in.Identifier, in.ProviderCompany}}); err != nil {
			return err
		}
		w.NoteEvent(events.AgentAliasCreated)
		return w.TouchAgent(ctx, agentID, "aliases")
	})
	return id, err
}

func given(s *string) []string {
	if s == nil {
		return nil
	}
	return []string{*s}
}

// AliasTable has the aliases.
const AliasTable = "agency_alias"

// NewAlias is an alias that is added to an agent.
type NewAlias struct {
	ID, AgentID     int64
	Identifier      string
	ProviderCompany *string
}

// InsertAliases adds aliases. It refuses an identifier that another alias at the provider
// company has.
func InsertAliases(ctx context.Context, w *record.Writing, all []NewAlias) error {
	columns := []string{"tenant_id", "id", "agent_id", "identifier", "provider_company", "created_at", "created_by", "last_modified", "last_modified_by"}
	err := w.CopyFrom(ctx, AliasTable, columns, func(yield func([]any) bool) {
		row := make([]any, 0, len(columns))
		for _, a := range all {
			row = append(row[:0], w.Tenant.ID, a.ID, a.AgentID, a.Identifier, a.ProviderCompany, w.Now, w.Initiator, w.Now, w.Initiator)
			if !yield(row) {
				return
			}
		}
	})
	if dberror.IsUniqueViolation(err, "agency_alias_identifier", "agency_alias_identifier") {
		return problem.Clash(problem.DuplicateKey, "Another alias has this identifier", "identifier")
	}
	keys := make([]record.Keyed, len(all))
	for i, a := range all {
		keys[i] = keysOf(a)
	}
	return record.FirstOf(err, w.AddKeys(ctx, keys...))
}

// keysOf returns the keys that an alias gives its agent.
func keysOf(a NewAlias) record.Keyed {
	return record.Keyed{AgentID: a.AgentID, Source: a.ID, Keys: record.Keys{}.OfParts(a.Identifier, record.WholeKey)}
}

// KeysOfAliases returns the keys that the aliases of agents give them.
func KeysOfAliases(ctx context.Context, q store.Querier, tenantID int64, agentIDs []int64) ([]record.Keyed, error) {
	return store.Collect(ctx, q, func(r store.Scanner) (record.Keyed, error) {
		var a NewAlias
		err := r.Scan(&a.ID, &a.AgentID, &a.Identifier)
		return keysOf(a), err
	}, "SELECT id, agent_id, identifier FROM agency_alias WHERE tenant_id = $1 AND "+q.In("agent_id", "$2"), tenantID, q.List(agentIDs))
}

// DeleteAlias removes an alias.
func (s *Service) DeleteAlias(ctx context.Context, id int64, initiator string) error {
	var c record.Check
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return err
	}
	return s.writer.Write(ctx, initiator, false, func(ctx context.Context, w *record.Writing) error {
		identifier, err := lockAlias(ctx, w, id)
		if err != nil {
			return err
		}
		if err := removeAlias(ctx, w, NewAlias{ID: id, AgentID: w.AgentID, Identifier: identifier}); err != nil {
			return err
		}
		w.NoteEvent(events.AgentAliasDeleted)
		return w.TouchAgent(ctx, w.AgentID, "aliases")
	})
}

// removeAlias removes an alias with its keys.
func removeAlias(ctx context.Context, w *record.Writing, a NewAlias) error {
	return record.FirstOf(w.RemoveKeys(ctx, keysOf(a)), w.Later(ctx, "DELETE FROM agency_alias WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, a.ID))
}

// lockAlias locks the agent that has an alias and then reads the alias, which may have
// been deleted while it waited for the lock.
func lockAlias(ctx context.Context, w *record.Writing, id int64) (identifier string, err error) {
	holder, err := w.AskForHolder(ctx, AliasTable, id)
	if err != nil {
		return "", err
	}
	var lastModified time.Time
	found, err := w.Ask(ctx, []any{&lastModified, &identifier}, "SELECT last_modified, identifier FROM agency_alias WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, id)
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return "", err
	}
	switch seen, err := w.LockedHolder(ctx, holder); {
	case err != nil:
		return "", err
	case !seen || !*found:
		return "", problem.Missing(problem.NotFoundCode, "No alias has this id")
	}
	return identifier, w.CheckVersion(ctx, lastModified)
}
