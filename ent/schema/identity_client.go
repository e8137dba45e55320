package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
)

// IdentityClient is an API client: who may ask for tokens, for which tenant, with
// which scopes. Platform-wide.
type IdentityClient struct{ ent.Schema }

// Annotations implements ent.Interface.
func (IdentityClient) Annotations() []schema.Annotation { return table("identity_client") }

// Fields implements ent.Interface.
func (IdentityClient) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("client_id").Immutable(),
		field.Int64("tenant_id").Optional().Nillable().Immutable().Comment("Nil: a client of the platform."),
		field.Bytes("secret_hash").Sensitive(),
		field.String("scopes").Comment("Separated by one space, as in a token."),
		field.Bool("is_disabled"),
		field.Bytes("previous_secret_hash").Optional().Nillable().Sensitive().Comment("Counts until previous_secret_until."),
		field.Time("previous_secret_until").Optional().Nillable(),
		field.Time("expires_at").Optional().Nillable(),
		field.Time("last_used_at").Optional().Nillable().Comment("Written at most every few minutes."),
		field.String("description").Optional().Nillable(),
		field.Bool("is_public").Immutable().Default(false).Comment("It keeps no secret; secret_hash is empty."),
		field.String("redirect_uris").Default("").Comment("Separated by one space."),
		field.String("public_keys").Default("").Comment("A JSON Web Key Set; empty for a client with a secret, or none."),
		field.String("trusted_documents").Default("OFF").Comment("What happens to GraphQL that it sends as a text: OFF, LOG, ENFORCE."),
		field.Time("created_at").Immutable(),
		field.Time("last_modified"),
	}
}

// IdentitySigningKey is a key that signs access tokens. Platform-wide.
type IdentitySigningKey struct{ ent.Schema }

// Annotations implements ent.Interface.
func (IdentitySigningKey) Annotations() []schema.Annotation { return table("identity_signing_key") }

// Fields implements ent.Interface.
func (IdentitySigningKey) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("kid").Immutable(),
		field.String("algorithm").Immutable(),
		field.Bytes("public_key").Immutable(),
		field.Bytes("private_key").Immutable().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Time("created_at").Immutable(),
	}
}
