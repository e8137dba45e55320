package onboarding

import (
	"slices"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// check checks and normalises the input. The body is left as it is: its blanks may mean
// something, and its digest must be that of what was sent.
func (in *ContractInput) check() error {
	var c contentCheck
	in.Title = c.Required(in.Title, maxContentTitle, "title")
	if text.Trim(in.Body) == "" {
		c.Refuse(problem.Required, "is required", "body")
	}
	c.Text(in.Body, maxContractBody, "body")
	check.One(&c, BodyFormats, in.BodyFormat, "bodyFormat")
	if c.AtMost(len(in.Covenants), maxCovenants, "covenants", "covenants") {
		in.Covenants = c.covenants(in.Covenants)
	}
	return c.Err()
}

func (c *contentCheck) covenants(given []CovenantInput) []CovenantInput {
	covenants, items := make([]CovenantInput, len(given)), make([]string, len(given))
	for i, v := range given {
		c.sequence(v.Sequence, element("covenants", i, "sequence")...)
		v.Title = c.Optional(v.Title, maxContentTitle, element("covenants", i, "title")...)
		v.Text = c.Required(v.Text, maxContentText, element("covenants", i, "text")...)
		if v.ItemUID != nil {
			items[i] = canonical(*v.ItemUID)
			v.ItemUID = &items[i]
		}
		covenants[i] = v
	}
	c.unique(items, func(i int) []string { return element("covenants", i, "contentItemId") })
	return covenants
}

// canonical spells an id as it is stored. It returns a text that is no id as it is; it
// will be unknown.
func canonical(uid string) string {
	if id, err := uuid.Parse(uid); err == nil {
		return id.String()
	}
	return uid
}

// inOrder returns the input with its covenants in the order in which recruits
// read them.
func (in ContractInput) inOrder() *ContractInput {
	in.Covenants = slices.Clone(in.Covenants)
	slices.SortStableFunc(in.Covenants, func(a, b CovenantInput) int { return a.Sequence - b.Sequence })
	return &in
}
