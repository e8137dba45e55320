package graph_test

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/graph"
)

// Every mutation has the same form: one argument input, and dryRun where there is a dry
// run; its input and its payload are its own, so that each can grow (docs/schema-changes.md).
func TestMutationsHaveOneForm(t *testing.T) {
	types := graph.Schema().Types
	for _, m := range graph.Schema().Mutation.Fields {
		name := strings.ToUpper(m.Name[:1]) + m.Name[1:]
		if got := m.Type.String(); got != name+"Payload!" {
			t.Errorf("%s returns %s", m.Name, got)
		}
		for _, a := range m.Arguments {
			switch typed := a.Name + ": " + a.Type.String(); typed {
			case "input: " + name + "Input!", "dryRun: Boolean!":
			default:
				t.Errorf("%s has the argument %s", m.Name, typed)
			}
		}
		input := types[name+"Input"]
		if input == nil {
			if m.Name != "viewerSessionsEnd" { // which has nothing to be told
				t.Errorf("%s has no input", m.Name)
			}
			continue
		}
		if by := input.Fields.ForName("initiator"); by != nil && by.Type.NonNull {
			t.Errorf("%s demands an initiator", m.Name)
		}
		required := 0
		for _, f := range input.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				required++
			}
		}
		if most := keysOfUpdates[m.Name]; strings.HasSuffix(m.Name, "Update") && required > most {
			t.Errorf("%s demands %d fields; want %d", m.Name, required, most)
		}
	}
}

// keysOfUpdates are the updates whose input demands something, and how many fields: the
// keys, and what is all that is changed.
var keysOfUpdates = map[string]int{
	"agentUpdate": 1, "agentContactUpdate": 1, "agentPayeeUpdate": 1, "agentMembershipUpdate": 2, "agentTagsUpdate": 2,
	"certificationUpdate": 1, "certificationTypeUpdate": 1, "jurisdictionUpdate": 1, "payStatusUpdate": 1, "agentLevelUpdate": 1, "tagUpdate": 1, "productUpdate": 1,
	"scenarioUpdate": 2, // its key, and which version of it
	"clientUpdate":   1, "signInProviderUpdate": 1, "userUpdate": 1, "roleUpdate": 1, "webhookSubscriptionUpdate": 1, "applicationUpdate": 1,
}
