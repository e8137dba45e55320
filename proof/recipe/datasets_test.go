package recipe_test

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/insights/recipe"
)

// days are the day of the tests, one before and one after it: today's hierarchy is
// read from flattened rows, that of another day from the periods.
var days = []string{"2026-06-15", "2025-02-03", "2026-12-31"}

// Every field of every dataset is what a plain walk through the tables finds, on
// every day; and so is what definitions drawn at random make of them.
func TestDatasetsAreAsRecomputed(t *testing.T) {
	onEachWorld(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 25)
		w.LoadDemo(t, apptest.Umbra, 10) // none of it may appear
		fill(t, w)
		a := readAgency(t, w)
		ctx := w.Context(t, apptest.Acme, "read:agents", "agent-onboarding:applications:read", "read:webhook-subscriptions", "write:production")
		computed := map[string][]row{}
		for _, d := range recipe.Datasets() {
			for _, day := range days {
				rows := a.dataset(t, d.Name, day)
				if len(rows) == 0 {
					t.Fatalf("%s has no rows on %s: nothing is shown", d.Name, day)
				}
				computed[d.Name+day] = rows
				columns := make([]any, len(d.Fields))
				for i, f := range d.Fields {
					columns[i] = object{"field": f.Name}
				}
				whole := drawn{dataset: d.Name, day: day, definition: object{"columns": columns}}
				want := naive{types: typesOf(d), rows: rows}.run(whole.definition)
				compareRows(t, whole, readAll(t, ctx, w.Recipes, whole, 500, len(want)), want)
			}
		}
		rapid.Check(t, func(rt *rapid.T) {
			d := rapid.SampledFrom(recipe.Datasets()).Draw(rt, "dataset")
			day := rapid.SampledFrom(days).Draw(rt, "day")
			rows := computed[d.Name+day]
			report := definitions(rt, typesOf(d), enumsOf(d), rows, day)
			report.dataset = d.Name
			want := naive{typesOf(d), rows, report.given, day}.run(report.definition)
			compareRows(rt, report, readAll(rt, ctx, w.Recipes, report, rapid.IntRange(20, 500).Draw(rt, "page"), len(want)), want)
		})
	})
}

func compareRows(t testingT, d drawn, got, want [][]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s on %s: %d rows, want %d\n%v", d.dataset, d.day, len(got), len(want), d.definition)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%s on %s: row %d is\n%v, want\n%v\n%v", d.dataset, d.day, i, got[i], want[i], d.definition)
		}
	}
}

func typesOf(d *recipe.Dataset) map[string]string {
	types := map[string]string{}
	for _, f := range d.Fields {
		types[f.Name] = string(f.Type)
	}
	return types
}

// enumsOf are the fields that have one of a few values.
func enumsOf(d *recipe.Dataset) map[string]bool {
	enums := map[string]bool{}
	for _, f := range d.Fields {
		enums[f.Name] = f.Values != nil
	}
	return enums
}

// dataset computes the rows of a dataset as docs/reports.md describes them, in the
// order of their keys.
func (a agency) dataset(t *testing.T, name, day string) []row {
	t.Helper()
	from := map[string]string{"agents": "agency_agent", "certifications": "agency_certification", "certificationPeriods": "agency_certification_period",
		"payStatusPeriods": "agency_pay_status_period", "uplinePeriods": "agency_upline_period", "levelPeriods": "agency_level_period",
		"applications": "onboarding_application", "production": "insights_production_record", "commissionPayments": "insights_commission_payment", "webhookDeliveries": "webhook_delivery"}
	switch name {
	case "downline":
		return a.downline(day)
	case "salesAuthorizations":
		return a.authorized(day)
	}
	make := map[string]func(r row, day string) row{"agents": a.agent, "certifications": a.certification, "certificationPeriods": a.certificationPeriod,
		"payStatusPeriods": a.payStatusPeriod, "uplinePeriods": a.uplinePeriod, "levelPeriods": a.levelPeriod,
		"applications": a.application, "production": a.production, "commissionPayments": a.commission, "webhookDeliveries": a.delivery}[name]
	if make == nil {
		t.Fatalf("the dataset %s is not recomputed", name)
	}
	var rows []row
	for _, r := range a[from[name]] {
		if strings.HasSuffix(name, "Periods") && r["superseded_at"] != nil || name == "webhookDeliveries" && r["sequence"] == nil { // a test
			continue
		}
		rows = append(rows, make(r, day))
	}
	return rows
}

func (a agency) who(id any) row {
	agent := a.find("agency_agent", row{"id": id})
	return row{"agentCode": agent["code"], "firstName": agent["first_name"], "lastName": agent["last_name"]}
}

func (a agency) standing(id any, day string) row {
	name := a.covering("agency_pay_status_period", day, row{"agent_id": id})["status"]
	status := a.find("agency_pay_status", row{"name": name})
	return row{"payStatus": name, "isActive": status["is_active"] == true, "canBePaid": status["can_be_paid"] == true}
}

func (a agency) level(id any, day string) row {
	level := a.covering("agency_level_period", day, row{"agent_id": id})
	if level["level"] == nil {
		return row{}
	}
	return row{"agentLevel": level["level"], "agentLevelName": a.find("agency_agent_level", row{"value": level["level"], "team_id": level["team_id"]})["name"]}
}

func (a agency) upline(id, day any) row {
	return a.uplineIn(a.covering("agency_upline_period", day, row{"agent_id": id}))
}

// uplineIn is who a period names, by the code alone where it was deleted since.
func (a agency) uplineIn(period row) row {
	if period["deleted_upline_code"] != nil {
		return row{"uplineAgentCode": period["deleted_upline_code"]}
	}
	return prefixed(a.who(period["upline_agent_id"]), period["upline_agent_id"])
}

// prefixed are the names of an upline; none for nobody.
func prefixed(who row, id any) row {
	if id == nil {
		return row{}
	}
	return row{"uplineAgentCode": who["agentCode"], "uplineFirstName": who["firstName"], "uplineLastName": who["lastName"]}
}

func joined(all ...row) row {
	out := row{}
	for _, one := range all {
		for name, v := range one {
			out[name] = v
		}
	}
	return out
}

func (a agency) agent(r row, day string) row {
	id := r["id"]
	standing := a.standing(id, day)
	hasW9, hasDirectDeposit := len(a.covering("agency_w9_period", day, row{"agent_id": id})) > 0, len(a.find("agency_direct_deposit", row{"agent_id": id})) > 0
	return joined(a.who(id), standing, a.level(id, day), a.upline(id, day), row{
		"middleName": r["middle_name"], "commonName": r["common_name"], "suffix": r["suffix"], "email": r["email"], "npn": r["npn"], "customerId": r["customer_id"],
		"isDedicated": r["is_dedicated"], "startDate": r["start_date"], "createdAt": r["created_at"], "lastModified": r["last_modified"],
		"homeJurisdiction":     a.find("agency_address", row{"agent_id": id, "kind": "HOME"})["jurisdiction"],
		"businessJurisdiction": a.find("agency_address", row{"agent_id": id, "kind": "BUSINESS"})["jurisdiction"],
		"hasW9":                hasW9,
		"hasDirectDeposit":     hasDirectDeposit,
		"isPayable":            standing["canBePaid"] == true && hasW9 && hasDirectDeposit,
	})
}

func (a agency) ofCertification(c row, day string) row {
	return joined(a.who(c["agent_id"]), a.standing(c["agent_id"], day), row{
		"certificationId": c["id"], "type": c["type"], "category": a.find("agency_certification_type", row{"code": c["type"]})["category"],
		"providerCompany": c["provider_company"], "jurisdiction": c["jurisdiction"], "identifier": c["identifier"],
		"isResidentCertification": c["is_resident_certification"], "isVerified": c["is_verified"],
	})
}

func (a agency) certification(c row, day string) row {
	p := a.covering("agency_certification_period", day, row{"certification_id": c["id"]})
	return joined(a.ofCertification(c, day), row{"status": p["status"], "effectiveFrom": p["effective_from"], "effectiveThrough": p["effective_through"],
		"daysRemaining": daysFrom(day, p["effective_through"]), "createdAt": c["created_at"], "lastModified": c["last_modified"]})
}

func (a agency) certificationPeriod(p row, day string) row {
	c := a.find("agency_certification", row{"id": p["certification_id"]})
	return joined(a.ofCertification(c, day), ofPeriod(p, day), row{"status": p["status"], "daysRemaining": daysFrom(day, p["effective_through"])})
}

func daysFrom(day string, through any) any {
	if through == nil {
		return nil
	}
	from, _ := time.Parse(time.DateOnly, day)
	to, _ := time.Parse(time.DateOnly, through.(string))
	return int64(to.Sub(from) / (24 * time.Hour))
}

func ofPeriod(p row, day string) row {
	return row{"effectiveFrom": p["effective_from"], "effectiveThrough": p["effective_through"], "recordedAt": p["recorded_at"], "recordedBy": p["recorded_by"], "isCurrent": covers(p, day)}
}

func (a agency) payStatusPeriod(p row, day string) row {
	return joined(a.who(p["agent_id"]), ofPeriod(p, day), row{"status": p["status"]})
}

func (a agency) uplinePeriod(p row, day string) row {
	return joined(a.who(p["agent_id"]), ofPeriod(p, day), a.standing(p["agent_id"], day), a.uplineIn(p))
}

func (a agency) levelPeriod(p row, day string) row {
	return joined(a.who(p["agent_id"]), ofPeriod(p, day), a.standing(p["agent_id"], day),
		row{"agentLevel": p["level"], "agentLevelName": a.find("agency_agent_level", row{"value": p["level"], "team_id": p["team_id"]})["name"]})
}

// downline climbs from each agent.
func (a agency) downline(day string) []row {
	var rows []row
	for _, agent := range a["agency_agent"] {
		above := a.covering("agency_upline_period", day, row{"agent_id": agent["id"]})["upline_agent_id"]
		for level := int64(1); above != nil; level++ {
			rows = append(rows, joined(a.who(agent["id"]), a.standing(agent["id"], day), a.level(agent["id"], day), prefixed(a.who(above), above),
				row{"level": level, "above": above, "below": agent["id"]}))
			above = a.covering("agency_upline_period", day, row{"agent_id": above})["upline_agent_id"]
		}
	}
	slices.SortFunc(rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(x["above"].(int64), y["above"].(int64)), cmp.Compare(x["below"].(int64), y["below"].(int64)))
	})
	return rows
}

func (a agency) application(o row, _ string) row {
	return row{"applicationId": o["uid"], "status": o["status"], "firstName": o["first_name"], "lastName": o["last_name"], "emailAddress": o["email_address"],
		"recruiterAgentCode": o["recruiter_agent_code"], "agentCode": a.find("agency_agent", row{"id": o["agent_id"]})["code"],
		"submittedAt": o["submitted_at"], "createdAt": o["created_at"], "lastModified": o["last_modified"]}
}

func (a agency) production(r row, day string) row {
	counts := r["placed_on"]
	for _, name := range []string{"issued_on", "submitted_on"} {
		if r[name] != nil {
			counts = r[name]
		}
	}
	month := func(day any) any {
		if day == nil {
			return nil
		}
		return day.(string)[:7]
	}
	return joined(a.who(r["agent_id"]), a.standing(r["agent_id"], day), a.level(r["agent_id"], day), row{
		"policyNumber": r["policy_number"], "providerCompany": r["provider_company"], "productLine": r["product_line"],
		"submittedOn": r["submitted_on"], "issuedOn": r["issued_on"], "placedOn": r["placed_on"],
		"submittedMonth": month(r["submitted_on"]), "issuedMonth": month(r["issued_on"]), "placedMonth": month(r["placed_on"]),
		"annualPremium": r["annual_premium_cents"], "recordedAt": r["recorded_at"],
		"uplineAgentCode":       a.upline(r["agent_id"], counts)["uplineAgentCode"],
		"issuedUplineAgentCode": a.upline(r["agent_id"], r["issued_on"])["uplineAgentCode"],
		"placedUplineAgentCode": a.upline(r["agent_id"], r["placed_on"])["uplineAgentCode"],
	})
}

func (a agency) commission(r row, _ string) row {
	reference := r["reference"]
	if reference == "" {
		reference = nil
	}
	return row{"agentCode": a.who(r["agent_id"])["agentCode"], "paidOn": r["paid_on"], "paidMonth": r["paid_on"].(string)[:7], "amount": r["amount_cents"],
		"reference": reference, "recordedAt": r["recorded_at"], "recordedBy": r["recorded_by"]}
}

func (a agency) delivery(d row, _ string) row {
	return row{"deliveryId": d["id"], "subscriptionId": a.find("webhook_subscription", row{"id": d["subscription_id"]})["uid"],
		"eventId": d["event_id"], "eventType": a.find("outbox_event", row{"id": d["event_id"]})["type"], "attemptNumber": d["attempt_number"],
		"attemptedAt": d["attempted_at"], "isSuccessful": d["is_successful"], "httpStatusCode": d["http_status_code"], "responseTimeMs": d["response_time_ms"]}
}
