package model

import "github.com/uplinehq/upline/internal/identity"

// User is a person who may sign in.
type User struct{ *identity.User }

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (User) IsNode()    {}
func (User) IsAudited() {}

// GlobalID is the field id.
func (u *User) GlobalID() string { return RowID(UserNode, u.ID) }

// Role is a named set of scopes.
type Role struct{ *identity.Role }

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Role) IsNode()    {}
func (Role) IsAudited() {}

// GlobalID is the field id.
func (r *Role) GlobalID() string { return RowID(RoleNode, r.ID) }

// Client is a program that can ask for tokens.
type Client struct{ *identity.Client }

// APIKey is a bearer token of an API client.
type APIKey struct{ *identity.APIKey }

// ID is the id that callers know.
func (k *APIKey) ID() string { return k.UID }

// SignInProvider is an OpenID provider, with the addresses that it must be told.
type SignInProvider struct {
	*identity.Provider
	RedirectURI, LogoutURI string
}

// ClientDocument is a trusted document of an API client.
type ClientDocument struct{ *identity.Document }

// DocumentID is its id in the manifest.
func (d ClientDocument) DocumentID() string { return d.ID }

// SchemaUse is how often a client used a part of the schema.
type SchemaUse struct{ *identity.UsedCoordinate }
