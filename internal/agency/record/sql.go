package record

import (
	"fmt"
	"slices"
	"strings"
)

// UpdateSQL returns the statement that writes columns and the stamp of the change. Its
// last arguments are the tenant and the id.
func UpdateSQL(table string, columns []string) string {
	columns = slices.Concat(columns, []string{"last_modified", "last_modified_by"})
	set := placeholders(len(columns) + 2)
	for i, column := range columns {
		set[i] = column + " = " + set[i]
	}
	return "UPDATE " + table + " SET " + strings.Join(set[:len(columns)], ", ") +
		" WHERE tenant_id = " + set[len(columns)] + " AND id = " + set[len(columns)+1]
}

// placeholders returns the placeholders of n arguments.
func placeholders(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("$%d", i+1)
	}
	return all
}

// Prefixed returns columns of a table with the prefix of its alias.
func Prefixed(alias string, columns []string) string {
	return alias + "." + strings.Join(columns, ", "+alias+".")
}
