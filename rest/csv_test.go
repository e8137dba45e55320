package rest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/resttest"
)

// "q-values and */* are respected: JSON stays the default"; an Accept that admits
// neither is 406.
func TestAccept(t *testing.T) {
	b := newBench(t)
	b.Data(fmt.Sprintf(emptyPage, "agents"))
	for accept, want := range map[string]string{
		"":                                     "json",
		"*/*":                                  "json",
		"application/json":                     "json",
		"application/*":                        "json",
		"text/csv":                             "csv",
		"TEXT/CSV; header=present":             "csv",
		"text/*":                               "csv",
		"text/csv, application/json":           "json",
		"text/csv, application/json;q=0.9":     "csv",
		"text/csv;q=0.5, application/json":     "json",
		"text/csv, */*;q=0.1":                  "csv",
		"text/csv;q=0.1, */*;q=0.2":            "json",
		"application/json;q=0, */*":            "csv",
		"text/html, */*;q=0.8":                 "json",
		"text/html":                            "406",
		"text/csv;q=0":                         "406",
		"*/*;q=0":                              "406",
		"application/json;q=0, text/csv;q=0.0": "406",
		"nonsense;;;":                          "json",
		"text/csv;q=2":                         "json",
		"text/csv;q=NaN":                       "json",
		"application/json; v=2":                "json",
		"text/csv; v=2":                        "csv",
	} {
		w := b.call(http.MethodGet, "/agents", "", "Accept", accept)
		got := strings.TrimPrefix(strings.TrimPrefix(strings.Split(w.Header().Get("Content-Type"), ";")[0], "application/"), "text/")
		if w.Code == 406 {
			got = "406"
			problemOf(t, w)
		}
		if got != want {
			t.Errorf("%q: %s, not %s", accept, got, want)
		}
		if w.Header().Get("Vary") != "Accept" {
			t.Errorf("%q: Vary is %q", accept, w.Header().Get("Vary"))
		}
	}
	calls := b.Calls
	for _, c := range [][3]string{{http.MethodGet, "/agents/A1"}, {http.MethodDelete, "/agents/A1"}, {http.MethodPatch, "/agents/A1", "{}"}} {
		if w := b.call(c[0], c[1], c[2], "Accept", "text/csv"); w.Code != 406 || b.Calls != calls {
			t.Errorf("%s %s as CSV: %d", c[0], c[1], w.Code)
		}
	}
}

func TestListAsCSV(t *testing.T) {
	b := newBench(t)
	b.Graph(`{"agents":{"pageInfo":{"hasNextPage":false,"endCursor":null},"totalCount":7,"nodes":[
		{"agentCode":"A1","firstName":"Ana, \"A\"","lastName":"=1+1","payStatus":{"name":"Active"},"isActive":true,
		 "homeAddress":{"line1":"a\nb","city":"@x","jurisdiction":{"code":"US-TX"}},"businessAddress":null,
		 "membership":{"team":"default","directUplineCode":"A0","level":{"value":10}},"cellPhone":{"phoneNumber":"+15550100"}},
		{"agentCode":"A2","membership":null}]}}`)
	w := b.call(http.MethodGet, "/agents?pageIndex=2&pageSize=5", "", "Accept", "text/csv")
	if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "text/csv; charset=utf-8; header=present" {
		t.Fatalf("%d %s: %s", w.Code, got, w.Body)
	}
	for name, want := range map[string]string{"Page-Index": "2", "Page-Size": "5", "Total-Count": "7"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
	rows, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	for column, want := range map[string][2]string{
		"agentCode": {"A1", "A2"}, "firstName": {`Ana, "A"`, ""}, "lastName": {"'=1+1", ""}, "status": {"Active", ""}, "isActive": {"true", ""},
		"homeAddress.line1": {"a\nb", ""}, "homeAddress.city": {"'@x", ""}, "homeAddress.jurisdiction": {"US-TX", ""}, "businessAddress.city": {"", ""},
		"teams.default.directUpline": {"A0", ""}, "teams.default.level": {"10", ""}, "cellPhone.phoneNumber": {"'+15550100", ""},
	} {
		i := slices.Index(rows[0], column)
		if i < 0 {
			t.Errorf("there is no column %s in %v", column, rows[0])
		} else if got := [2]string{rows[1][i], rows[2][i]}; got != want {
			t.Errorf("%s: %q, not %q", column, got, want)
		}
	}
}

// Sensitive values are masked in CSV, of every path that has it, and by the same mark
// as at the door of assistants: the operation is that of JSON.
func TestCSVMasksSensitiveValues(t *testing.T) {
	for _, e := range allEndpoints(t) {
		if !e.hasCSV() {
			continue
		}
		for _, csv := range []bool{false, true} {
			executor := &resttest.Fake{Parsed: sdl()}
			e.door = &door{Config: Config{Executor: executor, Logger: slog.New(slog.DiscardHandler)}}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			if _, err := e.run(r, request{csv: csv}); err == nil {
				t.Fatal("there is an answer")
			}
			if caller, _ := tenant.CallerFrom(executor.Context); caller.Masked != csv || executor.Document != e.operation.Document {
				t.Errorf("%s, CSV %t: masked %t", e.route.Operation, csv, caller.Masked)
			}
		}
	}
}

// Every list has columns, none of them twice.
func TestColumns(t *testing.T) {
	for _, e := range allEndpoints(t) {
		seen := map[string]bool{}
		for _, c := range e.columns {
			name := c.Name()
			if seen[name] {
				t.Errorf("%s has the column %s twice", e.route.Operation, name)
			}
			seen[name] = true
		}
		if (e.route.Outcome == paths.Listed) != (len(seen) > 1) {
			t.Errorf("%s has the columns %v", e.route.Operation, seen)
		}
	}
}

// formulas finds a cell that a spreadsheet would carry out, or would behind what it
// may take for the end of a cell.
var formulas = regexp.MustCompile(`^[\t\r\n]|(^|[;,\t\r\n])[ "]*[=+\-@]`)

// encoding/csv reads back every cell, none of them a formula; only line ends of
// two characters become one, and apostrophes come before what would be a formula.
func TestCSVReadsBack(t *testing.T) {
	columns := []sheet.Column{{Path: []string{"text"}}, {Path: []string{"in", "list"}}, {Path: []string{"number"}, Kind: value.Integer}}
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[=+\-@\t\r\n",; a]{0,6}`))
	rapid.Check(t, func(rt *rapid.T) {
		var rows []map[string]any
		for range rapid.IntRange(0, 4).Draw(rt, "rows") {
			rows = append(rows, map[string]any{
				"text": text.Draw(rt, "text"), "in": map[string]any{"list": []string{text.Draw(rt, "a"), "b"}},
				"number": rapid.IntRange(-9, 9).Draw(rt, "number"),
			})
		}
		items, err := json.Marshal(rows)
		if err != nil {
			rt.Fatal(err)
		}
		if rows == nil {
			items = []byte("[]")
		}
		written, err := writeCSV(columns, items)
		if err != nil {
			rt.Fatal(err)
		}
		read, err := csv.NewReader(bytes.NewReader(written)).ReadAll()
		if err != nil || len(read) != len(rows)+1 || !bytes.HasSuffix(written, []byte("\r\n")) {
			rt.Fatalf("%d rows of %d, error %v: %q", len(read), len(rows)+1, err, written)
		}
		for i, row := range rows {
			list := row["in"].(map[string]any)["list"].([]string)
			for j, want := range []string{row["text"].(string), list[0] + ";" + list[1], fmt.Sprint(row["number"])} {
				got := read[i+1][j]
				if j < 2 && formulas.MatchString(got) {
					rt.Errorf("%q can be a formula", got)
				}
				for strings.Contains(want, "\r\n") {
					want = strings.ReplaceAll(want, "\r\n", "\n")
				}
				if strings.ReplaceAll(got, "'", "") != strings.ReplaceAll(want, "'", "") {
					rt.Errorf("%q was read back as %q", want, got)
				}
			}
		}
	})
}
