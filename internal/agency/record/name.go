package record

import "github.com/uplinehq/upline/internal/platform/store"

// NameOf returns how the name of a row of reference data is found by its key.
func NameOf(t ReferenceTable, tenantID int64) func(q *store.SQL, key string) string {
	return func(q *store.SQL, key string) string {
		return "(SELECT o.name FROM " + t.Table + " o WHERE o.tenant_id = " + q.Arg(tenantID) + " AND o." + t.Key + " = " + key + ")"
	}
}

// NameOfAgent returns how the name under which an agent is shown is found by its code;
// NULL where there is none.
func NameOfAgent(tenantID int64) func(q *store.SQL, code string) string {
	return func(q *store.SQL, code string) string {
		return "(SELECT coalesce(o.common_name, o.first_name) || ' ' || o.last_name FROM agency_agent o WHERE o.tenant_id = " + q.Arg(tenantID) + " AND o.code = " + code + ")"
	}
}
