package events_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/uplinehq/upline/internal/platform/events"
)

// The complete event list (17), with its prefixes.
func TestEveryEventIsInTheCatalogue(t *testing.T) {
	want := map[string]string{
		"Platform.AgencyManagement.Events.": "AgentCreated AgentUpdated AgentDeleted AgentPayStatusChanged AgentW9Changed AgentDirectDepositChanged " +
			"AgentUplineChanged AgentLevelChanged AgentTagsChanged AgentAliasCreated AgentAliasDeleted CertificationCreated CertificationUpdated " +
			"CertificationStatusChanged CertificationDeleted CertificationExpiring HierarchyBuildCompleted ReferenceDataChanged SalesAuthorizationChanged",
		"Platform.AgentOnboarding.Events.": "ApplicationCreated ApplicationUpdated ApplicationSubmitted ApplicationStatusChanged ApplicationProcessed " +
			"ApplicationRejected ConfigurationPublished ContractPublished",
		"Platform.IdentityManagement.Events.": "UserCreated UserUpdated UserApproved",
		"Platform.Webhooks.Events.":           "Ping",
	}
	var names []string
	for prefix, short := range want {
		for _, s := range strings.Fields(short) {
			names = append(names, prefix+s)
		}
	}
	var got []string
	seen := map[string]bool{}
	for _, e := range events.Catalogue() {
		got = append(got, e.Name)
		if seen[e.ShortName] {
			t.Errorf("the short name %s stands for two types", e.ShortName)
		}
		seen[e.ShortName] = true
		if e.Description == "" || e.Area == "" || e.Wildcard != strings.TrimSuffix(e.Name, e.ShortName)+"*" {
			t.Errorf("%s: area %q, wildcard %q, description %q", e.Name, e.Area, e.Wildcard, e.Description)
		}
	}
	slices.Sort(names)
	slices.Sort(got)
	if !slices.Equal(got, names) {
		t.Errorf("the catalogue holds %v", got)
	}
}

// "Short names and …Events.* are accepted", and HierarchyBuildCompleted "also
// without prefix" (17).
func TestNamesOfSubscriptions(t *testing.T) {
	for _, test := range []struct {
		names   []string
		types   []string
		unknown []int
	}{
		{[]string{"AgentCreated"}, []string{events.AgentCreated}, nil},
		{[]string{events.AgentUpdated, "AgentUpdated"}, []string{events.AgentUpdated}, nil},
		{[]string{"HierarchyBuildCompleted"}, []string{events.HierarchyBuildCompleted}, nil},
		{[]string{"Platform.IdentityManagement.Events.*", "UserCreated"}, []string{events.UserCreated, events.UserUpdated, events.UserApproved}, nil},
		{[]string{"*", "Ping", "agentcreated", "Platform.AgencyManagement.Events.Ping", ""}, []string{events.Ping}, []int{0, 2, 3, 4}},
		{nil, nil, nil},
	} {
		types, unknown := events.Resolve(test.names)
		if !slices.Equal(types, test.types) || !slices.Equal(unknown, test.unknown) {
			t.Errorf("%q stand for %v, unknown are %v", test.names, types, unknown)
		}
	}
	if all, _ := events.Resolve([]string{"Platform.AgencyManagement.Events.*"}); len(all) != 19 {
		t.Errorf("agency management has %d types", len(all))
	}
	if _, ok := events.Lookup("Platform.Webhooks.Events.*"); ok {
		t.Error("a prefix is taken for a type")
	}
}

// Every sample is a body as item 17 shows it, and its data fits the schema.
func TestSamplesFitTheirSchemas(t *testing.T) {
	for _, e := range events.Catalogue() {
		schema := compile(t, e)
		var body map[string]json.RawMessage
		if err := json.Unmarshal(e.Sample, &body); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		for _, name := range []string{"id", "type", "schemaVersion", "occurredAt", "tenantIdentifier", "initiator", "traceId", "data"} {
			if body[name] == nil {
				t.Errorf("%s: the sample has no %s", e.Name, name)
			}
		}
		if string(body["type"]) != `"`+e.Name+`"` || string(body["schemaVersion"]) != "1" || string(body["occurredAt"]) != `"2026-11-20T09:00:00Z"` {
			t.Errorf("%s: the sample is %s", e.Name, e.Sample)
		}
		if err := schema.Validate(decoded(t, body["data"])); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if schema.Validate(map[string]any{}) == nil || schema.Validate(map[string]any{"firstName": "Ana"}) == nil {
			t.Errorf("%s: the schema accepts anything", e.Name)
		}
	}
}

// "never sensitive values" (17): the schemas name every property, so nothing
// else can be in an event, and the name of a changed field cannot be a value.
func TestNothingSensitiveFitsASchema(t *testing.T) {
	for _, e := range events.Catalogue() {
		var schema map[string]any
		if err := json.Unmarshal(e.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		walk(t, e.Name, schema)
	}
	for _, value := range []string{"123-45-6789", "123456789", "021000021", "Ana Diaz", "ana@example.com", "1980-05-04", "homeAddress=1 Main St", ""} {
		data := decoded(t, []byte(`{"agentCode":"A1","operation":"agentUpdate","changedFields":[],"effectiveFrom":null,"links":{"rest":"/x","graphqlId":"x"}}`)).(map[string]any)
		e, _ := events.Lookup(events.AgentUpdated)
		schema := compile(t, e)
		if err := schema.Validate(data); err != nil {
			t.Fatal(err)
		}
		data["changedFields"] = []any{value}
		if schema.Validate(data) == nil {
			t.Errorf("%q passes as the name of a field", value)
		}
	}
}

// denied are parts of names of what is sensitive, or a person's.
var denied = []string{"ssn", "ein", "tax", "government", "birth", "account", "routing", "institution", "transit", "bank", "password", "secret",
	"token", "signature", "email", "phone", "address", "firstname", "lastname", "name"}

// allowed are names that hold a denied part and are harmless.
var allowed = []string{"username"}

func walk(t *testing.T, where string, schema map[string]any) {
	t.Helper()
	if schema["type"] == "object" && schema["additionalProperties"] != false {
		t.Errorf("%s accepts more than it names", where)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		for _, part := range denied {
			if strings.Contains(strings.ToLower(name), part) && !slices.Contains(allowed, name) {
				t.Errorf("%s: %s may be sensitive", where, name)
			}
		}
		if p := property.(map[string]any); p["type"] == nil || p["description"] == nil {
			if p["type"] == nil || !strings.Contains(where, ".links") {
				t.Errorf("%s: %s has no type or description", where, name)
			}
		} else {
			walk(t, where+"."+name, p)
		}
	}
}

func compile(t *testing.T, e events.Type) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4) // the schema has to say which one it is
	c.AssertFormat()
	if err := c.AddResource("data.json", decoded(t, e.Schema)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("data.json")
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	if schema.DraftVersion != 2020 {
		t.Errorf("%s: the schema is of draft %d", e.Name, schema.DraftVersion)
	}
	return schema
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
