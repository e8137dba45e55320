// Package identity owns the users, roles and API clients of a tenant: who can sign in or
// ask for a token, with which password or secret, and with which scopes.
//
// A password is hashed before the transaction that stores it: hashing is slow on purpose,
// and no transaction should wait for it. Only the hash is stored; no log, error, event or
// audit entry ever holds the password or a fingerprint of it.
package identity

import (
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
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

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	Config
	*changes
	*users
	*roles
	*clients
	*providers
	*sessions
	*attempts
	*entrance
	*uses
}

// New returns the service.
func New(c Config) *Service {
	kept := &remembered{store: c.Store, access: newRecent[accessKey, Access](c.Clock, cachedAccess), modes: newRecent[documentKey, DocumentMode](c.Clock, cachedModes),
		documents: newRecent[documentKey, documentText](c.Clock, cachedDocuments), forgetTokens: c.Forget}
	made, counts, hasher := &changes{kept, c.Store, change.New(c.Store, c.Clock, c.Vault)}, &attempts{c.Store, c.Clock, c.SignInKey}, newHasher()
	begun := &sessions{changes: made, Issuer: c.Issuer, store: c.Store, clock: c.Clock, scopes: c.Scopes}
	return &Service{
		Config: c, changes: made, users: &users{made, c.Store, hasher}, roles: &roles{made, c.Store, c.Scopes}, clients: &clients{made, c.Issuer, c.Store, c.Clock, c.Scopes},
		providers: &providers{made, c.Store, c.Vault, c.Party}, sessions: begun, attempts: counts,
		entrance: &entrance{sessions: begun, attempts: counts, store: c.Store, clock: c.Clock, vault: c.Vault, hasher: hasher}, uses: &uses{c.Store, c.Clock},
	}
}
