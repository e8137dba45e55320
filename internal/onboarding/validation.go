package onboarding

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Validation is the result of validating an application against what is published at a
// moment.
type Validation struct {
	// Problems is empty when the application "is complete and ready to submit"
	// (Agent Onboarding, "Validation responses").
	Problems             problem.List
	CheckedAt            time.Time
	ConfigurationVersion int
	// Unreadable is the reason why the form could not be read; nil if it could.
	Unreadable error
}

// Validate "checks a saved application against the current configuration without changing
// it" (Agent Onboarding, POST /applications/{id}/validation), for each of the
// applications, by id.
func (s *reading) Validate(ctx context.Context, applications map[int64]*Application) (map[int64]*Validation, error) {
	p, err := published(ctx, s.store)
	if err != nil {
		return nil, err
	}
	all, today := make(map[int64]*Validation, len(applications)), clock.Today(s.clock, tenant.From(ctx).Zone)
	for _, id := range slices.Sorted(maps.Keys(applications)) {
		f, err := s.Form(ctx, applications[id])
		if vault.Unreadable(err) { // which does not concern the others
			all[id] = &Validation{Unreadable: err}
			continue
		}
		if err != nil {
			return nil, err
		}
		all[id] = &Validation{Problems: validate(f, p, today), CheckedAt: s.clock.Now(), ConfigurationVersion: p.Configuration.Version}
	}
	return all, nil
}

// AllowedTransitions are the statuses that each of the applications can get next, judged
// by its status and the configuration alone.
func (s *reading) AllowedTransitions(ctx context.Context, applications map[int64]*Application) (map[int64][]Status, error) {
	c, err := configuration(ctx, s.store)
	if err != nil {
		return nil, err
	}
	all := make(map[int64][]Status, len(applications))
	for id, a := range applications {
		all[id] = a.allowed(c)
	}
	return all, nil
}

// StatusChange is a change of an application's status.
type StatusChange struct {
	ApplicationID int64
	// From is nil for the first status.
	From      *Status
	To        Status
	Reason    *string
	ChangedAt time.Time
	ChangedBy string
}

// StatusHistory reads the changes of applications' statuses, the oldest first.
func (s *reading) StatusHistory(ctx context.Context, ids []int64) (map[int64][]*StatusChange, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	steps, err := store.Collect(ctx, s.store, func(r store.Scanner) (*StatusChange, error) {
		c := new(StatusChange)
		return c, r.Scan(&c.ApplicationID, &c.From, &c.To, &c.Reason, &c.ChangedAt, &c.ChangedBy)
	}, `SELECT h.application_id, h.from_status, h.to_status, h.reason, h.changed_at, h.changed_by
		FROM onboarding_application_status_change h WHERE h.tenant_id = $1 AND `+s.store.In("h.application_id", "$2")+` ORDER BY h.application_id, h.id`,
		tenantID, s.store.List(ids))
	byApplication := make(map[int64][]*StatusChange, len(ids))
	for _, c := range steps {
		byApplication[c.ApplicationID] = append(byApplication[c.ApplicationID], c)
	}
	return byApplication, err
}
