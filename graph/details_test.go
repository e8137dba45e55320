package graph_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/agency"
)

// A detail of an agent is a field of the type, of both inputs and of what REST answers;
// and what an update may change is a detail, or the identifier.
func TestDetailsStandEverywhere(t *testing.T) {
	fragment, err := os.ReadFile("../rest/operations/agency/fragments/Agent.graphql")
	if err != nil {
		t.Fatal(err)
	}
	types := graph.Schema().Types
	details := map[string]bool{"governmentIdentifier": true, "initiator": true}
	for _, detail := range agency.AgentDetails {
		details[detail.Name] = true
		for _, name := range []string{"Agent", "AgentRegisterInput", "AgentUpdateInput"} {
			if types[name].Fields.ForName(detail.Name) == nil {
				t.Errorf("%s has no %s", name, detail.Name)
			}
		}
		if !regexp.MustCompile(`(?m)^  ` + detail.Name + `$`).Match(fragment) {
			t.Errorf("the agent of REST has no %s", detail.Name)
		}
	}
	for _, f := range types["AgentUpdateInput"].Fields {
		if !details[f.Name] {
			t.Errorf("%s of an update is no line of agency.Details", f.Name)
		}
	}
}
