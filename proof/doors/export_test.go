package doors_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/uplinehq/upline/app/apptest"
)

// A connection becomes a file in every format: the columns in the order of the
// query, the rows of all pages in theirs.
func TestExportFormats(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		for i, name := range []string{"=cmd|' /C calc'!A0", `O"Neil, Ana`, "José 日本", "-5"} {
			if status, _, answer := c.REST(t, "POST", "/agents", object{"agentCode": fmt.Sprint("E", i), "firstName": name, "lastName": "X", "status": "Active", "birthDate": "1980-05-0" + fmt.Sprint(i+1), "startDate": "2026-01-01T12:00:00Z",
				"teams": object{"default": object{"level": 10}}, "initiator": "hr"}); status != 201 {
				t.Fatalf("%d %s", status, answer)
			}
		}
		const document = `query($desc: OrderDirection!) { all: agents(orderBy: [{field: AGENT_CODE, direction: $desc}]) { totalCount nodes { agentCode firstName birthDate startDate status: payStatus { name } isActive tags { name } } } }`
		in := object{"query": document, "variables": object{"desc": "DESC"}, "connectionPath": "all", "format": "CSV"}
		_, state := apptest.Exported(t, w, c, in)
		answer := apptest.Download(t, c, state)
		want := "\ufeffagentCode,firstName,birthDate,startDate,status.name,isActive,tags\r\n" +
			"E3,'-5,1980-05-04,2026-01-01T12:00:00Z,Active,true,\r\nE2,José 日本,1980-05-03,2026-01-01T12:00:00Z,Active,true,\r\n" +
			"E1,\"O\"\"Neil, Ana\",1980-05-02,2026-01-01T12:00:00Z,Active,true,\r\nE0,'=cmd|' /C calc'!A0,1980-05-01,2026-01-01T12:00:00Z,Active,true,\r\n"
		if got := answer.Body.String(); got != want {
			t.Errorf("the file is\n%q; want\n%q", got, want)
		}
		for name, want := range map[string]string{"Content-Type": "text/csv; charset=utf-8; header=present", "Content-Disposition": "attachment; filename=all-2026-06-15.csv",
			"Content-Length": fmt.Sprint(len(want)), "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
			if got := answer.Header().Get(name); got != want {
				t.Errorf("%s is %q; want %q", name, got, want)
			}
		}
		if apptest.At(state, "rowCount") == nil || fmt.Sprintf("%v %v %v", apptest.At(state, "rowCount"), apptest.At(state, "rowTotal"), apptest.At(state, "onDate")) != "4 4 2026-06-15" {
			t.Errorf("the export is %v", state)
		}

		in["headings"] = []object{{"path": "agentCode", "text": "Code"}, {"path": "status.name", "text": "=Status"}, {"path": "tags.name", "text": "Tags, of now"}}
		_, state = apptest.Exported(t, w, c, in)
		if head, _, _ := strings.Cut(apptest.Download(t, c, state).Body.String(), "\r\n"); head != "\ufeffCode,firstName,birthDate,startDate,'=Status,isActive,\"Tags, of now\"" {
			t.Errorf("under other heads: %q", head)
		}
		for _, wrong := range []struct{ path, text, field string }{{"nobody", "x", "path"}, {"", "x", "path"}, {"isActive", " ", "text"}, {"isActive", strings.Repeat("é", 101), "text"}, {"isActive", "a\u0007", "text"}} {
			given := maps.Clone(in)
			given["headings"] = []object{{"path": "agentCode", "text": "Code"}, {"path": wrong.path, "text": wrong.text}}
			answer := c.Query(t, apptest.ExportCreate, object{"input": given})
			if field := apptest.At(answer, "exportCreate.userErrors.0.field"); fmt.Sprint(field) != fmt.Sprint([]string{"input", "headings", "1", wrong.field}) || apptest.At(answer, "exportCreate.applied") != false {
				t.Errorf("%+v: %v", wrong, answer)
			}
		}

		in["format"] = "JSONL"
		_, state = apptest.Exported(t, w, c, in)
		lines := strings.Split(apptest.Download(t, c, state).Body.String(), "\n")
		if want := `{"agentCode":"E3","firstName":"-5","birthDate":"1980-05-04","startDate":"2026-01-01T12:00:00Z","status":{"name":"Active"},"isActive":true,"tags":[]}`; len(lines) != 5 || lines[0] != want {
			t.Errorf("the lines are %q; want %s first", lines, want)
		}

		in["format"] = "XLSX"
		_, state = apptest.Exported(t, w, c, in)
		f, err := excelize.OpenReader(apptest.Download(t, c, state).Body)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := f.GetRows("Export")
		if want := []string{"Code", "firstName", "birthDate", "startDate", "=Status", "isActive", "Tags, of now"}; len(rows) == 0 || !slices.Equal(rows[0], want) {
			t.Errorf("the heads are %q; want %q", rows, want)
		}
		if want := []string{"E0", "=cmd|' /C calc'!A0", "1980-05-01", "2026-01-01 12:00:00", "Active", "TRUE"}; err != nil || len(rows) != 5 || !slices.Equal(rows[4], want) {
			t.Errorf("the workbook has %q, %v; want %q last", rows, err, want)
		}
	})
}

// All pages of a long list are read, and of a connection below an object.
func TestExportOfManyPages(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 1600)
		c := w.As(apptest.Acme)
		for path, document := range map[string]string{
			"agents":         `{ agents { nodes { agentCode displayName payStatus { name } uplineChain { agent { agentCode } } } } }`,
			"agent.downline": `{ agent(agentCode: "A1000") { downline { nodes { agentCode displayName } } } }`,
		} {
			_, state := apptest.Exported(t, w, c, apptest.Export(document, path, "CSV"))
			all, err := csv.NewReader(apptest.Download(t, c, state).Body).ReadAll()
			if err != nil || len(all) < 250 || fmt.Sprint(len(all)-1) != fmt.Sprint(apptest.At(state, "rowTotal")) {
				t.Fatalf("%s: %d rows of %v, %v", path, len(all), state, err)
			}
			seen := map[string]bool{}
			for _, row := range all {
				if seen[row[0]] {
					t.Errorf("%s: %s comes twice", path, row[0])
				}
				seen[row[0]] = true
			}
		}
	})
}
