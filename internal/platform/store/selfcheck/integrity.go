// Package selfcheck finds what is wrong with a database itself, and makes again what can be
// made again.
package selfcheck

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Violation is a number of rows, or a page of a file, that break a rule of the database
// itself. It says where, and holds no value.
type Violation struct {
	Where, Rule string
	Rows        int64
}

// Violations finds what the database would refuse now: rows that are older than a
// constraint, come from a load without constraints, or from a damaged disk. It reads
// every table.
func Violations(ctx context.Context, s *store.Store) ([]Violation, error) {
	if s.Postgres() {
		return postgresViolations(ctx, s)
	}
	return sqliteViolations(ctx, s)
}

func sqliteViolations(ctx context.Context, s *store.Store) ([]Violation, error) {
	all, err := store.Collect(ctx, s, func(row store.Scanner) (v Violation, err error) {
		v.Where, v.Rows = "file", 1
		return v, row.Scan(&v.Rule)
	}, "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
	if err != nil {
		return nil, err
	}
	references, err := store.Collect(ctx, s, func(row store.Scanner) (v Violation, err error) {
		return v, row.Scan(&v.Where, &v.Rule, &v.Rows)
	}, `SELECT "table", 'refers to a row of ' || parent || ' that is not there', count(*) FROM pragma_foreign_key_check GROUP BY 1, 2`)
	return append(all, references...), err
}

// postgresRules selects the constraints and references of our tables, each with a
// statement that counts the rows that break it.
const postgresRules = `
	SELECT c.conrelid::regclass::text, c.conname, 'SELECT count(*) FROM ' || c.conrelid::regclass || ' WHERE NOT (' || pg_get_expr(c.conbin, c.conrelid) || ')'
	FROM pg_constraint c WHERE c.contype = 'c' AND c.conrelid <> 0 AND c.connamespace = current_schema()::regnamespace
	UNION ALL
	SELECT c.conrelid::regclass::text, c.conname, 'SELECT count(*) FROM ' || c.conrelid::regclass || ' c WHERE ' ||
		string_agg(format('c.%I IS NOT NULL', own.attname), ' AND ') || ' AND NOT EXISTS (SELECT 1 FROM ' || c.confrelid::regclass || ' p WHERE ' ||
		string_agg(format('p.%I = c.%I', other.attname, own.attname), ' AND ') || ')'
	FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k(own, other)
		JOIN pg_attribute own ON own.attrelid = c.conrelid AND own.attnum = k.own
		JOIN pg_attribute other ON other.attrelid = c.confrelid AND other.attnum = k.other
	WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace
	GROUP BY c.oid, c.conrelid, c.confrelid, c.conname
	ORDER BY 1, 2`

func postgresViolations(ctx context.Context, s *store.Store) (all []Violation, err error) {
	type rule struct{ table, name, count string }
	rules, err := store.Collect(ctx, s, func(row store.Scanner) (r rule, err error) { return r, row.Scan(&r.table, &r.name, &r.count) }, postgresRules)
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		var rows int64
		if _, err := store.One(ctx, s, []any{&rows}, r.count); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", r.table, r.name, err)
		}
		if rows > 0 {
			all = append(all, Violation{Where: r.table, Rule: "breaks " + r.name, Rows: rows})
		}
	}
	return all, nil
}
