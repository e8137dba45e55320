package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// rebuild is a rebuild under way, for the day on which it began.
type rebuild struct {
	flattening
	service *Service
}

// Rebuild brings the flattened rows of a team up to date with its periods, for today in
// the tenant's zone, and returns the resulting state; nil if the team never had a change.
// If nothing has changed it writes nothing. "When the background rebuild […] finishes
// after hierarchy changes" (specification, Events) it stores the event
// HierarchyBuildCompleted. Rebuilds of a team wait for each other; changes do not wait
// for a rebuild.
func (s *Service) Rebuild(ctx context.Context, teamID int64) (b *Build, err error) {
	return b, alone(ctx, func() error {
		b, err = s.rebuild(ctx, teamID)
		return err
	})
}

// rebuild is Rebuild, but returns errUnderWay if it would have to wait.
func (s *Service) rebuild(ctx context.Context, teamID int64) (*Build, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	for {
		r := &rebuild{flattening{t.ID, teamID, clock.Today(s.clock, t.Zone)}, s}
		started, due, err := r.start(ctx)
		if err != nil || !due {
			return started, err
		}
		finished, err := r.finish(ctx, started)
		if errors.Is(err, errUnderWay) {
			return nil, err
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("rebuild hierarchy: %w", err), r.fail(ctx))
		}
		if finished != nil {
			return finished, nil
		}
	}
}

func (r *rebuild) read(ctx context.Context, tx *store.Tx, lock string) (*Build, error) {
	return readBuild(ctx, tx, r.tenantID, r.teamID, r.today, lock)
}

// start makes it visible that a rebuild is under way, unless one is already: then the
// status stays, and if that is QUEUED, changes insert no more jobs. due is false if there is
// nothing to rebuild.
func (r *rebuild) start(ctx context.Context) (b *Build, due bool, err error) {
	err = r.service.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		err := lockRebuild(ctx, tx, r.tenantID, r.teamID)
		if err != nil {
			return err
		}
		if b, err = r.read(ctx, tx, tx.ForUpdate()); err != nil || b == nil {
			return err
		}
		if b.BuiltFor != nil && *b.BuiltFor != r.today {
			if err := r.passDays(ctx, tx, b); err != nil {
				return err
			}
		}
		if due = b.BuiltFor == nil || b.ChangedVersion > b.Version; !due {
			return r.rest(ctx, tx, b)
		}
		_, err = tx.Exec(ctx, "UPDATE hierarchy_build SET status = 'RUNNING', started_at = $1 WHERE tenant_id = $2 AND team_id = $3",
			r.service.clock.Now(), r.tenantID, r.teamID)
		return err
	})
	return b, due, err
}

// passDays counts it as a change if periods start or end because a day has passed. Days
// can also pass backwards, when a tenant's zone is changed.
func (r *rebuild) passDays(ctx context.Context, tx *store.Tx, b *Build) error {
	n, err := tx.Exec(ctx, `
		INSERT INTO hierarchy_change (tenant_id, team_id, version, agent_id)
		SELECT DISTINCT b.tenant_id, b.team_id, b.changed_version + 1, p.agent_id
		FROM hierarchy_build b JOIN agency_upline_period p ON p.tenant_id = b.tenant_id AND p.team_id = b.team_id
		WHERE b.tenant_id = $1 AND b.team_id = $2 AND p.tenant_id = $1 AND p.team_id = $2 AND p.superseded_at IS NULL
			AND (p.effective_from > $3 AND p.effective_from <= $4 OR p.effective_through >= $3 AND p.effective_through < $4)`,
		r.tenantID, r.teamID, min(*b.BuiltFor, r.today), max(*b.BuiltFor, r.today))
	if err != nil || n == 0 {
		return err
	}
	b.ChangedVersion++
	_, err = tx.Exec(ctx, "UPDATE hierarchy_build SET changed_version = $1 WHERE tenant_id = $2 AND team_id = $3",
		b.ChangedVersion, r.tenantID, r.teamID)
	return err
}

// rest notes that the rows include every change, and are right for today.
func (r *rebuild) rest(ctx context.Context, tx *store.Tx, b *Build) error {
	if b.Status == Completed && *b.BuiltFor == r.today {
		return nil
	}
	b.Status, b.BuiltFor, b.IsStale = Completed, r.today.Ptr(), false
	_, err := tx.Exec(ctx, "UPDATE hierarchy_build SET status = 'COMPLETED', built_for = $1 WHERE tenant_id = $2 AND team_id = $3",
		r.today, r.tenantID, r.teamID)
	return err
}

// finish rebuilds. If another rebuild was faster, it does nothing and returns nil.
func (r *rebuild) finish(ctx context.Context, started *Build) (b *Build, err error) {
	err = r.service.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		b = nil
		if err := lockRebuild(ctx, tx, r.tenantID, r.teamID); err != nil {
			return err
		}
		// The counter is read before the periods: so a change in between is flattened
		// twice, and none is missed.
		found, err := r.read(ctx, tx, "")
		if err != nil || found == nil || found.Version != started.Version || !sameDay(found.BuiltFor, started.BuiltFor) {
			return err
		}
		agents, relations, err := r.flatten(ctx, tx, found)
		if err != nil {
			return err
		}
		if err := r.completeAlone(ctx, tx, found, agents, relations, r.service.clock.Now()); err != nil {
			return err
		}
		b, err = r.read(ctx, tx, "")
		return err
	})
	return b, err
}

// changesKept is how many changes of a team stay on record after they are flattened. A
// process whose kept periods are no further behind reads those of the agents that changed.
const changesKept = 100

// complete notes what the rows include now, and returns the event that tells so. A change
// that came since has a job of its own, and its status stays.
func (f flattening) complete(ctx context.Context, tx *store.Tx, b *Build, agents, relations int, now time.Time) (e events.Event, err error) {
	if err := tx.Later(ctx, "DELETE FROM hierarchy_change WHERE tenant_id = $1 AND team_id = $2 AND version <= $3",
		f.tenantID, f.teamID, b.ChangedVersion-changesKept); err != nil {
		return e, err
	}
	e = events.Event{Type: events.HierarchyBuildCompleted, Data: completed{
		Team: b.Team, Version: b.ChangedVersion, AgentCount: agents, RelationCount: relations, StartedAt: b.StartedAt, FinishedAt: now,
	}}
	return e, tx.Later(ctx, `UPDATE hierarchy_build SET built_version = $1, built_for = $2, finished_at = $3, agent_count = $4, relation_count = $5,
			started_at = coalesce($6, started_at), status = CASE WHEN changed_version > $1 THEN status ELSE 'COMPLETED' END
		WHERE tenant_id = $7 AND team_id = $8`, b.ChangedVersion, f.today, now, agents, relations, b.StartedAt, f.tenantID, f.teamID)
}

// completeAlone is complete for a rebuild, which has no other events than its own.
func (f flattening) completeAlone(ctx context.Context, tx *store.Tx, b *Build, agents, relations int, now time.Time) error {
	e, err := f.complete(ctx, tx, b, agents, relations, now)
	if err == nil {
		_, err = events.Write(ctx, tx, now, e)
	}
	return err
}

// completed is the data of the event HierarchyBuildCompleted.
type completed struct {
	Team          string     `json:"team"`
	Version       int64      `json:"version"`
	AgentCount    int        `json:"agentCount"`
	RelationCount int        `json:"relationCount"`
	StartedAt     *time.Time `json:"startedAt"`
	FinishedAt    time.Time  `json:"finishedAt"`
}

// fail makes a failure visible, even if the time has run out.
func (r *rebuild) fail(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return r.service.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE hierarchy_build SET status = 'FAILED' WHERE tenant_id = $1 AND team_id = $2 AND status = 'RUNNING'",
			r.tenantID, r.teamID)
		return err
	})
}

func sameDay(a, b *date.Date) bool { return a == b || a != nil && b != nil && *a == *b }
