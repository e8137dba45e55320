package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

const changesOf = `query($of: ID, $filter: ChangeFilter, $after: String, $first: Int) { changes(of: $of, filter: $filter, first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor }
	nodes { sequence operation surface initiator subject clientId reason entityType entityKey field values { effectiveFrom effectiveThrough old new } } } }`

// told writes changes as "field: old → new", with the range of days.
func told(answer any) string {
	var b strings.Builder
	for _, n := range apptest.At(answer, "changes.nodes").([]any) {
		fmt.Fprintf(&b, "%v", apptest.At(n, "field"))
		for _, v := range apptest.At(n, "values").([]any) {
			b.WriteString(":")
			if from := apptest.At(v, "effectiveFrom"); from != nil {
				fmt.Fprintf(&b, " %v–%v", from, apptest.At(v, "effectiveThrough"))
			}
			fmt.Fprintf(&b, " %v → %v", apptest.At(v, "old"), apptest.At(v, "new"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Of any value: who set it, when, why, through which door, and what it was before.
func TestChangesTellOldAndNew(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A0", "", "2026-01-01")
		id := newAgent(t, c, "A1", "A0", "2026-01-01")
		latest := func(want string) {
			t.Helper()
			data := c.Query(t, changesOf, object{"of": id})
			if got := told(data); !strings.HasPrefix(got, want) {
				t.Fatalf("changes:\n%s\nwant first:\n%s", got, want)
			}
			w.Clock.Move(time.Second)
		}
		run := func(mutation, input string, in object) any {
			t.Helper()
			return succeed(t, c, "mutation($in: "+input+"!) { "+mutation+"(input: $in) { userErrors { code field message } } }", object{"in": in})
		}
		w.Clock.Move(time.Second)
		latest("agentCode: <nil> → A1\n")
		run("agentUpdate", "AgentUpdateInput", object{"agentCode": "A1", "lastName": "Diaz", "email": "ana@example.com", "governmentIdentifier": "123-45-6789", "initiator": "Robo Inc", "reason": "married"})
		latest("email: <nil> → ana@example.com\ngovernmentIdentifier: <nil> → ***-**-6789\nlastName: Test → Diaz\n")
		first := apptest.At(c.Query(t, changesOf, object{"of": id, "first": 1}), "changes.nodes").([]any)[0]
		for field, want := range (object{"operation": "agentUpdate", "surface": "GRAPHQL", "initiator": "Robo Inc", "reason": "married", "entityType": "Agent", "entityKey": "A1"}) {
			if got := apptest.At(first, field); got != want {
				t.Errorf("%s is %v, want %v", field, got, want)
			}
		}
		if who := apptest.At(first, "subject"); who == "" || who == "Robo Inc" || apptest.At(first, "clientId") == "" {
			t.Errorf("who really did it: %v", first)
		}
		run("agentUpdate", "AgentUpdateInput", object{"agentCode": "A1", "lastName": "Smith", "email": nil, "initiator": "x"})
		latest("email: ana@example.com → <nil>\nlastName: Diaz → Smith\nemail: <nil> → ana@example.com\n")
		run("agentContactUpdate", "AgentContactUpdateInput", object{"agentCode": "A1", "homeAddress": object{"line1": "1 Elm", "city": "Austin", "jurisdiction": "US-TX"}, "initiator": "x"})
		latest("homeAddress.city: <nil> → Austin\nhomeAddress.jurisdiction: <nil> → US-TX\nhomeAddress.line1: <nil> → 1 Elm\n")
		run("agentContactUpdate", "AgentContactUpdateInput", object{"agentCode": "A1", "homeAddress": object{"city": "Waco"}, "initiator": "x"})
		latest("homeAddress.city: Austin → Waco\n")
		run("levelPeriodApply", "LevelPeriodApplyInput", object{"agentCode": "A1", "level": 20, "effectiveFrom": "2026-03-01", "effectiveThrough": "2026-03-31", "initiator": "x"})
		latest("teams.default.level: 2026-03-01–2026-03-31 10 → 20\n")
		run("uplinePeriodApply", "UplinePeriodApplyInput", object{"agentCode": "A1", "uplineAgentCode": nil, "effectiveFrom": "2026-07-01", "initiator": "x"})
		latest("teams.default.directUpline: 2026-07-01–<nil> A0 → <nil>\n")
		run("payStatusPeriodApply", "PayStatusPeriodApplyInput", object{"agentCode": "A1", "status": "Suspended", "effectiveFrom": "2026-05-01", "initiator": "x"})
		latest("status: 2026-05-01–<nil> Active → Suspended\n")
		run("agentPayeeUpdate", "AgentPayeeUpdateInput", object{"agentCode": "A1", "directDeposit": object{"country": "US", "accountHolderName": "A", "bankName": "Bank", "accountType": "CHECKING",
			"routingNumber": "021000021", "accountNumber": "12345678"}, "initiator": "x"})
		latest("directDeposit.accountHolderName: <nil> → A\ndirectDeposit.accountNumber: <nil> → ****5678\n")
		run("aliasCreate", "AliasCreateInput", object{"agentCode": "A1", "identifier": "X1", "initiator": "x"})
		latest("aliases: <nil> → X1\n")
		run("certificationUpsert", "CertificationUpsertInput", object{"agentCode": "A1", "type": "AML", "isResidentCertification": false, "isVerified": true, "note": "first", "effectiveFrom": "2026-05-10", "initiator": "x"})
		latest("certifications.1: <nil> → AML\n")
		run("certificationUpdate", "CertificationUpdateInput", object{"id": "1", "note": "second", "initiator": "x"})
		latest("certifications.1.note: first → second\n")
		run("certificationPeriodApply", "CertificationPeriodApplyInput", object{"certificationId": "1", "status": "EXPIRED", "effectiveFrom": "2026-06-01", "initiator": "x"})
		latest("certifications.1.status: 2026-06-01–<nil> ACTIVE → EXPIRED\n")

		explain := func(field string, onDate any) any {
			t.Helper()
			return c.Query(t, `query($of: ID!, $field: String!, $on: Date) { explain(of: $of, field: $field, onDate: $on) { initiator reason field values { old new } } }`, object{"of": id, "field": field, "on": onDate})
		}
		if got := apptest.At(explain("governmentIdentifier", nil), "explain.reason"); got != "married" {
			t.Errorf("the identifier was set because %v", got)
		}
		// In full they are for who may see them, and recorded.
		const inFull = `query($of: ID!) { changes(of: $of, filter: {field: "directDeposit.accountNumber"}) { nodes { values(reveal: true) { old new } } } }`
		reveals := func() any {
			return apptest.At(c.Query(t, `{ auditLog(filter: {kind: REVEAL, entityType: "Agent", entityKey: "A1"}) { totalCount } }`, nil), "auditLog.totalCount")
		}
		before := reveals()
		if got := fmt.Sprint(c.Query(t, inFull, object{"of": id})); !strings.Contains(got, "new:12345678") || reveals() == before {
			t.Errorf("in full: %s, recorded %v times, %v before", got, reveals(), before)
		}
		succeed(t, w.As(apptest.Acme, bearer.TenantScopes()...), `mutation { tenantSettingsUpdate(input: {maskSensitive: true}) { userErrors { code } } }`, nil)
		if got, errs := w.As(apptest.Acme, "read:agents").GraphQL(t, inFull, object{"of": id}); strings.Contains(fmt.Sprint(got), "12345678") || !strings.Contains(fmt.Sprint(got), "5678") {
			t.Errorf("where the agency masks, without the scope: %v %v", got, errs)
		}
		for day, want := range map[string]string{"2026-03-15": "20", "2026-04-15": "10"} {
			if got := apptest.At(explain("teams.default.level", day), "explain.values").([]any); apptest.At(got[0], "new") != want {
				t.Errorf("the level on %s: %v, want %s", day, got, want)
			}
		}
		run("agentLevelUpdate", "AgentLevelUpdateInput", object{"value": 10, "name": "Ten", "initiator": "x"})
		w.Clock.Move(time.Second)
		if got := told(c.Query(t, changesOf, object{"filter": object{"entityType": "AgentLevel"}})); !strings.HasPrefix(got, "name: Associate → Ten\n") {
			t.Errorf("changes of levels:\n%s", got)
		}
		c = w.As(apptest.Acme, "read:agents", "read:users", "write:users", "read:roles")
		run("userCreate", "UserCreateInput", object{"username": "ana", "email": "ana@example.com", "password": "Tulip-bucket-91", "status": "APPROVED", "roles": []any{"Agent"}})
		w.Clock.Move(time.Second)
		run("userUpdate", "UserUpdateInput", object{"username": "ana", "roles": []any{"Administrator"}, "email": "new@example.com"})
		if got := told(c.Query(t, changesOf, object{"filter": object{"entityType": "User"}, "first": 2})); got != "email: ana@example.com → new@example.com\nroles: Agent → Administrator\n" {
			t.Errorf("changes of users:\n%s", got)
		}
		// Every page, one change after the other, is the list.
		all := apptest.At(c.Query(t, changesOf, object{"first": 100}), "changes.nodes").([]any)
		var paged []any
		for after := any(nil); ; {
			p := apptest.At(c.Query(t, changesOf, object{"first": 7, "after": after}), "changes")
			if paged = append(paged, apptest.At(p, "nodes").([]any)...); apptest.At(p, "pageInfo.hasNextPage") != true {
				break
			}
			after = apptest.At(p, "pageInfo.endCursor")
		}
		if !same(all, paged) {
			t.Errorf("%d changes, by pages %d", len(all), len(paged))
		}
	})
}

// An agency keeps what values were before for the years that it says. What is older is gone,
// and said to be unknown; what was known since is as it was, and so are all periods.
func TestOldValuesAreForgotten(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		id := newAgent(t, c, "A1", "", "2026-01-01")
		change := func(document string) {
			t.Helper()
			succeed(t, c, "mutation { "+document+" { userErrors { code field message } } }", nil)
		}
		succeed(t, c, `mutation { tenantSettingsUpdate(input: {valuesKeptYears: 2}) { userErrors { code } } }`, nil)
		w.Clock.Move(time.Second)
		for _, name := range []string{"Diaz", "Smith", "Young"} {
			change(`agentUpdate(input: {agentCode: "A1", lastName: "` + name + `"})`)
			w.Clock.Move(time.Second)
			change(`payStatusPeriodApply(input: {agentCode: "A1", status: "` + map[bool]string{true: "Suspended", false: "Active"}[name == "Smith"] + `", effectiveFrom: "2026-03-01"})`)
			w.Clock.Move(13 * 30 * 24 * time.Hour)
		}
		between := w.Clock.Now().AddDate(0, -16, 0)
		read := func() any {
			return c.Query(t, `query($at: DateTime) { agent(agentCode: "A1", asKnownAt: $at) { lastName payStatusPeriods(first: 9) { nodes { effectiveFrom status { name } } } } }`, object{"at": between.Format(time.RFC3339Nano)})
		}
		names := object{"of": id, "filter": object{"field": "lastName"}}
		was, before := read(), told(c.Query(t, changesOf, names))
		if want := "lastName: Smith → Young\nlastName: Diaz → Smith\nlastName: Test → Diaz\nlastName: <nil> → Test\n"; before != want {
			t.Fatalf("before: %s, want %s", before, want)
		}
		rows := func() (n int64) {
			if _, err := store.One(t.Context(), w.Store, []any{&n}, "SELECT count(*) FROM past_row p JOIN tenant t ON t.id = p.tenant_id WHERE t.identifier = $1", apptest.Acme); err != nil {
				t.Fatal(err)
			}
			return n
		}
		kept := rows()
		of, err := directory.New(w.Store, w.Clock).Find(t.Context(), apptest.Acme)
		if err != nil || of.ValuesKeptYears != 2 {
			t.Fatalf("the setting is %+v, %v", of, err)
		}
		for range 2 {
			if err := w.Audit.ForgetOld(tenant.With(t.Context(), of)); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := told(c.Query(t, changesOf, names)), "lastName: Smith → Young\nlastName\nlastName\nlastName\n"; got != want {
			t.Errorf("after: %s, want %s", got, want)
		}
		if got := told(c.Query(t, changesOf, object{"of": id, "filter": object{"field": "status"}})); strings.Count(got, "→") != 3 {
			t.Errorf("changes of periods are forgotten: %s", got)
		}
		if now := rows(); now >= kept {
			t.Errorf("%d rows are kept, of %d", now, kept)
		}
		if is := read(); !same(is, was) {
			t.Errorf("what was known since is %v, was %v", is, was)
		}
		if report, err := w.Audit.Verify(w.Context(t, apptest.Acme), audit.Head{}); err != nil || report.Broken() {
			t.Errorf("the trail: %v %v", report, err)
		}
	})
}
