package doors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// spoiledValue is a value that no enumeration has; nothing repeats it.
const spoiledValue = "Spoilt9"

// spoilt is a stored value that cannot be shown, in one row of three.
type spoilt struct {
	table, column, where string
	// query reads the rows, and field is where the value is in its answer.
	query, field string
	// path and property are the same in REST. cells is the column of CSV, empty where
	// the list has none.
	path, property, cells string
}

const agencyPaths = "/agency-management/{tenant}"

// unknownValues are stored values that none of their enumerations has: nearly every
// column of enumerations (TestEnumerations).
var unknownValues = []spoilt{
	{"agency_w9", "tax_classification", "agent_id = (SELECT id FROM agency_agent WHERE code = 'A2')",
		`{ agents { nodes { agentCode payee { w9 { name taxClassification } } } } }`, "agents.nodes.1.payee.w9.taxClassification",
		agencyPaths + "/agents", "items.1.w9.taxClassification", "w9.taxClassification"},
	{"agency_w9", "tax_classification", "agent_id = (SELECT id FROM agency_agent WHERE code = 'A2')",
		`{ w9Periods { nodes { w9 { name taxClassification } } } }`, "w9Periods.nodes.1.w9.taxClassification",
		agencyPaths + "/payees/w9s", "items.1.w9.taxClassification", "w9.taxClassification"},
	{"agency_direct_deposit", "country", "agent_id = (SELECT id FROM agency_agent WHERE code = 'A2')",
		`{ agents { nodes { payee { directDeposit { country accountType } } } } }`, "agents.nodes.1.payee.directDeposit.country",
		agencyPaths + "/agents", "items.1.directDeposit.country", "directDeposit.country"},
	{"agency_direct_deposit", "account_type", "agent_id = (SELECT id FROM agency_agent WHERE code = 'A2')",
		`{ agents(orderBy: [{field: AGENT_CODE}]) { edges { node { payee { directDeposit { country accountType } } } } } }`, "agents.edges.1.node.payee.directDeposit.accountType",
		agencyPaths + "/agents", "items.1.directDeposit.accountType", "directDeposit.accountType"},
	{"agency_certification_period", "status", "certification_id IN (SELECT c.id FROM agency_certification c JOIN agency_agent a ON a.id = c.agent_id WHERE a.code = 'A2')",
		`{ agents { nodes { certifications { nodes { identifier status } } } } }`, "agents.nodes.1.certifications.nodes.0.status",
		agencyPaths + "/certifications", "items.1.status", "status"},
	{"agency_certification_period", "status", "certification_id IN (SELECT c.id FROM agency_certification c JOIN agency_agent a ON a.id = c.agent_id WHERE a.code = 'A2')",
		`{ certificationPeriods { nodes { status } } }`, "certificationPeriods.nodes.1.status",
		agencyPaths + "/certifications/history", "items.1.status", "status"},
	{"agency_certification_type", "category", "code = 'ANNUITY'",
		`{ certificationTypes { code category } }`, "certificationTypes.2.category",
		agencyPaths + "/certification-types", "items.2.category", "category"},
	{"identity_user", "status", "username = 'user2'",
		`{ users { nodes { username status } } }`, "users.nodes.1.status",
		"/identity-management/{tenant}/users", "items.1.status", "status"},
	{"onboarding_application", "status", "last_name = 'R2'",
		`{ applications { nodes { lastName status } } }`, "applications.nodes.1.status",
		"/agent-onboarding/{tenant}/applications", "items.1.status", "status"},
	{"onboarding_application_status_change", "to_status", "application_id = (SELECT id FROM onboarding_application WHERE last_name = 'R2')",
		`{ applications { nodes { lastName statusHistory { toStatus } } } }`, "applications.nodes.1.statusHistory.0.toStatus", "", "", ""},
	{"onboarding_background_question", "response_type", "sequence = (SELECT DISTINCT sequence FROM onboarding_background_question ORDER BY sequence LIMIT 1 OFFSET 1)",
		`{ backgroundQuestions { sequence responseType } }`, "backgroundQuestions.1.responseType",
		"/agent-onboarding/{tenant}/background-questions", "1.responseType", ""},
	{"hierarchy_build", "status", "1 = 1",
		`{ hierarchyBuild { status version } }`, "hierarchyBuild.status", "", "", ""},
}

// undecryptable are encrypted values of which the first letter has changed.
var undecryptable = []spoilt{
	{"agency_agent", "government_identifier", "code = 'A2'",
		`{ agents { nodes { governmentIdentifier(reveal: true) } } }`, "agents.nodes.1.governmentIdentifier",
		agencyPaths + "/agents", "items.1.governmentIdentifier", "governmentIdentifier"},
	{"agency_w9", "taxpayer_identifier", "agent_id = (SELECT id FROM agency_agent WHERE code = 'A2')",
		`{ agents { nodes { payee { w9 { taxpayerIdentifier } } } } }`, "agents.nodes.1.payee.w9.taxpayerIdentifier",
		agencyPaths + "/payees/w9s", "items.1.w9.taxpayerIdentifier", "w9.taxpayerIdentifier"},
	{"agency_direct_deposit", "account_number", "agent_id = (SELECT id FROM agency_agent WHERE code = 'A2')",
		`{ agents { nodes { payee { directDeposit { accountNumber(reveal: true) } } } } }`, "agents.nodes.1.payee.directDeposit.accountNumber",
		agencyPaths + "/agents", "items.1.directDeposit.accountNumber", "directDeposit.accountNumber"},
	{"onboarding_application", "document", "last_name = 'R2'",
		`{ applications { nodes { lastName suffix validation { isComplete } } } }`, "applications.nodes.1.suffix",
		"/agent-onboarding/{tenant}/applications", "items.1.suffix", "suffix"},
	{"webhook_subscription", "headers", "description = 's2'",
		`{ webhookSubscriptions { nodes { description headers { name } } } }`, "webhookSubscriptions.nodes.1.headers",
		"/webhooks/{tenant}/subscriptions", "items.1.headers", "headers"},
}

// A stored value that none of its enumeration is, or that cannot be decrypted, costs
// its own field: null, with an error or a header that names it. The rest of the
// answer is as it was, in lists and alone, through both doors, as JSON and as CSV.
func TestUnreadableValueCostsItsField(t *testing.T) {
	for _, kind := range []struct {
		name string
		of   []spoilt
		with func(w *apptest.World) string
	}{
		{"unknown", unknownValues, func(*apptest.World) string { return "'" + spoiledValue + "'" }},
		{"undecryptable", undecryptable, func(w *apptest.World) string {
			if w.Store.Postgres() {
				return "set_byte(%[1]s, octet_length(%[1]s) - 1, 255 - get_byte(%[1]s, octet_length(%[1]s) - 1))"
			}
			return "CAST(substr(%[1]s, 1, length(%[1]s) - 1) || CASE WHEN substr(%[1]s, -1) = x'00' THEN x'01' ELSE x'00' END AS blob)"
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *apptest.World) {
				c := fillThree(t, w)
				for _, s := range kind.of {
					what := s.table + "." + s.column
					set := kind.with(w)
					if strings.Contains(set, "%") {
						set = fmt.Sprintf(set, s.column)
					}
					undo := spoil(t, w, s, set)
					s.inGraphQL(t, what, c)
					if s.path != "" {
						s.inREST(t, what, c)
					}
					undo()
				}
				if strings.Contains(w.Logged(), spoiledValue) {
					t.Error("the log repeats a stored value")
				}
			})
		})
	}
}

// fillThree fills acme with three of everything, and returns a caller who may read
// all of it.
func fillThree(t *testing.T, w *apptest.World) *apptest.Caller {
	t.Helper()
	c := w.As(apptest.Acme, allScopes...)
	for i := 1; i <= 3; i++ {
		must := func(path string, body object) {
			t.Helper()
			if status, _, answer := sendTo(t, c, http.MethodPost, path, body); status >= http.StatusMultipleChoices {
				t.Fatalf("POST %s: %d %s", path, status, answer)
			}
		}
		code := fmt.Sprint("A", i)
		must(agencyPaths+"/agents", object{"agentCode": code, "firstName": "Ana", "lastName": "Diaz", "status": "Active", "teams": object{"default": object{"level": 10}},
			"governmentIdentifier": fmt.Sprint("900-44-123", i), "directDeposit": deposit(), "initiator": "hr",
			"w9": object{"name": "Ana", "taxClassification": "SoleProprietor", "taxpayerIdentifier": fmt.Sprint("900-44-123", i)}})
		must(agencyPaths+"/certifications", object{"agentCode": code, "type": "AML", "identifier": code, "isResidentCertification": true, "isVerified": true, "initiator": "hr"})
		apptest.CreateApplication(t, c, object{"recruiterAgentCode": "A1", "firstName": "Rosa", "lastName": fmt.Sprint("R", i), "emailAddress": fmt.Sprint(i, "@example.com"), "suffix": "Jr."})
		must("/webhooks/{tenant}/subscriptions", object{"url": fmt.Sprint("https://93.184.216.34/", i), "description": fmt.Sprint("s", i),
			"events": []any{"Platform.AgencyManagement.Events.*"}, "headers": object{"X-Key": "v"}})
		w.AddUser(t, apptest.Acme, fmt.Sprint("user", i), "", "Manager")
	}
	w.RebuildNow(t, apptest.Acme)
	return c
}

// spoil changes a row past the conditions of the database, as another program or a
// broken disk would. undo changes it back.
func spoil(t *testing.T, w *apptest.World, s spoilt, set string) (undo func()) {
	t.Helper()
	ctx, db := w.Context(t, apptest.Acme), dbtest.Owner(t, w.Store)
	run := func(statements ...string) {
		t.Helper()
		if err := db.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			for _, statement := range statements {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return fmt.Errorf("%s: %w", statement, err)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	off, on := []string{"PRAGMA ignore_check_constraints = 1"}, []string{"PRAGMA ignore_check_constraints = 0"}
	if w.Store.Postgres() {
		off, on = nil, nil
		for _, name := range checksOf(t, w, s) {
			off = append(off, "ALTER TABLE "+s.table+" DROP CONSTRAINT "+name)
		}
	}
	keep := "CREATE TABLE kept AS SELECT id, " + s.column + " AS value FROM " + s.table
	back := "UPDATE " + s.table + " SET " + s.column + " = (SELECT k.value FROM kept k WHERE k.id = " + s.table + ".id)"
	if s.table == "hierarchy_build" {
		keep = "CREATE TABLE kept AS SELECT team_id, status AS value FROM hierarchy_build"
		back = "UPDATE hierarchy_build SET status = (SELECT k.value FROM kept k WHERE k.team_id = hierarchy_build.team_id)"
	}
	run(slices.Concat(off, []string{keep, "UPDATE " + s.table + " SET " + s.column + " = " + set + " WHERE " + s.where}, on)...)
	return func() { run(back, "DROP TABLE kept") }
}

func checksOf(t *testing.T, w *apptest.World, s spoilt) []string {
	t.Helper()
	names, err := store.Collect(t.Context(), w.Store, func(row store.Scanner) (name string, err error) { return name, row.Scan(&name) },
		"SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = $1::regclass AND pg_get_constraintdef(oid) LIKE $2", s.table, "%"+s.column+"%")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// inGraphQL reads the rows: the value is null, with an error that names its field.
func (s spoilt) inGraphQL(t *testing.T, what string, c *apptest.Caller) {
	t.Helper()
	data, errs := c.GraphQL(t, s.query, nil)
	named := false
	for _, e := range errs {
		var path []string
		for _, step := range e.Path {
			path = append(path, fmt.Sprint(step))
		}
		named = named || strings.Join(path, ".") == s.field
		if e.Code() != "INTERNAL_SERVER_ERROR" || e.Extensions["reason"] != "UNREADABLE_VALUE" || strings.Contains(e.Message, spoiledValue) {
			t.Errorf("%s: %+v", what, e)
		}
	}
	if !named {
		t.Errorf("%s: no error names %s, but %+v", what, s.field, errs)
	}
	if data == nil || apptest.At(data, s.field) != nil {
		t.Errorf("%s: the answer is %v", what, data)
		return
	}
	if neighbour := strings.Replace(s.field, ".1.", ".0.", 1); neighbour != s.field && apptest.At(data, neighbour) == nil {
		t.Errorf("%s: the row before lost its value, too: %v", what, data)
	}
}

// inREST reads the list as JSON and as CSV.
func (s spoilt) inREST(t *testing.T, what string, c *apptest.Caller) {
	t.Helper()
	answer := c.Send(t, http.MethodGet, s.path, nil, nil)
	named := strings.Split(answer.Header().Get("Unreadable-Fields"), ", ")
	if answer.Code != http.StatusOK || !slices.Contains(named, s.property) {
		t.Errorf("%s: GET %s: %d, unreadable are %q; %s", what, s.path, answer.Code, named, answer.Body)
		return
	}
	var body any
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(s.property, ".")
	object, _ := apptest.At(body, strings.Join(steps[:len(steps)-1], ".")).(object)
	if value, there := object[steps[len(steps)-1]]; !there || value != nil {
		t.Errorf("%s: GET %s: %s is %v, %t", what, s.path, s.property, value, there)
	}
	if before := strings.Replace(s.property, "1.", "0.", 1); before != s.property && apptest.At(body, before) == nil {
		t.Errorf("%s: GET %s: %s is lost, too", what, s.path, before)
	}
	if s.cells == "" {
		return
	}
	cells := cellsOf(t, c, s.path, s.cells)
	for i, cell := range cells {
		if spoiled := strings.Contains(s.property, fmt.Sprintf(".%d.", i)); (cell == "") != spoiled {
			t.Errorf("%s: GET %s as CSV: %q", what, s.path, cells)
		}
	}
}

// An agent alone is answered, too, and an export is written: with an empty cell,
// and with a note that says so.
func TestUnreadableValueInRecordAndExport(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := fillThree(t, w)
		s := unknownValues[0]
		spoil(t, w, s, "'"+spoiledValue+"'")
		status, header, answer := c.REST(t, http.MethodGet, "/agents/A2", nil)
		if status != http.StatusOK || header.Get("Unreadable-Fields") != "w9.taxClassification" || header.Get("ETag") == "" || !strings.Contains(string(answer), `"taxClassification":null`) {
			t.Errorf("GET /agents/A2: %d %v %s", status, header, answer)
		}
		if status, header, _ := c.REST(t, http.MethodGet, "/agents/A1", nil); status != http.StatusOK || header.Get("Unreadable-Fields") != "" {
			t.Errorf("GET /agents/A1: %d %v", status, header)
		}
		status, header, answer = c.REST(t, http.MethodPatch, "/agents/A2", object{"lastName": "Ruiz", "initiator": "hr"})
		if status != http.StatusOK || header.Get("Unreadable-Fields") != "w9.taxClassification" {
			t.Errorf("PATCH /agents/A2: %d %v %s", status, header, answer)
		}
		_, state := apptest.Exported(t, w, c, apptest.Export(`{ agents { nodes { agentCode payee { w9 { taxClassification } } } } }`, "agents", "CSV"))
		file := apptest.Download(t, c, state).Body.String()
		if want := "\ufeffagentCode,payee.w9.taxClassification\r\nA1,SOLE_PROPRIETOR\r\nA2,\r\nA3,SOLE_PROPRIETOR\r\n"; file != want {
			t.Errorf("the file is %q", file)
		}
		if apptest.At(state, "status") != "COMPLETED" || apptest.At(state, "error") != "Stored values that could not be read: 1. Their cells are empty." {
			t.Errorf("the export is %v", state)
		}
	})
}
