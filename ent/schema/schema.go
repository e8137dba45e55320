// Package schema describes what is stored: one file per entity or group of
// entities, its area first in the name. It adds no rules and no edges; foreign
// keys are composite (tenant first) and live in the migrations.
package schema

import (
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
)

// dayType is the column type of a calendar date.
var dayType = map[string]string{dialect.Postgres: "date", dialect.SQLite: "text"}

// uuidType is the column type of a UUID that is read as text.
var uuidType = map[string]string{dialect.Postgres: "uuid", dialect.SQLite: "text"}

// jsonType is the column type of JSON that is read as text.
var jsonType = map[string]string{dialect.Postgres: "jsonb", dialect.SQLite: "text"}

// table names an entity's table: the area, then the entity, in the singular.
func table(name string) []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: name}}
}
