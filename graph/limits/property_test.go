package limits

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"pgregory.net/rapid"
)

// selection is a random selection of the test schema: a field, or a fragment.
type selection struct {
	text  string // the field with its arguments, or "" for a fragment
	below []selection
	on    string // the type of the selection set below, "" for a leaf
	skip  string // a directive
}

// drawSet draws a selection set of a type.
func drawSet(t *rapid.T, on string, depth int) []selection {
	choices := map[string][]selection{
		"Query":           {{text: "agent", on: "Agent"}, {text: "heavy", on: "Agent"}, {text: "agents", on: "AgentConnection"}, {text: "recent", on: "AgentConnection"}, {text: "few", on: "Agent"}, {text: "name"}},
		"Agent":           {{text: "upline", on: "Agent"}, {text: "free", on: "Agent"}, {text: "downline", on: "AgentConnection"}, {text: "chain", on: "Agent"}, {text: "tree", on: "Tree"}, {text: "summary", on: "Summary"}, {text: "id"}, {text: "score"}},
		"AgentConnection": {{text: "edges", on: "AgentEdge"}, {text: "nodes", on: "Agent"}, {text: "pageInfo", on: "PageInfo"}, {text: "totalCount"}},
		"AgentEdge":       {{text: "node", on: "Agent"}, {text: "cursor"}},
		"Summary":         {{text: "count"}},
		"PageInfo":        {{text: "hasNextPage"}},
		"Tree":            {{text: "root", on: "Agent"}, {text: "nodes", on: "Agent"}, {text: "count"}},
	}[on]
	choices = append(choices, selection{on: on})
	var set []selection
	for range rapid.IntRange(1, 3).Draw(t, "selections") {
		s := rapid.SampledFrom(choices).Draw(t, "selection")
		s.skip = rapid.SampledFrom([]string{"", "", "", " @skip(if: $yes)", " @include(if: $yes)", " @skip(if: $no)"}).Draw(t, "skip")
		switch {
		case s.on != "" && depth == 0:
			s = selection{text: "__typename"}
		case s.on != "":
			s.below = drawSet(t, s.on, depth-1)
		}
		if s.on == "AgentConnection" && s.text != "" {
			s.text += rapid.SampledFrom([]string{"", "(first: 3)", "(first: $n)", "(first: 200)"}).Draw(t, "page")
		}
		set = append(set, s)
	}
	return set
}

// printer writes selections as a document. With named set, fragments become
// named ones, equal sets sharing one name.
type printer struct {
	named     bool
	fragments map[string]string // text to name
}

func (p *printer) set(set []selection) string {
	var b strings.Builder
	b.WriteString("{ ")
	for _, s := range set {
		switch {
		case s.text == "" && p.named:
			b.WriteString("..." + p.fragment(" on "+s.on+" "+p.set(s.below)) + s.skip)
		case s.text == "":
			b.WriteString("... on " + s.on + s.skip + p.set(s.below))
		default:
			b.WriteString(s.text + s.skip)
			if s.on != "" {
				b.WriteString(p.set(s.below))
			}
		}
		b.WriteByte(' ')
	}
	return b.String() + "}"
}

func (p *printer) fragment(text string) string {
	if p.fragments[text] == "" {
		p.fragments[text] = fmt.Sprintf("F%d", len(p.fragments))
	}
	return p.fragments[text]
}

func document(set []selection, named bool) string {
	p := printer{named: named, fragments: map[string]string{}}
	text := "query ($n: Int, $yes: Boolean = true, $no: Boolean = false) " + p.set(set)
	for body, name := range p.fragments {
		text += " fragment " + name + body
	}
	return text
}

var testVariables = map[string]any{"n": int64(7), "yes": true, "no": false}

// parse parses a document and ties it to the schema, with the one rule that
// the drawn documents could break by mistake of the test.
func parse(t interface{ Fatalf(string, ...any) }, text string) *ast.QueryDocument {
	doc, errs := gqlparser.LoadQueryWithRules(testSchema, text, rules.NewRules(rules.FieldsOnCorrectTypeRule))
	if errs != nil {
		t.Fatalf("%v in %s", errs, text)
	}
	return doc
}

func numbersOf(t *rapid.T, text string) (shape, amount) {
	doc := parse(t, text)
	w, err := readWeights(testSchema)
	if err != nil {
		t.Fatal(err)
	}
	return measure(doc, doc.Operations[0]), compile(doc, doc.Operations[0], w).total(testVariables, 50, 100)
}

// A field that is nested one level deeper, or selected in addition, never
// lowers the cost or any number of the shape.
func TestNestingDeeperNeverCostsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t, "Agent", 4)
		below, cost := numbersOf(t, document([]selection{{text: "agent", on: "Agent", below: set}}, true))
		wrapper := rapid.SampledFrom([]selection{
			{text: "agent", on: "Agent", below: []selection{{text: "free", on: "Agent", below: set}}},
			{text: "agent", on: "Agent", below: []selection{{text: "upline", on: "Agent", below: set}}},
			{text: "agent", on: "Agent", below: append([]selection{{text: "id"}}, set...)},
			{text: "agents(first: 1)", on: "AgentConnection", below: []selection{{text: "nodes", on: "Agent", below: set}}},
			{text: "agents(first: $n)", on: "AgentConnection", below: []selection{{text: "edges", on: "AgentEdge", below: []selection{{text: "node", on: "Agent", below: set}}}}},
		}).Draw(t, "wrapper")
		deeper, more := numbersOf(t, document([]selection{wrapper}, true))
		if more.points < cost.points || more.nodes < cost.nodes {
			t.Fatalf("cost falls from %+v to %+v", cost, more)
		}
		if deeper.depth < below.depth || deeper.fields < below.fields {
			t.Fatalf("shape falls from %+v to %+v", below, deeper)
		}
	})
}

// Naming and sharing fragments changes nothing but the time it takes.
func TestFragmentsCostWhatTheySpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t, "Query", 5)
		shapeNamed, costNamed := numbersOf(t, document(set, true))
		shapeInline, costInline := numbersOf(t, document(set, false))
		if shapeNamed != shapeInline || costNamed != costInline {
			t.Fatalf("named %+v %+v, inline %+v %+v", shapeNamed, costNamed, shapeInline, costInline)
		}
		if want := naive(set, "Query", 0); costInline.points != want {
			t.Fatalf("cost = %d, counted field by field %d: %s", costInline.points, want, document(set, false))
		}
	})
}

// naive counts the points of a selection set by spreading it out: rows is the
// page size around it, 0 outside of a connection.
func naive(set []selection, on string, rows int64) int64 {
	weights := map[string]int64{
		"agent": 1, "heavy": 20, "agents": 1, "recent": 1, "upline": 1, "downline": 1,
		"summary": 7, "score": 3, "edges": 1, "nodes": 1, "few": 1, "chain": 5, "tree": 20, "root": 1,
	}
	lists := map[string]int64{"few": 4, "chain": 6}
	sizes := map[string]int64{"": 50, "(first: 3)": 3, "(first: $n)": 7, "(first: 200)": 100}
	var total int64
	for _, s := range set {
		name, arguments, _ := strings.Cut(s.text, "(")
		if arguments != "" {
			arguments = "(" + arguments
		}
		page := sizes[arguments]
		if name == "recent" && arguments == "" {
			page = 10
		}
		if name == "tree" {
			page = 30
		}
		times, below := int64(1), int64(1)
		if on == "AgentConnection" && (name == "edges" || name == "nodes") || on == "Tree" && name == "nodes" {
			times = rows
		}
		if lists[name] > 0 {
			below = lists[name]
		}
		if s.text == "" {
			page = rows
		}
		if s.skip == "" || s.skip == " @include(if: $yes)" || s.skip == " @skip(if: $no)" {
			total += times * (weights[name] + lists[name] + below*naive(s.below, s.on, page))
		}
	}
	return total
}

// FuzzOperation: no document panics or hangs the limits, with or without the
// validator before them.
func FuzzOperation(f *testing.F) {
	for _, document := range []string{
		introspection, bomb(20, "id"), nestedBomb(10), nested(11),
		`query ($n: Int = 3, $s: Boolean!) { agents(first: $n, last: 99999999999999999999) @skip(if: $s) { ...F edges { node { id } } } } fragment F on AgentConnection { nodes { ...G } } fragment G on Agent { downline { ...F } }`,
		`{ agents(first: "x") @include(if: 3) { nodes { ...Missing } } } mutation { touch }`,
	} {
		f.Add(document)
	}
	exec := newExecutor(Config{Enforce: true})
	w, err := readWeights(testSchema)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ctx := graphql.StartOperationTrace(context.Background())
		op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: text, Variables: map[string]any{"n": 3, "s": true}})
		if cost, ok := Of(op); len(errs) == 0 && (!ok || cost.Requested < 0 || cost.Requested > MaxCost) {
			t.Errorf("%q runs at a cost of %v", text, cost)
		}
		doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, MaxTokens)
		if err != nil {
			return
		}
		for _, operation := range doc.Operations {
			measure(doc, operation)
			compile(doc, operation, w).total(nil, 50, 100)
		}
	})
}
