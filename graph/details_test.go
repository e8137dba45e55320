package graph_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/words/fields"
)

// A line of a table of fields is a field of the type, of its inputs and of what REST
// answers.
func TestDetailsStandEverywhere(t *testing.T) {
	types := graph.Schema().Types
	for name, table := range map[string]struct {
		inputs   []string
		lines    []fields.Line
		fragment string // of REST; as the type is named
	}{
		"Agent":         {[]string{"AgentRegisterInput", "AgentUpdateInput"}, agency.AgentDetails, ""},
		"Address":       {[]string{"AddressInput"}, agency.AddressFields, ""},
		"Phone":         {[]string{"PhoneInput", "PhoneUpdateInput"}, agency.PhoneFields, ""},
		"Certification": {[]string{"CertificationUpsertInput", "CertificationUpdateInput"}, agency.CertificationFields, "CertificationIdentity"},
	} {
		fragment, err := os.ReadFile("../rest/operations/agency/fragments/" + cmp.Or(table.fragment, name) + ".graphql")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range table.lines {
			for _, in := range append(table.inputs, name) {
				if types[in].Fields.ForName(line.Name) == nil {
					t.Errorf("%s has no %s", in, line.Name)
				}
			}
			if !regexp.MustCompile(`\b` + line.Name + `\b`).Match(fragment) {
				t.Errorf("%s of REST has no %s", name, line.Name)
			}
		}
	}
}

// What an update may change is a line of the table, or one of a few that are none.
func TestUpdatesChangeLines(t *testing.T) {
	for input, table := range map[string]struct {
		lines  []fields.Line
		beside []string
	}{
		"AgentUpdateInput":         {agency.AgentDetails, []string{"governmentIdentifier", "initiator"}},
		"AddressInput":             {agency.AddressFields, nil},
		"PhoneUpdateInput":         {agency.PhoneFields, nil},
		"CertificationUpdateInput": {agency.CertificationFields, []string{"status", "initiator"}},
	} {
		names := table.beside
		for _, line := range table.lines {
			names = append(names, line.Name)
		}
		for _, f := range graph.Schema().Types[input].Fields {
			if !slices.Contains(names, f.Name) {
				t.Errorf("%s of %s is no line of the table", f.Name, input)
			}
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
