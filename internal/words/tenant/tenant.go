// Package tenant says who is calling, and for which tenant. Both travel in the
// context, set once at the door; the store adds the tenant to every query and
// refuses to run one without it.
package tenant

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"
)

// Tenant is an agency as the rest of the code needs it.
type Tenant struct {
	ID int64
	// Identifier is the tenant's name in paths and tokens, Name the one for people.
	Identifier, Name string
	// Zone decides which day "today" is.
	Zone *time.Location
	// DefaultPageSize and MaxPageSize bound lists, in rows ("default and
	// maximum set per tenant; typically 50, never more than 100", Limits).
	DefaultPageSize, MaxPageSize int
	// MaskSensitive masks sensitive values, over REST too, for tokens without
	// read:agents:sensitive.
	MaskSensitive bool
	// DefaultUserStatus is that of a new user when the request names none, an
	// enum value such as PENDING.
	DefaultUserStatus string
	// MinPasswordLength is the least number of characters of a password.
	MinPasswordLength int
	// MasterID is the agency whose agent codes are reused ("also used to find an
	// existing code in the master agency", Resources, "Agent"); 0 for none.
	MasterID int64
}

// Platform stands for no tenant, in the requests of clients of the platform to
// paths that name none, such as those of report recipes. No row of a tenant has its
// id: such a request reads and writes nothing of any tenant. Its keys and its audit
// trail are the platform's own.
var Platform = &Tenant{Zone: time.UTC, DefaultPageSize: 50, MaxPageSize: 100}

// Caller is the holder of the token of a request.
type Caller struct {
	// Subject is the token's subject: a client id or a user name.
	Subject  string
	ClientID string
	Scopes   []string
	// Expires is when the token is accepted no longer.
	Expires time.Time
	// UserID is the user who acts; 0 for a client.
	UserID int64
	// Within is the agent who, with its downline of today, is all that the caller
	// sees, or Nobody; nil for a caller without a limit. With it Clock is set.
	Within *int64
	Clock  Clock
	// Masked callers see no sensitive value in full, whatever their scopes are: what is
	// behind their door passes on what it reads, or it is written to a file. They give
	// none either.
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
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the context's caller; ok is false for work that no
// request asked for.
func CallerFrom(ctx context.Context) (c Caller, ok bool) {
	c, ok = ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// Masked returns a context whose caller sees only masks of sensitive values.
func Masked(ctx context.Context) context.Context {
	caller, _ := CallerFrom(ctx)
	caller.Masked = true
	return WithCaller(ctx, caller)
}

// revealScope is what seeing sensitive values takes in a tenant that masks them.
const revealScope = "read:agents:sensitive"

// MayReveal reports whether the caller may see sensitive values in full: where
// the tenant masks them, only with a scope of their own, and at a door that masks
// them never.
func MayReveal(ctx context.Context) bool {
	t := From(ctx)
	if t == nil {
		return false
	}
	caller, _ := CallerFrom(ctx)
	return !caller.Masked && (!t.MaskSensitive || caller.HasScope(revealScope))
}

var systemUses atomic.Int64

// System returns a context whose queries see every tenant. It is for start-up,
// command line tools and background work that looks for tenants with something
// to do; never for a request. The reason is for the reader of the call.
func System(ctx context.Context, reason string) context.Context {
	if reason == "" {
		panic("tenant: System needs a reason")
	}
	systemUses.Add(1)
	return context.WithValue(ctx, systemKey{}, reason)
}

// IsSystem reports whether the context came from System and no tenant was set
// on it since.
func IsSystem(ctx context.Context) bool {
	return ctx.Value(systemKey{}) != nil && From(ctx) == nil
}

// SystemUses returns how often System was called in this process.
func SystemUses() int64 { return systemUses.Load() }
