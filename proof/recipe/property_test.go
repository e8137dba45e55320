package recipe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/platform/store"
)

// fieldsOfProduction are those that the property test is about: every type is among
// them.
var fieldsOfProduction = map[string]string{
	"agentCode": "text", "lastName": "text", "policyNumber": "text", "productLine": "text", "issuedMonth": "text",
	"submittedOn": "date", "issuedOn": "date", "annualPremium": "decimal", "recordedAt": "dateTime", "isActive": "boolean", "agentLevel": "integer",
}

// lines are texts that databases could see in another way: letters of both cases,
// beyond the alphabet, and what means something in a statement.
var lines = []any{nil, "Term Life", "term life", "TERM", "Ärzte", "ärzte", "Zürich", "a%b", "a_b", `q'uote"`, "--", "", "İ", "ß", "日本"}

// loadProduction makes agents and so many records, and returns the records as the
// naive implementation knows them, in the order of their ids.
func loadProduction(t *testing.T, w *apptest.World) []row {
	t.Helper()
	c := w.As(apptest.Acme, "read:agents", "write:agents")
	agents := []row{
		{"agentCode": "A1", "lastName": "Diaz", "isActive": true, "agentLevel": int64(30)},
		{"agentCode": "a2", "lastName": "diaz", "isActive": false, "agentLevel": int64(10)},
		{"agentCode": "B3", "lastName": "Äbel", "isActive": true, "agentLevel": nil},
	}
	for _, a := range agents {
		status, level := "Active", ""
		if a["isActive"] == false {
			status = "Terminated"
		}
		if a["agentLevel"] != nil {
			level = fmt.Sprintf("level: %d", a["agentLevel"])
		}
		data := c.Query(t, fmt.Sprintf(`mutation { agentRegister(input: {agentCode: %q, firstName: "X", lastName: %q, status: %q, startDate: "2020-01-01T00:00:00Z",
			teams: [{team: "default", membership: {%s}}], initiator: "x"}) { applied userErrors { message field } } }`, a["agentCode"], a["lastName"], status, level), nil)
		if apptest.At(data, "agentRegister.applied") != true {
			t.Fatal(data)
		}
	}
	c.Query(t, `mutation { providerCompanyUpsert(input: {code: "ACME-LIFE", name: "Acme Life", isEnabled: true, initiator: "x"}) { applied } }`, nil)
	var rows []row
	tenantID := w.Tenants[apptest.Acme].ID
	err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
		rows = nil
		for i := range 60 {
			a := agents[i*7%len(agents)]
			r := row{"policyNumber": fmt.Sprintf("P-%03d", i), "productLine": lines[i*5%len(lines)], "annualPremium": int64(i*i*i%7919) * 37,
				"submittedOn": fmt.Sprintf("2026-0%d-1%d", 1+i%5, i%10), "recordedAt": time.Date(2026, 6, 1+i%9, 12, 0, 0, i%3*1000, time.UTC)}
			if i%4 > 0 {
				r["issuedOn"] = fmt.Sprintf("2026-0%d-2%d", 2+i%5, i%9)
				r["issuedMonth"] = r["issuedOn"].(string)[:7]
			}
			for name, v := range a {
				r[name] = v
			}
			rows = append(rows, r)
			if _, err := tx.Exec(ctx, `INSERT INTO insights_production_record (tenant_id, agent_id, provider_company, policy_number, product_line, submitted_on, issued_on, annual_premium_cents, recorded_at, recorded_by)
				SELECT $1, id, 'ACME-LIFE', $2, $3, $4, $5, $6, $7, 'x' FROM agency_agent WHERE tenant_id = $1 AND code = $8`,
				tenantID, r["policyNumber"], r["productLine"], r["submittedOn"], r["issuedOn"], r["annualPremium"], r["recordedAt"], a["agentCode"]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// On random definitions, the compiled statement answers what a plain walk through
// the rows does: on both databases, page by page, to the last digit.
func TestReportsAreAsRecomputed(t *testing.T) {
	onEachWorld(t, func(t *testing.T, w *apptest.World) {
		rows := loadProduction(t, w)
		ctx := w.Context(t, apptest.Acme, "read:agents")
		rapid.Check(t, func(rt *rapid.T) {
			d := definitions(rt, fieldsOfProduction, nil, rows, "2026-06-15")
			d.dataset = "production"
			n := naive{fieldsOfProduction, rows, d.given, d.day}
			want := n.run(d.definition)
			got := readAll(rt, ctx, w.Recipes, d, rapid.IntRange(1, 70).Draw(rt, "page"), len(want))
			compareRows(rt, d, got, want)
		})
	})
}

// drawn is a definition with the parameters of a run.
type drawn struct {
	dataset, day      string
	definition, given object
}

// testingT is a test, or a check of one.
type testingT interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// readAll reads all pages of a report.
func readAll(t testingT, ctx context.Context, recipes *recipe.Service, d drawn, size, total int) (all [][]any) {
	text, err := json.Marshal(d.definition)
	if err != nil {
		t.Fatal(err)
	}
	stored := &recipe.Recipe{UID: "x", Version: 1, Dataset: d.dataset, Definition: text}
	day, err := date.Parse(d.day)
	if err != nil {
		t.Fatal(err)
	}
	var after *string
	for {
		report, err := recipes.Run(ctx, stored, insights.Request{Parameters: d.given, OnDate: &day, First: &size, After: after, Counted: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if report.TotalCount != total {
			t.Fatalf("totalCount %d, want %d\n%s", report.TotalCount, total, text)
		}
		for _, row := range report.Rows {
			raw, err := report.JSON(row)
			if err != nil {
				t.Fatal(err)
			}
			var values object
			if err := json.Unmarshal(raw, &values); err != nil {
				t.Fatal(err)
			}
			one := make([]any, len(report.Columns))
			for i, c := range report.Columns {
				one[i] = values[c.Key]
			}
			all = append(all, one)
		}
		if after = report.End; !report.HasNext {
			return all
		}
	}
}

// definitions draws a definition whose values are among those of the rows.
func definitions(t *rapid.T, types map[string]string, enums map[string]bool, rows []row, day string) drawn {
	names := slices.Sorted(maps.Keys(types))
	field := rapid.SampledFrom(names)
	d := object{}
	grouped := rapid.Bool().Draw(t, "grouped")
	var groupBy []string
	if grouped {
		groupBy = rapid.SliceOfNDistinct(field, 0, 3, rapid.ID[string]).Draw(t, "groupBy")
		d["groupBy"] = anys(groupBy)
	}
	var columns []any
	var sortable []string
	seen := map[string]bool{}
	add := func(name, aggregate string) {
		c := object{"field": name, "aggregate": aggregate}
		if !seen[keyOf(c)] {
			seen[keyOf(c)] = true
			columns, sortable = append(columns, c), append(sortable, keyOf(c))
		}
	}
	for _, name := range groupBy {
		add(name, "none")
	}
	for range rapid.IntRange(1, 5).Draw(t, "columns") {
		name := field.Draw(t, "column")
		if !grouped {
			add(name, "none")
			continue
		}
		choice := []string{"count", "countDistinct"}
		switch types[name] {
		case "integer", "decimal":
			choice = append(choice, "sum", "avg", "min", "max")
		case "text", "date", "dateTime":
			choice = append(choice, "min", "max")
		}
		add(name, rapid.SampledFrom(choice).Draw(t, "aggregate"))
	}
	d["columns"] = columns
	if !grouped {
		sortable = names
	}
	var sorts []any
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(sortable), 0, 3, rapid.ID[string]).Draw(t, "sort") {
		sorts = append(sorts, object{"field": name, "direction": rapid.SampledFrom([]string{"asc", "desc"}).Draw(t, "direction")})
	}
	if sorts != nil {
		d["sort"] = sorts
	}
	if rapid.Bool().Draw(t, "limited") {
		d["limit"] = rapid.IntRange(1, 80).Draw(t, "limit")
	}
	given := object{}
	filters, parameters := drawFilters(t, types, enums, rows, given, day)
	if filters != nil {
		d["filters"], d["parameters"] = filters, parameters
	}
	return drawn{day: day, definition: d, given: given}
}

func drawFilters(t *rapid.T, types map[string]string, enums map[string]bool, rows []row, given object, day string) (filters, parameters []any) {
	parameters = []any{}
	field := rapid.SampledFrom(slices.DeleteFunc(slices.Sorted(maps.Keys(types)), func(name string) bool {
		return !slices.ContainsFunc(rows, func(r row) bool { return r[name] != nil })
	}))
	for i := range rapid.IntRange(0, 3).Draw(t, "filters") {
		name := field.Draw(t, "filter")
		typ := types[name]
		choice := []string{"eq", "ne", "in", "isNull"}
		if typ != "boolean" && !enums[name] {
			choice = append(choice, "gt", "gte", "lt", "lte", "between")
		}
		if typ == "text" && !enums[name] {
			choice = append(choice, "contains", "startsWith")
		}
		operator := rapid.SampledFrom(choice).Draw(t, "operator")
		one := func() any {
			v := drawValue(t, types[name], rows, name)
			if typ == "date" && operator != "isNull" && rapid.Bool().Draw(t, "relative") {
				d, _ := date.Parse(v.(string))
				from, _ := date.Parse(day)
				return object{"days": int(d - from)}
			}
			return v
		}
		var value any
		switch operator {
		case "isNull":
			value = rapid.Bool().Draw(t, "isNull")
		case "in":
			value = []any{one(), one(), one()}
		case "between":
			value = []any{one(), one()}
		case "contains", "startsWith":
			text := []rune(one().(string) + "x")
			from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
			value = string(text[from : from+1])
		default:
			value = one()
			if _, relative := value.(object); !relative && rapid.Bool().Draw(t, "parameter") {
				parameter := fmt.Sprintf("p%d", i)
				if rapid.Bool().Draw(t, "given") {
					given[parameter] = value
				}
				parameters = append(parameters, object{"name": parameter, "type": typ})
				value = object{"parameter": parameter}
			}
		}
		filters = append(filters, object{"field": name, "operator": operator, "value": value})
	}
	return filters, parameters
}

// drawValue is a value of a field as a definition writes it.
func drawValue(t *rapid.T, typ string, rows []row, name string) any {
	var values []any
	for _, r := range rows {
		if v := r[name]; v != nil {
			values = append(values, v)
		}
	}
	switch v := rapid.SampledFrom(values).Draw(t, "value").(type) {
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case int64:
		if typ == "decimal" {
			return show("decimal", v)
		}
		return int(v)
	default:
		return v
	}
}

func anys(list []string) []any {
	all := make([]any, len(list))
	for i, s := range list {
		all[i] = s
	}
	return all
}
