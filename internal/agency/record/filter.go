package record

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// FilterText is a text among the conditions of a list, with the name of its field.
type FilterText struct {
	// field is its path below the filter.
	field []string
	text  *string
	// of has the keys that the text may be, if it names reference data.
	of *ReferenceTable
}

// FilterOn returns the condition on a field.
func FilterOn(field string, text *string) FilterText {
	return FilterText{field: []string{field}, text: text}
}

// FilterOf returns the condition on a field that names reference data.
func FilterOf(t ReferenceTable, field string, text *string) FilterText {
	return FilterText{[]string{field}, text, &t}
}

// Below returns the same conditions of a filter that is itself a field.
func Below(path []string, texts []FilterText) []FilterText {
	for i, t := range texts {
		texts[i].field = slices.Concat(path, t.field)
	}
	return texts
}

// InFilter returns the path of a field of a filter.
func InFilter(path ...string) []string { return append([]string{"filter"}, path...) }

// CheckFilter refuses blank texts among the conditions of a list, and names of reference
// data that the agency has not configured, and returns the id of the tenant. A blank text
// would match everybody in some conditions and nobody in others, and an unknown name
// nobody; no client means any of these.
func CheckFilter(ctx context.Context, q store.Querier, texts ...FilterText) (tenantID int64, err error) {
	var c Check
	for _, t := range texts {
		c.filled(t)
	}
	if tenantID, err = tenant.ID(ctx); err != nil || c.Err() != nil {
		return 0, FirstOf(err, c.Err())
	}
	keys := map[string][]string{}
	for _, t := range texts {
		if t.text == nil || t.of == nil {
			continue
		}
		known, isRead := keys[t.of.Table]
		if !isRead {
			if known, err = t.of.configured(ctx, q, tenantID); err != nil {
				return 0, err
			}
			keys[t.of.Table] = known
		}
		if !slices.Contains(known, *t.text) {
			c.Add(t.of.unknownOf(known, *t.text, InFilter(t.field...)...))
		}
	}
	return tenantID, c.Err()
}

// configured returns the keys of the table, as texts.
func (t ReferenceTable) configured(ctx context.Context, q store.Querier, tenantID int64) ([]string, error) {
	s := new(store.SQL).Write("SELECT CAST("+t.Key+" AS TEXT) FROM "+t.Table+" WHERE tenant_id = ?", tenantID)
	for _, o := range t.Owner {
		s.Write(" AND "+o.Name+" = ?", o.Value)
	}
	return store.Collect(ctx, q, store.ScanOne[string], s.Write(" ORDER BY "+t.Key).Text(), s.Args()...)
}

// maxNamed is how many keys a refusal names.
const maxNamed = 20

// unknownOf returns the problem of a key that is none of those configured. It names the
// nearest one, or all when they are few.
func (t ReferenceTable) unknownOf(known []string, key string, field ...string) *problem.Error {
	p := t.Unknown(field...)
	if nearest := text.Nearest(key, known); nearest != "" {
		p.Message += " Did you mean " + nearest + "?"
		return p.With("nearest", nearest)
	}
	if len(known) > 0 && len(known) <= maxNamed {
		p.Message += " The agency has " + strings.Join(known, ", ") + "."
	}
	return p
}

func (c *Check) filled(t FilterText) {
	if t.text != nil && text.Trim(*t.text) == "" {
		c.Refuse(problem.InvalidFormat, "must not be blank", InFilter(t.field...)...)
	}
}

// FilterList returns the texts of a condition that takes several.
func FilterList(field string, texts []string) []FilterText {
	list := make([]FilterText, len(texts))
	for i := range texts {
		list[i] = FilterOn(field, &texts[i])
	}
	return list
}
