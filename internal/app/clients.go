package app

import (
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Issuer is our own, as the identities know it.
var Issuer = identity.Issuer{NewSecret: oauth.NewSecret, NewAPIKey: oauth.NewAPIKey, HashSecret: oauth.HashSecret, RedirectProblem: oauth.RedirectProblem}

// Operator returns what administers the clients of a database.
func Operator(s *store.Store) *identity.Operator {
	return &identity.Operator{Store: s, Issuer: Issuer, TenantScopes: oauth.TenantScopes(), PlatformScopes: oauth.AllScopes()}
}
