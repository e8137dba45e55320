package doors_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/doctor"
	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// notStored are the enumerations of the schema that are said and not kept.
var notStored = []string{"AgentGroupBy", "AgentOrderField", "AliasOrderField", "ApplicationGroupBy", "ApplicationOrderField", "BulkColumnKind", "BulkCompleteness", "BulkDateOrder", "BulkDifference", "CertificationGroupBy", "CertificationOrderField", "ErrorCategory", "LeaderboardMetric",
	"OrderDirection", "PayeeMissing", "PeriodOperationKind", "PeriodOrderField", "PeriodWarningCode", "SalesAuthorizationReasonCode", "SalesAuthorizationStatus", "TagAssignmentOrderField", "TagOperation", "UserErrorCode", "UserOrderField"}

// Schema, Go, REST and both databases have the same values of every enumeration: one
// that is added to the schema needs a row here, and a column with a CHECK where it is
// stored.
func TestEnumerations(t *testing.T) {
	known := slices.Concat(notStored, slices.Collect(maps.Keys(doctor.Enumerations)))
	for name, def := range graph.Schema().Types {
		if def.Kind != "ENUM" || def.BuiltIn {
			continue
		}
		if !slices.Contains(known, name) {
			t.Errorf("%s: is it stored, and in which columns?", name)
		}
		if of, stored := doctor.Enumerations[name]; stored {
			var values []string
			for _, v := range def.EnumValues {
				values = append(values, v.Name)
			}
			sameValues(t, name+": schema and Go", values, of.Values)
		}
	}
	for _, name := range known {
		if def := graph.Schema().Types[name]; def == nil && strings.ToLower(name) != name {
			t.Errorf("%s is no enumeration of the schema any more", name)
		}
	}
	for _, dataset := range recipe.Datasets() { // which cannot ask the areas that own them
		for _, f := range dataset.Fields {
			if len(f.Values) > 0 && !isEnumeration(f.Values) {
				t.Errorf("reports of %s have the values %q of %s", dataset.Name, f.Values, f.Name)
			}
		}
	}
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		checks := valueChecks(t, s)
		for name, of := range doctor.Enumerations {
			for _, column := range of.Columns {
				sameValues(t, name+": Go and "+column, of.Values, checks[column])
				delete(checks, column)
			}
		}
		for column := range checks {
			t.Errorf("%s has a list of values that no enumeration has", column)
		}
	})
}

func isEnumeration(values []string) bool {
	values = slices.Sorted(slices.Values(values))
	for _, of := range doctor.Enumerations {
		if slices.Equal(values, slices.Sorted(slices.Values(of.Values))) {
			return true
		}
	}
	return false
}

func sameValues(t *testing.T, what string, a, b []string) {
	t.Helper()
	if a, b := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)); !slices.Equal(a, b) {
		t.Errorf("%s differ: %q, %q", what, a, b)
	}
}

var (
	sqliteCheck   = regexp.MustCompile(`(?s)CHECK \((\w+) IN \(([^()]*)\)\)`)
	postgresCheck = regexp.MustCompile(`^CHECK \(\((\w+) = ANY \(ARRAY\[(.*)\]\)\)\)$`)
	quotedValue   = regexp.MustCompile(`'([^']*)'`)
)

// valueChecks are the values that the CHECKs of a database admit, by
// "table.column".
func valueChecks(t *testing.T, s *store.Store) map[string][]string {
	t.Helper()
	query, pattern := `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'river_%' AND sql IS NOT NULL`, sqliteCheck
	if s.Postgres() {
		query, pattern = `SELECT r.relname, pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
			WHERE c.contype = 'c' AND r.relname NOT LIKE 'river_%' AND c.connamespace = current_schema()::regnamespace`, postgresCheck
	}
	checks := map[string][]string{}
	_, err := store.Collect(t.Context(), s, func(row store.Scanner) (none struct{}, err error) {
		var table, definition string
		err = row.Scan(&table, &definition)
		for _, found := range pattern.FindAllStringSubmatch(definition, -1) {
			for _, value := range quotedValue.FindAllStringSubmatch(found[2], -1) {
				checks[table+"."+found[1]] = append(checks[table+"."+found[1]], value[1])
			}
		}
		return none, err
	}, query)
	if err != nil || len(checks) == 0 {
		t.Fatalf("%d checks, %v", len(checks), err)
	}
	return checks
}

// REST spells each value so that it leads back to it, and the values that its
// document lists are those of an enumeration.
func TestEnumerationsInREST(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		spelled := map[string]bool{}
		for name, def := range graph.Schema().Types {
			var names, all []string
			for _, v := range def.EnumValues {
				names, all = append(names, v.Name), append(all, enum.Spelled(v.Name))
			}
			spelled[strings.Join(all, " ")], spelled[strings.Join(names, " ")] = true, true // codes and countries stay as they are
			for i, v := range names {
				if got := enum.Of(names...).Written(all[i]); got != v {
					t.Errorf("%s: %s leads to %s", name, all[i], got)
				}
			}
		}
		listed := 0
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case object:
				if values, ok := v["enum"].([]any); ok {
					var texts []string
					for _, value := range values {
						if text, ok := value.(string); ok {
							texts = append(texts, text)
						}
					}
					if listed++; !spelled[strings.Join(texts, " ")] {
						t.Errorf("the document lists %q", texts)
					}
				}
				for _, inner := range v {
					walk(inner)
				}
			case []any:
				for _, inner := range v {
					walk(inner)
				}
			}
		}
		var document any
		if err := json.Unmarshal(w.As(apptest.Acme).Send(t, http.MethodGet, "/openapi.json", nil, nil).Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		walk(document)
		if listed < 20 {
			t.Errorf("the document lists the values of %d properties only", listed)
		}
	})
}
