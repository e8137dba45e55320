package recipe

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

// parsed parses a definition written as JSON.
func parsed(t testing.TB, dataset, text string) (*definition, problem.List) {
	t.Helper()
	decoded, err := value.Object([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parse(datasetOf(dataset), decoded)
}

// "Unknown fields/operators → 400 with the path" (api "Report recipe"): each mistake
// has its code and path.
func TestDefinitionProblems(t *testing.T) {
	for _, c := range []struct{ definition, want string }{
		{`{}`, "REQUIRED definition.columns"},
		{`{"columns": []}`, "REQUIRED definition.columns"},
		{`{"columns": {}}`, "INVALID_FORMAT definition.columns"},
		{`{"columns": [], "asOf": "x"}`, "INVALID_FORMAT definition.asOf, REQUIRED definition.columns"},
		{`{"columns": ["agentCode"]}`, "INVALID_FORMAT definition.columns.0"},
		{`{"columns": [{}]}`, "REQUIRED definition.columns.0.field"},
		{`{"columns": [{"field": 5}]}`, "UNKNOWN_FIELD definition.columns.0.field"},
		{`{"columns": [{"field": "birthDate"}]}`, "UNKNOWN_FIELD definition.columns.0.field"},
		{`{"columns": [{"field": "agentCode", "x": 1}]}`, "UNKNOWN_FIELD definition.columns.0.x"},
		{`{"columns": [{"field": "agentCode", "523-45-6789": 1}]}`, "UNKNOWN_FIELD definition.columns.0.?"},
		{`{"columns": [{"field": "agentCode"}, {"field": "agentCode"}]}`, "DUPLICATE_KEY definition.columns.1.field"},
		{`{"columns": [{"field": "agentCode", "label": ""}]}`, "INVALID_FORMAT definition.columns.0.label"},
		{`{"columns": [{"field": "agentCode", "label": "a\nb"}]}`, "INVALID_FORMAT definition.columns.0.label"},
		{`{"columns": [{"field": "agentCode", "format": "currency"}]}`, "INVALID_FORMAT definition.columns.0.format"},
		{`{"columns": [{"field": "agentCode", "aggregate": "sum"}]}`, "INVALID_FORMAT definition.columns.0.aggregate"},
		{`{"columns": [{"field": "agentCode"}, {"field": "payStatus", "aggregate": "count"}]}`, "NOT_APPLICABLE definition.columns.0.field"},
		{`{"columns": [{"field": "agentCode"}], "groupBy": ["payStatus"]}`, "NOT_APPLICABLE definition.columns.0.field"},
		{`{"columns": [{"field": "payStatus"}], "groupBy": ["payStatus", "payStatus"]}`, "DUPLICATE_KEY definition.groupBy.1"},
		{`{"columns": [{"field": "agentCode"}], "groupBy": "agentCode"}`, "INVALID_FORMAT definition.groupBy"},
		{`{"columns": [{"field": "agentCode"}], "select": 1}`, "UNKNOWN_FIELD definition.select"},
		{`{"columns": [{"field": "agentCode"}], "limit": 0}`, "OUT_OF_RANGE definition.limit"},
		{`{"columns": [{"field": "agentCode"}], "limit": 10001}`, "OUT_OF_RANGE definition.limit"},
		{`{"columns": [{"field": "agentCode"}], "limit": "5"}`, "OUT_OF_RANGE definition.limit"},
		{`{"columns": [{"field": "agentCode"}], "limit": 1.5}`, "OUT_OF_RANGE definition.limit"},
		{`{"columns": [{"field": "agentCode"}], "asOf": "2026-02-30"}`, "INVALID_FORMAT definition.asOf"},
		{`{"columns": [{"field": "agentCode"}], "asOf": 5}`, "INVALID_FORMAT definition.asOf"},
		{`{"columns": [{"field": "agentCode"}], "sort": [{}]}`, "REQUIRED definition.sort.0.field"},
		{`{"columns": [{"field": "agentCode"}], "sort": [{"field": "x"}]}`, "UNKNOWN_SORT_FIELD definition.sort.0.field"},
		{`{"columns": [{"field": "agentCode", "aggregate": "count"}], "sort": [{"field": "agentCode"}]}`, "UNKNOWN_SORT_FIELD definition.sort.0.field"},
		{`{"columns": [{"field": "agentCode"}], "sort": [{"field": "agentCode", "direction": "up"}]}`, "INVALID_FORMAT definition.sort.0.direction"},
		{`{"columns": [{"field": "agentCode"}], "sort": [{"field": "agentCode"}, {"field": "agentCode"}]}`, "DUPLICATE_KEY definition.sort.1.field"},
		{filtered(`{}`), "REQUIRED definition.filters.0.field, REQUIRED definition.filters.0.operator"},
		{filtered(`{"field": "agentLevel", "operator": "contains", "value": "1"}`), "INVALID_FORMAT definition.filters.0.operator"},
		{filtered(`{"field": "isActive", "operator": "gt", "value": true}`), "INVALID_FORMAT definition.filters.0.operator"},
		{filtered(`{"field": "agentLevel", "operator": "eq", "value": "30"}`), "INVALID_FORMAT definition.filters.0.value"},
		{filtered(`{"field": "agentLevel", "operator": "eq", "value": 99999999999}`), "INVALID_FORMAT definition.filters.0.value"},
		{filtered(`{"field": "agentLevel", "operator": "eq"}`), "REQUIRED definition.filters.0.value"},
		{filtered(`{"field": "agentLevel", "operator": "in", "value": []}`), "REQUIRED definition.filters.0.value"},
		{filtered(`{"field": "agentLevel", "operator": "in", "value": 1}`), "INVALID_FORMAT definition.filters.0.value"},
		{filtered(`{"field": "agentLevel", "operator": "between", "value": {}}`), "INVALID_FORMAT definition.filters.0.value"},
		{filtered(`{"field": "agentLevel", "operator": "between", "value": []}`), "OUT_OF_RANGE definition.filters.0.value"},
		{filtered(`{"field": "agentLevel", "operator": "in", "value": [1, "x"]}`), "INVALID_FORMAT definition.filters.0.value.1"},
		{filtered(`{"field": "agentLevel", "operator": "between", "value": [1]}`), "OUT_OF_RANGE definition.filters.0.value"},
		{filtered(`{"field": "startDate", "operator": "gt", "value": "2026-01-01"}`), "INVALID_FORMAT definition.filters.0.value"},
		{filtered(`{"field": "lastName", "operator": "contains", "value": ""}`), "REQUIRED definition.filters.0.value"},
		{filtered(`{"field": "lastName", "operator": "eq", "value": {"parameter": "x"}}`), "UNKNOWN_FIELD definition.filters.0.value.parameter"},
		{filtered(`{"field": "lastName", "operator": "eq", "value": {"sql": "x"}}`), "UNKNOWN_FIELD definition.filters.0.value.sql, UNKNOWN_FIELD definition.filters.0.value.parameter"},
		{filtered(`{"field": "lastName", "operator": "isNull", "value": "yes"}`), "INVALID_FORMAT definition.filters.0.value"},
		{parameters(`{"name": "p"}`), "NOT_APPLICABLE definition.parameters.0.name"},
		{parameters(`{"name": "Drop Table"}`), "INVALID_FORMAT definition.parameters.0.name, NOT_APPLICABLE definition.parameters.0.name"},
		{parameters(`{}`), "REQUIRED definition.parameters.0.name"},
		{parameters(`{"name": "onDate"}`), "RESERVED_NAME definition.parameters.0.name, NOT_APPLICABLE definition.parameters.0.name"},
		{parameters(`{"name": "level", "type": "Float"}`), "INVALID_FORMAT definition.parameters.0.type, INVALID_FORMAT definition.filters.0.value.parameter"},
		{parameters(`{"name": "level"}`), "INVALID_FORMAT definition.filters.0.value.parameter"},
		{parameters(`{"name": "level", "type": "integer", "required": "yes"}`), "INVALID_FORMAT definition.parameters.0.required"},
		{parameters(`{"name": "level", "type": "integer", "required": true, "default": 5}`), "NOT_APPLICABLE definition.parameters.0.default"},
		{parameters(`{"name": "level", "type": "integer", "default": "5"}`), "INVALID_FORMAT definition.parameters.0.default"},
		{parameters(`{"name": "level", "type": "integer"}, {"name": "level", "type": "integer"}`), "DUPLICATE_KEY definition.parameters.1.name"},
		{parameters(`{"name": "level", "type": "integer", "default": 5}`), ""},
		{filtered(`{"field": "payStatus", "operator": "in", "value": ["Active", "On leave"]}`), ""},
		{filtered(`{"field": "email", "operator": "isNull"}`), ""},
		{filtered(`{"field": "startDate", "operator": "gt", "value": {"days": 1}}`), "UNKNOWN_FIELD definition.filters.0.value.days, UNKNOWN_FIELD definition.filters.0.value.parameter"},
		{`{"columns": [{"field": "agentCode"}], "chart": "agentCode"}`, "INVALID_FORMAT definition.chart"},
		{`{"columns": [{"field": "agentCode"}], "chart": "agentLevel"}`, "INVALID_FORMAT definition.chart"},
		{`{"columns": [{"field": "agentLevel"}], "chart": 5}`, "INVALID_FORMAT definition.chart"},
		{`{"columns": [{"field": "agentCode", "aggregate": "count"}], "chart": "agentCodeCount"}`, ""},
	} {
		_, refused := parsed(t, "agents", c.definition)
		if got := told(refused); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.definition, got, c.want)
		}
	}
}

// A day is given as a number of days from the day of the report, before it or after it.
func TestDaysOfADefinition(t *testing.T) {
	for value, want := range map[string]string{
		`{"days": 60}`: "", `{"days": -36600}`: "",
		`{"days": 36601}`: "OUT_OF_RANGE definition.filters.0.value.days",
		`{"days": 1.5}`:   "OUT_OF_RANGE definition.filters.0.value.days", `{"days": "x"}`: "OUT_OF_RANGE definition.filters.0.value.days",
		`{"days": 1, "x": 1}`: "UNKNOWN_FIELD definition.filters.0.value.x",
	} {
		_, refused := parsed(t, "certifications", filtered(`{"field": "effectiveThrough", "operator": "lte", "value": `+value+`}`))
		if got := told(refused); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
}

// told are the codes of problems with their paths.
func told(refused problem.List) string {
	all := make([]string, len(refused))
	for i, p := range refused {
		all[i] = string(p.Code) + " " + strings.Join(p.Field, ".")
	}
	return strings.Join(all, ", ")
}

func filtered(filter string) string {
	return `{"columns": [{"field": "agentCode"}], "filters": [` + filter + `]}`
}

// parameters declares parameters, and compares with level unless the first is
// another.
func parameters(list string) string {
	filters := ""
	if strings.Contains(list, `"level"`) {
		filters = `{"field": "agentLevel", "operator": "eq", "value": {"parameter": "level"}}`
	}
	return `{"columns": [{"field": "agentCode"}], "filters": [` + filters + `], "parameters": [` + list + `]}`
}

// All mistakes are reported together, and none repeats what was sent.
func TestDefinitionProblemsRepeatNothing(t *testing.T) {
	_, refused := parsed(t, "agents", `{"columns": [{"field": "523456781", "label": 523456781}], "523456781": 1,
		"filters": [{"field": "523456781", "operator": "523456781", "value": "523456781"}, {"field": "agentLevel", "operator": "eq", "value": "523456781"}],
		"sort": [{"field": "523456781", "direction": "523456781"}], "groupBy": ["523456781"], "asOf": "523456781", "limit": 523456781,
		"parameters": [{"name": "523456781", "type": "523456781", "default": "523456781"}]}`)
	if len(refused) < 10 {
		t.Errorf("only %d problems: %v", len(refused), refused)
	}
	encoded, err := json.Marshal(refused)
	if err != nil || strings.Contains(string(encoded), "523456781") {
		t.Errorf("%v %s", err, encoded)
	}
}

// The bounds keep statements small.
func TestDefinitionBounds(t *testing.T) {
	many := func(n int, of string) string { return strings.TrimSuffix(strings.Repeat(of+",", n), ",") }
	for _, c := range []string{
		`{"columns": [` + many(51, `{"field": "agentCode"}`) + `]}`,
		`{"columns": [{"field": "agentCode"}], "filters": [` + many(31, `{"field": "agentCode", "operator": "eq", "value": "x"}`) + `]}`,
		`{"columns": [{"field": "agentCode"}], "sort": [` + many(11, `{"field": "agentCode"}`) + `]}`,
		filtered(`{"field": "agentCode", "operator": "in", "value": [` + many(101, `"x"`) + `]}`),
		filtered(`{"field": "agentCode", "operator": "eq", "value": "` + strings.Repeat("x", 1001) + `"}`),
	} {
		if _, refused := parsed(t, "agents", c); len(refused) == 0 {
			t.Errorf("%.80s… is accepted", c)
		}
	}
}

// Nothing sensitive is in the catalogue: no encrypted column, nothing of a W9 or a
// bank account but whether there is one, no birth date. Each table of a dataset is
// of the tenant.
func TestDatasetsAreSafe(t *testing.T) {
	for _, d := range Datasets() {
		for _, f := range d.Fields {
			for _, word := range []string{"government", "taxpayer", "birth", "gender", "routing", "account", "institution", "transit", "signature", "secret", "document", "payload", "url", "headers", "note", "ssn"} {
				if strings.Contains(strings.ToLower(f.Name+" "+f.sql), word) {
					t.Errorf("%s.%s has %q in its name or expression", d.Name, f.Name, word)
				}
			}
			if f.Description == "" || f.sql == "" || !slices.Contains(value.Types, f.Type) {
				t.Errorf("%s.%s is not complete", d.Name, f.Name)
			}
			if alias, _, ok := strings.Cut(f.sql, "."); ok && f.join == "" && !strings.Contains(d.from+d.today, " "+strings.TrimLeft(alias, "(")) &&
				!strings.Contains(alias, "(") {
				t.Errorf("%s.%s: nothing joins %s", d.Name, f.Name, alias)
			}
			if f.join != "" && !strings.Contains(d.from, " "+f.join+" ") && !slices.ContainsFunc(d.joins, func(j insights.Join) bool { return j.Alias == f.join }) {
				t.Errorf("%s.%s: there is no join %s", d.Name, f.Name, f.join)
			}
		}
		all := []string{d.from + " WHERE " + d.where, d.today}
		for _, j := range d.joins {
			all = append(all, j.SQL)
		}
		for _, sql := range all {
			tables := strings.Count(sql, " agency_") + strings.Count(sql, " hierarchy_") + strings.Count(sql, " onboarding_") + strings.Count(sql, " insights_") +
				strings.Count(sql, " webhook_") + strings.Count(sql, " outbox_")
			for _, prefix := range []string{"agency_", "onboarding_", "insights_", "webhook_"} {
				if strings.HasPrefix(sql, prefix) {
					tables++
				}
			}
			if got := strings.Count(sql, ".tenant_id = @tenant"); got != tables {
				t.Errorf("%s: %d tables and %d conditions of the tenant in %s", d.Name, tables, got, sql)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the tables of docs/reports.md")

// docs/reports.md has a row of each field.
func TestDatasetsAreDocumented(t *testing.T) {
	const file, mark = "../../../docs/reports.md", "## The datasets\n\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatalf("%s has no %q", file, mark)
	}
	if want := catalogueTables(); after != want && *update {
		if err := os.WriteFile(file, []byte(before+mark+want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if after != want {
		t.Errorf("%s is not up to date: run the test with -update", file)
	}
}

// FuzzDefinition: whatever a definition is, it is refused or accepted; what is
// accepted compiles, with every value as an argument.
func FuzzDefinition(f *testing.F) {
	for _, seed := range []string{
		`{"columns": [{"field": "agentCode"}]}`,
		filtered(`{"field": "lastName", "operator": "contains", "value": "x'); DROP TABLE agency_agent; --"}`),
		parameters(`{"name": "level", "type": "integer", "default": 5}`),
		`{"columns": [{"field": "payStatus"}, {"field": "agentLevel", "aggregate": "avg"}], "groupBy": ["payStatus"], "sort": [{"field": "agentLevelAvg", "direction": "desc"}], "limit": 5, "asOf": "2026-01-01"}`,
		`{"columns": [{"field": "agentCode", "label": "\"; --"}], "sort": [{"field": "agentCode"}]}`,
		`{"columns": null}`, `{"columns": [null]}`, `{"filters": [{"value": {"parameter": null}}]}`, `{"limit": 1e999}`,
	} {
		for _, d := range datasets {
			f.Add(d.Name, seed)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		d := datasetOf(name)
		decoded, err := value.Object([]byte(text))
		if d == nil || err != nil {
			return
		}
		definition, refused := parse(d, decoded)
		if len(refused) > 0 {
			return
		}
		for _, postgres := range []bool{false, true} {
			var s store.SQL
			definition.core(&insights.Run{Report: definition.report(&Recipe{}), Tenant: &tenant.Tenant{ID: 1}, Postgres: postgres}, &s)
			statement := s.Text()
			if strings.Contains(statement, "@") || len(s.Args()) < 1 {
				t.Errorf("%s", statement)
			}
			for _, a := range s.Args() {
				if s, ok := a.(string); ok && len(s) > 8 && strings.Contains(statement, s) && !strings.Contains(text, "agency") {
					t.Errorf("the value %q is in the statement %s", s, statement)
				}
			}
		}
	})
}
