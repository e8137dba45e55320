package record

import (
	"context"

	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/internal/words/text"
)

// FilterText is a text among the conditions of a list, with the name of its field.
type FilterText struct {
	field string
	text  *string
}

// FilterOn returns the condition on a field.
func FilterOn(field string, text *string) FilterText { return FilterText{field, text} }

// CheckFilter refuses blank texts among the conditions of a list, and returns the id of
// the tenant. A blank text would match everybody in some conditions and nobody in others;
// no client means either.
func CheckFilter(ctx context.Context, texts ...FilterText) (tenantID int64, err error) {
	var c Check
	for _, t := range texts {
		c.filled(t)
	}
	if err := c.Err(); err != nil {
		return 0, err
	}
	return tenant.ID(ctx)
}

func (c *Check) filled(t FilterText) {
	if t.text != nil && text.Trim(*t.text) == "" {
		c.Refuse(problem.InvalidFormat, "must not be blank", "filter", t.field)
	}
}

// FilterList returns the texts of a condition that takes several.
func FilterList(field string, texts []string) []FilterText {
	list := make([]FilterText, len(texts))
	for i := range texts {
		list[i] = FilterText{field, &texts[i]}
	}
	return list
}
