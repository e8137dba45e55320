// Package agency is the system of record for agents: who they are, their
// place in the hierarchy, their certifications, their pay status, and the
// reference data these refer to. Every write has an initiator, runs in one
// transaction that first locks the agent it is about, and is refused as a whole
// when anything in it is wrong.
//
// What is dated follows the specification's "Effective-dated history rules";
// internal/history decides, this package stores. The flattened hierarchy
// belongs to internal/hierarchy, which is told of every change of an upline.
package agency

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/idempotency"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
	"github.com/uplinehq/upline/internal/version"
)

// DefaultTeam is the name of the only team.
const DefaultTeam = "default"

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	store *store.Store
	clock clock.Clock
	vault *vault.Vault
	trail *audit.Trail
	// teams remembers ids by tenant and name; both never change.
	teams sync.Map
}

type teamKey struct {
	tenantID int64
	name     string
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, clock: c, vault: v, trail: audit.New(s, c, v)}
}

// Today returns the day it is for the tenant of the context.
func (s *Service) Today(ctx context.Context) date.Date {
	return clock.Today(s.clock, tenant.From(ctx).Zone)
}

// writing is a change under way: its transaction and its stamp.
type writing struct {
	*store.Tx
	tenant    *tenant.Tenant
	tenantID  int64
	clock     clock.Clock
	now       time.Time
	today     date.Date
	initiator string
	notes     notes
	// after is the latest change of the rows that are locked.
	after time.Time
	// agentID is the agent that the write is about; 0 for none, and where it is
	// about several.
	agentID int64
}

// stamp takes the time of the change. A change that waited for a row takes it
// when it has the row, so that stamps come in the order of the changes. Today is
// the day of the clock: a stamp that another process pushed ahead, past midnight
// perhaps, does not put off what takes effect today.
func (w *writing) stamp() {
	w.now = w.clock.Now()
	w.today = date.In(w.now, w.tenant.Zone)
	if !w.now.After(w.after) {
		w.now = w.after.Add(time.Microsecond)
	}
}

// stampAfter is stamp for a change of a row that was last changed at an instant.
// It is later, also when that came from a process whose clock is ahead: the
// stamps of a row are its versions, and no version comes twice.
func (w *writing) stampAfter(lastModified time.Time) {
	if lastModified.After(w.after) {
		w.after = lastModified
	}
	w.stamp()
}

var errDryRun = errors.New("agency: dry run")

// maxWrites is how often a change is tried when a foreign key refuses what its
// own checks passed: another request referred to a row, or deleted it, in
// between. Done again, the checks see that and tell the caller.
const maxWrites = 3

// write runs f in a transaction. A dry run does all that a change does and is
// then rolled back, so a preview equals what the change would do.
func (s *Service) write(ctx context.Context, initiator string, dryRun bool, f func(ctx context.Context, w *writing) error) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	// Keys are made in a transaction of their own, which must not wait for
	// this one.
	if err := s.vault.Prepare(ctx, t.ID); err != nil {
		return err
	}
	ctx = tenant.Whole(ctx, "what is unique, and what is written beside the change, is not limited; lockAgent and lockHolder are")
	change := func(ctx context.Context, tx *store.Tx) error {
		w := &writing{Tx: tx, tenant: t, tenantID: t.ID, clock: s.clock, initiator: initiator}
		w.stamp()
		if dryRun {
			return firstOf(f(ctx, w), version.Checked(ctx), errDryRun)
		}
		if err := idempotency.Record(ctx, tx); err != nil {
			return err
		}
		if err := firstOf(f(ctx, w), version.Checked(ctx)); err != nil {
			return err
		}
		if w.agentID != 0 {
			if err := idempotency.About(ctx, tx, w.agentID); err != nil {
				return err
			}
		}
		if err := w.emit(ctx); err != nil {
			return err
		}
		return s.record(ctx, w)
	}
	err := s.store.InTx(ctx, change)
	for try := 1; try < maxWrites && store.IsForeignKeyViolation(err); try++ {
		err = s.store.InTx(ctx, change)
	}
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// lockAgent locks an agent's row, the parent of all that is dated about it, and
// returns its id. The agent is the record that the request names, whose version
// is checked.
func (w *writing) lockAgent(ctx context.Context, code string, field ...string) (int64, error) {
	return w.lockAgentFor(ctx, w.ForUpdate(), code, field...)
}

func (w *writing) lockAgentFor(ctx context.Context, lock, code string, field ...string) (int64, error) {
	var (
		id           int64
		lastModified time.Time
	)
	found, err := store.One(ctx, w, []any{&id, &lastModified},
		"SELECT id, last_modified FROM agency_agent WHERE tenant_id = $1 AND code = $2"+lock, w.tenantID, code)
	switch {
	case err != nil:
		return 0, err
	case !found:
		w.stamp()
		return 0, unknownAgent(field...)
	}
	if seen, err := w.sees(ctx, id); err != nil || !seen {
		w.stamp()
		return 0, firstOf(err, unknownAgent(field...))
	}
	w.agentID = id
	return id, w.named(ctx, lastModified)
}

// sees reports whether the caller may see an agent; nobody but a limited caller
// is asked. Whom it does not see is refused as one that does not exist.
func (w *writing) sees(ctx context.Context, agentID int64) (bool, error) {
	ctx = tenant.AsCaller(ctx)
	if _, limited := tenant.LimitOf(ctx); !limited {
		return true, nil
	}
	var one int
	return store.One(ctx, w, []any{&one}, "SELECT 1 FROM agency_agent a WHERE a.tenant_id = $1 AND a.id = $2", w.tenantID, agentID)
}

// lockHolder locks the agent that a row belongs to, and reports whether the
// caller may see it. It is the row that the request names, not the agent.
func (w *writing) lockHolder(ctx context.Context, table string, id int64) (seen bool, err error) {
	var lastModified time.Time
	_, err = store.One(ctx, w, []any{&w.agentID, &lastModified}, `SELECT id, last_modified FROM agency_agent WHERE tenant_id = $1
		AND id = (SELECT agent_id FROM `+table+` WHERE tenant_id = $1 AND id = $2)`+w.ForUpdate(), w.tenantID, id)
	w.stampAfter(lastModified)
	if err != nil {
		return false, err
	}
	return w.sees(ctx, w.agentID)
}

// named is called for the record that the request names, with its row locked: the
// change is stamped after its last one, and its version is checked.
func (w *writing) named(ctx context.Context, lastModified time.Time) error {
	w.stampAfter(lastModified)
	return version.Check(ctx, lastModified)
}

func unknownAgent(field ...string) error {
	return problem.Missing(problem.UnknownAgent, "No agent has this agent code", field...)
}

// touchAgent moves an agent's lastModified, which tells of a change of anything
// that belongs to the agent, and notes the fields that change, by their paths
// from the agent.
func (w *writing) touchAgent(ctx context.Context, id int64, fields ...string) error {
	_, err := w.touch(ctx, id, fields...)
	return err
}

func (w *writing) touch(ctx context.Context, id int64, fields ...string) (*notedObject, error) {
	var code string
	_, err := store.One(ctx, w, []any{&code},
		"UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4 RETURNING code",
		w.now, w.initiator, w.tenantID, id)
	agent := w.changed(agentEntity, code, fields...)
	agent.id = id
	return agent, err
}

// Team returns the id of a team, or a problem when there is none of the name.
func (s *Service) Team(ctx context.Context, name string) (int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	key := teamKey{tenantID, name}
	if id, ok := s.teams.Load(key); ok {
		return id.(int64), nil
	}
	id, err := teamID(ctx, s.store, name)
	if err == nil {
		s.teams.Store(key, id)
	}
	return id, err
}

func teamID(ctx context.Context, q store.Querier, name string) (int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	var id int64
	found, err := store.One(ctx, q, []any{&id}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND name = $2", tenantID, name)
	if err == nil && !found {
		err = problem.Missing(problem.UnknownTeam, "There is no such team; the only one is default", "team")
	}
	return id, err
}
