package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/store"
)

const bringIn = `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: %t) {
	rows { rowNumber key userErrors { code field message } } acceptedCount rejectedCount createdCount updatedCount unchangedCount key applied userErrors { code field message } } }`

// bring imports a file and returns the payload.
func bring(t *testing.T, c *apptest.Caller, entity, file string, dryRun bool, more object) object {
	t.Helper()
	sent := object{"entity": entity, "initiator": "hr"}
	for name, v := range more {
		sent[name] = v
	}
	r := c.Upload(t, fmt.Sprintf(bringIn, dryRun), sent, file)
	if r.Errors != nil {
		t.Fatalf("%s: %+v", entity, r.Errors)
	}
	return apptest.At(r.Data, "bulkImport").(object)
}

// outcome is what a payload says of the rows: accepted/rejected/created/updated/unchanged.
func outcome(p object) string {
	return fmt.Sprintf("%v/%v/%v/%v/%v applied %v", p["acceptedCount"], p["rejectedCount"], p["createdCount"], p["updatedCount"], p["unchangedCount"], p["applied"])
}

// importedFiles are a file of each entity, in both formats, in an order in
// which they can be brought in.
var importedFiles = []struct{ entity, csv, json string }{
	{"AGENT", "agentCode,firstName,lastName,status,startDate,teams.default.directUpline,teams.default.level,homeAddress.city\n" +
		"I1,Ana,Low,Active,2026-01-01,I2,10,Boise\nI2,Ben,Top,Active,2026-01-01,,20,\n",
		`{"agentCode":"J1","firstName":"Ana","lastName":"Low","status":"Active","startDate":"2026-01-01","teams":{"default":{"directUpline":"J2","level":10}},"homeAddress":{"city":"Boise"}}
{"agentCode":"J2","firstName":"Ben","lastName":"Top","status":"Active","startDate":"2026-01-01","teams":{"default":{"level":20}}}`},
	{"CERTIFICATION", "agentCode,type,jurisdiction,identifier,isResidentCertification,isVerified,status,effectiveFrom\nI1,HEALTH,US-TX,77,true,true,ACTIVE,2026-02-01\nI1,HEALTH,US-FL,78,false,true,Active,2026-02-01\n",
		`{"agentCode":"J1","type":"HEALTH","jurisdiction":"US-TX","identifier":"77","isResidentCertification":true,"isVerified":true,"effectiveFrom":"2026-02-01"}
{"agentCode":"J1","type":"HEALTH","jurisdiction":"US-FL","identifier":"78","isResidentCertification":false,"isVerified":true,"effectiveFrom":"2026-02-01"}`},
	{"UPLINE_PERIOD", "agentCode,uplineAgentCode,effectiveFrom,effectiveThrough\nI1,,2026-03-01,2026-03-31\nI1,I2,2026-05-01,\n",
		`{"agentCode":"J1","uplineAgentCode":null,"effectiveFrom":"2026-03-01","effectiveThrough":"2026-03-31"}
{"agentCode":"J1","uplineAgentCode":"J2","effectiveFrom":"2026-05-01"}`},
	{"LEVEL_PERIOD", "agentCode,level,effectiveFrom\nI1,20,2026-03-01\nI2,30,2026-03-01\n", `{"agentCode":"J1","level":20,"effectiveFrom":"2026-03-01"}
{"agentCode":"J2","level":"30","effectiveFrom":"2026-03-01"}`},
	{"PAY_STATUS_PERIOD", "agentCode,status,effectiveFrom\nI1,Suspended,2026-03-01\nI2,Suspended,2026-04-01\n", `{"agentCode":"J1","status":"Suspended","effectiveFrom":"2026-03-01"}
{"agentCode":"J2","status":"Suspended","effectiveFrom":"2026-04-01"}`},
	{"PRODUCTION_RECORD", "agentCode,providerCompany,policyNumber,productLine,submittedOn,annualPremium\nI1,ACO,P-1,Term Life,2026-02-01,1200.50\nI2,ACO,P-1,,2026-02-01,90\n",
		`{"agentCode":"J1","providerCompany":"ACO","policyNumber":"P-1","productLine":"Term Life","submittedOn":"2026-02-01","annualPremium":1200.50}
{"agentCode":"J2","providerCompany":"ACO","policyNumber":"P-1","submittedOn":"2026-02-01","annualPremium":"90"}`},
	{"COMMISSION_PAYMENT", "agentCode,paidOn,amount,reference\nI1,2026-02-01,12.50,one\nI1,2026-02-01,12.50,two\n",
		`{"agentCode":"J1","paidOn":"2026-02-01","amount":"12.50","reference":"one"}
{"agentCode":"J1","paidOn":"2026-02-01","amount":12.50,"reference":"two"}`},
}

const everyHistory = `{
	agents(first: 50) { nodes { agentCode firstName lastName homeAddress { city } certifications(first: 5) { nodes { type { code } jurisdiction { code } identifier status } } } }
	uplinePeriods(first: 50) { nodes { agent { agentCode } upline { agentCode } effectiveFrom effectiveThrough } }
	levelPeriods(first: 50) { nodes { agent { agentCode } level { value } effectiveFrom effectiveThrough } }
	payStatusPeriods(first: 50) { nodes { agent { agentCode } status { name } effectiveFrom effectiveThrough } } }`

// Every entity in both formats: a dry run, which is the default, says what the import
// does and does nothing; the import leaves an audit entry; both formats leave the same;
// the same rows again change nothing, and the same file again is not even read.
func TestBulkImport(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "GRAPHQL")
		c := a.Caller
		c.Query(t, `mutation { providerCompanyUpsert(input: {code: "ACO", name: "A Company", initiator: "hr"}) { applied } }`, nil)
		for _, f := range importedFiles {
			for _, file := range []string{f.csv, f.json} {
				before := len(a.entries(t, "WRITE"))
				dry := bring(t, c, f.entity, file, true, nil)
				if n := len(a.entries(t, "WRITE")); n != before || dry["rejectedCount"] != json.Number("0") || dry["applied"] != false || dry["key"] != nil {
					t.Errorf("%s, dry run: %v, %d entries", f.entity, dry, n-before)
				}
				real := bring(t, c, f.entity, file, false, nil)
				if want := strings.Replace(outcome(dry), "applied false", "applied true", 1); outcome(real) != want || real["key"] == nil {
					t.Errorf("%s: %v, the dry run said %s", f.entity, real, want)
				}
				entries := a.entries(t, "WRITE")
				if len(entries) == before {
					t.Errorf("%s left no entry", f.entity)
				}
				for _, e := range entries[:len(entries)-before] {
					if entry := e.(object); entry["operation"] != "bulkImport" || entry["surface"] != "GRAPHQL" || entry["initiator"] != "hr" || entry["subject"] != a.client || len(entry["entityKeys"].([]any)) == 0 {
						t.Errorf("%s left %v", f.entity, entry)
					}
				}
				before = len(entries)
				if again := bring(t, c, f.entity, file, false, nil); outcome(again) != outcome(real) {
					t.Errorf("%s again: %s, the first time %s", f.entity, outcome(again), outcome(real))
				}
				if again := bring(t, c, f.entity, file, false, object{"key": "another " + file[:4] + f.entity}); again["unchangedCount"] != json.Number("2") || again["applied"] != false {
					t.Errorf("%s with another key: %v", f.entity, again)
				}
				if n := len(a.entries(t, "WRITE")); n != before {
					t.Errorf("%s: what changed nothing left %d entries", f.entity, n-before)
				}
			}
		}
		w.RebuildNow(t, apptest.Acme)
		data := c.Query(t, everyHistory, nil)
		ofCSV, ofJSON := nodesOf(t, data, "I"), strings.ReplaceAll(nodesOf(t, data, "J"), `"J`, `"I`)
		if ofCSV != ofJSON || strings.Count(ofCSV, "\n") < 10 {
			for _, line := range strings.Split(ofCSV, "\n") {
				if !strings.Contains(ofJSON, line) {
					t.Errorf("only CSV left %s", line)
				}
			}
			t.Errorf("JSON lines left\n%s", ofJSON)
		}
		chain := c.Query(t, `{ agent(agentCode: "I1") { uplineChain { agent { agentCode } } } }`, nil)
		if got := fmt.Sprint(apptest.Each(apptest.At(chain, "agent"), "uplineChain", "agent.agentCode")); got != "[I2]" {
			t.Errorf("the hierarchy after the import: %s", got)
		}
		fitSchemas(t, w)
	})
}

// nodesOf are the nodes of all lists that are about agents with a prefix, a line each.
func nodesOf(t *testing.T, data any, prefix string) string {
	t.Helper()
	var of []string
	for _, list := range data.(object) {
		for _, node := range apptest.At(list, "nodes").([]any) {
			text, err := json.Marshal(node)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), `"agentCode":"`+prefix) {
				of = append(of, string(text))
			}
		}
	}
	slices.Sort(of)
	return strings.Join(of, "\n") + "\n"
}

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

// Of two payments that say the same the second is refused, also when a thousand rows
// are between them: it would be taken for the first, and be lost. The file may be
// brought in again.
func TestPaymentsOfOneFile(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := newTrail(t, w, "GRAPHQL").Caller
		bring(t, c, "AGENT", importedFiles[0].csv, false, nil)
		file := "agentCode,paidOn,amount,reference\nI1,2026-02-01,12.50,\n"
		for i := range 1000 {
			file += fmt.Sprintf("I1,2026-02-01,12.50,line %d\n", i)
		}
		file += "I1,2026-02-01, 12.5 ,\nI2,2026-02-01,12.5,\n"
		for _, dryRun := range []bool{true, false} {
			if have := outcome(bring(t, c, "COMMISSION_PAYMENT", file, dryRun, nil)); have != "0/1/0/0/0 applied false" {
				t.Errorf("everything, dry run %t: %s", dryRun, have)
			}
		}
		p := bring(t, c, "COMMISSION_PAYMENT", file, false, object{"errorPolicy": "REJECT_FAILED_ROWS"})
		rows := fmt.Sprint(p["rows"])
		if outcome(p) != "1002/1/1002/0/0 applied true" || !strings.Contains(rows, "rowNumber:1003") || !strings.Contains(rows, "DUPLICATE_KEY") {
			t.Errorf("%s, %s", outcome(p), rows)
		}
		if have := outcome(bring(t, c, "COMMISSION_PAYMENT", file, false, object{"key": "second", "errorPolicy": "REJECT_FAILED_ROWS"})); have != "1002/1/0/0/1002 applied false" {
			t.Errorf("again: %s", have)
		}
	})
}

// "The row, put right and imported again, completes it": the agent gets its place, and
// who is above whom is rebuilt, also where that is all that the import changed.
func TestAgentIsCompleted(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := newTrail(t, w, "GRAPHQL").Caller
		const header, top, low = "agentCode,firstName,lastName,status,startDate,teams.default.directUpline\n", "P1,Ann,Lee,%s,2026-01-01,\n", "P2,Bob,Ray,Active,2026-01-01,P1\n"
		p := bring(t, c, "AGENT", header+low+fmt.Sprintf(top, "No such"), false, object{"errorPolicy": "REJECT_FAILED_ROWS"})
		if have := outcome(p); have != "0/2/1/0/0 applied true" {
			t.Fatalf("%s of %v", have, p["rows"])
		}
		bring(t, c, "AGENT", header+fmt.Sprintf(top, "Active"), false, nil)
		w.RebuildNow(t, apptest.Acme)
		for _, dryRun := range []bool{true, false} {
			p := bring(t, c, "AGENT", header+low, dryRun, nil)
			if have := outcome(p); have != fmt.Sprintf("1/0/0/1/0 applied %t", !dryRun) {
				t.Errorf("dry run %t: %s of %v", dryRun, have, p["rows"])
			}
		}
		behind, err := store.Collect(t.Context(), w.Store, store.ScanOne[string], "SELECT status FROM hierarchy_build WHERE changed_version > built_version AND tenant_id = (SELECT id FROM tenant WHERE identifier = 'acme')")
		if err != nil || !slices.Equal(behind, []string{"QUEUED"}) {
			t.Errorf("the hierarchy is %q, %v; want a rebuild", behind, err)
		}
		if have := outcome(bring(t, c, "AGENT", header+low, false, object{"key": "again"})); have != "1/0/0/0/1 applied false" {
			t.Errorf("again: %s", have)
		}
	})
}

// A row whose upline neither the file nor the agency has is refused before anything
// is written of it; that of an upline that comes later is not.
func TestUplinesOfOneFile(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := newTrail(t, w, "GRAPHQL").Caller
		file := "agentCode,firstName,lastName,status,teams.default.directUpline\nU1,Ann,Lee,Active,U2\nU3,Eve,Poe,Active,NOBODY\nU2,Bob,Ray,Active,\n"
		for _, dryRun := range []bool{true, false} {
			p := bring(t, c, "AGENT", file, dryRun, object{"errorPolicy": "REJECT_FAILED_ROWS"})
			if have := outcome(p); have != fmt.Sprintf("2/1/2/0/0 applied %t", !dryRun) || !strings.Contains(fmt.Sprint(p["rows"]), "UNKNOWN_UPLINE") {
				t.Errorf("dry run %t: %s of %v", dryRun, have, p["rows"])
			}
		}
		const query = `{ u1: agent(agentCode: "U1") { upline { agentCode } } u3: agent(agentCode: "U3") { agentCode } }`
		if data := c.Query(t, query, nil); apptest.At(data, "u1.upline.agentCode") != "U2" || apptest.At(data, "u3") != nil {
			t.Errorf("there are %v", data)
		}
	})
}
