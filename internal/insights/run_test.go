package insights

import (
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

// All pages of a query are one statement: a database prepares it once, and nothing
// that remembers statements fills up with them.
func TestPagesAreOneStatement(t *testing.T) {
	for _, q := range queries {
		if q.Core == nil {
			continue
		}
		r := &Run{Report: q, Tenant: &tenant.Tenant{ID: 1}, values: map[string]any{}, scope: scope{kind: agency}}
		one, other := r.page(50, 0), r.page(49, 1234)
		if one.Text() != other.Text() || slices.Equal(one.Args(), other.Args()) {
			t.Errorf("%s:\n%s %v\n%s %v", q.Slug, one.Text(), one.Args(), other.Text(), other.Args())
		}
	}
}

// A chart shows one number of a query, if any.
func TestMeasuresAreNumbers(t *testing.T) {
	declared := 0
	for _, q := range queries {
		var measures []string
		for _, c := range q.Columns {
			if !c.Measure {
				continue
			}
			measures = append(measures, c.Key)
			if c.Type != value.Integer && c.Type != value.Decimal {
				t.Errorf("%s: %s is no number", q.Slug, c.Key)
			}
		}
		if len(measures) > 1 {
			t.Errorf("%s has the measures %v", q.Slug, measures)
		}
		declared += len(measures)
	}
	if declared < 10 {
		t.Errorf("only %d queries declare a measure", declared)
	}
}
