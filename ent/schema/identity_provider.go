package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// IdentityProvider is an OpenID provider with which people of the tenant sign in.
type IdentityProvider struct{ ent.Schema }

// Annotations implements ent.Interface.
func (IdentityProvider) Annotations() []schema.Annotation { return table("identity_provider") }

// Mixin implements ent.Interface.
func (IdentityProvider) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (IdentityProvider) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("name").Immutable(),
		field.String("label"),
		field.String("issuer").Immutable(),
		field.String("client_id").Immutable(),
		field.Bytes("client_secret").Optional().Nillable().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.String("domains").Comment("Separated by one space."),
		field.String("groups_claim"),
		field.Bool("creates_users"),
		field.Bool("is_disabled"),
	}
}
