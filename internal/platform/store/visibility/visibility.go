// Package visibility rewrites statements by hand for limited callers, and for questions as
// known at an instant (past.go).
//
// A statement by hand of a limited caller reads narrowed tables: in front of it
// go common table expressions that have the names of the tables it reads and
// hold only rows that the caller may see. PostgreSQL and SQLite look up a name
// there first, and both merge such an expression into the statement, so that the
// indexes of the tables still serve. What a table holds for a limited caller is
// said once, in shadows; a statement can neither forget the limit nor get around
// it but with tenant.Whole.
package visibility

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/tenant"
)

// ErrNarrowed is returned for a statement of a limited caller that changes or locks what
// it reads. Such a statement must see the rows themselves, so whoever runs it checks
// separately what the caller may name, and says so with tenant.Whole.
var ErrNarrowed = errors.New("store: a limited caller's statement that writes or locks needs tenant.Whole")

// Statement adds the limit of the context's caller, and the instant of KnownAt, to a
// statement of a schema. Without either it returns the statement as it is. What is known then
// depends on which rows are gone since.
func Statement(ctx context.Context, schema, query string, args []any, gone Gone) (string, []any, error) {
	limit, limited := tenant.LimitOf(ctx)
	known, past := knownAt(ctx)
	if !limited && !past {
		return query, args, nil
	}
	t := tenant.From(ctx)
	if t == nil {
		return "", nil, tenant.ErrNone
	}
	key := narrowedKey{schema, query, len(args), limited, past, ""}
	if past {
		key.gone = gone.since(known)
	}
	n := narrowedStatement(key)
	if n.err != nil || !n.changed {
		return query, args, n.err
	}
	all := make([]any, len(args), len(args)+4)
	copy(all, args)
	if all = append(all, t.ID); limited {
		all = append(all, limit.AgentID, date.In(limit.Now, t.Zone))
	}
	if n.past {
		all = append(all, known)
	}
	return n.query, all, nil
}

// narrowed is a statement with the limit in it.
type narrowed struct {
	query   string
	changed bool
	// past is true if the statement asks for the instant of KnownAt.
	past bool
	err  error
}

type narrowedKey struct {
	schema, query string
	args          int
	limited, past bool
	gone          string
}

// narrowedCache remembers the statements asked for last: the orders and filters of lists
// make many variants of one.
var narrowedCache = newCache()

// cached is how many statements are remembered.
const cached = 1024

func newCache() *lru.Cache[narrowedKey, narrowed] {
	cache, err := lru.New[narrowedKey, narrowed](cached)
	if err != nil {
		panic(err) // only for a size below one
	}
	return cache
}

func narrowedStatement(key narrowedKey) narrowed {
	if written, ok := narrowedCache.Get(key); ok {
		return written
	}
	written := writeNarrowed(key)
	narrowedCache.Add(key, written)
	return written
}

var (
	// tableName is a word that may name a table: one with a dot before it names
	// a column, or a table of a schema.
	tableName = regexp.MustCompile(`(?:^|[^a-z0-9_.])([a-z][a-z0-9_]*)`)
	// ownWith is the beginning of a statement with table expressions of its own.
	ownWith = regexp.MustCompile(`^\s*WITH\s+(?:RECURSIVE\s+)?`)
	// explain matches a statement that asks for the plan of what follows.
	explain = regexp.MustCompile(`^EXPLAIN (?:QUERY PLAN |\([A-Z, ]+\) )?`)
	// joinedNext is a table that SQLite would not read before those in front of it.
	joinedNext = regexp.MustCompile(` CROSS JOIN ([a-z][a-z0-9_]*)`)
	// writesOrLocks matches what cannot be done to a table expression.
	writesOrLocks = regexp.MustCompile(`\b(?:INSERT|UPDATE|DELETE|FOR\s+(?:NO\s+KEY\s+|KEY\s+)?(?:UPDATE|SHARE))\b`)
)

func writeNarrowed(key narrowedKey) narrowed {
	query, v := key.query, visionOf(key)
	tables := v.tables(query)
	if len(tables) == 0 {
		return narrowed{query: query}
	}
	if writesOrLocks.MatchString(query) {
		return narrowed{err: ErrNarrowed}
	}
	var b strings.Builder
	asked := explain.FindString(query)
	query = query[len(asked):]
	if key.gone != "" && key.schema == sqliteSchema {
		query = v.inAnyOrder(query)
	}
	b.WriteString(asked + "WITH RECURSIVE ")
	if key.limited {
		b.WriteString(v.common() + ",\n")
	}
	for i, table := range tables {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(table + " AS NOT MATERIALIZED (" + v.shadow(table) + ")")
	}
	if own := ownWith.FindString(query); own != "" {
		b.WriteString(",\n" + query[len(own):])
	} else {
		b.WriteString("\n" + query)
	}
	written := b.String()
	return narrowed{query: written, changed: true, past: key.past && strings.Contains(written, v.known)}
}

// inAnyOrder leaves it to SQLite when it reads a table of which rows are gone. Statements hold it
// to an order for the sake of an index, and what is joined to the table has none: it would read
// all of it for each row in front.
func (v vision) inAnyOrder(query string) string {
	return joinedNext.ReplaceAllStringFunc(query, func(joined string) string {
		if table := joined[len(" CROSS JOIN "):]; keeps(table) && v.lost(table) {
			return " JOIN " + table
		}
		return joined
	})
}

func placeholder(n int) string { return "$" + strconv.Itoa(n) }

// tables returns the tables with a shadow that a statement names, each once.
func (v vision) tables(query string) (tables []string) {
	seen := map[string]bool{}
	for _, found := range tableName.FindAllStringSubmatch(query, -1) {
		if name := found[1]; v.shadow(name) != "" && !seen[name] {
			seen[name], tables = true, append(tables, name)
		}
	}
	return tables
}

// vision writes in SQL what a limited caller sees.
type vision struct {
	// schema is where the tables themselves are. A table expression cannot hide a table
	// that is named with its schema.
	schema             string
	tenant, agent, day string // placeholders; agent and day are empty without a limit
	known              string // the placeholder of the instant of KnownAt; empty without one
	gone               string // the tables that lost rows since, or allGone
}

// lost reports whether rows of a table are gone since.
func (v vision) lost(table string) bool {
	return v.gone == allGone || slices.Contains(strings.Fields(v.gone), table)
}

func visionOf(key narrowedKey) vision {
	v := vision{schema: key.schema, tenant: placeholder(key.args + 1), gone: key.gone}
	next := key.args + 2
	if key.limited {
		v.agent, v.day, next = placeholder(next), placeholder(next+1), next+2
	}
	if key.past {
		v.known = placeholder(next)
	}
	return v
}

// shadow returns what stands for a table in statements; empty for one that is read as it
// is.
func (v vision) shadow(table string) string {
	switch {
	case v.agent != "" && shadows[table] != nil:
		return shadows[table](v)
	case v.known != "" && computed[table] != nil:
		return computed[table](v)
	case v.known != "" && keeps(table):
		return v.asKnown(table)
	case v.known != "" && relations[table] != nil:
		return v.periods(relations[table])
	}
	return ""
}

// sqliteSchema is the schema of the tables on SQLite.
const sqliteSchema = "main"

// table names a table itself, or its rows as they were known.
func (v vision) table(name string) string {
	switch {
	case v.known == "":
	case keeps(name):
		return "(" + v.asKnown(name) + ")"
	case relations[name] != nil:
		return "(" + v.periods(relations[name]) + ")"
	}
	return v.schema + "." + name
}

// team is the id of the team whose hierarchy sets the limit: the only one there is.
func (v vision) team() string {
	return "(SELECT within_t.id FROM " + v.table("agency_team") + " within_t WHERE within_t.tenant_id = " + v.tenant + " AND within_t.name = 'default')"
}

// common are the expressions that sees needs. While a change or a new day waits for the
// flattened hierarchy, within_stale has a row, and the downline is walked along the
// periods, so that a caller never sees more than the present downline.
func (v vision) common() string {
	return "within_stale(is_stale) AS (SELECT 1 FROM " + v.table("hierarchy_build") + " b WHERE b.tenant_id = " + v.tenant + " AND b.team_id = " + v.team() +
		" AND (b.changed_version > b.built_version OR b.built_for IS NULL OR b.built_for <> " + v.day + ")),\n" +
		"within_walk(agent_id) AS (SELECT CAST(" + v.agent + " AS bigint) FROM within_stale UNION SELECT p.agent_id FROM within_walk w CROSS JOIN " +
		v.schema + ".agency_upline_period p WHERE p.tenant_id = " + v.tenant + " AND p.team_id = " + v.team() + " AND p.upline_agent_id = w.agent_id" +
		" AND p.superseded_at IS NULL AND p.effective_from <= " + v.day + " AND (p.effective_through IS NULL OR p.effective_through >= " + v.day + "))"
}

// sees is the condition that a column holds the id of the agent of the limit, or of one
// in that agent's downline today. With the closure it is one look-up in an index. Its own
// tables have names that no given column can refer to.
func (v vision) sees(column string) string {
	if v.agent == "" {
		return "1 = 1"
	}
	return "(" + column + " = " + v.agent + " OR (NOT EXISTS (SELECT 1 FROM within_stale) AND EXISTS (SELECT 1 FROM " + v.table("hierarchy_closure") +
		" within_c WHERE within_c.tenant_id = " + v.tenant + " AND within_c.team_id = " + v.team() + " AND within_c.descendant_id = " + column + " AND within_c.ancestor_id = " + v.agent + "))" +
		" OR " + column + " IN (SELECT within_w.agent_id FROM within_walk within_w))"
}

// seesCode is the condition that a column holds the code of an agent that sees lets
// through; also adds conditions on that agent, a.
func (v vision) seesCode(column, also string) string {
	return "EXISTS (SELECT 1 FROM " + v.table("agency_agent") + " a WHERE a.tenant_id = " + v.tenant + " AND a.code = " + column + also + " AND " + v.sees("a.id") + ")"
}

// rows are the rows x of a table that meet a condition.
func (v vision) rows(table, condition string) string {
	return "SELECT x.* FROM " + v.table(table) + " x WHERE x.tenant_id = " + v.tenant + " AND " + condition
}
