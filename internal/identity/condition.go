package identity

import (
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Condition is what the system that provisions users demands of them (RFC 7644 §3.4.2.2):
// a comparison, or others joined. The zero value holds for all.
type Condition struct {
	// Field is a name of ConditionFields; Op is eq, ne, co, sw, ew, gt, ge, lt, le or pr.
	Field, Op string
	// Value is a string, a time or a bool, as the field demands; nil for pr.
	Value any
	// All and Any join conditions; Not negates one.
	All, Any []*Condition
	Not      *Condition
}

// ConditionFields are the fields of users that conditions can name, with a value of their
// type.
var ConditionFields = map[string]any{"id": "", "userName": "", "externalId": "", "email": "", "active": false, "created": time.Time{}, "lastModified": time.Time{}}

var conditionColumns = map[string]string{"id": "CAST(u.id AS text)", "userName": "u.username_key", "externalId": "u.external_id", "email": "u.email_key",
	"active": "u.status", "created": "u.created_at", "lastModified": "u.last_modified"}

var conditionOperators = map[string]string{"eq": " = ?", "ne": " <> ?", "gt": " > ?", "ge": " >= ?", "lt": " < ?", "le": " <= ?"}

// write adds the condition to a statement about users.
func (c *Condition) write(q *store.SQL) {
	join := func(all []*Condition, word string) {
		q.Write("(")
		for i, one := range all {
			if i > 0 {
				q.Write(word)
			}
			one.write(q)
		}
		q.Write(")")
	}
	switch {
	case c.Not != nil:
		q.Write("NOT coalesce(")
		c.Not.write(q)
		q.Write(", ?)", false)
		return
	case len(c.All) > 0:
		join(c.All, " AND ")
		return
	case len(c.Any) > 0:
		join(c.Any, " OR ")
		return
	case c.Field == "":
		q.Write("1 = 1")
		return
	}
	column, value := conditionColumns[c.Field], c.Value
	text, isText := value.(string)
	switch {
	case c.Field == "active":
		if value = Pending; c.Value == true {
			value = Approved
		}
	case c.Field == "userName" || c.Field == "email":
		if value = searchKey(text); c.Op == "co" || c.Op == "sw" || c.Op == "ew" { // a part may begin or end with a blank
			value = folded(text)
		}
		text, _ = value.(string)
	}
	switch {
	case c.Op == "pr":
		q.Write(column + " IS NOT NULL")
	case c.Op == "ne": // what is not there is not equal to anything
		q.Write("("+column+" IS NULL OR "+column+" <> ?)", value)
	case conditionOperators[c.Op] != "":
		q.Write(column+conditionOperators[c.Op], value)
	case isText && c.Op == "co": // LIKE is blind to capitals on SQLite, and an externalId is not (RFC 7643 §3.1)
		q.Write("replace("+column+", ?, '') <> "+column, text)
	case isText && c.Op == "sw":
		q.Write("substr("+column+", 1, length(?)) = ?", text, text)
	case isText && c.Op == "ew":
		q.Write("substr("+column+", length("+column+") - length(?) + 1) = ?", text, text)
	default:
		q.Write("1 = 0")
	}
}
