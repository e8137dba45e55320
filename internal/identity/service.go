// Package identity owns the users, roles and API clients of a tenant: who can sign in or
// ask for a token, with which password or secret, and with which scopes.
//
// A password is hashed before the transaction that stores it: hashing is slow on purpose,
// and no transaction should wait for it. Only the hash is stored; no log, error, event or
// audit entry ever holds the password or a fingerprint of it.
package identity

import (
	"context"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Config are the settings of a Service.
type Config struct {
	Store *store.Store
	Clock clock.Clock
	Vault *vault.Vault
	// Scopes are the scopes that a role can hold, in the order in which they are shown.
	Scopes []string
	Issuer
	// SignInKey is the key for the hashes of attempts to sign in, and for recognising
	// browsers.
	SignInKey []byte
	// Party speaks with sign-in providers.
	Party Party
	// Forget is called after each change, so that this process acts on nothing that it
	// remembers of tokens, keys and grants.
	Forget func()
}

// Issuer is what the area needs from the code that checks secrets and sends people back.
type Issuer struct {
	// NewSecret and NewAPIKey make the secrets of clients; HashSecret returns their
	// stored form.
	NewSecret, NewAPIKey func() string
	HashSecret           func(string) []byte
	// RedirectProblem returns what is wrong with a redirect URI, PublicKeysProblem with the
	// public keys of a client; empty for nothing.
	RedirectProblem, PublicKeysProblem func(text string) string
}

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	Config
	writer *change.Writer
	hasher *hasher
	access recent[accessKey, Access]
	// modes and documents are what requests ask of the caller's client.
	modes     recent[documentKey, DocumentMode]
	documents recent[documentKey, documentText]
}

// New returns the service.
func New(c Config) *Service {
	return &Service{Config: c, writer: change.New(c.Store, c.Clock, c.Vault), hasher: newHasher(),
		access: newRecent[accessKey, Access](c.Clock, cachedAccess), modes: newRecent[documentKey, DocumentMode](c.Clock, cachedModes),
		documents: newRecent[documentKey, documentText](c.Clock, cachedDocuments)}
}

// The page sizes of the area, the same for every tenant: "default 50, maximum
// 100" (api "Paging limits").
const (
	pageSize    = 50
	maxPageSize = 100
)

// The types of objects in the audit trail.
const (
	userEntity = "User"
	roleEntity = "Role"

	clientEntity = "Client"
	apiKeyEntity = "ApiKey"
)

// writing is a change under way.
type writing struct {
	*change.Writing
	// entity, key and fields are what changes; entity is empty for a request that changes
	// nothing.
	entity, key string
	fields      []string
	// before is the key that the object had until now; empty if it keeps its own.
	before string
	// events are the types of the events about the change of a user.
	events []string
}

// write runs f in a transaction, and adds the events that f notes. Its initiator is the
// token's subject, since bodies of the area name none.
func (s *Service) write(ctx context.Context, f func(ctx context.Context, w *writing) error) error {
	caller, _ := tenant.CallerFrom(ctx)
	err := s.writer.Write(ctx, caller.Subject, func(ctx context.Context, c *change.Writing) error {
		return note(ctx, c, f)
	})
	s.Reread()
	return err
}

// note runs f, and adds its entry and events to a change.
func note(ctx context.Context, c *change.Writing, f func(ctx context.Context, w *writing) error) error {
	w := &writing{Writing: c}
	if err := f(ctx, w); err != nil || w.entity == "" {
		return err
	}
	keys := []string{w.key}
	if w.before != "" { // so that the trail of either name has the change
		keys = append(keys, w.before)
	}
	c.Record(change.EntryOf(w.entity, keys, w.fields...))
	c.Raise(w.raised(ctx)...)
	return nil
}

// Reread makes this process read anew what it remembers, after a change.
func (s *Service) Reread() {
	s.access.forget()
	s.modes.forget()
	s.documents.forget()
	if s.Forget != nil {
		s.Forget()
	}
}

// Together is that of the store, for changes of the area: what this process remembers is
// forgotten once they are kept, and not only while they are under way.
func (s *Service) Together(ctx context.Context, f func(ctx context.Context) error) error {
	defer s.Reread()
	return s.Store.Together(ctx, f)
}

// changed notes the object that the write changes, and the names of the changed fields,
// never their values.
func (w *writing) changed(entity, key string, fields ...string) {
	w.entity, w.key, w.fields = entity, key, append(w.fields, fields...)
}

// raised are the events about a change of a user.
func (w *writing) raised(ctx context.Context) []events.Event {
	c := events.UserChange{Username: w.key, ChangedFields: w.fields, Operation: audit.OriginFrom(ctx).Operation, Initiator: w.Initiator}
	all := make([]events.Event, len(w.events))
	for i, eventType := range w.events {
		all[i] = events.UserEvent(eventType, c)
	}
	return all
}

func unknownUser() error {
	return problem.Missing(problem.NotFoundCode, "No user has this username", "username")
}

func unknownRoleNamed() error {
	return problem.Missing(problem.NotFoundCode, "No role has this name", "name")
}
