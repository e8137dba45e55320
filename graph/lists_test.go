package graph

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/tenant"
)

// Lists multiply what is selected below them, so the cost limit has to know how
// many rows each makes room for. A list is the page of a connection, says its
// size with @listSize (for a small one: assumed), or holds objects without
// objects of their own: those come with their owner, and end there.
func TestEveryListHasASize(t *testing.T) {
	s := Schema()
	sized := map[string]bool{} // by the field around them
	for _, parent := range s.Types {
		for _, field := range parent.Fields {
			if d := field.Directives.ForName("listSize"); d != nil && d.Arguments.ForName("sizedFields") != nil {
				for _, name := range d.Arguments.ForName("sizedFields").Value.Children {
					sized[field.Type.Name()+"."+name.Value.Raw] = true
				}
			}
		}
	}
	lists := 0
	for _, parent := range s.Types {
		if parent.Kind == ast.InputObject || strings.HasPrefix(parent.Name, "__") {
			continue
		}
		for _, field := range parent.Fields {
			if field.Type.Elem == nil || !holdsObjects(s, s.Types[field.Type.Name()]) {
				continue
			}
			lists++
			page := strings.HasSuffix(parent.Name, "Connection") && (field.Name == "edges" || field.Name == "nodes")
			if !page && !sized[parent.Name+"."+field.Name] && field.Directives.ForName("listSize") == nil {
				t.Errorf("%s.%s is a list that the cost limit counts as one row: give it @listSize, such as @listSize(assumedSize: 10)", parent.Name, field.Name)
			}
		}
	}
	if lists < 30 {
		t.Errorf("%d lists were seen, want those of the schema", lists)
	}
}

// holdsObjects reports whether a type has fields that return objects.
func holdsObjects(s *ast.Schema, of *ast.Definition) bool {
	if of.IsLeafType() {
		return false
	}
	for _, object := range s.GetPossibleTypes(of) {
		if slices.ContainsFunc(object.Fields, func(f *ast.FieldDefinition) bool { return !s.Types[f.Type.Name()].IsLeafType() }) {
			return true
		}
	}
	return false
}

// What lists are asked for is what they cost, so that no operation has room for
// more rows than the limit allows; ordinary operations stay below it.
func TestCostOfLists(t *testing.T) {
	s := New(Config{Resolver: &resolve.Resolver{}})
	ctx := tenant.With(graphql.StartOperationTrace(t.Context()), &tenant.Tenant{ID: 1, DefaultPageSize: 50, MaxPageSize: 100})
	cost := func(query string, variables map[string]any) int64 {
		t.Helper()
		op, errs := s.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables})
		c, ok := limits.Of(op)
		if !ok {
			t.Fatalf("%s has no cost: %v", query, errs)
		}
		return c.Requested
	}
	many := make([]any, 100)
	for i := range many {
		many[i] = "QWdlbnQ6MQ"
	}
	moves := make([]any, 500)
	for i := range moves {
		moves[i] = map[string]any{"agentCode": "A1", "newUplineAgentCode": "A2"}
	}
	reorg := map[string]any{"i": map[string]any{"moves": moves, "effectiveFrom": "2026-01-01", "initiator": "hr"}}
	for _, c := range []struct {
		query     string
		variables map[string]any
		allowed   bool
	}{
		{`{ agent(agentCode: "A") { downlineTree(maxDepth: 12, maxNodes: 2000) { nodes { agent { downline(first: 40) { nodes { certifications(first: 100) { nodes { id } } } } } } } } }`, nil, false},
		{`{ agent(agentCode: "A") { downlineTree(maxDepth: 12, maxNodes: 2000) { nodes { depth agent { displayName } } } } }`, nil, true},
		{`query ($i: [ID!]!) { nodes(ids: $i) { ... on Agent { downline(first: 100) { nodes { id } } } } }`, map[string]any{"i": many}, false},
		{`query ($i: [ID!]!) { nodes(ids: $i) { id ... on Agent { displayName upline { id } } } }`, map[string]any{"i": many}, true},
		{`{ hierarchyDiff(fromDate: "2026-01-01", toDate: "2026-02-01", maxChanges: 2000) { moved { agent { certifications { nodes { id } } } } } }`, nil, false},
		{`{ hierarchyDiff(fromDate: "2026-01-01", toDate: "2026-02-01") { added { agentCode } removed { agentCode } moved { agent { agentCode } fromUpline { agentCode } toUpline { agentCode } } levelChanged { agent { agentCode } fromLevel toLevel } } }`, nil, true},
		{`{ agents(first: 100) { nodes { uplineChain(maxDepth: 64) { agent { id } } } } }`, nil, false},
		{`{ agents { nodes { agentCode uplineChain { depth agent { agentCode } } } } }`, nil, true},
		{`mutation ($i: ReorgApplyInput!) { reorgApply(input: $i, dryRun: true) { moves { agent { downline(first: 20) { nodes { id } } } } } }`, reorg, false},
		{`mutation ($i: ReorgApplyInput!) { reorgApply(input: $i, dryRun: true) { applied moves { agent { agentCode } fromUpline { agentCode } toUpline { agentCode } subtreeSize upline { operations { kind } } } userErrors { code } } }`, reorg, true},
	} {
		if got := cost(c.query, c.variables); (got <= limits.MaxCost) != c.allowed {
			t.Errorf("%.150s costs %d, allowed: %t", c.query, got, !c.allowed)
		}
	}
	for _, pattern := range []string{"../bench/queries/*.graphql", "playground/examples/*.graphql"} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			t.Errorf("no operation in %s", pattern)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input := map[string]any{"initiator": "hr"}
			switch filepath.Base(file) {
			case "write.graphql":
				maps.Copy(input, map[string]any{"agentCode": "A", "type": "LIFE", "isResidentCertification": true, "isVerified": true})
			case "suspension.graphql":
				maps.Copy(input, map[string]any{"agentCode": "A", "status": "Suspended", "effectiveFrom": "2026-01-01"})
			}
			if got := cost(string(text), map[string]any{"agentCode": "A", "id": "1", "slug": "headcount", "input": input}); got > limits.MaxCost {
				t.Errorf("%s costs %d, which is refused", file, got)
			}
		}
	}
}
