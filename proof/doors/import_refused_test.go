package doors_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// badAgents are registrations with something wrong.
var badAgents = []object{
	{"agentCode": "B1"},
	{"agentCode": "B2", "firstName": "A", "lastName": "B", "status": "No such"},
	{"agentCode": "B3", "firstName": "A", "lastName": "B", "status": "Active", "startDate": "2030-01-01T00:00:00Z"},
	{"agentCode": "B4", "firstName": "A", "lastName": "B", "status": "Active", "startDate": "1850-01-01T00:00:00Z"},
	{"agentCode": "B5", "firstName": strings.Repeat("x", 300), "lastName": " ", "status": "Active"},
	{"agentCode": "B6", "firstName": "A", "lastName": "B", "status": "Active", "birthDate": "2026-02-30"},
	{"agentCode": "B7", "firstName": "A", "lastName": "B", "status": "Active", "teams": object{"default": object{"level": 11}}},
	{"agentCode": "B8", "firstName": "A", "lastName": "B", "status": "Active", "teams": object{"default": object{"directUpline": "NOBODY"}}},
	{"agentCode": "B9", "firstName": "A", "lastName": "B", "status": "Active", "email": "not an address", "homeAddress": object{"jurisdiction": "XX-XX"}},
	{"agentCode": "a code that is far too long", "firstName": "A", "lastName": "B", "status": "Active"},
}

// "row errors equal those of the single operation": the same input, through REST.
func TestImportErrorsAreThoseOfTheSingleOperation(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		var file []string
		for _, agent := range badAgents {
			text, err := json.Marshal(agent)
			if err != nil {
				t.Fatal(err)
			}
			file = append(file, string(text))
		}
		for _, policy := range []string{"REJECT_EVERYTHING", "REJECT_FAILED_ROWS"} {
			rows := bring(t, c, "AGENT", strings.Join(file, "\n"), true, object{"errorPolicy": policy})["rows"].([]any)
			if len(rows) != len(badAgents) {
				t.Fatalf("%d rows were rejected: %v", len(rows), rows)
			}
			slices.SortFunc(rows, func(a, b any) int {
				return strings.Compare(fmt.Sprintf("%4v", a.(object)["rowNumber"]), fmt.Sprintf("%4v", b.(object)["rowNumber"]))
			})
			for i, agent := range badAgents {
				single := object{"initiator": "hr", "teams": object{"default": object{}}} // a file has one team
				for name, v := range agent {
					single[name] = v
				}
				_, _, answer := c.REST(t, "POST", "/agents", single)
				var want, have []string
				for _, e := range apptest.At(decoded(t, answer), "errors").([]any) {
					want = append(want, fmt.Sprint(e.(object)["field"], " ", e.(object)["code"]))
				}
				for _, e := range rows[i].(object)["userErrors"].([]any) {
					var field []string
					for _, step := range e.(object)["field"].([]any) {
						field = append(field, step.(string))
					}
					have = append(have, fmt.Sprint(strings.Join(field, "."), " ", e.(object)["code"]))
				}
				slices.Sort(want)
				slices.Sort(have)
				if !slices.Equal(want, have) {
					t.Errorf("%v, %s: %q; REST says %q", agent["agentCode"], policy, have, want)
				}
			}
		}
	})
}

// "never in a log, an error, an event, or an export": sensitive values of a file, also
// in the wrong column or as a header, come out nowhere.
func TestImportKeepsSecrets(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		s := &canarySearch{w: w}
		c := w.As(apptest.Acme, allScopes...)
		secret := canaries["governmentIdentifier"]
		files := map[string]string{
			"good":         "agentCode,firstName,lastName,status,governmentIdentifier\nS1,A,B,Active,523-45-6781\nS2,A,B,Active,912-34-8765\n",
			"wrong column": "agentCode,firstName,lastName,status,npn,startDate,isDedicated\nS3,A,B," + secret + "," + secret + "," + secret + "," + secret + "\n" + secret + " and more,A,B,Active,,,\n",
			"malformed":    "agentCode,firstName,lastName,status,governmentIdentifier\nS4,A,B,Active," + secret + "x\n",
			"no header":    secret + ",A,B\n",
			"cut off":      "agentCode,governmentIdentifier\nS5,\"" + secret + "\n",
			"json":         `{"agentCode":"S6","` + secret + `":"` + secret + `"}` + "\n{\"agentCode\":\"" + secret + "\n",
		}
		for name, file := range files {
			for _, policy := range []string{"REJECT_EVERYTHING", "REJECT_FAILED_ROWS"} {
				r := c.Upload(t, fmt.Sprintf(bringIn, false), object{"entity": "AGENT", "initiator": "hr", "errorPolicy": policy}, file)
				answer, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				s.search(t, name, answer)
			}
		}
		s.search(t, "the log", []byte(w.Logged()))
		s.searchTables(t)
		if n := count(t, w, "bulk_import_rejection"); n < 5 {
			t.Errorf("only %d rejections were stored", n)
		}
	})
}

// A caller limited to a downline cannot import at all, and another tenant's agents are
// unknown to a file.
func TestImportsOfOthers(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		f := newForeign(t, w)
		before := f.state(t)
		c := w.As(apptest.Acme, allScopes...)
		for entity, file := range map[string]string{
			"CERTIFICATION": "agentCode,type,isResidentCertification,isVerified\nUMBRA1,HEALTH,true,true\n", "UPLINE_PERIOD": "agentCode,effectiveFrom\nUMBRA1,2026-01-01\n",
			"LEVEL_PERIOD": "agentCode,level,effectiveFrom\nUMBRA1,10,2026-01-01\n", "PAY_STATUS_PERIOD": "agentCode,status,effectiveFrom\nUMBRA1,Active,2026-01-01\n",
		} {
			p := bring(t, c, entity, file, false, object{"errorPolicy": "REJECT_FAILED_ROWS"})
			said, _ := json.Marshal(p)
			if p["rejectedCount"] != json.Number("1") || !strings.Contains(string(said), "UNKNOWN_AGENT") || leaks([]byte(strings.ReplaceAll(string(said), "UMBRA1", ""))) {
				t.Errorf("%s: %s", entity, said)
			}
		}
		if after := f.state(t); after != before {
			t.Errorf("acme changed umbra")
		}
	})
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		r := l.caller.Upload(t, fmt.Sprintf(bringIn, true), object{"entity": "AGENT", "initiator": "x"}, "agentCode\nX\n")
		if len(r.Errors) != 1 || r.Errors[0].Code() != "FORBIDDEN" {
			t.Errorf("a limited caller: %+v", r)
		}
	})
}
