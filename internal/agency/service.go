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
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// DefaultTeam is the name of the only team.
const DefaultTeam = "default"

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	clock  clock.Clock
	vault  *vault.Vault
	writer *change.Writer
	// totals keeps how many rows lists have.
	totals *listing.Totals
	// teams remembers ids by tenant and name; both never change.
	teams sync.Map
}

type teamKey struct {
	tenantID int64
	name     string
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, clock: c, vault: v, writer: change.New(s, c, v), totals: listing.NewTotals()}
}

// Today returns the day it is for the tenant of the context.
func (s *Service) Today(ctx context.Context) date.Date {
	return clock.Today(s.clock, tenant.From(ctx).Zone)
}

// writing is a change under way.
type writing struct {
	*change.Writing
	notes notes
	// agentID is the agent that the write is about; 0 for none, and where it is
	// about several. agentCode is its code, as far as its row is locked.
	agentID   int64
	agentCode string
}

// write runs f in a transaction, or rehearses it.
func (s *Service) write(ctx context.Context, initiator string, dryRun bool, f func(ctx context.Context, w *writing) error) error {
	run := s.writer.Write
	if dryRun {
		run = s.writer.Rehearse
	}
	ctx = tenant.Whole(ctx, "what is unique, and what is written beside the change, is not limited; lockAgent and lockHolder are")
	return run(ctx, initiator, func(ctx context.Context, c *change.Writing) error {
		w := &writing{Writing: c}
		if err := f(ctx, w); err != nil || w.Rehearsed {
			return err
		}
		if w.agentID != 0 {
			if err := idempotency.About(ctx, w.Tx, w.agentID); err != nil {
				return err
			}
		}
		return w.tell(ctx)
	})
}

// tell adds the events and the audit entries of what is noted to the change.
func (w *writing) tell(ctx context.Context) error {
	entries, err := w.entries(ctx)
	w.Raise(w.events(audit.OriginFrom(ctx).Operation)...)
	w.Record(entries...)
	return err
}

// lockAgent locks an agent's row, the parent of all that is dated about it, and
// returns its id. The agent is the record that the request names, whose version
// is checked.
func (w *writing) lockAgent(ctx context.Context, code string, field ...string) (int64, error) {
	return w.lockAgentFor(ctx, w.ForUpdate(), code, field...)
}

func (w *writing) lockAgentFor(ctx context.Context, lock, code string, field ...string) (int64, error) {
	l, err := w.askForAgent(ctx, lock, code)
	if err := firstOf(err, w.Flush(ctx)); err != nil {
		return 0, err
	}
	return w.locked(ctx, l, field...)
}

// agentLock is an agent's row that is asked for, to be locked.
type agentLock struct {
	code         string
	found        *bool
	id           int64
	lastModified time.Time
}

// askForAgent asks for an agent's row, in one round trip with whatever is asked for
// besides. That sees what was committed before the lock was got: it is read after it.
func (w *writing) askForAgent(ctx context.Context, lock, code string) (l *agentLock, err error) {
	l = &agentLock{code: code}
	l.found, err = w.Ask(ctx, []any{&l.id, &l.lastModified},
		"SELECT id, last_modified FROM agency_agent WHERE tenant_id = $1 AND code = $2"+lock, w.Tenant.ID, code)
	return l, err
}

// locked is called when the row that was asked for is locked.
func (w *writing) locked(ctx context.Context, l *agentLock, field ...string) (int64, error) {
	if !*l.found {
		w.Stamp()
		return 0, unknownAgent(field...)
	}
	if seen, err := w.sees(ctx, l.id); err != nil || !seen {
		w.Stamp()
		return 0, firstOf(err, unknownAgent(field...))
	}
	w.agentID, w.agentCode = l.id, l.code
	return l.id, w.Named(ctx, l.lastModified)
}

// sees reports whether the caller may see an agent; nobody but a limited caller
// is asked. Whom it does not see is refused as one that does not exist.
func (w *writing) sees(ctx context.Context, agentID int64) (bool, error) {
	ctx = tenant.AsCaller(ctx)
	if _, limited := tenant.LimitOf(ctx); !limited {
		return true, nil
	}
	var one int
	return store.One(ctx, w, []any{&one}, "SELECT 1 FROM agency_agent a WHERE a.tenant_id = $1 AND a.id = $2", w.Tenant.ID, agentID)
}

// lockHolder locks the agent that a row belongs to, and reports whether the
// caller may see it. It is the row that the request names, not the agent.
func (w *writing) lockHolder(ctx context.Context, table string, id int64) (seen bool, err error) {
	l, err := w.askForHolder(ctx, table, id)
	if err := firstOf(err, w.Flush(ctx)); err != nil {
		return false, err
	}
	return w.lockedHolder(ctx, l)
}

// askForHolder is askForAgent for the agent that a row belongs to.
func (w *writing) askForHolder(ctx context.Context, table string, id int64) (l *agentLock, err error) {
	l = new(agentLock)
	l.found, err = w.Ask(ctx, []any{&l.id, &l.code, &l.lastModified}, `SELECT id, code, last_modified FROM agency_agent WHERE tenant_id = $1
		AND id = (SELECT agent_id FROM `+table+` WHERE tenant_id = $1 AND id = $2)`+w.ForUpdate(), w.Tenant.ID, id)
	return l, err
}

// lockedHolder is called when the row of the agent is locked.
func (w *writing) lockedHolder(ctx context.Context, l *agentLock) (seen bool, err error) {
	w.agentID, w.agentCode = l.id, l.code
	w.StampAfter(l.lastModified)
	return w.sees(ctx, l.id)
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
	const touch = "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4"
	args := []any{w.Now, w.Initiator, w.Tenant.ID, id}
	code, err := w.agentCode, error(nil)
	if id == w.agentID && code != "" {
		err = w.Later(ctx, touch, args...)
	} else {
		_, err = store.One(ctx, w, []any{&code}, touch+" RETURNING code", args...)
	}
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
