package doors_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// A file of another system: its headers, values and what it has too many of are said
// with it, and what is wrong with many rows is told once.
func TestBulkImportOfAStrangersFile(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, apptest.Agency...)
		file := "Producer,First,Last,State,Status,Phone,Notes\nS1,Ana,Low,TX,A,+15550104729,private\nS2,Ben,Top,Texas,A,,\nS3,Eve,Poe,ZZ,A,,\nS4,Joe,Roe,ZZ,A,,\n"
		header := func(name, column string) object { return object{"header": name, "column": column} }
		mapping := object{
			"headers": []any{header("Producer", "agentCode"), header("First", "firstName"), header("Last", "lastName"), header("State", "homeAddress.jurisdiction"),
				header("Phone", "cellPhone.phoneNumber")},
			"skipColumns": []any{"notes"},
			"values":      []any{object{"column": "state", "from": "TX", "to": "US-TX"}, object{"column": "State", "from": "Texas", "to": "US-TX"}, object{"column": "status", "from": "A", "to": "Active"}},
			"errorPolicy": "REJECT_FAILED_ROWS",
		}
		p := bring(t, c, "AGENT", file, false, mapping)
		if outcome(p) != "2/2/2/0/0 applied true" {
			t.Fatal(p)
		}
		refusals := p["refusals"].([]any)
		first := refusals[0].(object)
		wrong := first["userError"].(object)
		if len(refusals) != 1 || first["rowCount"] != json.Number("2") || fmt.Sprint(first["rowNumbers"]) != "[4 5]" ||
			wrong["code"] != "UNKNOWN_JURISDICTION" || !strings.Contains(wrong["message"].(string), "Configured are ") || fmt.Sprint(wrong["field"]) != "[homeAddress jurisdiction]" {
			t.Errorf("%v", refusals)
		}
		agent := apptest.At(c.Query(t, `{ agent(agentCode: "S1") { homeAddress { jurisdiction { code } } cellPhone { countryCode areaCode phoneNumber } } }`, nil), "agent")
		if have := fmt.Sprint(agent); have != "map[cellPhone:map[areaCode:555 countryCode:1 phoneNumber:0104729] homeAddress:map[jurisdiction:map[code:US-TX]]]" {
			t.Error(have)
		}
		if again := bring(t, c, "AGENT", file, false, mapping); outcome(again) != outcome(p) {
			t.Errorf("again: %v", again)
		}
		mapping["values"] = nil
		if other := bring(t, c, "AGENT", file, true, mapping); outcome(other) != "2/2/0/0/2 applied false" || len(other["refusals"].([]any)) != 1 {
			t.Errorf("without the values: %v", other)
		}
	})
}
