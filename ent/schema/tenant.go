package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
)

// Tenant is an agency that uses the service.
type Tenant struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Tenant) Annotations() []schema.Annotation { return table("tenant") }

// Fields implements ent.Interface.
func (Tenant) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("identifier").Immutable(),
		field.String("name"),
		field.String("time_zone"),
		field.Int("default_page_size"),
		field.Int("max_page_size"),
		field.Time("created_at").Immutable(),
		field.Time("last_modified").Comment("Of the settings."),
		field.Int64("master_tenant_id").Optional().Nillable().Comment("The agency whose agent codes are reused."),
		field.Bool("mask_sensitive").Default(false).Comment("Sensitive values are masked over REST too."),
		field.String("default_user_status").Default("PENDING").Comment("Of a new user, when the request names none."),
		field.Int("min_password_length").Default(8),
		field.Time("values_kept_since").Optional().Nillable().Comment("Since when values of what is not dated are kept; none for an agency that is younger."),
		field.Int("values_kept_years").Default(0).Comment("For how many years what values were before is kept; 0 for ever."),
		field.Bool("password_sign_in").Default(true).Comment("Whether people sign in with passwords, too, and not with providers alone."),
	}
}

// TenantKeyset holds the data keys of a tenant, wrapped by the configured key.
// tenant_id 0 is the platform's own keyset.
type TenantKeyset struct{ ent.Schema }

// Annotations implements ent.Interface.
func (TenantKeyset) Annotations() []schema.Annotation { return table("tenant_keyset") }

// Fields implements ent.Interface.
func (TenantKeyset) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("tenant_id").Immutable(),
		field.Bytes("wrapped").Sensitive(),
	}
}
