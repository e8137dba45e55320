package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/internal/words/text"
)

// filterText is a text among the conditions of a list: its field, and the text.
type filterText struct {
	field string
	text  *string
}

// filterOn is a condition on a field.
func filterOn(field string, text *string) filterText { return filterText{field, text} }

// checkFilter refuses a blank text among the conditions of a list and returns
// the tenant. Some would find everybody by a blank text, others nobody, or those
// without a value: whoever sends one meant none of these.
func checkFilter(ctx context.Context, texts ...filterText) (tenantID int64, err error) {
	var c inputCheck
	for _, t := range texts {
		c.filled(t)
	}
	if err := c.Err(); err != nil {
		return 0, err
	}
	return tenant.ID(ctx)
}

func (c *inputCheck) filled(t filterText) {
	if t.text != nil && text.Trim(*t.text) == "" {
		c.Refuse(problem.InvalidFormat, "must not be blank", "filter", t.field)
	}
}

// filterList are the texts of a condition that takes several.
func filterList(field string, texts []string) []filterText {
	list := make([]filterText, len(texts))
	for i := range texts {
		list[i] = filterText{field, &texts[i]}
	}
	return list
}
