package doors_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// "an initiator string recorded for auditing" (Common conventions): of every
// mutation, a success leaves exactly one entry that says who changed which
// fields of what, or one for each set of fields when some objects change in other
// fields than others; a dry run, a refusal and a request that changes nothing leave
// none.
func TestEveryMutationIsAudited(t *testing.T) {
	for _, surface := range []string{"GRAPHQL", "REST"} {
		t.Run(surface, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *apptest.World) {
				sendSamples(t, w, surface)
			})
		})
	}
}

// sendSamples sends every sample through one of the doors.
func sendSamples(t *testing.T, w *apptest.World, surface string) {
	t.Helper()
	a := newTrail(t, w, surface)
	for _, code := range []string{"U1", "U2"} {
		if status, _, answer := a.REST(t, "POST", "/agents", object{"agentCode": code, "firstName": "Up", "lastName": "Line", "status": "Active",
			"startDate": "2026-01-01T12:00:00Z", "teams": object{"default": object{"level": 30}}, "initiator": "hr"}); status != 201 {
			t.Fatalf("register %s: %d %s", code, status, answer)
		}
	}
	a.Query(t, aProduct, nil)
	for _, m := range auditedSamples {
		a.check(t, m)
	}
}

// check sends a mutation in all ways and compares what it leaves.
func (a *trail) check(t *testing.T, m audited) {
	t.Helper()
	count := len(a.entries(t, "WRITE"))
	none := func(what, answer string) {
		t.Helper()
		if n := len(a.entries(t, "WRITE")); n != count {
			t.Errorf("%s: %s left %d entries: %s", m.mutation, what, n-count, answer)
			count = n
		}
	}
	if a.definition(t, m.mutation)["dryRun"] != "" && (a.surface == "GRAPHQL" || m.mutation != "agentRegister") {
		refused, answer := a.send(t, m, nil, true)
		if refused {
			t.Errorf("%s: the dry run was refused: %s", m.mutation, answer)
		}
		none("a dry run", answer)
	}
	refused, answer := a.send(t, m, m.wrong, false)
	if !refused {
		t.Errorf("%s with %v was not refused: %s", m.mutation, m.wrong, answer)
	}
	none("a refused request", answer)
	if refused, answer = a.send(t, m, nil, false); refused {
		t.Errorf("%s was refused: %s", m.mutation, answer)
		return
	}
	entries := a.entries(t, "WRITE")
	all := append(slices.Clone(m.more), changedIn{m.keys, m.fields})
	if len(entries) != count+len(all) {
		t.Errorf("%s left %d entries; want %d", m.mutation, len(entries)-count, len(all))
		return
	}
	for i, of := range all {
		m.keys, m.fields = of.keys, of.fields
		a.compare(t, m, entries[len(all)-1-i])
	}
	count += len(all)
	_, answer = a.send(t, m, nil, false)
	none("the same request again", answer)
}

// withoutID takes the id out of certifications.12.note.
var withoutID = regexp.MustCompile(`^(certifications\.)\d+`)

// compare compares an entry with what the sample says.
func (a *trail) compare(t *testing.T, m audited, entry any) {
	t.Helper()
	surface := a.surface
	if m.path == "" {
		surface = "GRAPHQL"
	}
	got := entry.(object)
	var fields []string
	for _, change := range got["changes"].([]any) {
		field := withoutID.ReplaceAllString(apptest.At(change, "field").(string), "$1*")
		if apptest.At(change, "fingerprint") != nil {
			field += "#"
		}
		fields = append(fields, field)
	}
	slices.Sort(fields)
	delete(got, "changes")
	delete(got, "sequence")
	var keys []any
	for _, k := range m.keys {
		keys = append(keys, k)
	}
	want := object{"operation": m.mutation, "surface": surface, "initiator": "hr", "subject": a.client, "clientId": a.client, "entityType": m.entity, "entityKeys": keys}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the entry of %s is\n%v; want\n%v", m.mutation, got, want)
	}
	if expected := slices.Sorted(slices.Values(m.fields)); !slices.Equal(fields, expected) {
		t.Errorf("%s changed %q; want %q", m.mutation, fields, expected)
	}
}

// A mutation is not added to the schema without a sample here, and those without
// a path in REST are known.
func TestAuditedSamplesAreComplete(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		var mutations, sampled, graphQLOnly []string
		for _, field := range w.Graph.Schema().Mutation.Fields {
			// Those of other areas have an initiator of their own, or none:
			// TestWebhookChangesAreAudited, TestIdentityChangesAreAudited,
			// TestPublicationsAreAudited, TestApplicationChangesAreAudited,
			// TestRecipeChangesAreAudited, TestOwnRecipeChangesAreAudited, TestScenarioHasVersions, TestPresets. A file takes more than arguments:
			// TestImportsAreAudited, TestExportsAreAudited.
			if field.Name != "bulkImport" && field.Name != "bulkUnderstand" && field.Name != "changeUndo" /* which calls the others */ && !strings.HasPrefix(field.Name, "export") && !strings.HasPrefix(field.Name, "__") && !strings.HasPrefix(field.Name, "webhook") && !strings.HasPrefix(field.Name, "application") &&
				publications[field.Name] == "" && !ofIdentity(field.Name) && !strings.HasPrefix(field.Name, "reportRecipe") && !strings.HasPrefix(field.Name, "agencyRecipe") && !strings.HasPrefix(field.Name, "scenario") && !strings.HasPrefix(field.Name, "preset") {
				mutations = append(mutations, field.Name)
			}
		}
		for _, m := range auditedSamples {
			sampled = append(sampled, m.mutation)
			if m.path == "" {
				graphQLOnly = append(graphQLOnly, m.mutation)
			}
		}
		slices.Sort(mutations)
		slices.Sort(sampled)
		if !slices.Equal(mutations, sampled) {
			t.Errorf("the schema has\n%q; sampled are\n%q", mutations, sampled)
		}
		if want := []string{"providerCompanyUpsert", "productionRecordUpsert", "commissionPaymentRecord", "productCreate", "productUpdate", "productRuleApply", "productDelete", "reorgApply"}; !slices.Equal(graphQLOnly, want) {
			t.Errorf("without REST: %q; want %q", graphQLOnly, want)
		}
	})
}

// Fingerprints of a sensitive field are equal for equal values, however they are
// spelled, and different for others; the values are in no entry.
func TestAuditFingerprintsTellEqualValues(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		apptest.Register(t, a.Caller, "F1", object{"governmentIdentifier": "523-45-6781", "w9": object{"name": "F", "taxClassification": "Individual", "taxpayerIdentifier": "523-45-6781"}})
		apptest.Register(t, a.Caller, "F2", object{"governmentIdentifier": "523 45 6781"})
		for _, identifier := range []string{"523-45-6789", "523456781"} {
			if status, _, answer := a.REST(t, "PATCH", "/agents/F1", object{"governmentIdentifier": identifier, "initiator": "hr"}); status != 200 {
				t.Fatalf("%d %s", status, answer)
			}
		}
		entries := a.entries(t, "WRITE")
		slices.Reverse(entries)
		prints := map[string][]any{}
		for _, entry := range entries {
			for _, change := range apptest.At(entry, "changes").([]any) {
				if print := apptest.At(change, "fingerprint"); print != nil {
					field := apptest.At(change, "field").(string)
					prints[field] = append(prints[field], print)
				}
			}
		}
		identifiers, taxIDs := prints["governmentIdentifier"], prints["w9.taxpayerIdentifier"]
		if len(identifiers) != 4 || len(taxIDs) != 1 {
			t.Fatalf("fingerprints: %v", prints)
		}
		if identifiers[0] != identifiers[1] || identifiers[0] != identifiers[3] || identifiers[0] == identifiers[2] {
			t.Errorf("fingerprints %v; want those of equal values equal, the third another", identifiers)
		}
		if taxIDs[0] == identifiers[0] {
			t.Error("two fields have the same fingerprint")
		}
		if text, err := json.Marshal(entries); err != nil || strings.Contains(string(text), "6781") {
			t.Errorf("the entries hold a value (%v): %s", err, text)
		}
	})
}
