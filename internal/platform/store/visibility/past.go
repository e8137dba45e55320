package visibility

import (
	"context"
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
	"identity_user_role":   {"user_id", "role_id"},
	"identity_user_agent":  {"user_id", ""},
	"agency_scenario_role": {"scenario_id", "role_id"},
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
	return kept[table] == "" && (strings.HasPrefix(table, "identity_user_") || table == "agency_scenario_role" || table == "agency_address" || table == "agency_phone" || table == "agency_direct_deposit")
}

// asKnown are the rows of a kept table as they were known: those that have not changed
// since, and of the others the oldest that ended since. Both have the columns of the
// table, and past_until.
func (v vision) asKnown(table string) string {
	since := func(alias string) string {
		if column := kept[table]; column != "" {
			return " AND " + alias + "." + column + " <= " + v.known
		}
		return ""
	}
	changed := func(alias, also string) string {
		id, part := "id", ""
		if keys, ok := rowKeys[table]; ok {
			if id = keys[0]; keys[1] != "" {
				part = " AND q.part = " + alias + "." + keys[1]
			}
		}
		return " AND NOT EXISTS (SELECT 1 FROM " + v.schema + ".past_row q WHERE q.tenant_id = " + v.tenant + " AND q.relation = '" + table + "'" +
			" AND q.row_id = " + alias + "." + id + part + " AND q.at > " + v.known + also + ")"
	}
	ofTenant := ".tenant_id = " + v.tenant
	if table == "tenant" {
		ofTenant = ".id = " + v.tenant
	}
	// SQLite takes the types of the columns from the last SELECT.
	return "SELECT p.* FROM " + v.schema + "." + table + "_past p WHERE p" + ofTenant + " AND p.past_until > " + v.known + since("p") + changed("p", " AND q.at < p.past_until") +
		" UNION ALL SELECT c.*, CAST(NULL AS timestamptz) AS past_until FROM " + v.schema + "." + table + " c WHERE c" + ofTenant + since("c") + changed("c", "")
}
