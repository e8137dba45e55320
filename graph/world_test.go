package graph_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// onEach runs a test on an assembled server on every database.
func onEach(t *testing.T, f func(t *testing.T, w *apptest.World)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{})) })
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// object is a JSON object.
type object = map[string]any

func list(values ...any) []any { return values }

func number(s string) json.Number { return json.Number(s) }

// statements runs an operation below the door and returns how many statements
// it took.
func statements(t *testing.T, w *apptest.World, query string, variables object) (n int64, data any) {
	t.Helper()
	ctx, count := store.CountStatements(w.Context(t, apptest.Acme))
	response := w.Graph.Execute(ctx, query, "", variables)
	if len(response.Errors) > 0 {
		t.Fatalf("%s: %v", query, response.Errors)
	}
	if err := json.Unmarshal(response.Data, &data); err != nil {
		t.Fatal(err)
	}
	return count.Load(), data
}

const register = `mutation($input: AgentRegisterInput!) { agentRegister(input: $input) { applied userErrors { code field } agent { id agentCode } } }`

// newAgent registers an agent that started on a day, below an upline unless
// that is empty, and returns its global id.
func newAgent(t *testing.T, c *apptest.Caller, code, upline, start string) string {
	t.Helper()
	membership := object{"level": 10}
	if upline != "" {
		membership["directUpline"] = upline
	}
	data := c.Query(t, register, object{"input": object{"agentCode": code, "firstName": code, "lastName": "Test", "status": "Active",
		"startDate": start + "T12:00:00Z", "initiator": "setup", "teams": list(object{"membership": membership})}})
	id, ok := apptest.At(data, "agentRegister.agent.id").(string)
	if !ok {
		t.Fatalf("register %s: %v", code, data)
	}
	return id
}

// succeed runs a mutation that has to be accepted.
func succeed(t apptest.T, c *apptest.Caller, mutation string, variables object) any {
	t.Helper()
	data := c.Query(t, mutation, variables)
	for _, payload := range data.(object) {
		if refused := apptest.At(payload, "userErrors"); refused != nil && len(refused.([]any)) > 0 {
			t.Fatalf("refused: %v", refused)
		}
	}
	return data
}

const (
	applyUpline = `mutation($input: UplinePeriodApplyInput!, $dryRun: Boolean! = false) { result: uplinePeriodApply(input: $input, dryRun: $dryRun) { applied period { id } userErrors { code field message } changes { ...set } } }` + changeSet
	applyLevel  = `mutation($input: LevelPeriodApplyInput!, $dryRun: Boolean! = false) { result: levelPeriodApply(input: $input, dryRun: $dryRun) { applied period { id } userErrors { code field message } changes { ...set } } }` + changeSet
	applyStatus = `mutation($input: PayStatusPeriodApplyInput!, $dryRun: Boolean! = false) { result: payStatusPeriodApply(input: $input, dryRun: $dryRun) { applied period { id } userErrors { code field message } changes { ...set } } }` + changeSet
	upsert      = `mutation($input: CertificationUpsertInput!, $dryRun: Boolean! = false) { result: certificationUpsert(input: $input, dryRun: $dryRun) { applied certification { id } userErrors { code field message } changes { ...set } } }` + changeSet

	updatePayee = `mutation($input: AgentPayeeUpdateInput!, $dryRun: Boolean! = false) { result: agentPayeeUpdate(input: $input, dryRun: $dryRun) { applied agent { agentCode } userErrors { code field message } changes { ...set } } }` + changeSet

	changeSet = ` fragment set on PeriodChangeSet { before { ...p } after { ...p } operations { kind existing { ...p } results { ...p } } warnings { code message } }
		fragment p on PlannedPeriod { effectiveFrom effectiveThrough value }`
)

func itoa(n int) string { return strconv.Itoa(n) }

func same(a, b any) bool { return reflect.DeepEqual(a, b) }

// onEachIn is onEach for tenants in a time zone.
func onEachIn(t *testing.T, zone string, f func(t *testing.T, w *apptest.World)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{TimeZone: zone})) })
}
