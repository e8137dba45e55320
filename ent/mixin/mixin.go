// Package mixin holds what several entities share: the tenant, the audit
// stamps, the effective period.
package mixin

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"

	"github.com/uplinehq/upline/internal/date"
)

// Tenant makes an entity belong to a tenant. Every
// statement names it (TestStatementsNameTheTenant).
type Tenant struct{ mixin.Schema }

// Fields implements ent.Mixin.
func (Tenant) Fields() []ent.Field {
	return []ent.Field{field.Int64("tenant_id").Immutable()}
}

// Stamps records who wrote a row first and last, as given by the initiator of
// the request ("nearly every write operation requires an initiator string
// recorded for auditing", Key concepts).
type Stamps struct{ mixin.Schema }

// Fields implements ent.Mixin.
func (Stamps) Fields() []ent.Field {
	return []ent.Field{
		field.Time("created_at").Immutable(),
		field.String("created_by").Immutable(),
		field.Time("last_modified"),
		field.String("last_modified_by"),
	}
}

// Period is one row of an effective-dated history. Both days are inclusive, an
// absent effective_through means open-ended ("Effective-dated history rules").
//
// Rows are never changed: a row that no longer holds gets superseded_at, and
// what remains of it is written as new rows. So a read can ask what was known
// at an instant: recorded_at <= t < superseded_at.
type Period struct{ mixin.Schema }

// Fields implements ent.Mixin.
func (Period) Fields() []ent.Field {
	return []ent.Field{
		field.Other("effective_from", date.Date(0)).SchemaType(dayType).Immutable(),
		field.Other("effective_through", date.Date(0)).SchemaType(dayType).Optional().Nillable().Immutable(),
		field.Time("recorded_at").Immutable(),
		field.String("recorded_by").Immutable(),
		field.Time("superseded_at").Optional().Nillable(),
		field.Int64("stated").Optional().Nillable().Immutable().Comment("The id of the row in which these days were first stated; nil: this row."),
	}
}

// dayType is the column type of a calendar date.
var dayType = map[string]string{dialect.Postgres: "date", dialect.SQLite: "text"}
