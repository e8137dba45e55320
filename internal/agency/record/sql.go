package record

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// InsertSQL returns the statement that adds a row with values for columns.
func InsertSQL(table string, columns []string) string {
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(placeholders(len(columns)), ", ") + ")"
}

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

// ReadMap reads rows by key. write writes the statement, given the placeholder of the
// tenant's id.
func ReadMap[K comparable, T any](ctx context.Context, q store.Querier, scan func(store.Scanner) (T, error), key func(T) K, write func(s *store.SQL, tenant string)) (map[K]T, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	write(&s, s.Arg(tenantID))
	rows, err := store.Collect(ctx, q, scan, s.Text(), s.Args()...)
	if err != nil {
		return nil, err
	}
	byKey := make(map[K]T, len(rows))
	for _, row := range rows {
		byKey[key(row)] = row
	}
	return byKey, nil
}
