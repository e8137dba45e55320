package main

import (
	"testing"

	"github.com/vektah/gqlparser/v2"

	"github.com/uplinehq/upline/graph/generated"
)

// The documents are not run by the tests, so a change of the schema would
// otherwise break them unseen.
func TestDocumentsAreValid(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	for _, q := range append(questions, question{name: "walk"}) {
		if _, err := gqlparser.LoadQueryWithRules(schema, q.document(), nil); err != nil {
			t.Errorf("%s: %v", q.name, err)
		}
	}
}

func TestMedian(t *testing.T) {
	if odd, even := median([]float64{3, 1, 2}), median([]float64{4, 1, 2, 3}); odd != 2 || even != 2.5 {
		t.Errorf("medians %v and %v, want 2 and 2.5", odd, even)
	}
}
