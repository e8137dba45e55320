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

// InAnyOrder is inAnyOrder.
func InAnyOrder(query string) string { return inAnyOrder(query) }
