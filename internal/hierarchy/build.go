package hierarchy

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Status is the state of a build. The values are those of the GraphQL enum
// HierarchyBuildStatus.
type Status string

// The statuses.
const (
	Queued    Status = "QUEUED"    // a job waits
	Running   Status = "RUNNING"   // a rebuild is under way
	Completed Status = "COMPLETED" // the last rebuild finished
	Failed    Status = "FAILED"    // the last rebuild failed; it is tried again
)

// Statuses are all statuses of a build.
var Statuses = enum.Of(Queued, Running, Completed, Failed)

// Build is the state of a team's flattened hierarchy.
type Build struct {
	TeamID int64
	// Team is the team's name.
	Team   string
	Status Status
	// Version is the last change that the flattened rows include, ChangedVersion the last
	// change of all.
	Version, ChangedVersion int64
	// BuiltFor is the day, in the tenant's zone, for which the rows are; nil before the
	// first rebuild.
	BuiltFor *date.Date
	QueuedAt time.Time
	// StartedAt and FinishedAt are the times of the last rebuild that started, and that
	// finished.
	StartedAt, FinishedAt *time.Time
	// AgentCount and RelationCount are the numbers of rows after the last finished
	// rebuild.
	AgentCount, RelationCount *int
	// IsStale is true while a change, or a new day, waits for a rebuild.
	IsStale bool
}

// Build returns the state of a team's flattened hierarchy, nil when the team
// never had a change.
func (s *Service) Build(ctx context.Context, q store.Querier, teamID int64) (*Build, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	return readBuild(ctx, q, t.ID, teamID, clock.Today(s.clock, t.Zone), "")
}

func readBuild(ctx context.Context, q store.Querier, tenantID, teamID int64, today date.Date, lock string) (*Build, error) {
	b := Build{TeamID: teamID}
	found, err := store.One(ctx, q, []any{&b.Team, &b.Status, &b.Version, &b.ChangedVersion, &b.BuiltFor,
		&b.QueuedAt, &b.StartedAt, &b.FinishedAt, &b.AgentCount, &b.RelationCount}, `
		SELECT (SELECT t.name FROM agency_team t WHERE t.tenant_id = $1 AND t.id = $2), b.status, b.built_version, b.changed_version, b.built_for,
			b.queued_at, b.started_at, b.finished_at, b.agent_count, b.relation_count
		FROM hierarchy_build b WHERE b.tenant_id = $1 AND b.team_id = $2`+lock, tenantID, teamID)
	if err != nil || !found {
		return nil, err
	}
	b.IsStale = b.ChangedVersion > b.Version || b.BuiltFor == nil || *b.BuiltFor != today
	return &b, nil
}
