package visibility

import "maps"

// Tables returns the names of the tables that a limited caller sees a part of,
// and of those it sees whole, with the reasons.
func Tables() (shadowed map[string]string, whole map[string]string) {
	shadowed = map[string]string{}
	for table, shadow := range shadows {
		shadowed[table] = shadow(vision{schema: "main", tenant: "$1", agent: "$2", day: "$3"})
	}
	return shadowed, maps.Clone(open)
}

// InAnyOrder is inAnyOrder where a table lost rows.
func InAnyOrder(query, lost string) string { return vision{gone: lost}.inAnyOrder(query) }

// Columns are the columns of a kept table.
func Columns(table string) []string { return columns[table] }
