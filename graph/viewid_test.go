package graph_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// views are objects of every type that is read as of a day, each with what depends on
// it below.
var views = []string{
	`agent(agentCode: "MID", onDate: $on, asKnownAt: $at) { ...view upline { ...view } downline(first: 9) { nodes { ...view } } aliases(first: 9) { nodes { ...view } } }`,
	`agent(agentCode: "MID", onDate: $on, asKnownAt: $at) { certifications(first: 9) { nodes { ...view periods(first: 9) { nodes { ...view } } } } w9Periods(first: 9) { nodes { ...view } } }`,
	`agent(agentCode: "MID", onDate: $on, asKnownAt: $at) { payStatusPeriods(first: 9) { nodes { ...view } } uplinePeriods(first: 9) { nodes { ...view } } levelPeriods(first: 9) { nodes { ...view } } }`,
	`team(onDate: $on, asKnownAt: $at) { ...view roots(first: 9) { nodes { ...view } } }`,
}

const viewFragment = ` fragment view on Node { __typename id ...on Agent { asOf asKnownAt isActive payStatus { name } membership { level { value } } upline { id isActive } }
	...on Certification { asOf asKnownAt status daysRemaining agent { id isActive } } ...on CertificationPeriod { isCurrent certification { id status } }
	...on PayStatusPeriod { isCurrent agent { id isActive } } ...on UplinePeriod { isCurrent agent { id isActive } upline { id isActive } } ...on LevelPeriod { isCurrent agent { id isActive } }
	...on W9Period { isCurrent agent { id isActive } } ...on Alias { agent { id isActive } } ...on Team { asOf asKnownAt memberCount } }`

// portraits are all objects with an id and a type below a value, by id, as far as the
// fragment view shows them.
func portraits(v any, into map[string]object) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			portraits(inner, into)
		}
	case object:
		shown := object{}
		for name, inner := range v {
			if portraits(inner, into); name != "downline" && name != "certifications" && name != "periods" && name != "aliases" && name != "roots" && !strings.HasSuffix(name, "Periods") {
				shown[name] = inner
			}
		}
		if id, ok := v["id"].(string); ok && v["__typename"] != nil {
			if upline, ok := shown["upline"].(object); ok { // of the agent itself all is shown
				shown["upline"] = object{"id": upline["id"], "isActive": upline["isActive"]}
			}
			into[id] = shown
		}
	}
}

// An id names a view: two dates of one object have two ids, and node gives back each
// with its children on its day, as it was known then. Read without a date, it is the
// plain id of the record.
func TestIdNamesTheView(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		c := family(t, w)
		c.Query(t, `mutation { aliasCreate(input: {agentCode: "MID", identifier: "W-1", initiator: "x"}) { applied } }`, nil)
		succeed(t, c, updatePayee, object{"input": object{"agentCode": "MID", "w9": object{"name": "Ana", "taxClassification": "INDIVIDUAL"}, "initiator": "x"}})
		w.RebuildNow(t, apptest.Acme)
		now := "2026-06-15T12:00:01.5Z"
		w.Clock.Move(2e9)
		succeed(t, c, applyStatus, object{"input": object{"agentCode": "MID", "status": "Active", "effectiveFrom": "2026-04-01", "initiator": "x"}})

		seen, types := map[string]bool{}, map[string]bool{}
		for _, variables := range []object{{}, {"on": "2026-06-15"}, {"on": "2026-02-01"}, {"on": "2026-03-15", "at": now}, {"at": now}, {"at": "2030-01-01T00:00:00Z"}} {
			found := map[string]object{}
			for _, view := range views {
				portraits(c.Query(t, `query($on: Date, $at: DateTime) { `+view+` }`+viewFragment, variables), found)
			}
			if len(found) < 12 {
				t.Fatalf("%v: only %d objects", variables, len(found))
			}
			plain := variables["on"] == nil && variables["at"] != now
			for id, shown := range found {
				types[shown["__typename"].(string)] = true
				if !plain && seen[id] {
					t.Errorf("%v: %v has the id of another view", variables, shown)
				}
				seen[id] = true
				again := c.Query(t, `query($id: ID!) { node(id: $id) { ...view } nodes(ids: [$id]) { ...view } }`+viewFragment, object{"id": id})
				equal(t, "node", apptest.At(again, "node"), shown)
				equal(t, "nodes", apptest.At(again, "nodes.0"), shown)
				raw, _ := base64.RawURLEncoding.DecodeString(id)
				equal(t, "a plain id "+string(raw), !strings.Contains(string(raw), "@"), plain)
			}
		}
		equal(t, "types", len(types), 9)
	})
}

// Arguments take both forms of an id and mean the record: what is read is said by
// onDate and asKnownAt. Mutations answer plain ids.
func TestDatedIdsAsArguments(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := family(t, w)
		c.Query(t, `mutation { aliasCreate(input: {agentCode: "MID", identifier: "W-1", initiator: "x"}) { applied } }`, nil)
		read := func(on any) (certification, alias any) {
			data := c.Query(t, `query($on: Date) { agent(agentCode: "MID", onDate: $on) { certifications { nodes { id } } aliases { nodes { id } } } }`, object{"on": on})
			return apptest.At(data, "agent.certifications.nodes.0.id"), apptest.At(data, "agent.aliases.nodes.0.id")
		}
		certification, alias := read(nil)
		dated, datedAlias := read("2025-06-01")
		equal(t, "another id", dated == certification, false)
		data := c.Query(t, `query($id: ID!, $alias: ID!) { plain: certification(id: $id) { id asOf } then: certification(id: $id, onDate: "2025-06-01") { id asOf } alias(id: $alias) { id } }`,
			object{"id": dated, "alias": datedAlias})
		equal(t, "without a date", apptest.At(data, "plain"), object{"id": certification, "asOf": "2026-06-15"})
		equal(t, "with a date", apptest.At(data, "then"), object{"id": dated, "asOf": "2025-06-01"})
		equal(t, "alias", apptest.At(data, "alias.id"), alias)
		changed := succeed(t, c, `mutation($id: ID!) { certificationUpdate(input: {id: $id, note: "x", initiator: "x"}) { certification { id agent { id } } userErrors { code } } }`, object{"id": dated})
		equal(t, "changed", apptest.At(changed, "certificationUpdate.certification.id"), certification)
		period := succeed(t, c, `mutation($id: ID!) { certificationPeriodApply(input: {certificationId: $id, status: EXPIRED, effectiveFrom: "2026-11-01", initiator: "x"}) { period { id certification { id } } userErrors { code } } }`, object{"id": dated})
		equal(t, "period", apptest.At(period, "certificationPeriodApply.period.certification.id"), certification)
		deleted := succeed(t, w.As(apptest.Acme), `mutation($id: ID!) { aliasDelete(input: {id: $id}) { deletedId userErrors { code } } }`, object{"id": datedAlias})
		equal(t, "deleted", apptest.At(deleted, "aliasDelete.deletedId"), alias)

		header := c.GraphQLWith(t, http.Header{"As-Of-Date": {"2025-06-01"}}, `query($dated: ID!) { certifications { nodes { id } } node(id: $dated) { id } }`, object{"dated": dated})
		equal(t, "the header asks, too", apptest.At(header.Data, "certifications.nodes.0.id"), dated)
		equal(t, "node of it", apptest.At(header.Data, "node.id"), dated)
		moved := c.Query(t, `{ hierarchyDiff(fromDate: "2026-06-15", toDate: "2026-10-01") { moved { agent { id asOf } fromUpline { id asOf } } } }`, nil)
		equal(t, "both days of a comparison", apptest.At(moved, "hierarchyDiff.moved.0.agent.id") == apptest.At(moved, "hierarchyDiff.moved.0.fromUpline.id"), false)
	})
}

// An id that this server would not have made names nothing.
func TestIdsNobodyMade(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := family(t, w)
	id := apptest.At(c.Query(t, `{ agent(agentCode: "MID", onDate: "2025-06-01") { id } }`, nil), "agent.id").(string)
	raw, _ := base64.RawURLEncoding.DecodeString(id)
	plain, _, _ := strings.Cut(string(raw), "@")
	reference := apptest.At(c.Query(t, `{ jurisdictions { id } }`, nil), "jurisdictions.0.id").(string)
	jurisdiction, _ := base64.RawURLEncoding.DecodeString(reference)
	for _, text := range []string{plain + "@", plain + "@2025-6-1", plain + "@2025-02-30", plain + "@@", plain + "@2025-06-01@", plain + "@2025-06-01@yesterday", plain + "@2025-06-01@2036-06-01T00:00:00Z",
		plain + "@2025-06-01@2025-06-01T00:00:00.0Z", plain + "@2025-06-01@2025-06-01T02:00:00+02:00", plain + "@2025-06-01@2025-06-01T00:00:00Z@", strings.Replace(plain, ":", ":0", 1) + "@2025-06-01",
		string(jurisdiction) + "@2025-06-01", "User:1@2025-06-01"} {
		equal(t, text, apptest.At(c.Query(t, `query($id: ID!) { node(id: $id) { id } }`, object{"id": base64.RawURLEncoding.EncodeToString([]byte(text))}), "node"), nil)
	}
}
