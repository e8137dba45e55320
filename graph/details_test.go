package graph_test

import (
	"cmp"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/onboarding"
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
		"Certification": {[]string{"CertificationUpsertInput", "CertificationUpdateInput"}, certification.Fields, "CertificationIdentity"},
		"W9":            {[]string{"W9Input", "W9UpdateInput"}, payee.W9Fields, ""},
		"W9Address":     {[]string{"W9AddressInput"}, payee.W9AddressFields, "W9"},
		"DirectDeposit": {[]string{"DirectDepositInput"}, payee.BankFields, ""},
	} {
		fragment, err := os.ReadFile("../rest/operations/agency/fragments/" + cmp.Or(table.fragment, name) + ".graphql")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range table.lines {
			for _, in := range append(table.inputs, name) {
				switch f := types[in].Fields.ForName(line.Field()[0]); {
				case f == nil:
					t.Errorf("%s has no %s", in, line.Path())
				case (f.Directives.ForName("sensitive") != nil) != (line.Sealed != ""):
					t.Errorf("%s.%s and its line do not say the same of whether it is sensitive", in, line.Path())
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
		"AgentUpdateInput":         {agency.AgentDetails, []string{"agentCode", "governmentIdentifier", "initiator", "reason"}},
		"AddressInput":             {agency.AddressFields, nil},
		"PhoneUpdateInput":         {agency.PhoneFields, nil},
		"CertificationUpdateInput": {certification.Fields, []string{"id", "status", "initiator", "reason"}},
		"W9UpdateInput":            {payee.W9Fields, []string{"address"}},
		"W9AddressInput":           {payee.W9AddressFields, nil},
		"DirectDepositInput":       {payee.BankFields, nil},
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

// A field of reference data is one of the type, of its inputs and of what REST answers;
// and what its inputs may say is a line of its table, its team, or the initiator.
func TestReferenceFieldsStandEverywhere(t *testing.T) {
	types := graph.Schema().Types
	for name, kind := range reference.References {
		names := []string{"initiator"}
		for _, line := range kind.Fields {
			names = append(names, line.Name)
			if types[name].Fields.ForName(line.Name) == nil {
				t.Errorf("%s has no %s", name, line.Name)
			}
			if name != "ProviderCompany" && name != "Product" { // which REST has no paths for
				fragment, err := os.ReadFile("../rest/operations/agency/fragments/" + name + ".graphql")
				if err != nil || !regexp.MustCompile(`\b`+line.Name+`\b`).Match(fragment) {
					t.Errorf("%s of REST has no %s (%v)", name, line.Name, err)
				}
			}
		}
		slices.Sort(names)
		for _, input := range []string{name + "CreateInput", name + "UpdateInput", name + "UpsertInput"} {
			var sent []string
			if types[input] == nil {
				continue
			}
			for _, f := range types[input].Fields {
				if f.Name != "team" && f.Name != "reason" { // the reason goes to the audit trail alone
					sent = append(sent, f.Name)
				}
			}
			if slices.Sort(sent); !slices.Equal(sent, names) {
				t.Errorf("%s has %q, its table %q", input, sent, names)
			}
		}
	}
}

// A setting of an agency is a field of the type and of the input, but for its master,
// which the operator chooses; and what the input may say is a line of the table.
func TestSettingsStandEverywhere(t *testing.T) {
	var names []string
	for _, line := range directory.SettingsFields {
		if line.Name != "master" {
			names = append(names, line.Name)
		}
	}
	slices.Sort(names)
	for _, typeName := range []string{"TenantSettings", "TenantSettingsUpdateInput"} {
		var has []string
		for _, f := range graph.Schema().Types[typeName].Fields {
			has = append(has, f.Name)
		}
		has = slices.DeleteFunc(has, func(name string) bool { return name == "lastModified" || name == "reason" })
		if slices.Sort(has); !slices.Equal(has, names) {
			t.Errorf("%s has %q, the table %q", typeName, has, names)
		}
	}
}

// A field of an application is one of the type, of its input and of what REST answers,
// and all of them say the same of whether it is sensitive.
func TestApplicationFieldsStandEverywhere(t *testing.T) {
	var fragments strings.Builder
	for _, name := range []string{"Application", "ApplicationAddress", "ApplicationPhone"} {
		fragment, err := os.ReadFile("../rest/operations/onboarding/fragments/" + name + ".graphql")
		if err != nil {
			t.Fatal(err)
		}
		fragments.Write(fragment)
	}
	rest, err := parser.ParseQuery(&ast.Source{Input: fragments.String()})
	if err != nil {
		t.Fatal(err)
	}
	a := answered{t, rest}
	for _, input := range []string{"ApplicationCreateInput", "ApplicationReplaceInput", "ApplicationUpdateInput"} {
		a.section(reflect.TypeFor[onboarding.Form](), "Application", input, "", rest.Fragments.ForName("Application").SelectionSet)
	}
}

// answered is what REST answers of an application.
type answered struct {
	*testing.T
	rest *ast.QueryDocument
}

// section looks for the fields of a section of the form, which is at a path of it.
func (a answered) section(section reflect.Type, typeName, inputName, path string, answered ast.SelectionSet) {
	types := graph.Schema().Types
	for i := range section.NumField() {
		field := section.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			name = strings.ToLower(field.Name[:1]) + field.Name[1:]
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		shown, sent, answer := types[typeName].Fields.ForName(name), types[inputName].Fields.ForName(name), a.selected(answered, name)
		if shown == nil || sent == nil || answer == nil {
			a.Errorf("%s, %s or REST has no %s", typeName, inputName, at)
			continue
		}
		isSecret := slices.ContainsFunc(onboarding.Secrets, func(s onboarding.Secret) bool { return s.Name() == at })
		for _, says := range []bool{field.Tag.Get("sealed") != "", shown.Directives.ForName("sensitive") != nil, sent.Directives.ForName("sensitive") != nil} {
			if says != isSecret {
				a.Errorf("%s: its tag, type, input and onboarding.Secrets do not say the same of whether it is sensitive", at)
			}
		}
		below := field.Type
		for below.Kind() == reflect.Pointer || below.Kind() == reflect.Slice {
			below = below.Elem()
		}
		if below.Kind() == reflect.Struct {
			a.section(below, shown.Type.Name(), sent.Type.Name(), at, answer.SelectionSet)
		}
	}
}

// selected is the field of a name in a selection, or in a fragment of it.
func (a answered) selected(of ast.SelectionSet, name string) *ast.Field {
	for _, s := range of {
		switch s := s.(type) {
		case *ast.Field:
			if s.Name == name {
				return s
			}
		case *ast.FragmentSpread:
			if f := a.selected(a.rest.Fragments.ForName(s.Name).SelectionSet, name); f != nil {
				return f
			}
		}
	}
	return nil
}
