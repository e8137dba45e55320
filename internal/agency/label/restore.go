package label

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// RestoreTags assigns tags to an agent that it had, and takes those away that it had not.
func RestoreTags(ctx context.Context, w *record.Writing, agentID int64, added, removed []string) error {
	var operations []TagOperation
	for _, name := range added {
		operations = append(operations, TagOperation{Assign: true, Tag: name})
	}
	for _, name := range removed {
		operations = append(operations, TagOperation{Tag: name})
	}
	known, err := record.AskKeys(ctx, w, record.TagTable, added)
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return err
	}
	if err := checkTags(nil, operations[:len(added)], known); err != nil {
		return err
	}
	_, err = updateTags(ctx, w, agentID, operations)
	return err
}

// RestoreAliases gives an agent aliases that it had, and takes those away that it had not. They
// have an identifier and a provider company each.
func RestoreAliases(ctx context.Context, w *record.Writing, agentID int64, added, removed []NewAlias) error {
	for _, a := range removed {
		company := "provider_company IS NULL"
		args := []any{w.Tenant.ID, agentID, a.Identifier}
		if a.ProviderCompany != nil {
			company, args = "provider_company = $4", append(args, *a.ProviderCompany)
		}
		found, err := store.One(ctx, w, []any{&a.ID}, "SELECT id FROM agency_alias WHERE tenant_id = $1 AND agent_id = $2 AND identifier = $3 AND "+company, args...)
		if err != nil || !found {
			return err
		}
		a.AgentID = agentID
		if err := removeAlias(ctx, w, a); err != nil {
			return err
		}
	}
	if len(added) == 0 {
		return nil
	}
	ids, err := w.NewIDs(ctx, AliasTable, len(added))
	if err != nil {
		return err
	}
	var refused problem.List
	for i := range added {
		added[i].ID, added[i].AgentID = ids[i], agentID
		if company := added[i].ProviderCompany; company != nil {
			if err := w.MustRefer(ctx, &refused, record.ProviderCompanyTable, *company, "sequence"); err != nil {
				return err
			}
		}
	}
	return record.FirstOf(refused.Err(), InsertAliases(ctx, w, added))
}
