package visibility

import (
	"context"
	_ "embed" // for the columns of kept tables
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/tenant"
)

type knownKey struct{}

// KnownAt returns a context whose statements read every table that people change as it was
// known at an instant: with the rows that were deleted since, without those that were added,
// and each with its values of then. Such a statement can neither write nor lock.
func KnownAt(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, knownKey{}, &at)
}

// AsKnown is KnownAt for a view that names an instant, and KnownNow for one that does not.
func AsKnown(ctx context.Context, at history.AsOf) context.Context {
	if known := at.Known.At(); known != nil {
		return KnownAt(ctx, *known)
	}
	return KnownNow(ctx)
}

// KnownNow undoes KnownAt, for what is read beside the question.
func KnownNow(ctx context.Context) context.Context {
	if _, ok := knownAt(ctx); !ok {
		return ctx
	}
	return context.WithValue(ctx, knownKey{}, (*time.Time)(nil))
}

func knownAt(ctx context.Context) (at time.Time, ok bool) {
	if v, _ := ctx.Value(knownKey{}).(*time.Time); v != nil {
		return *v, true
	}
	return at, false
}

// IsPast reports whether the statements of a context read what was known at an instant.
func IsPast(ctx context.Context) bool {
	_, past := knownAt(ctx)
	return past
}

// IsNarrowed reports whether statements of a context read other rows than their texts say.
func IsNarrowed(ctx context.Context) bool {
	_, limited := tenant.LimitOf(ctx)
	_, past := knownAt(ctx)
	return limited || past
}

// kept are the tables of which past_row has what rows were before (migration 140), each
// with the column that says since when a row is there. Without one, past_row says of rows
// that were not there from the beginning of their agent, or of their user; and reference data
// was always there, since what refers to it says since when that is known.
var kept = map[string]string{
	"agency_agent":                "created_at",
	"agency_address":              "",
	"agency_phone":                "",
	"agency_direct_deposit":       "",
	"agency_alias":                "created_at",
	"agency_tag_assignment":       "assigned_at",
	"agency_certification":        "created_at",
	"agency_w9":                   "created_at",
	"agency_agent_level":          "",
	"agency_certification_type":   "",
	"agency_jurisdiction":         "",
	"agency_pay_status":           "",
	"agency_provider_company":     "",
	"agency_product":              "",
	"agency_tag":                  "",
	"agency_scenario":             "created_at",
	"agency_scenario_role":        "",
	"agency_scenario_review":      "",
	"identity_user":               "created_at",
	"identity_user_role":          "",
	"identity_user_agent":         "",
	"identity_role":               "created_at",
	"identity_client":             "created_at",
	"webhook_subscription":        "created_at",
	"insights_agency_recipe":      "created_at",
	"insights_commission_payment": "recorded_at",
	"insights_production_record":  "recorded_at",
	"tenant":                      "created_at",
}

// rowKeys are the columns of past_row's row_id and part, where they are not id alone.
var rowKeys = map[string][2]string{
	"identity_user_role":     {"user_id", "role_id"},
	"identity_user_agent":    {"user_id", ""},
	"agency_scenario_role":   {"scenario_id", "role_id"},
	"agency_scenario_review": {"scenario_id", "user_id"},
}

func keeps(table string) bool {
	_, ok := kept[table]
	return ok
}

// computed are the tables whose rows follow from kept ones.
var computed = map[string]func(v vision) string{
	"agency_agent_count":    counted,
	"agency_agent_modified": modified,
}

// relations are the dated relations by their tables, whose rows say since when they are there.
var relations = byTable(history.Relations)

func byTable(all []*history.Relation) map[string]*history.Relation {
	tables := make(map[string]*history.Relation, len(all))
	for _, r := range all {
		tables[r.Table] = r
	}
	return tables
}

// periods are the rows of a dated relation as they were known: without those that were
// recorded since, and with those that were superseded since as they stood.
func (v vision) periods(r *history.Relation) string {
	columns := slices.Concat([]string{"id", "tenant_id"}, r.Key(), r.Columns, []string{"effective_from", "effective_through", "recorded_at", "recorded_by", "stated"})
	return "SELECT x." + strings.Join(columns, ", x.") + ", CASE WHEN x.superseded_at > " + v.known + " THEN NULL ELSE x.superseded_at END AS superseded_at" +
		" FROM " + v.schema + "." + r.Table + " x WHERE x.tenant_id = " + v.tenant + " AND x.recorded_at <= " + v.known
}

// Kept returns the names of the tables of which rows are kept as they were.
func Kept() (tables []string) {
	for table := range kept {
		tables = append(tables, table)
	}
	return tables
}

// Keeps reports whether a statement changes rows that are kept as they were.
func Keeps(statement string) bool {
	verb, table, rest := target(statement)
	return keeps(table) && (verb != inserting || isMarked(table)) && !strings.HasPrefix(rest, touching)
}

// IsOfPeople reports whether a statement writes rows that people change and whose past is
// known: kept ones, and periods.
func IsOfPeople(statement string) bool {
	_, table, _ := target(statement)
	return keeps(table) || relations[table] != nil
}

// target returns how a statement writes, the table that it writes to, and what follows; the
// table is empty for one that does not write.
func target(statement string) (verb, table, rest string) {
	for _, verb := range []string{"UPDATE ", "DELETE FROM ", inserting} {
		if len(statement) > len(verb) && statement[:len(verb)] == verb {
			rest := statement[len(verb):]
			for i := range len(rest) {
				if c := rest[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
					return verb, rest[:i], rest[i:]
				}
			}
		}
	}
	return "", "", ""
}

const (
	inserting = "INSERT INTO "
	// touching follows the table in a statement that only says when a row was last modified, and
	// by whom: in any other these columns come last.
	touching = " SET last_modified = $1, last_modified_by = $2 WHERE "
)

// isMarked reports whether past_row says of a row that is added that it was not there before.
func isMarked(table string) bool {
	return kept[table] == "" && (strings.HasPrefix(table, "identity_user_") || strings.HasPrefix(table, "agency_scenario_") || table == "agency_address" || table == "agency_phone" || table == "agency_direct_deposit")
}

//go:embed kept.txt
var keptColumns string

// columns are those of the kept tables, in their order.
var columns = columnsOf(keptColumns)

func columnsOf(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		table, names, _ := strings.Cut(line, ":")
		all[table] = strings.Fields(names)
	}
	return all
}

// isFixed reports whether a column of a row never changes, so that what is known then is found by
// its index.
func isFixed(table, column string) bool {
	switch column {
	case "id", "tenant_id", "role_id", "scenario_id", "uid", "created_at", "assigned_at":
		return true
	case "user_id":
		return table != "agency_scenario"
	case "agent_id", "code":
		return strings.HasPrefix(table, "agency_")
	case "name":
		return table == "agency_pay_status" || table == "agency_tag"
	}
	return false
}

// Endings says of relations when rows of theirs ended last that past_row has; nil is for always.
type Endings map[string]Ending

// Ending is when a row was last changed, and when one was last removed; nil for never.
type Ending struct{ Changed, Gone *time.Time }

// since names the relations of which rows ended after an instant, those that lost some with a mark.
func (e Endings) since(known time.Time) string {
	if e == nil {
		return always
	}
	var all []string
	for table, last := range e {
		switch {
		case last.Gone != nil && last.Gone.After(known):
			all = append(all, table+lostMark)
		case last.Changed != nil && last.Changed.After(known):
			all = append(all, table)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

const always, lostMark = "*", "-"

// changed and lost report whether rows of a table ended since, and whether any were removed.
func (v vision) changed(table string) bool {
	return v.lost(table) || slices.Contains(strings.Fields(v.changes), table)
}

func (v vision) lost(table string) bool {
	return v.changes == always || slices.Contains(strings.Fields(v.changes), table+lostMark)
}

// EndingsQuery reads Endings of the tenant $1.
var EndingsQuery = endingsQuery()

func endingsQuery() string {
	tables := Kept()
	slices.Sort(tables)
	for i, table := range tables {
		last := "(SELECT max(p.at) FROM past_row p WHERE p.tenant_id = $1 AND p.relation = '" + table + "' AND p.gone = "
		tables[i] = "SELECT '" + table + "' AS relation, " + last + "false) AS changed, " + last + "true) AS gone"
	}
	return "SELECT x.relation, x.changed, x.gone FROM (" + strings.Join(tables, " UNION ALL ") + ") x WHERE x.changed IS NOT NULL OR x.gone IS NOT NULL"
}

// haveEnded is in the error of a statement that reads a relation of which rows ended since Endings
// was read.
const haveEnded = "rows of a relation have ended"

// IsOld reports whether a statement failed since Endings is old: read that again, and then ask again.
func IsOld(err error) bool { return err != nil && strings.Contains(err.Error(), haveEnded) }

// asKnown are the rows of a kept table as they were known, with the columns of the table, and
// past_until. If none has ended since, they are those that are there; if some were only changed, the
// databases find what is known by the keys of the table; if any were removed, these are joined to it.
func (v vision) asKnown(table string) string {
	switch {
	case v.lost(table):
		return v.removed(table) + " UNION ALL " + v.present(table, "")
	case v.changed(table):
		return v.present(table, v.unless(table, "true"))
	}
	since := ""
	if column := kept[table]; column != "" {
		since = " AND c." + column + " <= " + v.known
	}
	return "SELECT c.*, CAST(NULL AS timestamptz) AS past_until FROM " + v.schema + "." + table + " c WHERE c." + ofTenant(table) + " = " + v.tenant + since + v.unless(table, "true") + v.unless(table, "false")
}

// ofTenant is the column of the tenant.
func ofTenant(table string) string {
	if table == "tenant" {
		return "id"
	}
	return "tenant_id"
}

// unless has a statement fail if rows of a table were removed since, or changed if gone is "false".
func (v vision) unless(table, gone string) string {
	raise := "CAST('" + haveEnded + " ' || g.relation AS integer)"
	if v.schema == sqliteSchema {
		raise = "json_extract('{}', '" + haveEnded + "')"
	}
	return " AND (SELECT " + raise + " FROM " + v.endings(table, gone) + " LIMIT 1) IS NULL"
}

// present are the rows that are there, each with its values of then.
func (v vision) present(table, also string) string {
	t := v.then(table)
	of := func(column string) string {
		if isFixed(table, column) {
			return "c." + column
		}
		return t.value(column)
	}
	var all []string
	for _, column := range columns[table] {
		all = append(all, of(column)+" AS "+column)
	}
	if since := kept[table]; since != "" {
		also = " AND " + of(since) + " <= " + v.known + also
	}
	return "SELECT " + strings.Join(all, ", ") + ", " + t.until + " AS past_until FROM " + v.schema + "." + table + " c" + t.join + " WHERE c." + ofTenant(table) + " = " + v.tenant + " AND " + t.there + also
}

// then says how a row c was: whether it was there, until when it had its values of then, and these.
type then struct {
	join, there, until string
	value              func(column string) string
}

// then looks up the row that ended first since, if any did; else the row has its own values.
func (v vision) then(table string) then {
	id, part := keysIn(table, "c")
	if v.schema == sqliteSchema {
		// A join would not be merged into a statement that has the table behind a LEFT JOIN.
		first := v.since(table, id, part) + " ORDER BY q.at LIMIT 1"
		return then{"", "coalesce((SELECT q.image IS NOT NULL FROM " + first + "), true)", "(SELECT q.at FROM " + first + ")", func(column string) string {
			return "CASE WHEN EXISTS (SELECT 1 FROM " + v.since(table, id, part) + ") THEN (SELECT p." + column + " FROM " + v.endedView(table, id, part) + ") ELSE c." + column + " END"
		}}
	}
	return then{" LEFT JOIN LATERAL (" + v.ended(table, id, part) + ") p ON true", "(p.past_until IS NULL OR p.is_there)", "p.past_until", func(column string) string {
		return "CASE WHEN p.past_until IS NULL THEN c." + column + " ELSE p." + column + " END"
	}}
}

// removed are the rows that were there then and are not any more.
func (v vision) removed(table string) string {
	id, part := "id", ""
	if keys, ok := rowKeys[table]; ok {
		id, part = keys[0], keys[1]
	}
	var all []string
	for _, column := range columns[table] {
		switch {
		case column == id:
			column = "g.row_id AS " + column
		case column == part:
			column = "g.part AS " + column
		case column == "tenant_id", column == "agent_id" && isFixed(table, column):
			column = "g." + column
		default:
			column = "p." + column
		}
		all = append(all, column)
	}
	joined := " CROSS JOIN LATERAL (" + v.ended(table, "g.row_id", "g.part") + ") p"
	where := " AND p.is_there"
	if v.schema == sqliteSchema {
		joined, where = " JOIN "+strings.Replace(v.endedView(table, "g.row_id", "g.part"), " WHERE ", " ON ", 1), ""
	}
	if since := kept[table]; since != "" {
		where += " AND p." + since + " <= " + v.known
	}
	from, conditions, _ := strings.Cut(v.endings(table, "true"), " WHERE ")
	cid, cpart := keysIn(table, "c")
	return "SELECT " + strings.Join(all, ", ") + ", p.past_until FROM " + from + joined + " WHERE " + conditions + where +
		" AND NOT EXISTS (SELECT 1 FROM " + v.schema + "." + table + " c WHERE " + cid + " = g.row_id AND " + cpart + " = g.part)" +
		" AND NOT EXISTS (SELECT 1 FROM " + v.schema + ".past_row l WHERE l.tenant_id = g.tenant_id AND l.relation = g.relation AND l.row_id = g.row_id AND l.part = g.part AND l.gone AND l.at > g.at)"
}

// endings are the rows g of past_row that ended since, of a table.
func (v vision) endings(table, gone string) string {
	return v.schema + ".past_row g WHERE g.tenant_id = " + v.tenant + " AND g.relation = '" + table + "' AND g.gone = " + gone + " AND g.at > " + v.known
}

// since are the rows q of past_row that ended since, of a row with a key.
func (v vision) since(table, id, part string) string {
	return v.schema + ".past_row q WHERE q.tenant_id = " + v.tenant + " AND q.relation = '" + table + "' AND q.row_id = " + id + " AND q.part = " + part + " AND q.at > " + v.known
}

// ended is the first row that ended since, of one with a key, on PostgreSQL. A limit keeps its planner
// from reading all that ended of all rows.
func (v vision) ended(table, id, part string) string {
	from, conditions, _ := strings.Cut(v.since(table, id, part), " WHERE ")
	return "SELECT q.at AS past_until, q.image IS NOT NULL AS is_there, r.* FROM " + from + " CROSS JOIN LATERAL jsonb_populate_record(NULL::" + v.schema + "." + table + ", q.image) r WHERE " +
		conditions + " ORDER BY q.at LIMIT 1"
}

// endedView is ended on SQLite, with its condition.
func (v vision) endedView(table, id, part string) string {
	keys, ok := rowKeys[table]
	if !ok {
		keys[0] = "id"
	}
	text := v.schema + "." + table + "_past p WHERE p.tenant_id = " + v.tenant + " AND p." + keys[0] + " = " + id + " AND p.past_until = (SELECT q.at FROM " + v.since(table, id, part) + " ORDER BY q.at LIMIT 1)"
	if keys[1] != "" {
		text += " AND p." + keys[1] + " = " + part
	}
	return text
}

// keysIn are the columns of an alias that are the keys of a row in past_row.
func keysIn(table, alias string) (id, part string) {
	keys, ok := rowKeys[table]
	if !ok {
		keys[0] = "id"
	}
	if keys[1] == "" {
		return alias + "." + keys[0], "0"
	}
	return alias + "." + keys[0], alias + "." + keys[1]
}
