package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

const program = "github.com/uplinehq/upline/cmd/upline"

// built is what a binary would say of itself.
func built(known map[string]licence) *debug.BuildInfo {
	info := &debug.BuildInfo{GoVersion: "go1.26", Path: program, Main: debug.Module{Path: "github.com/uplinehq/upline"}}
	for module := range known {
		if module != standard {
			info.Deps = append(info.Deps, &debug.Module{Path: module, Version: "v1.0.0", Sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="})
		}
	}
	return info
}

// Everything in the binary has a licence, by its id and with its text, and everything in
// its pages does.
func TestEverythingHasALicence(t *testing.T) {
	known, err := licencesOf(program, nil)
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := embedded("../..")
	if err != nil {
		t.Fatal(err)
	}
	info := built(known)
	var text bytes.Buffer
	if err := writeLicences(&text, info, known, scripts); err != nil {
		t.Fatal(err)
	}
	// The last is that of documentation, which is no part of the binary.
	id := regexp.MustCompile(`^(Apache-2\.0|MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|MPL-2\.0|Unlicense|Zlib|OFL-1\.1|Unicode-DFS-2016|Unicode-3\.0|CC-BY-4\.0)$`)
	components := *bill(info, known, scripts).Components
	if len(known) < 30 || len(components) != len(known)+len(scripts) {
		t.Errorf("%d modules, %d scripts, %d components", len(known), len(scripts), len(components))
	}
	for _, c := range components {
		for _, l := range *c.Licenses {
			if l.License == nil || !id.MatchString(l.License.ID) {
				t.Errorf("%s has the licence %+v %s: may Upline use it?", c.Name, l.License, l.Expression)
			}
		}
		if len(*c.Licenses) == 0 || !strings.Contains(text.String(), c.Name+" ") {
			t.Errorf("%s has no licence, or no text of it", c.Name)
		}
	}
	var encoded bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&encoded, cyclonedx.BOMFileFormatJSON).Encode(bill(info, known, scripts)); err != nil || !json.Valid(encoded.Bytes()) {
		t.Errorf("%v", err)
	}
}

// without are packages that are published without a text: they only name their licence.
var without = []string{"react-remove-scroll-bar", "use-composed-ref"}

// What the workbench asks for is among what its page says it holds, each with a text.
func TestScriptsOfTheWorkbench(t *testing.T) {
	scripts, err := embedded("../..")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("../../web/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var asked struct{ Dependencies map[string]string }
	if err := json.Unmarshal(content, &asked); err != nil {
		t.Fatal(err)
	}
	for name, version := range asked.Dependencies {
		if !slices.ContainsFunc(scripts, func(s script) bool { return s.page == "workbench" && s.name == name && s.version == version }) {
			t.Errorf("the page of licences does not name %s %s", name, version)
		}
	}
	for _, told := range regexp.MustCompile(`(?m)^## `).Split(scripts[0].told, -1)[1:] {
		if name, text, _ := strings.Cut(told, "\n"); len(text) < 200 && !slices.Contains(without, strings.Fields(name)[0]) {
			t.Errorf("there is no text of the licence of %s", name)
		}
	}
	for _, page := range pages {
		if !slices.ContainsFunc(scripts, func(s script) bool { return s.page == page.name }) {
			t.Errorf("%s holds nothing", page.name)
		}
	}
}
