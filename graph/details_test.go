package graph_test

import (
	"os"
	"regexp"
	"slices"
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

// A field of reference data is one of the type, of its input and of what REST answers;
// and what its input may say is a line of its table, or the initiator.
func TestReferenceFieldsStandEverywhere(t *testing.T) {
	types := graph.Schema().Types
	for name, kind := range agency.References {
		names := []string{"initiator"}
		for _, line := range kind.Fields {
			names = append(names, line.Name)
			if types[name].Fields.ForName(line.Name) == nil {
				t.Errorf("%s has no %s", name, line.Name)
			}
			if name != "ProviderCompany" { // which REST has no path for
				fragment, err := os.ReadFile("../rest/operations/agency/fragments/" + name + ".graphql")
				if err != nil || !regexp.MustCompile(`\b`+line.Name+`\b`).Match(fragment) {
					t.Errorf("%s of REST has no %s (%v)", name, line.Name, err)
				}
			}
		}
		var sent []string
		for _, f := range types[name+"Input"].Fields {
			sent = append(sent, f.Name)
		}
		slices.Sort(names)
		if slices.Sort(sent); !slices.Equal(sent, names) {
			t.Errorf("%sInput has %q, its table %q", name, sent, names)
		}
	}
}
