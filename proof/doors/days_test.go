package doors_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// dated are the writes of REST that record a day, each with the field of that day.
var dated = []struct {
	method, path string
	body         object
	field        string
	past         bool // not in the future
}{
	{"POST", "/payees/assigned-statuses", object{"agentCode": "D1", "status": "Suspended"}, "effectiveFrom", false},
	{"POST", "/teams/default/assigned-levels", object{"agentCode": "D1", "level": 20}, "effectiveFrom", false},
	{"POST", "/teams/default/assigned-uplines", object{"agentCode": "D1", "uplineAgentCode": "D2"}, "effectiveFrom", false},
	{"POST", "/payees/assigned-statuses", object{"agentCode": "D1", "status": "Suspended", "effectiveFrom": "1900-01-01"}, "effectiveThrough", false},
	{"POST", "/certifications", object{"agentCode": "D1", "type": "HEALTH", "jurisdiction": "US-TX", "status": "Active", "isVerified": true, "isResidentCertification": true}, "effectiveFrom", false},
	{"PATCH", "/agents/D1", object{}, "birthDate", true},
	{"POST", "/payees/w9s", object{"agentCode": "D1", "w9": object{"name": "D", "taxClassification": "Individual"}}, "effectiveFrom", false},
	{"PATCH", "/agents/D1/payee", object{"w9": object{"name": "D", "taxClassification": "Individual"}}, "w9.signatureDate", true},
	{"POST", "/payees/w9s", object{"agentCode": "D1", "effectiveFrom": "2000-01-01", "w9": object{"name": "D", "taxClassification": "Individual"}}, "w9.signatureDate", true},
}

// datedInputs are mutations that record a day and that REST does not have, with what they
// take besides it.
var datedInputs = []struct {
	call, inputType string
	input           object
	field           string
	past            bool
}{
	{"reorgApply(", "ReorgApplyInput", object{"moves": []any{object{"agentCode": "D3", "newUplineAgentCode": "D1"}}}, "effectiveFrom", false},
	{"certificationPeriodApply(", "CertificationPeriodApplyInput", object{"status": "HELD"}, "effectiveFrom", false},
	{"certificationPeriodApply(", "CertificationPeriodApplyInput", object{"status": "HELD", "effectiveFrom": "1900-01-01"}, "effectiveThrough", false},
	{"agentRegister(", "AgentRegisterInput", object{"firstName": "A", "lastName": "B", "status": "Active", "teams": []any{object{"membership": object{"level": 10}}}}, "birthDate", true},
	{"productionRecordUpsert(", "ProductionRecordUpsertInput", object{"agentCode": "D1", "providerCompany": "BLH", "policyNumber": "P1", "annualPremium": "10.00"}, "submittedOn", true},
	{"commissionPaymentRecord(", "CommissionPaymentRecordInput", object{"agentCode": "D1", "amount": "10.00"}, "paidOn", true},
}

// refuseOddDays tries each of datedInputs with each day.
func refuseOddDays(t *testing.T, c *apptest.Caller, certification string, days func(field string, past bool) map[string]bool) {
	t.Helper()
	for _, d := range datedInputs {
		mutation := "mutation($input: " + d.inputType + "!) { result: " + d.call + "input: $input, dryRun: true) { userErrors { code field } } }"
		for day, taken := range days(d.field, d.past) {
			input := object{"initiator": "x", d.field: day}
			maps.Copy(input, d.input)
			if strings.HasPrefix(d.inputType, "CertificationPeriod") {
				input["certificationId"] = certification
			}
			got := fmt.Sprint(apptest.At(c.Query(t, mutation, object{"input": input}), "result.userErrors"))
			if taken != (got == "[]") || !taken && !strings.Contains(got, "map[code:OUT_OF_RANGE field:[input "+d.field+"]]") {
				t.Errorf("%s of %s: %s", d.call, day, got)
			}
		}
	}
}

// imported are files with a day in their last column.
var importedDays = map[string]string{
	"AGENT":              "agentCode,firstName,lastName,status,birthDate\nI1,A,B,Active,",
	"CERTIFICATION":      "agentCode,type,jurisdiction,status,effectiveFrom\nD1,HEALTH,US-TX,Active,",
	"UPLINE_PERIOD":      "agentCode,uplineAgentCode,effectiveFrom\nD1,D2,",
	"LEVEL_PERIOD":       "agentCode,level,effectiveFrom\nD1,20,",
	"PAY_STATUS_PERIOD":  "agentCode,status,effectiveFrom\nD1,Suspended,",
	"PRODUCTION_RECORD":  "agentCode,providerCompany,policyNumber,annualPremium,submittedOn\nD1,BLH,P1,10.00,",
	"COMMISSION_PAYMENT": "agentCode,amount,paidOn\nD1,10.00,",
}

// No door and no file records a day before 1900-01-01, none a birth or a signature in the
// future, and none a period that begins after 2200-12-31 (docs/divergences.md).
func TestDaysHaveBounds(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		for _, code := range []string{"D1", "D2", "D3"} {
			apptest.Register(t, c, code, nil)
		}
		c.Query(t, `mutation { providerCompanyUpsert(input: {code: "BLH", name: "B", initiator: "x"}) { applied } }`, nil)
		days := func(field string, past bool) map[string]bool {
			bounds := map[string]bool{"0001-01-01": false, "1899-12-31": false, "1900-01-01": true, "2101-01-01": !past, "2200-12-31": !past, "2201-01-01": false, "9999-12-31": false}
			if field == "effectiveThrough" { // 9999-12-31 is how other systems write an open end
				bounds["2200-12-31"], bounds["2200-12-30"], bounds["9999-12-31"] = false, true, true
			}
			return bounds
		}
		for _, d := range dated {
			for day, taken := range days(d.field, d.past) {
				body := object{"initiator": "x"}
				for name, v := range d.body {
					body[name] = v
				}
				at := body
				if below, name, isBelow := strings.Cut(d.field, "."); isBelow {
					at = object{name: day}
					for k, v := range d.body[below].(object) {
						at[k] = v
					}
					body[below] = at
				} else {
					at[d.field] = day
				}
				status, _, answer := c.REST(t, d.method, d.path, body)
				if (status < http.StatusMultipleChoices) != taken || !taken && (status != http.StatusBadRequest || !strings.Contains(string(answer), "OUT_OF_RANGE") || !strings.Contains(string(answer), d.field)) {
					t.Errorf("%s %s of %s: %d %s", d.method, d.path, day, status, answer)
				}
			}
		}
		refuseOddDays(t, c, apptest.Each(c.Query(t, `{ certifications(filter: {agentCode: "D1"}) { nodes { id } } }`, nil), "certifications.nodes", "id")[0].(string), days)
		for entity, file := range importedDays {
			for day, taken := range days("", slices.Contains([]string{"AGENT", "PRODUCTION_RECORD", "COMMISSION_PAYMENT"}, entity)) {
				got := fmt.Sprint(bring(t, c, entity, file+day, true, nil)["rows"])
				if taken != (got == "[]") || !taken && !strings.Contains(got, "OUT_OF_RANGE") {
					t.Errorf("import of %s on %s: %s", entity, day, got)
				}
			}
		}
	})
}

// Periods that were stored before there were bounds are read as they are, and stretch the
// agency's history over no millennia; nor does what is planned for a distant year.
func TestOddDaysStretchNoHistory(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		apptest.Register(t, c, "D1", object{"startDate": "2026-01-02T00:00:00Z"})
		if err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
			for table, value := range map[string]string{"agency_upline_period": "team_id, upline_agent_id", "agency_pay_status_period": "status"} {
				if _, err := tx.Exec(ctx, "UPDATE "+table+" SET effective_through = '2030-01-01' WHERE tenant_id = $1", w.Tenants[apptest.Acme].ID); err != nil {
					return err
				}
				for _, year := range []string{"0001", "9999"} {
					if _, err := tx.Exec(ctx, fmt.Sprintf(`INSERT INTO %s (tenant_id, agent_id, effective_from, effective_through, recorded_at, recorded_by, %s)
						SELECT tenant_id, agent_id, '%s-01-01', '%s-02-01', recorded_at, recorded_by, %s FROM %[1]s WHERE tenant_id = $1 AND effective_from = '2026-01-02'`,
						table, value, year, year, value), w.Tenants[apptest.Acme].ID); err != nil {
						return err
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		status, _, answer := c.REST(t, "POST", "/teams/default/assigned-levels", object{"agentCode": "D1", "level": 20, "effectiveFrom": "2199-01-01", "initiator": "x"})
		if status >= http.StatusMultipleChoices {
			t.Fatalf("%d %s", status, answer)
		}
		known := c.Query(t, `{ agencyHistory { firstDate lastDate uplineChanges { key count } }
			agent(agentCode: "D1") { payStatusPeriods { nodes { effectiveFrom } } } }`, nil)
		if got, want := fmt.Sprint(apptest.At(known, "agencyHistory")), "map[firstDate:2026-01-02 lastDate:2026-01-02 uplineChanges:[map[count:1 key:2026-01]]]"; got != want {
			t.Errorf("the history is %s, want %s", got, want)
		}
		if days := apptest.Each(known, "agent.payStatusPeriods.nodes", "effectiveFrom"); len(days) != 3 {
			t.Errorf("the periods begin on %v", days)
		}
	})
}
