package identity

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

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

// The operations of the audit trail that are no fields of the schema.
const (
	signedInOperation  = "signIn"
	refusedOperation   = "signInRefused"
	lockedOperation    = "signInLocked"
	signedOutOperation = "signOut"
)

const sessionEntity = "Session"

// How much of what requests ask for a server remembers.
const (
	cachedModes     = 10_000
	cachedDocuments = 2000
)

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

// changes makes the changes of the area. It is safe for concurrent use.
type changes struct {
	*remembered
	store  *store.Store
	writer *change.Writer
}

// write runs f in a transaction, and adds the events that f notes. Its initiator is the
// token's subject, since bodies of the area name none.
func (s *changes) write(ctx context.Context, f func(ctx context.Context, w *writing) error) error {
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

// recordEntry writes an audit entry for a sign-in, a refusal or a sign-out.
func (s *changes) recordEntry(ctx context.Context, tx *store.Tx, operation, entity string, usernames ...string) error {
	caller, _ := tenant.CallerFrom(ctx)
	var initiator string
	if len(usernames) > 0 {
		initiator = usernames[0]
	}
	if operation == signedInOperation || operation == signedOutOperation {
		caller.Subject = initiator
	}
	origin := audit.OriginFrom(ctx)
	origin.Operation, origin.Surface = operation, audit.SignIn
	ctx = audit.WithOrigin(tenant.WithCaller(ctx, caller), origin)
	return s.writer.WriteIn(ctx, tx, initiator, func(_ context.Context, w *change.Writing) error {
		w.Record(audit.Entry{EntityType: entity, EntityKeys: usernames})
		return nil
	})
}

// remembered is what this process remembers of what requests ask. It is safe for
// concurrent use.
type remembered struct {
	store  *store.Store
	access recent[accessKey, Access]
	// modes and documents are what requests ask of the caller's client.
	modes     recent[documentKey, DocumentMode]
	documents recent[documentKey, documentText]
	// forgetTokens is that of Config.
	forgetTokens func()
}

// Reread makes this process read anew what it remembers, after a change.
func (s *remembered) Reread() {
	s.access.forget()
	s.modes.forget()
	s.documents.forget()
	if s.forgetTokens != nil {
		s.forgetTokens()
	}
}

// Together is that of the store, for changes of the area: what this process remembers is
// forgotten once they are kept, and not only while they are under way.
func (s *changes) Together(ctx context.Context, f func(ctx context.Context) error) error {
	defer s.Reread()
	return s.store.Together(ctx, f)
}

type accessKey struct{ tenantID, userID int64 }

// cachedAccess limits the users that a server remembers.
const cachedAccess = 10_000

// documentKey names a document of a client; for a mode, document is empty.
type documentKey struct {
	tenantID         int64
	client, document string
}

// documentText is a text, if the client has the document.
type documentText struct {
	body string
	ok   bool
}

func unknownUser() error {
	return problem.Missing(problem.NotFoundCode, "No user has this username", "username")
}

func unknownRoleNamed() error {
	return problem.Missing(problem.NotFoundCode, "No role has this name", "name")
}
