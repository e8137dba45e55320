package app

import (
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Issuer makes secrets and API keys, as the identities need them.
var Issuer = identity.Issuer{NewSecret: oauth.NewSecret, NewAPIKey: oauth.NewAPIKey, HashSecret: oauth.HashSecret, RedirectProblem: oauth.RedirectProblem, PublicKeysProblem: oauth.PublicKeysProblem}

// Operator returns the service with which the operator administers the clients of a
// database.
func Operator(s *store.Store) *identity.Operator {
	return &identity.Operator{Store: s, Issuer: Issuer, TenantScopes: bearer.TenantScopes(), PlatformScopes: bearer.AllScopes()}
}
