package jobs

import (
	"context"
	"errors"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/tenant"
)

// number gives events their positions in the feed. Every reader does that too; the job
// keeps a feed that nobody reads from falling behind.
type number struct{ once }

// Kind implements river.JobArgs.
func (number) Kind() string { return "events_number" }

// number does as much as there is time for; the next run continues.
func (s Services) number(ctx context.Context) error {
	more, err := s.Events.NumberAll(ctx, s.Tenants.ByID)
	if more && err == nil {
		return river.JobSnooze(0)
	}
	return err
}

// expiry announces certifications that end soon.
type expiry struct{ once }

// Kind implements river.JobArgs.
func (expiry) Kind() string { return "certification_expiry" }

// authorizations tells who may sell watched products now and might not before, or the
// reverse.
type authorizations struct{ once }

// Kind implements river.JobArgs.
func (authorizations) Kind() string { return "sales_authorizations" }

// keys makes agents found that were added without keys.
type keys struct{ once }

// Kind implements river.JobArgs.
func (keys) Kind() string { return "agent_keys" }

// values deletes what values were before that is no longer kept.
type values struct{ once }

// Kind implements river.JobArgs.
func (values) Kind() string { return "values_retention" }

// retention deletes old deliveries and events.
type retention struct{ once }

// Kind implements river.JobArgs.
func (retention) Kind() string { return "events_retention" }

// sweep deletes expired answers, sessions, grants, files of exports, sign-in attempts and old
// counts of what clients use.
// A new answer sweeps too; the job does it for tenants that send no more requests.
type sweep struct{ once }

// Kind implements river.JobArgs.
func (sweep) Kind() string { return "idempotency_sweep" }

func (s Services) sweep(ctx context.Context) error {
	ofTenants := s.everyTenant(func(ctx context.Context) error {
		return errors.Join(s.Answers.Sweep(ctx), s.Identity.SweepSessions(ctx), s.Identity.SweepUses(ctx), s.Exports.Sweep(ctx))
	}, tenant.Platform)
	return errors.Join(s.Identity.SweepAttempts(ctx), ofTenants(ctx))
}

// heads records the heads of the tenants' audit trails in the platform's trail.
type heads struct{ once }

// Kind implements river.JobArgs.
func (heads) Kind() string { return "audit_heads" }

// tokens deletes revocations of expired tokens, and rotates the signing keys, including
// those that nobody uses.
type tokens struct{ once }

// Kind implements river.JobArgs.
func (tokens) Kind() string { return "oauth_tokens" }

func (s Services) tokens(ctx context.Context) error {
	return errors.Join(s.Credentials.SweepRevoked(ctx, s.Clock.Now()), s.Keys.Complete(ctx))
}
