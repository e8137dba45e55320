package limits

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// The introspection query that GraphiQL sends: getIntrospectionQuery of
// graphql-js 16 with every option on that the server knows.
//
//go:embed testdata/introspection.graphql
var introspection string

func TestIntrospectionQueryPasses(t *testing.T) {
	r := run(newExecutor(Config{Enforce: true}), introspection, nil)
	if len(r.Errors) != 0 {
		t.Fatal(r.Errors)
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: introspection})
	if err != nil {
		t.Fatal(err)
	}
	if s := measure(doc, doc.Operations[0]); s.meta != 15 || s.depth != 1 {
		t.Errorf("introspection is %d deep below %d, want 15 below 1", s.meta, s.depth)
	}
}

// bomb returns a document of n fragments, each of which spreads the next one
// twice: 2ⁿ fields in a few hundred tokens ("billion laughs").
func bomb(n int, leaf string) string {
	var b strings.Builder
	b.WriteString("{ agent { ...F0 } } ")
	for i := range n {
		fmt.Fprintf(&b, "fragment F%d on Agent { ...F%d ...F%d } ", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "fragment F%d on Agent { %s }", n, leaf)
	return b.String()
}

// bombs are documents of a few hundred tokens that stand for 2ⁿ fields.
func bombs() map[string]string {
	return map[string]string{
		"spreads":         bomb(150, "id"),
		"spreads, inline": strings.ReplaceAll(bomb(80, "id"), "...F", "... on Agent { id } ...F"),
		"nested":          nestedBomb(100),
		"pages":           bomb(100, "downline { nodes { id } }"),
		"conditions":      strings.Replace(bomb(100, "downline(first: $n) @skip(if: $s) { nodes { id } }"), "{", "query ($n: Int, $s: Boolean = false) {", 1),
		"cycle":           "{ agent { ...A } } fragment A on Agent { upline { ...B } } fragment B on Agent { ...A ...A }",
	}
}

// Whole requests, with parsing and validation. Work that grew with what is
// spread out would not end. BenchmarkBombs says how long they take.
func TestBombsAreRefused(t *testing.T) {
	for name, document := range bombs() {
		r := run(newExecutor(Config{Enforce: true}), document, nil) // with nothing cached
		if len(r.Errors) == 0 || len(r.Data) != 0 {
			t.Fatalf("%s: not refused", name)
		}
		// Were it the validator or the parser, this would test nothing of ours.
		if _, ours := r.Errors[0].Extensions["limit"]; !ours && name != "cycle" {
			t.Fatalf("%s: refused by another rule: %v", name, r.Errors)
		}
	}
}

func BenchmarkBombs(b *testing.B) {
	for name, document := range bombs() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run(newExecutor(Config{Enforce: true}), document, nil)
			}
		})
	}
}

// nestedBomb nests a field at each fragment, so that no two spreads merge.
func nestedBomb(n int) string {
	var b strings.Builder
	b.WriteString("{ agent { ...F0 } } ")
	for i := range n {
		fmt.Fprintf(&b, "fragment F%d on Agent { upline { ...F%d } free { ...F%d } } ", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "fragment F%d on Agent { id }", n)
	return b.String()
}

// The measuring itself, where no limit on the shape has cut it short: the
// numbers stop at the ceiling, and every selection of the document is looked at
// once, however often it is spread.
func TestNumbersStopAtTheCeiling(t *testing.T) {
	w, _ := readWeights(testSchema)
	for _, document := range []string{bomb(2000, "downline { nodes { id } }"), nestedBomb(2000)} {
		doc := parse(t, document)
		selections := 0
		for _, set := range append([]ast.SelectionSet{doc.Operations[0].SelectionSet}, sets(doc.Fragments)...) {
			selections += count(set)
		}
		s := surveyor{doc: doc, fragments: map[*ast.FragmentDefinition]*shape{}}
		if got := s.operation(doc.Operations[0]); got.fields != ceiling || s.steps != selections {
			t.Errorf("%d fields in %d steps, want the ceiling in %d", got.fields, s.steps, selections)
		}
		c := compiler{doc: doc, weights: w, fragments: map[*ast.FragmentDefinition]*plan{}}
		program := c.operation(doc.Operations[0])
		e := program.evaluation(nil, 50, 100)
		if got := e.plan(program.root); got.points != ceiling || got.nodes != ceiling {
			t.Errorf("cost = %+v, want the ceiling", got)
		}
		if c.steps != selections || e.steps > selections {
			t.Errorf("%d and %d steps for %d selections", c.steps, e.steps, selections)
		}
	}
}

func sets(fragments ast.FragmentDefinitionList) (list []ast.SelectionSet) {
	for _, f := range fragments {
		list = append(list, f.SelectionSet)
	}
	return list
}

// count returns the selections that are written in a set.
func count(set ast.SelectionSet) (n int) {
	for _, selection := range set {
		n++
		switch selection := selection.(type) {
		case *ast.Field:
			n += count(selection.SelectionSet)
		case *ast.InlineFragment:
			n += count(selection.SelectionSet)
		}
	}
	return n
}

// The validator refuses cycles. Were its rule ever missing, this would.
func TestCycleWithoutValidation(t *testing.T) {
	for _, document := range []string{
		"{ agent { ...A } } fragment A on Agent { upline { ...B } } fragment B on Agent { ...A }",
		"{ ...A } fragment A on Query { name ...A }",
		"{ __schema { ...A } } fragment A on __Schema { types { ofType { name } } ...A }",
	} {
		doc, err := parser.ParseQuery(&ast.Source{Input: document})
		if err != nil {
			t.Fatal(err)
		}
		over := measure(doc, doc.Operations[0]).over()
		if over == nil || !strings.HasSuffix(strings.ToLower(over.limit), "depth") {
			t.Errorf("%s: exceeds %v, want a limit of depth", document, over)
		}
	}
}

// Two operations of one document have their own numbers, and one operation
// with other variables has another cost.
func TestCacheKeepsOperationsApart(t *testing.T) {
	exec := newExecutor(Config{})
	document := `query A($n: Int) { agents(first: $n) { nodes { id } } } query B { agent { id } }`
	var wait sync.WaitGroup
	for n := range int64(100) {
		for name, want := range map[string]int64{"A": n + 1, "B": 1} {
			wait.Go(func() {
				ctx := graphql.StartOperationTrace(context.Background())
				op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: document, OperationName: name, Variables: map[string]any{"n": n}})
				if cost, ok := Of(op); !ok || len(errs) > 0 || cost.Requested != want {
					t.Errorf("%s of %d: %v %v, want %d", name, n, cost, errs, want)
				}
			})
		}
	}
	wait.Wait()
}

// The page sizes are those of the request's tenant, though the operation is
// the same.
func TestPageSizesOfTheTenant(t *testing.T) {
	type key struct{}
	exec := newExecutor(Config{PageSizes: func(ctx context.Context) (int, int) {
		return ctx.Value(key{}).(int), 30
	}})
	for usual, want := range map[int]int64{10: 11, 25: 26, 90: 31} {
		ctx := graphql.StartOperationTrace(context.WithValue(t.Context(), key{}, usual))
		op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: "{ agents { nodes { id } } }"})
		if cost, _ := Of(op); len(errs) > 0 || cost.Requested != want {
			t.Errorf("usual size %d: cost %v %v, want %d", usual, cost, errs, want)
		}
	}
}

// An operation that never had a cost has none in its response.
func TestNoCostWithoutOperation(t *testing.T) {
	for _, document := range []string{"{", "{ unknown }", "{ " + strings.Repeat("name ", 21) + "}"} {
		r := run(newExecutor(Config{}), document, nil)
		if _, has := r.Extensions["cost"]; has || len(r.Errors) == 0 {
			t.Errorf("%s: extensions = %v, errors = %v", document, r.Extensions, r.Errors)
		}
	}
}

// A size that could not be read would let every list below it count as one row.
func TestSizesMustBeReadable(t *testing.T) {
	for field, want := range map[string]string{
		`a: [B] @listSize`: "has to assume",
		`a(n: Int): [B] @listSize(slicingArguments: ["n"])`:                                    "has to assume",
		`a(n: Int!): [B] @listSize(slicingArguments: ["m"])`:                                   "which there is not",
		`a(n: I!): [B] @listSize(slicingArguments: ["n.y"], assumedSize: 1)`:                   "which there is not",
		`a(n: I!): [B] @listSize(slicingArguments: ["n.x"])`:                                   "has to assume",
		`a: [B] @listSize(assumedSize: 0)`:                                                     "at least 1",
		`a: B @listSize(assumedSize: 2)`:                                                       "is for lists",
		`a: B @listSize(assumedSize: 2, sizedFields: ["id"])`:                                  "is for lists",
		`a: B @listSize(assumedSize: 2, sizedFields: ["c"])`:                                   "which there is not",
		`a: B @listSize(assumedSize: 2, sizedFields: ["bs"]) b: B`:                             "needs @listSize with sizedFields",
		`a: B @listSize(assumedSize: 2, sizedFields: ["bs"]) b: [B] @listSize(assumedSize: 2)`: "needs @listSize with sizedFields",
	} {
		schema := gqlparser.MustLoadSchema(&ast.Source{Input: `
			directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!]) on FIELD_DEFINITION
			type Query { ` + field + ` } type B { id: ID bs: [C] } type C { id: ID } input I { x: [Int!] }
		`})
		err := New(Config{}).Validate(&graphql.ExecutableSchemaMock{SchemaFunc: func() *ast.Schema { return schema }})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "limits: Query.") {
			t.Errorf("%s: error = %v, want one with %q", field, err, want)
		}
	}
}

func TestWeightsMustNotBeNegative(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `
		directive @cost(weight: Int! = 1) on FIELD_DEFINITION
		type Query { a: Int @cost(weight: -1) }
	`})
	mock := &graphql.ExecutableSchemaMock{SchemaFunc: func() *ast.Schema { return schema }}
	err := New(Config{}).Validate(mock)
	if err == nil || !strings.Contains(err.Error(), "Query.a") {
		t.Errorf("error = %v, want one that names Query.a", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an executor started with a negative weight")
		}
	}()
	executor.New(mock).Use(New(Config{}))
}
