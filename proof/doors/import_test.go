package doors_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
)

const bringIn = `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: %t) {
	remarks { message rowCount } doubts { message }
	rows { rowNumber key said userErrors { code field message } } acceptedCount rejectedCount createdCount updatedCount unchangedCount key applied
	refusals { said rowCount rowNumbers userError { code field message } } userErrors { code field message } } }`

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

// What a file made goes again when the import is taken back, with what it changed, whatever the
// order of its rows; once somebody has changed a record since, nothing does.
func TestImportIsTakenBack(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		bring(t, c, "AGENT", "agentCode,firstName,lastName,status,startDate,teams.default.level\nTOP,Ana,Low,Active,2026-01-01,30\n", false, nil)
		bring(t, c, "CERTIFICATION", "agentCode,type,jurisdiction,note,status,effectiveFrom\nTOP,HEALTH,US-TX,first,ACTIVE,2026-01-01\n", false, nil)
		const all = `{ agents(first: 20) { nodes { agentCode firstName levelPeriods(first: 5) { nodes { level { value } effectiveFrom } } certifications(first: 5) { nodes { note periods(first: 5) { nodes { status effectiveFrom } } } } } } payStatuses { name } jurisdictions { code } }`
		was := fmt.Sprint(c.Query(t, all, nil))
		back := func() any {
			t.Helper()
			w.Clock.Move(time.Second)
			n := apptest.At(apptest.At(c.Query(t, `{ changes(first: 1, filter: {by: "hr"}) { nodes { sequence } } }`, nil), "changes.nodes").([]any)[0], "sequence")
			return apptest.At(c.Query(t, `mutation($n: Long!) { changeUndo(input: {sequence: $n}) { applied conflicts { entityKey } userErrors { code message } } }`, object{"n": n}), "changeUndo")
		}
		for _, f := range []struct{ entity, file string }{
			{"AGENT", "agentCode,firstName,lastName,status,startDate,teams.default.directUpline,teams.default.level\nA,Ana,Low,Active,2026-01-01,B,10\nC,Cy,Low,Active,2026-01-01,A,10\nB,Ben,Top,Active,2026-01-01,TOP,20\n"},
			{"PAY_STATUS", "name,isActive,sortOrder\nOn leave,true,7\nRetired,false,8\n"},
			{"JURISDICTION", manyJurisdictions()}, // in two transactions
			{"CERTIFICATION", "agentCode,type,jurisdiction,note,status,effectiveFrom\nTOP,HEALTH,US-TX,changed,EXPIRED,2026-02-01\nTOP,HEALTH,US-FL,,ACTIVE,2026-02-01\n"},
			{"LEVEL_PERIOD", "agentCode,level,effectiveFrom\nTOP,20,2026-03-01\nTOP,10,2026-04-01\n"},
		} {
			if p := bring(t, c, f.entity, f.file, false, object{"errorPolicy": "REJECT_FAILED_ROWS"}); p["applied"] != true {
				t.Fatal(p)
			}
			if done := back(); apptest.At(done, "applied") != true {
				t.Errorf("%s: %v", f.entity, done)
			}
			if is := fmt.Sprint(c.Query(t, all, nil)); is != was {
				t.Errorf("%s: %s, was %s", f.entity, is, was)
			}
		}
		bring(t, c, "PROVIDER_COMPANY", "code,name\nPCO,P Company\n", false, nil)
		w.Clock.Move(time.Second)
		bring(t, c, "AGENT", "agentCode,firstName,lastName,status,startDate,teams.default.level\nW,Will,Low,Active,2026-01-01,10\n", false, nil)
		w.Clock.Move(time.Second)
		wrote := w.As(apptest.Acme, "write:production").Query(t, `mutation { productionRecordUpsert(input: {agentCode: "W", providerCompany: "PCO", policyNumber: "1", submittedOn: "2026-01-02", annualPremium: "10"}) { applied userErrors { message } } }`, nil)
		if apptest.At(wrote, "productionRecordUpsert.applied") != true {
			t.Fatal(wrote)
		}
		if done := back(); apptest.At(done, "applied") != false || !strings.Contains(fmt.Sprint(done), "W has written policies since") {
			t.Errorf("who has written a policy: %v", done)
		}
		bring(t, c, "AGENT", "agentCode,firstName,lastName,status,startDate,teams.default.level\nD,Ana,Low,Active,2026-01-01,10\nE,Eve,Low,Active,2026-01-01,10\n", false, nil)
		w.Clock.Move(time.Second)
		c.Query(t, `mutation { agentUpdate(input: {agentCode: "E", email: "e@example.com"}) { applied } }`, nil)
		if done := back(); apptest.At(done, "applied") != false || len(apptest.At(done, "conflicts").([]any)) != 1 || apptest.At(apptest.At(done, "conflicts").([]any)[0], "entityKey") != "E" {
			t.Errorf("after a later change: %v", done)
		}
		if apptest.At(c.Query(t, `{ agent(agentCode: "D") { agentCode } }`, nil), "agent") == nil {
			t.Error("refused, and yet D is gone")
		}
	})
}

func manyJurisdictions() string {
	var file strings.Builder
	file.WriteString("code,name\n")
	for i := range bulkimport.ChunkRows + 20 {
		fmt.Fprintf(&file, "XX-%d,J%d\n", i, i)
	}
	return file.String()
}

// What an import has set explains itself to the row, whatever wrote before and after.
func TestImportExplainsItself(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		bring(t, c, "AGENT", "agentCode,firstName,lastName,status,startDate,teams.default.directUpline,teams.default.level,npn\nTOP,Ana,Low,Active,2026-01-01,,30,123\nA,Ben,Low,Active,2026-01-01,TOP,10,\n", false, nil)
		bring(t, c, "CERTIFICATION", importedFiles[1].csv[:strings.IndexByte(importedFiles[1].csv, '\n')+1]+"A,HEALTH,US-TX,77,true,true,ACTIVE,2026-02-01\nTOP,HEALTH,US-TX,78,true,true,ACTIVE,2026-02-01\nA,HEALTH,US-FL,79,true,true,ACTIVE,2026-02-01\n", false, nil)
		w.Clock.Move(time.Second)
		c.Query(t, `mutation { agentUpdate(input: {agentCode: "TOP", npn: "124"}) { applied } }`, nil)
		agents := apptest.At(c.Query(t, `{ agents { nodes { id agentCode certifications(first: 5) { nodes { id } } } } }`, nil), "agents.nodes").([]any)
		of := func(code string) any {
			for _, a := range agents {
				if apptest.At(a, "agentCode") == code {
					return a
				}
			}
			return nil
		}
		ask := func(of any, field string) string {
			told := apptest.At(c.Query(t, `query($of: ID!, $field: String!) { explain(of: $of, field: $field) { operation importRows } }`, object{"of": apptest.At(of, "id"), "field": field}), "explain")
			return fmt.Sprint(apptest.At(told, "operation"), apptest.At(told, "importRows"))
		}
		for _, q := range []struct {
			of          any
			field, want string
		}{
			{of("TOP"), "firstName", "bulkImport[2]"}, {of("A"), "firstName", "bulkImport[3]"}, {of("A"), "teams.default.directUpline", "bulkImport[3]"}, {of("TOP"), "npn", "agentUpdate[]"},
			{apptest.At(of("A"), "certifications.nodes").([]any)[0], "status", "bulkImport[2 4]"}, {apptest.At(of("TOP"), "certifications.nodes").([]any)[0], "status", "bulkImport[3]"}, {of("TOP"), "isDedicated", "bulkImport[2]"},
		} {
			if told := ask(q.of, q.field); told != q.want {
				t.Errorf("%s of %v: %s, want %s", q.field, q.of, told, q.want)
			}
		}
	})
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
	{"PAY_STATUS", "name,isActive,sortOrder\nOn leave,true,7\nRetired,false,8\n", `{"name":"On parole","isActive":true}
{"name":"Gone","isActive":"false","canBePaid":true}`},
	{"AGENT_LEVEL", "value,name\n101,One\n102,Two\n", `{"value":103,"name":"Three"}
{"value":"104","name":"Four","description":null}`},
	{"CERTIFICATION_TYPE", "code,name,category,requiresJurisdiction\nCREDIT,Credit,LICENSE,true\nETHICS,Ethics,TRAINING,\n", `{"code":"CREDIT2","name":"Credit"}
{"code":"ETHICS2","name":"Ethics","isEnabled":false}`},
	{"JURISDICTION", "code,name,kind\nMX-JA,Jalisco,State\nMX-YU,Yucatán,\n", `{"code":"MX-OA","name":"Oaxaca"}
{"code":"MX-SO","name":"Sonora","country":"MX"}`},
	{"PROVIDER_COMPANY", "code,name,naicCode\nBCO,B Company,12345\nCCO,C Company,\n", `{"code":"DCO","name":"D Company"}
{"code":"ECO","name":"E Company","isEnabled":false}`},
	{"PRODUCT", "code,name,lineOfAuthority,isWatched\nTERM,Term life,Life,\nANNUITY,Annuity,,true\n", `{"code":"WHOLE","name":"Whole life"}
{"code":"OLD","name":"Old","isEnabled":false}`},
	{"PRODUCT_RULE", "product,rule,certificationTypes,effectiveFrom\nTERM,Licence,LIFE;HEALTH,2026-01-01\nTERM,Status,,2026-01-01\n", `{"product":"TERM","rule":"Levels","minimumLevel":10,"uplineDepth":1,"effectiveFrom":"2026-01-01"}
{"product":"WHOLE","rule":"Licence","certificationTypes":"LIFE","isResident":true,"jurisdictions":"US-TX, US-CA","effectiveFrom":"2026-01-01","effectiveThrough":"2026-12-31"}`},
	{"TAG", "name,color\nVeteran,#00ff00\nMentor,\n", `{"name":"New","color":"#0000ff"}
{"name":"Old","description":"since long"}`},
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
