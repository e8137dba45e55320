package insights

import (
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/tenant"
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
