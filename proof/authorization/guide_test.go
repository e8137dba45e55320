package authorization_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// agents are A1 and A2 below it, with licences in Texas and New York, which are resident
// ones of A2 alone; that of A2 in Texas ends in August.
func agents(t *testing.T, c *apptest.Caller) {
	t.Helper()
	c.Query(t, register("A1", ""), nil)
	c.Query(t, register("A2", `, directUpline: "A1"`), nil)
	for _, l := range []string{`agentCode: "A1", jurisdiction: "US-TX", isResidentCertification: true`, `agentCode: "A1", jurisdiction: "US-NY", isResidentCertification: false`,
		`agentCode: "A2", jurisdiction: "US-TX", isResidentCertification: false, effectiveThrough: "2026-08-31"`, `agentCode: "A2", jurisdiction: "US-NY", isResidentCertification: true`} {
		made := c.Query(t, `mutation { certificationUpsert(input: {type: "LIFE", isVerified: true, status: ACTIVE, effectiveFrom: "2026-01-01", `+l+`}) { applied } }`, nil)
		if apptest.At(made, "certificationUpsert.applied") != true {
			t.Fatal(made)
		}
	}
}

func register(code, upline string) string {
	return fmt.Sprintf(`mutation { agentRegister(input: {agentCode: %q, firstName: "Ann", lastName: "Lee", status: "Active", startDate: "2020-01-01T12:00:00Z",
		teams: [{team: "default", membership: {level: 10%s}}]}) { applied userErrors { message } } }`, code, upline)
}

var blocks = regexp.MustCompile("(?s)```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?")

// The examples of docs/authorization.md run, and answer what stands there.
func TestGuide(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		c := w.As(apptest.Acme)
		agents(t, c)
		text, err := os.ReadFile("../../docs/authorization.md")
		if err != nil {
			t.Fatal(err)
		}
		found := blocks.FindAllStringSubmatch(string(text), -1)
		if len(found) < 3 {
			t.Fatalf("%d examples", len(found))
		}
		for _, example := range found {
			data := c.Query(t, example[1], nil)
			if m, ok := data.(map[string]any); ok && strings.HasPrefix(example[1], "mutation") {
				for name, payload := range m {
					if apptest.At(payload, "applied") != true {
						t.Errorf("%s: %v", name, payload)
					}
				}
			}
			if example[2] == "" {
				continue
			}
			got, _ := json.Marshal(data)
			var want bytes.Buffer
			if err := json.Compact(&want, []byte(example[2])); err != nil {
				t.Fatal(err)
			}
			var g, e any
			_ = json.Unmarshal(got, &g)
			_ = json.Unmarshal(want.Bytes(), &e)
			if fmt.Sprint(g) != fmt.Sprint(e) {
				t.Errorf("%s\n got %s\nwant %s", example[1], got, want.String())
			}
		}
		for _, code := range authorization.Codes.Texts() {
			if !strings.Contains(string(text), "`"+code+"`") {
				t.Errorf("the guide does not say what %s is", code)
			}
		}
	})
}

// TestReasons follows an agency through every reason, over the API.
func TestReasons(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		c := w.As(apptest.Acme)
		agents(t, c)
		do := func(mutation string) {
			t.Helper()
			if made := c.Query(t, "mutation { m: "+mutation+" { applied userErrors { code message field } } }", nil); apptest.At(made, "m.applied") != true {
				t.Fatalf("%s: %v", mutation, made)
			}
		}
		rule := func(product, required string) {
			do(fmt.Sprintf(`productCreate(input: {code: %q, name: "A product"})`, product))
			if required != "" {
				do(fmt.Sprintf(`productRuleApply(input: {product: %q, rule: "one", effectiveFrom: "2026-01-01", %s})`, product, required))
			}
		}
		do(`providerCompanyUpsert(input: {code: "ACO", name: "A"})`)
		do(`providerCompanyUpsert(input: {code: "BCO", name: "B"})`)
		do(`certificationUpsert(input: {agentCode: "A1", type: "APPOINTMENT", providerCompany: "ACO", jurisdiction: "US-TX", isResidentCertification: false, isVerified: true, status: SUSPENDED, effectiveFrom: "2026-03-01"})`)
		do(`certificationUpsert(input: {agentCode: "A2", type: "APPOINTMENT", providerCompany: "ACO", jurisdiction: "US-TX", isResidentCertification: false, isVerified: true, status: ACTIVE, effectiveFrom: "2026-01-01", effectiveThrough: "2026-02-28"})`)
		do(`certificationUpsert(input: {agentCode: "A1", type: "HEALTH", jurisdiction: "US-TX", isResidentCertification: false, isVerified: true, status: HELD, effectiveFrom: "2026-05-01"})`)
		do(`certificationUpsert(input: {agentCode: "A2", type: "HEALTH", jurisdiction: "US-TX", isResidentCertification: false, isVerified: true, status: ACTIVE, effectiveFrom: "2026-01-01", effectiveThrough: "2026-04-30"})`)
		do(`payStatusPeriodApply(input: {agentCode: "A2", status: "Terminated", effectiveFrom: "2026-06-01"})`)
		rule("NONE", "")
		rule("STATUS", `requiresActiveStatus: true`)
		rule("LEVEL", `minimumLevel: 20`)
		rule("HEALTH", `certificationTypes: ["HEALTH"]`)
		rule("PROPERTY", `certificationTypes: ["PROPERTY"]`)
		rule("RESIDENT", `certificationTypes: ["LIFE"], isResident: true`)
		rule("ACO", `providerCompany: "ACO"`)
		rule("BCO", `providerCompany: "BCO"`)
		reached := map[string]bool{"AGENT_DELETED": true} // TestTold
		for _, want := range []struct{ agent, product, day, reasons string }{
			{"A1", "NONE", "2026-06-15", "NO_REQUIREMENTS one=null since=null"},
			{"A1", "STATUS", "2026-06-15", ""},
			{"A2", "STATUS", "2026-06-15", "PAY_STATUS_NOT_ACTIVE one=Terminated since=2026-06-01"},
			{"A2", "STATUS", "2019-06-15", "NO_REQUIREMENTS one=null since=null"},
			{"A1", "LEVEL", "2026-06-15", "LEVEL_TOO_LOW one=10 since=2020-01-01"},
			{"A1", "HEALTH", "2026-06-15", "CERTIFICATION_NOT_ACTIVE one=HELD since=2026-05-01"},
			{"A2", "HEALTH", "2026-06-15", "CERTIFICATION_LAPSED one=ACTIVE since=2026-05-01"},
			{"A2", "PROPERTY", "2026-06-15", "NO_CERTIFICATION one=null since=null"},
			{"A2", "RESIDENT", "2026-06-15", "WRONG_RESIDENCE one=null since=null"},
			{"A1", "RESIDENT", "2026-06-15", ""},
			{"A1", "ACO", "2026-06-15", "APPOINTMENT_NOT_ACTIVE one=SUSPENDED since=2026-03-01"},
			{"A2", "ACO", "2026-06-15", "APPOINTMENT_LAPSED one=ACTIVE since=2026-03-01"},
			{"A1", "BCO", "2026-06-15", "NO_APPOINTMENT one=null since=null"},
		} {
			data := c.Query(t, fmt.Sprintf(`{ salesAuthorizations(agentCodes: [%q], products: [%q], jurisdictions: ["US-TX"], onDate: %q) { totalCount nodes { status agent { agentCode } reasons { code value since mend } } } }`, want.agent, want.product, want.day), nil)
			var got []string
			for _, r := range apptest.At(data, "salesAuthorizations.nodes.0.reasons").([]any) {
				code, orNull := apptest.At(r, "code").(string), func(v any) any {
					if v == nil {
						return "null"
					}
					return v
				}
				reached[code] = true
				got = append(got, fmt.Sprintf("%s one=%v since=%v", code, orNull(apptest.At(r, "value")), orNull(apptest.At(r, "since"))))
				if apptest.At(r, "mend") == "" {
					t.Errorf("%s: nothing mends %s", want.product, code)
				}
			}
			if strings.Join(got, ", ") != want.reasons || (apptest.At(data, "salesAuthorizations.nodes.0.status") == "AUTHORIZED") != (want.reasons == "") || apptest.At(data, "salesAuthorizations.nodes.0.agent.agentCode") != want.agent {
				t.Errorf("%s %s: %v, want %s", want.agent, want.product, data, want.reasons)
			}
		}
		// Before an agent has anything: its histories begin on the day on which it starts.
		do(`agentRegister(input: {agentCode: "A3", firstName: "Bo", lastName: "Lee", status: "Active", startDate: "2026-06-10T12:00:00Z", teams: [{team: "default", membership: {level: 10}}]})`)
		for product, code := range map[string]string{"STATUS": "NO_PAY_STATUS", "LEVEL": "NO_LEVEL"} {
			data := c.Query(t, fmt.Sprintf(`{ salesAuthorizations(agentCodes: ["A3"], products: [%q], jurisdictions: ["US-TX"], onDate: "2026-06-01") { nodes { reasons { code } } } }`, product), nil)
			if got := apptest.At(data, "salesAuthorizations.nodes.0.reasons.0.code"); got != code {
				t.Errorf("%s before the start: %v", product, data)
			}
			reached[code] = true
		}
		// An upline that was deleted since: nobody knows whether it met the rule.
		do(`agentRegister(input: {agentCode: "A4", firstName: "Bo", lastName: "Lee", status: "Active", startDate: "2026-01-01T12:00:00Z", teams: [{team: "default", membership: {level: 20}}]})`)
		do(`agentRegister(input: {agentCode: "A5", firstName: "Bo", lastName: "Lee", status: "Active", startDate: "2026-01-01T12:00:00Z", teams: [{team: "default", membership: {level: 20, directUpline: "A4"}}]})`)
		rule("ABOVE", `minimumLevel: 20, uplineDepth: 2`)
		do(`agentDelete(input: {agentCode: "A4", newUplineAgentCode: "A1"})`)
		data := c.Query(t, `{ salesAuthorizations(agentCodes: ["A5"], products: ["ABOVE"], jurisdictions: ["US-TX"], onDate: "2026-06-01") { nodes { status through reasons { code agentCode depth rule mend } } } }`, nil)
		if got, want := fmt.Sprint(apptest.At(data, "salesAuthorizations.nodes.0")), "map[reasons:[map[agentCode:A4 code:UPLINE_DELETED depth:1 mend:Nothing: it was deleted rule:one]] status:NOT_AUTHORIZED through:[A4]]"; got != want {
			t.Errorf("below a deleted upline: %s, want %s", got, want)
		}
		reached["UPLINE_DELETED"] = true
		for _, code := range authorization.Codes.Texts() {
			if !reached[code] {
				t.Errorf("nothing leads to %s", code)
			}
		}
		for query, want := range map[string]string{
			`agentCodes: ["A1", "NOBODY"]`:         "UNKNOWN_AGENT agentCodes 1",
			`downlineOf: "NOBODY"`:                 "UNKNOWN_AGENT downlineOf",
			`agentCodes: ["A1"], downlineOf: "A1"`: "NOT_APPLICABLE downlineOf",
			`products: ["NOTHING"]`:                "UNKNOWN_PRODUCT products 0",
			`jurisdictions: ["XX-XX"]`:             "UNKNOWN_JURISDICTION jurisdictions 0",
			`first: 1000`:                          "PAGE_SIZE_EXCEEDED first",
			`after: "x"`:                           "INVALID_CURSOR after",
		} {
			_, errs := c.GraphQL(t, "{ salesAuthorizations("+query+") { nodes { status } } }", nil)
			if len(errs) == 0 || !strings.Contains(fmt.Sprint(errs), strings.Fields(want)[0]) {
				t.Errorf("%s: %v, want %s", query, errs, want)
			}
		}
	})
}

// TestSameAnswer: an answer that was given at an instant is given again, byte for byte,
// whatever is corrected afterwards.
func TestSameAnswer(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		c := w.As(apptest.Acme)
		agents(t, c)
		steps := []string{
			`productCreate(input: {code: "P", name: "P"})`,
			`productRuleApply(input: {product: "P", rule: "one", certificationTypes: ["LIFE"], requiresActiveStatus: true, minimumLevel: 10, uplineDepth: 2, effectiveFrom: "2026-01-01"})`,
			`payStatusPeriodApply(input: {agentCode: "A1", status: "Terminated", effectiveFrom: "2026-05-01", effectiveThrough: "2026-07-31"})`,
			`uplinePeriodApply(input: {agentCode: "A2", uplineAgentCode: null, effectiveFrom: "2026-06-01"})`,
			`certificationUpsert(input: {agentCode: "A2", type: "LIFE", jurisdiction: "US-TX", isResidentCertification: false, isVerified: true, status: SUSPENDED, effectiveFrom: "2026-06-10", effectiveThrough: "2026-06-20"})`,
			`productRuleApply(input: {product: "P", rule: "two", jurisdictions: ["US-TX"], minimumLevel: 30, effectiveFrom: "2026-06-15"})`,
			`levelPeriodApply(input: {agentCode: "A2", level: 30, effectiveFrom: "2026-01-01"})`,
			`productRuleApply(input: {product: "P", rule: "one", effectiveFrom: "2026-06-01"})`,
			`payStatusPeriodApply(input: {agentCode: "A1", status: "Active", effectiveFrom: "2026-05-01"})`,
			// What has no periods is as it was known, too.
			`payStatusUpdate(input: {name: "Active", isActive: false})`,
			`certificationUpdate(input: {id: CERTIFICATION, isResidentCertification: true})`,
			`certificationTypeUpdate(input: {code: "LIFE", name: "Life, renamed"})`,
			`productUpdate(input: {code: "P", isEnabled: false})`,
		}
		ask := func(at time.Time) string {
			data := c.Query(t, fmt.Sprintf(`{ salesAuthorizations(products: ["P"], jurisdictions: ["US-NY", "US-TX"], onDate: "2026-06-15", asKnownAt: %q) { totalCount nodes { agentCode jurisdiction status through validThrough
				reasons { code agentCode depth rule certificationTypes providerCompany minimumLevel certificationId value since mend } } } }`, at.Format(time.RFC3339)), nil)
			text, _ := json.Marshal(data)
			return string(text)
		}
		answers := map[time.Time]string{}
		var different []string
		for _, step := range steps {
			if strings.Contains(step, "CERTIFICATION") {
				of := c.Query(t, `{ agent(agentCode: "A2") { certifications { nodes { id } } } }`, nil)
				step = strings.Replace(step, "CERTIFICATION", strconv.Quote(apptest.At(apptest.At(of, "agent.certifications.nodes").([]any)[0], "id").(string)), 1)
			}
			if made := c.Query(t, "mutation { m: "+step+" { applied userErrors { code message field } } }", nil); apptest.At(made, "m.applied") != true {
				t.Fatalf("%s: %v", step, made)
			}
			now := w.Clock.Now()
			answers[now.Truncate(time.Second)] = ask(now)
			if !slices.Contains(different, answers[now.Truncate(time.Second)]) {
				different = append(different, answers[now.Truncate(time.Second)])
			}
			w.Clock.Move(time.Hour)
			for at, answer := range answers {
				if again := ask(at); again != answer {
					t.Fatalf("after %s, what was known at %s:\n%s\nbefore:\n%s", step, at, again, answer)
				}
			}
		}
		if len(different) < 6 {
			t.Errorf("only %d different answers", len(different))
		}
	})
}
