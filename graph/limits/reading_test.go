package limits

import (
	"fmt"
	"slices"
	"testing"
)

// What the database reads beside the rows of an answer costs, however it is written.
func TestWhatIsReadCosts(t *testing.T) {
	codes := slices.Repeat([]any{"A"}, 70)
	for _, test := range []struct {
		query     string
		variables map[string]any
		want      int64
	}{
		{`{ deep(first: 1) { totalCount } }`, nil, 1},
		{`{ deep(first: 1, offset: 4999) { totalCount } }`, nil, 1},
		{`{ deep(first: 1, offset: 210000) { totalCount } }`, nil, 1 + 42},
		{`query ($n: Int) { deep(first: 1, offset: $n) { totalCount } }`, map[string]any{"n": 210000}, 1 + 42},
		{`{ a: deep(first: 1, offset: 210000) { totalCount } b: deep(first: 1, offset: 210000) { totalCount } }`, nil, 2 * (1 + 42)},
		{`{ deep(first: 1, offset: -5) { totalCount } }`, nil, 1},
		{`{ deep(first: 1, offset: 2147483647) { totalCount } }`, nil, 1 + 400},
		{`query ($c: [String!]) { found(codes: $c) { id } }`, map[string]any{"c": codes}, 1 + 7},
		{`query ($c: [ID!]) { found(in: {ids: $c}) { id } }`, map[string]any{"c": codes}, 1 + 7},
		{`query ($i: In) { found(in: $i) { id } }`, map[string]any{"i": map[string]any{"ids": codes}}, 1 + 7},
		{`query ($c: [String!]) { found(codes: $c) @skip(if: true) { id } name }`, map[string]any{"c": codes}, 0},
		{`{ found(codes: ["A", "B"]) { id } }`, nil, 1},
	} {
		r := run(newExecutor(Config{}), test.query, test.variables)
		if len(r.Errors) > 0 {
			t.Fatalf("%s: %v", test.query, r.Errors)
		}
		if cost, _ := r.Extensions["cost"].(Cost); cost.Requested != test.want {
			t.Errorf("%s: costs %d, want %d", test.query, cost.Requested, test.want)
		}
	}
	// Twenty deep pages are more than one operation may read.
	far := "{ " + repeated(20, "a%d: deep(first: 1, offset: 2000000) { totalCount }") + "}"
	if r := run(newExecutor(Config{Enforce: true}), far, nil); len(r.Errors) != 1 || r.Errors[0].Extensions["code"] != CodeCost {
		t.Errorf("twenty deep pages: %v", r.Errors)
	}
	long := fmt.Sprintf(`{ deep(first: 1, offset: %s) { totalCount } }`, "99999999999999999999")
	if r := run(newExecutor(Config{Enforce: true}), long, nil); len(r.Errors) == 0 {
		t.Error("an offset without an end is free")
	}
}
