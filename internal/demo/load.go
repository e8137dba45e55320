package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// ErrNotEmpty is returned for a tenant that has agents already.
var ErrNotEmpty = errors.New("demo: the tenant already has agents")

// initiator is recorded for everything that is loaded.
const initiator = "demo"

// batchSize is how many agents are written at a time, with all that belongs to
// them: it bounds the memory of rows and of PostgreSQL's pending foreign key
// checks.
const batchSize = 1000

// Load stores an agency in a tenant that was made by directory.Create and has no
// agents, and asks for its hierarchy to be flattened. It tells progress how
// many agents are written, of how many.
//
// Everything is one transaction: an interrupted load leaves the tenant empty,
// and nobody sees a part of an agency. Other writers of the tenant's team wait
// meanwhile, on SQLite all writers. Where the database asks for the transaction
// to be run again, progress starts again as well.
func Load(ctx context.Context, s *store.Store, v *vault.Vault, c clock.Clock, t *tenant.Tenant, a *Agency, progress func(done, total int)) error {
	ctx = tenant.With(ctx, t)
	// Keys are made in a transaction of their own.
	if err := v.Prepare(ctx, t.ID); err != nil {
		return fmt.Errorf("load agency: %w", err)
	}
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		l := &loader{tx: tx, vault: v, tenant: t, now: c.Now(), today: clock.Today(c, t.Zone)}
		if err := l.takeTeam(ctx); err != nil {
			return err
		}
		if err := l.addTags(ctx, a); err != nil {
			return err
		}
		for done := 0; done < len(a.Agents); {
			next := min(done+batchSize, len(a.Agents))
			if err := l.add(ctx, a.Agents[done:next]); err != nil {
				return err
			}
			done = next
			progress(done, len(a.Agents))
		}
		return l.finish(ctx)
	})
	if err != nil {
		return fmt.Errorf("load agency: %w", err)
	}
	return nil
}

// takeTeam finds the team and makes this the only load into it.
func (l *loader) takeTeam(ctx context.Context) error {
	found, err := store.One(ctx, l.tx, []any{&l.teamID}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND name = $2", l.tenant.ID, directory.DefaultTeam)
	if err != nil {
		return err
	}
	if !found {
		return directory.ErrUnknown
	}
	if err := hierarchy.Lock(ctx, l.tx, l.teamID); err != nil {
		return err
	}
	var id int64
	found, err = store.One(ctx, l.tx, []any{&id}, "SELECT id FROM agency_agent WHERE tenant_id = $1 LIMIT 1", l.tenant.ID)
	if err != nil {
		return err
	}
	if found {
		return ErrNotEmpty
	}
	return nil
}

// finish leaves the tenant as its own writes would have: generated agent codes continue
// after the loaded ones, PostgreSQL has statistics of the filled tables, and the
// hierarchy is marked to be rebuilt.
func (l *loader) finish(ctx context.Context) error {
	lastCode := max(firstCode+len(l.agentIDs)-1, 100_000) // the first generated code is A100001
	if _, err := l.tx.Exec(ctx, "INSERT INTO tenant_agent_code (tenant_id, last_number) VALUES ($1, $2) ON CONFLICT (tenant_id) DO NOTHING",
		l.tenant.ID, lastCode); err != nil {
		return err
	}
	if err := l.tx.Learn(ctx); err != nil {
		return err
	}
	return hierarchy.ChangedAll(ctx, l.tx, l.teamID, l.now)
}
