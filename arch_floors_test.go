package upline_test

import (
	"slices"
	"strings"
	"testing"
)

// floors are the rooms of the house from the ground up. A room stands on those of lower
// floors only, so there is no circle between rooms.
var floors = [][]string{
	{"internal/date", "internal/known", "internal/money", "internal/patch", "internal/problem", "internal/scan", "internal/text"},
	{"internal/clock", "internal/enum", "internal/fields", "internal/value"},
	{"internal/check", "internal/tenant"},
	{"ent", "internal/history"},
	{"internal/platform"},
	{"internal/hierarchy", "internal/exchange"},
	{"internal/authorization"},
	{"internal/agency", "internal/onboarding", "internal/identity", "internal/insights", "internal/webhooks"},
	{"internal/demo"},
	{"graph"},
	{"rest"},
	{"mcp"},
	{"app"},
	{"cmd", "bench", "deploy", "mutants", "proof"},
}

func floorOf(pkg string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool {
		return slices.ContainsFunc(rooms, func(room string) bool { return fits(room+"/...", pkg) })
	})
}

func roomNamed(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	if parts[0] == "internal" && len(parts) > 1 {
		return "internal/" + parts[1]
	}
	return parts[0]
}

// TestFloors: every package is in a room, and imports rooms of lower floors only, or its
// own. Tests may look up.
func TestFloors(t *testing.T) {
	for _, f := range tree(t) {
		from := floorOf(f.pkg)
		if f.pkg == "." || f.test || fitsAny(testTools, f.pkg) {
			continue
		}
		if from < 0 {
			t.Errorf("%s is in no room", f.path)
			continue
		}
		for _, imported := range f.imports {
			to, inModule := strings.CutPrefix(imported, module+"/")
			if inModule && roomNamed(to) != roomNamed(f.pkg) && floorOf(to) >= from {
				t.Errorf("%s imports %s, which is no lower floor", f.path, to)
			}
		}
	}
}
