// Package identity keeps the users, roles and API clients of a tenant: who may
// sign in or ask for a token, with which password or secret, and which scopes each
// of them holds.
//
// A password is hashed before the transaction that stores it: hashing is slow on
// purpose, and a database waits for nobody who does that. Only the hash is
// stored; neither a log, an error, an event nor the audit trail ever holds the
// password or a fingerprint of it.
package identity

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/idempotency"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
	"github.com/uplinehq/upline/internal/version"
)

// Config sets up a Service.
type Config struct {
	Store *store.Store
	Clock clock.Clock
	Vault *vault.Vault
	// Scopes are those that a role can hold, in the order in which they are
	// shown.
	Scopes []string
	// PlatformGranted are those of them that nobody can give to a role, a client or
	// a key here, whatever the caller holds; a client that has one keeps it.
	PlatformGranted []string
	// NewSecret and NewAPIKey make the secrets of clients, and HashSecret what is
	// stored of them: whoever checks them says what they are like.
	NewSecret, NewAPIKey func() string
	HashSecret           func(string) []byte
}

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	Config
	trail  *audit.Trail
	hasher *hasher
}

// New returns the service.
func New(c Config) *Service {
	return &Service{Config: c, trail: audit.New(c.Store, c.Clock, c.Vault), hasher: newHasher()}
}

// The page sizes of the area, the same for every tenant: "default 50, maximum
// 100" (api "Paging limits").
const (
	pageSize    = 50
	maxPageSize = 100
)

// The types of what is written, as the audit trail names them.
const (
	userEntity = "User"
	roleEntity = "Role"

	clientEntity = "Client"
	apiKeyEntity = "ApiKey"
)

// writing is a change under way: its transaction and its stamp.
type writing struct {
	*store.Tx
	tenant    *tenant.Tenant
	tenantID  int64
	now       time.Time
	initiator string
	// entry is what the audit trail keeps of the change; it has no entity for a
	// request that changes nothing.
	entry audit.Entry
	// events are the types of those that tell of the change of a user.
	events []string
}

// maxWrites is how often a change is tried when a foreign key refuses what its
// own checks passed: another request deleted the role or the agent in between.
// Done again, the checks see that and tell the caller.
const maxWrites = 3

// write runs f in a transaction, and adds the events and the audit entry of what
// f notes. Bodies of the area have no initiator: it is the token's subject.
func (s *Service) write(ctx context.Context, f func(ctx context.Context, w *writing) error) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	// Keys are made in a transaction of their own, which must not wait for
	// this one.
	if err := s.Vault.Prepare(ctx, t.ID); err != nil {
		return err
	}
	caller, _ := tenant.CallerFrom(ctx)
	change := func(ctx context.Context, tx *store.Tx) error {
		if err := idempotency.Record(ctx, tx); err != nil {
			return err
		}
		w := &writing{Tx: tx, tenant: t, tenantID: t.ID, now: s.Clock.Now(), initiator: caller.Subject}
		if err := f(ctx, w); err != nil {
			return err
		}
		if err := version.Checked(ctx); err != nil || w.entry.EntityType == "" {
			return err
		}
		if err := w.emit(ctx); err != nil {
			return err
		}
		w.entry.Initiator = w.initiator
		return s.trail.Write(ctx, tx, w.now, w.entry)
	}
	err := s.Store.InTx(ctx, change)
	for try := 1; try < maxWrites && store.IsForeignKeyViolation(err); try++ {
		err = s.Store.InTx(ctx, change)
	}
	return err
}

// named is called for the record that the request names, with its row locked:
// its version is checked, and the change is stamped after its last one, also
// when that came from a process whose clock is ahead. The stamps of a row are its
// versions, and no version comes twice.
func (w *writing) named(ctx context.Context, lastModified time.Time) error {
	if !w.now.After(lastModified) {
		w.now = lastModified.Add(time.Microsecond)
	}
	return version.Check(ctx, lastModified)
}

// changed notes what the write is about and the names of the fields that change,
// never their values.
func (w *writing) changed(entity, key string, fields ...string) {
	w.entry.EntityType, w.entry.EntityKeys = entity, []string{key}
	for _, f := range fields {
		w.entry.Changes = append(w.entry.Changes, audit.Change{Field: f})
	}
}

// emit writes the events of a change of a user to the outbox.
func (w *writing) emit(ctx context.Context) error {
	if len(w.events) == 0 {
		return nil
	}
	c := events.UserChange{Username: w.entry.EntityKeys[0], Operation: audit.OriginFrom(ctx).Operation, Initiator: w.initiator}
	for _, change := range w.entry.Changes {
		c.ChangedFields = append(c.ChangedFields, change.Field)
	}
	all := make([]events.Event, len(w.events))
	for i, eventType := range w.events {
		all[i] = events.UserEvent(eventType, c)
	}
	return events.WriteAll(ctx, w.Tx, w.now, all)
}

func unknownUser() error {
	return problem.Missing(problem.NotFoundCode, "No user has this username", "username")
}

func unknownRoleNamed() error {
	return problem.Missing(problem.NotFoundCode, "No role has this name", "name")
}
