// Package tenant says who is calling, and for which tenant. The doors set both in the
// context; the store adds the tenant to every query and refuses to run one without it.
package tenant

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Tenant is an agency as the rest of the code needs it.
type Tenant struct {
	ID int64
	// Identifier is the tenant's name in paths and tokens, Name its name for people.
	Identifier, Name string
	// Zone decides which day is today.
	Zone *time.Location
	// DefaultPageSize and MaxPageSize bound lists, in rows ("default and
	// maximum set per tenant; typically 50, never more than 100", Limits).
	DefaultPageSize, MaxPageSize int
	// MaskSensitive masks sensitive values, over REST too, for tokens without
	// read:agents:sensitive.
	MaskSensitive bool
	// DefaultUserStatus is the status of a new user if the request names none, an enum
	// value such as PENDING.
	DefaultUserStatus string
	// MinPasswordLength is the minimum length of a password, in characters.
	MinPasswordLength int
	// ValuesKeptYears is for how many years what values were before is kept; 0 is for ever.
	ValuesKeptYears int
	// PasswordSignIn lets people sign in with passwords, and not with providers alone.
	PasswordSignIn bool
	// MasterID is the agency whose agent codes are reused ("also used to find an
	// existing code in the master agency", Resources, "Agent"); 0 for none.
	MasterID int64
	// LastModified is when a setting was last changed.
	LastModified time.Time
}

// Platform stands for no tenant, in requests to paths that name none, such as those of
// report recipes. No row of a tenant has its id, so such a request reads and writes no
// tenant's data. The platform has keys and an audit trail of its own.
var Platform = &Tenant{Zone: time.UTC, DefaultPageSize: 50, MaxPageSize: 100}

// Caller is the holder of the token of a request.
type Caller struct {
	// Subject is the token's subject: a client id or a user name.
	Subject  string
	ClientID string
	// Since is when the client was created, if it acts for itself: what an earlier client
	// of the same name left behind is not the caller's.
	Since  time.Time
	Scopes []string
	// Expires is when the token expires.
	Expires time.Time
	// UserID is the user who acts; 0 for a client.
	UserID int64
	// Within points to the agent who, with its downline of today, is all that the caller
	// sees, or to Nobody; it is nil for a caller without a limit. If it is set, Clock is
	// set, too.
	Within *int64
	Clock  Clock
	// Masked is set for callers who see no sensitive value in full, whatever their
	// scopes, because the door passes values on or writes them to a file. They cannot
	// send sensitive values either.
	Masked bool
}

// HasScope reports whether the token holds a scope.
func (c Caller) HasScope(scope string) bool { return slices.Contains(c.Scopes, scope) }

// ErrNone is returned by storage for a query without a tenant.
var ErrNone = errors.New("tenant: query without a tenant")

type (
	tenantKey struct{}
	callerKey struct{}
	systemKey struct{}
)

// With returns a context for a tenant.
func With(ctx context.Context, t *Tenant) context.Context {
	return context.WithValue(ctx, tenantKey{}, t)
}

// Fact is what With puts into a context, for known.Is.
func Fact(t *Tenant) (key, value any) { return tenantKey{}, t }

// From returns the context's tenant, nil when there is none.
func From(ctx context.Context) *Tenant {
	t, _ := ctx.Value(tenantKey{}).(*Tenant)
	return t
}

// ID returns the id of the context's tenant, or ErrNone.
func ID(ctx context.Context) (int64, error) {
	if t := From(ctx); t != nil {
		return t.ID, nil
	}
	return 0, ErrNone
}

// WithCaller returns a context for a caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, &c)
}

// CallerFact is what WithCaller puts into a context, for known.Is.
func CallerFact(c *Caller) (key, value any) { return callerKey{}, c }

// CallerFrom returns the context's caller; ok is false for work without a request.
func CallerFrom(ctx context.Context) (c Caller, ok bool) {
	if known, _ := ctx.Value(callerKey{}).(*Caller); known != nil {
		return *known, true
	}
	return Caller{}, false
}

// Masked returns a context whose caller sees only masks of sensitive values.
func Masked(ctx context.Context) context.Context {
	caller, _ := CallerFrom(ctx)
	caller.Masked = true
	return WithCaller(ctx, caller)
}

// revealScope is the scope for seeing sensitive values in a tenant that masks them.
const revealScope = "read:agents:sensitive"

// MayReveal reports whether the caller may see sensitive values in full. Masked callers
// never may; in a tenant that masks them, others need revealScope.
func MayReveal(ctx context.Context) bool {
	t := From(ctx)
	if t == nil {
		return false
	}
	caller, _ := CallerFrom(ctx)
	return !caller.Masked && (!t.MaskSensitive || caller.HasScope(revealScope))
}

// System returns a context whose queries see every tenant. It is for start-up, for
// command line tools, and for background work that looks for tenants with something to
// do; never for a request. The reason is for readers of the call.
func System(ctx context.Context, reason string) context.Context {
	if reason == "" {
		panic("tenant: System needs a reason")
	}
	return context.WithValue(ctx, systemKey{}, reason)
}

// IsSystem reports whether the context came from System and no tenant was set
// on it since.
func IsSystem(ctx context.Context) bool {
	return ctx.Value(systemKey{}) != nil && From(ctx) == nil
}
